"""The application: which request goes where."""

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
from shoal.report.html import CHARTS, PALETTE
from shoal.web import pages, uploads
from shoal.web.guard import Guard, Keys
from shoal.web.steps import columns, data, hierarchies, home, protection, reading, release, run
from shoal.web.workplace import Workplace

_STEPS = (home, data, reading, columns, hierarchies, protection, run, release)
_STATIC = Path(__file__).parent / "static"


def application(workplace: Workplace, keys: Keys) -> ASGIApp:
    """The page over this workplace, for those who have the keys."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        known = asyncio.create_task(asyncio.to_thread(methods))  # so that no request waits until all are imported
        yield
        await known
        if workplace.warming is not None:
            await workplace.warming.close()
        await workplace.jobs.close()
        await workplace.desk.close()

    found = Starlette(
        routes=[
            *uploads.routes,
            *(route for step in _STEPS for route in step.routes),
            Route("/static/palette.css", _palette),
            Route("/static/charts.css", _charts),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ],
        exception_handlers={ShoalError: _refused, HTTPException: _not_found, Exception: _bug},  # type: ignore[dict-item]
        lifespan=lifespan,
    )
    found.state.workplace = workplace
    return Guard(found, keys)  # outside of all that Starlette puts around it, so that no answer passes it by


async def _palette(_: Request) -> Response:
    """The colors of the reports, which the page shares."""
    return Response(PALETTE, media_type="text/css")


async def _charts(_: Request) -> Response:
    """The style of the charts of the reports, which the page shows too."""
    return Response(CHARTS, media_type="text/css")


async def _refused(request: Request, error: ShoalError) -> Response:
    return pages.refused(request, error)


async def _not_found(request: Request, error: HTTPException) -> Response:
    fact = "There is no such page" if error.status_code == 404 else "This cannot be done here"
    return pages.refused(request, PageError.said(fact, "go back to the list of projects", error.status_code))


async def _bug(request: Request, error: Exception) -> Response:
    return pages.refused(request, PageError.bug(type(error).__name__))
