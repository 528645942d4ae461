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

from shoal.errors import ShoalError
from shoal.microaggregation.registry import methods
from shoal.report import hierarchy_drawing
from shoal.report.html import CHART_STYLE, PALETTE
from shoal.web.context import AppContext
from shoal.web.errors import PageError
from shoal.web.http import render, uploads
from shoal.web.http.security import SecurityMiddleware, SessionKeys
from shoal.web.pages import (
    columns_page,
    data_page,
    hierarchy_page,
    home_page,
    import_page,
    protection_page,
    release_page,
    run_page,
)

_PAGES = (home_page, data_page, import_page, columns_page, hierarchy_page, protection_page, run_page, release_page)
_STATIC = Path(__file__).parent / "static"
_REPORT_STYLES = {"palette": PALETTE, "charts": CHART_STYLE, "tree": hierarchy_drawing.STYLE}
"""Styles that the page shares with reports."""


def create_app(context: AppContext, keys: SessionKeys) -> ASGIApp:
    """Build the application over this context, for browsers that hold the session keys."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        imports = asyncio.create_task(asyncio.to_thread(methods))  # no request waits for these imports
        yield
        await imports
        await context.workers.close()

    app = Starlette(
        routes=[
            *uploads.routes,
            *(route for module in _PAGES for route in module.routes),
            *(
                Route(f"/static/{name}.css", Response(style, media_type="text/css"), methods=["GET"])
                for name, style in _REPORT_STYLES.items()
            ),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ],
        exception_handlers={ShoalError: render.error_response, HTTPException: _on_http_error, Exception: _on_exception},  # type: ignore[dict-item]
        lifespan=lifespan,
    )
    app.state.context = context
    return SecurityMiddleware(app, keys)  # outside of the middleware of Starlette, so that it sees every response


async def _on_http_error(request: Request, error: HTTPException) -> Response:
    fact = "There is no such page" if error.status_code == 404 else "This cannot be done here"
    return await render.error_response(request, PageError(fact, "go back to the list of projects", error.status_code))


async def _on_exception(request: Request, error: Exception) -> Response:
    return await render.error_response(request, PageError.bug(type(error).__name__))
