"""The Starlette application: routes and exception handlers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from shoal.errors import PageError, ShoalError
from shoal.partition.registry import methods
from shoal.report.html import CHART_STYLE, PALETTE
from shoal.web import pages, uploads
from shoal.web.guard import SecurityMiddleware, SessionKeys
from shoal.web.steps import columns, data, hierarchies, home, protection, reading, release, run
from shoal.web.workplace import AppContext

_PAGES = (home, data, reading, columns, hierarchies, protection, run, release)
_STATIC = Path(__file__).parent / "static"


def create_app(context: AppContext, keys: SessionKeys) -> ASGIApp:
    """Build the application over this context, for browsers that hold the session keys."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        imports = asyncio.create_task(asyncio.to_thread(methods))  # no request waits for these imports
        yield
        await imports
        if context.warmup is not None:
            await context.warmup.close()
        await context.jobs.close()
        await context.workers.close()

    app = Starlette(
        routes=[
            *uploads.routes,
            *(route for module in _PAGES for route in module.routes),
            Route("/static/palette.css", _palette),
            Route("/static/charts.css", _charts),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ],
        exception_handlers={ShoalError: _on_error, HTTPException: _on_http_error, Exception: _on_exception},  # type: ignore[dict-item]
        lifespan=lifespan,
    )
    app.state.context = context
    return SecurityMiddleware(app, keys)  # outside of the middleware of Starlette, so that it sees every response


async def _palette(_: Request) -> Response:
    """Return the colors of the reports, which the page shares."""
    return Response(PALETTE, media_type="text/css")


async def _charts(_: Request) -> Response:
    """Return the chart style of the reports, which the page shares."""
    return Response(CHART_STYLE, media_type="text/css")


async def _on_error(request: Request, error: ShoalError) -> Response:
    return pages.error_response(request, error)


async def _on_http_error(request: Request, error: HTTPException) -> Response:
    fact = "There is no such page" if error.status_code == 404 else "This cannot be done here"
    return pages.error_response(
        request, PageError.from_worker(fact, "go back to the list of projects", error.status_code)
    )


async def _on_exception(request: Request, error: Exception) -> Response:
    return pages.error_response(request, PageError.bug(type(error).__name__))
