"""Files that the browser sends: a raw body, written to the private folder as it comes, whole or not at all."""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal.aside import reason
from shoal.errors import PageError
from shoal.tables.formats import ENDINGS, format_of
from shoal.web.answer import declared
from shoal.web.arrivals import (
    display_name,
    ending,
    found_again,
    look,
    other_file,
    received,
    seen,
    shortened,
    take_example,
    take_path,
)
from shoal.web.interface import Project
from shoal.web.workplace import Workplace, workplace

__all__ = ["ENDINGS", "ending", "format_of", "found_again", "look", "received", "routes", "seen", "take_example"]
__all__ += ["take_path"]

_AT_ONCE = 1 << 20
"""Bytes that are written together, in a thread."""
_PATIENCE = 60
"""Seconds without a byte after which an upload is given up."""
_RESERVE = 100 << 20
"""Bytes of the disk that stay free."""


async def new(request: Request) -> Response:
    """A new project with the file that is sent."""
    place, name = workplace(request), _name(request)
    async with _table(request, place) as part:
        project = place.store.new(shortened(name))
        _take(place, project, part, name)
    return _answer(project)


async def again(request: Request) -> Response:
    """The file of a project that has none at hand, or another one in its place."""
    place, name = workplace(request), _name(request)
    project = place.project(request)
    _check_idle(place, project)
    _check_known(request, project)
    async with _table(request, place) as part:
        await place.desk.forget(project.id)
        _check_idle(place, project)
        _check_known(request, place.project(request))
        # in any case, so that no copy of the file before is kept by a page that was shown before
        project = place.store.update(project.id, lambda now: replace(other_file(now), origin={}), anew=True)
        place.store.drop_data(project.id)
        _take(place, project, part, name)
    return _answer(project)


def _check_idle(place: Workplace, project: Project) -> None:
    """No job of the project may be at work on the file that another one takes the place of."""
    if place.jobs.running(project.id):
        raise PageError.busy(1)


def _check_known(request: Request, project: Project) -> None:
    """Refuse what comes from a page that shows another file than the one that is there now."""
    known = "" if project.source is None else project.source.sha256
    if request.headers.get("x-known-file", known) != known:
        raise PageError.changed_elsewhere()


def _name(request: Request) -> str:
    """The name of the file, which must tell a format that we know."""
    name = display_name(unquote(request.headers.get("x-file-name", "")))
    if not name:
        raise PageError.no_file_name()
    ending(name)
    return name


def _take(place: Workplace, project: Project, part: Path, name: str) -> None:
    folder = place.scratch / project.id
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    place.files[project.id] = part.replace(folder / f"data{ending(name)}")
    with suppress(PageError):  # too many jobs: the step of the data offers to look later
        look(place, project, name=shortened(name))


def _answer(project: Project) -> Response:
    return JSONResponse({"location": f"/p/{project.id}/data"})


@asynccontextmanager
async def _table(request: Request, place: Workplace) -> AsyncIterator[Path]:
    """The body, if there is any."""
    most = place.max_upload
    async with arriving(request, place.scratch, most=most, refusal=PageError.too_large(most)) as part:
        if not part.stat().st_size:
            raise PageError.empty_file()
        yield part


@asynccontextmanager
async def arriving(request: Request, folder: Path, *, most: int, refusal: PageError) -> AsyncIterator[Path]:
    """The body as a private file in a folder, once it is whole; at the end it is gone unless it was moved elsewhere.

    A body of more bytes than ``most`` meets the ``refusal``.
    """
    size, free = declared(request.headers), max(shutil.disk_usage(folder).free - _RESERVE, 0)
    if size > most:
        raise refusal
    if size > free:
        raise PageError.no_room(needed=size, free=free)
    part = folder / f"arriving-{secrets.token_hex(8)}"
    try:
        if not await _written(request, part, most=min(most, free)):
            raise refusal if most <= free else PageError.disk_full()
        yield part
    except ClientDisconnect:
        raise PageError.cut_off() from None
    except TimeoutError:
        raise PageError.stalled(_PATIENCE) from None
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise PageError.disk_full() if full else PageError.not_stored(reason(error)) from None
    finally:
        part.unlink(missing_ok=True)


async def _written(request: Request, part: Path, *, most: int) -> bool:
    """Write the body to a new file; whether it has no more bytes than that."""
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    total, waiting = 0, bytearray()
    with os.fdopen(handle, "wb", buffering=0) as file:
        async for chunk in _patient(request):
            total += len(chunk)
            if total > most:
                return False
            waiting += chunk
            if len(waiting) >= _AT_ONCE:
                await asyncio.to_thread(_write, file.fileno(), bytes(waiting))
                waiting.clear()
        await asyncio.to_thread(_write, file.fileno(), bytes(waiting))
    return True


def _write(handle: int, block: bytes) -> None:
    """All of it: the system may write less at once."""
    left = memoryview(block)
    while left:
        left = left[os.write(handle, left) :]


async def _patient(request: Request) -> AsyncIterator[bytes]:
    chunks = aiter(request.stream())
    while True:
        async with asyncio.timeout(_PATIENCE):
            try:
                chunk = await anext(chunks)
            except StopAsyncIteration:
                return
        yield chunk


routes = [Route("/projects", new, methods=["POST"]), Route("/p/{id}/file", again, methods=["POST"])]
