"""File uploads: the raw request body is streamed to the private folder, complete or not at all."""

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

from shoal.system.atomic import os_error_reason
from shoal.web.context import AppContext, app_context, project_context
from shoal.web.errors import PageError
from shoal.web.http.responses import content_length
from shoal.web.projects.incoming_files import display_name, file_ending, inspect_file, shorten_name, without_file
from shoal.web.projects.model import Project

_BLOCK_SIZE = 1 << 20
"""Bytes per write, which runs in a thread."""
_PATIENCE = 60
"""Seconds without a byte after which an upload is aborted."""
_RESERVE = 100 << 20
"""Bytes of the disk to leave free."""


async def create(request: Request) -> Response:
    context, name = app_context(request), _name(request)
    async with _receive_table(request, context) as part:
        project = context.store.create(shorten_name(name))
        _store_upload(context, project, part, name)
    return _redirect(project)


async def replace_file(request: Request) -> Response:
    name = _name(request)
    context, project = project_context(request)
    _check_idle(context, project)
    _check_same_file(request, project)
    async with _receive_table(request, context) as part:
        await context.workers.forget(project.id)
        _check_idle(context, project)
        _check_same_file(request, project_context(request)[1])
        # always a new revision, so that an outdated page cannot store a copy of the previous file
        project = context.store.update(project.id, lambda now: replace(without_file(now), origin={}), new_revision=True)
        context.store.drop_data(project.id)
        _store_upload(context, project, part, name)
    return _redirect(project)


def _check_idle(context: AppContext, project: Project) -> None:
    if context.workers.has_running_job(project.id):
        raise PageError.busy(1)


def _check_same_file(request: Request, project: Project) -> None:
    """Refuse a request from a page that displays another file than the current one."""
    sha256 = "" if project.source is None else project.source.sha256
    if request.headers.get("x-known-file", sha256) != sha256:
        raise PageError.changed_elsewhere()


def _name(request: Request) -> str:
    """Return the file name, whose ending must be a supported format."""
    name = display_name(unquote(request.headers.get("x-file-name", "")))
    if not name:
        raise PageError.missing_file_name()
    file_ending(name)
    return name


def _store_upload(context: AppContext, project: Project, part: Path, name: str) -> None:
    folder = context.scratch / project.id
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    context.files[project.id] = part.replace(folder / f"data{file_ending(name)}")
    with suppress(PageError):  # too many jobs: the data page offers to inspect it later
        inspect_file(context, project, name=shorten_name(name))


def _redirect(project: Project) -> Response:
    return JSONResponse({"location": f"/p/{project.id}/data"})


@asynccontextmanager
async def _receive_table(request: Request, context: AppContext) -> AsyncIterator[Path]:
    """Receive the body; refuse an empty one."""
    max_bytes = context.max_upload
    async with receive_body(
        request, context.scratch, max_bytes=max_bytes, too_large=PageError.too_large(max_bytes)
    ) as part:
        if not part.stat().st_size:
            raise PageError.empty_file()
        yield part


@asynccontextmanager
async def receive_body(request: Request, folder: Path, *, max_bytes: int, too_large: PageError) -> AsyncIterator[Path]:
    """Yield the complete body as a private file in a folder; at the end it is deleted unless it was moved.

    Raise ``too_large`` for a body of more bytes than ``max_bytes``.
    """
    size, available = content_length(request.headers), max(shutil.disk_usage(folder).free - _RESERVE, 0)
    if size > max_bytes:
        raise too_large
    if size > available:
        raise PageError.disk_too_small(needed=size, free=available)
    part = folder / f"arriving-{secrets.token_hex(8)}"
    try:
        if not await _write_body(request, part, most=min(max_bytes, available)):
            raise too_large if max_bytes <= available else PageError.disk_full()
        yield part
    except ClientDisconnect:
        raise PageError.upload_incomplete() from None
    except TimeoutError:
        raise PageError.upload_stalled(_PATIENCE) from None
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise PageError.disk_full() if full else PageError.not_writable(os_error_reason(error)) from None
    finally:
        part.unlink(missing_ok=True)


async def _write_body(request: Request, part: Path, *, most: int) -> bool:
    """Write the body to a new file; return whether it is within the limit."""
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    total, buffer = 0, bytearray()
    with os.fdopen(handle, "wb", buffering=0) as file:
        async for chunk in _chunks(request):
            total += len(chunk)
            if total > most:
                return False
            buffer += chunk
            if len(buffer) >= _BLOCK_SIZE:
                await asyncio.to_thread(_write, file.fileno(), bytes(buffer))
                buffer.clear()
        await asyncio.to_thread(_write, file.fileno(), bytes(buffer))
    return True


def _write(handle: int, block: bytes) -> None:
    """Write all bytes: one system call may write less."""
    remaining = memoryview(block)
    while remaining:
        remaining = remaining[os.write(handle, remaining) :]


async def _chunks(request: Request) -> AsyncIterator[bytes]:
    chunks = aiter(request.stream())
    while True:
        async with asyncio.timeout(_PATIENCE):
            try:
                chunk = await anext(chunks)
            except StopAsyncIteration:
                return
        yield chunk


routes = [Route("/projects", create, methods=["POST"]), Route("/p/{id}/file", replace_file, methods=["POST"])]
