"""HTTP server: one process on the loopback address, for the user who started it."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from shoal.system.atomic import os_error_reason
from shoal.system.scratch import temporary_folder
from shoal.web.app import create_app
from shoal.web.context import AppContext
from shoal.web.errors import PageError
from shoal.web.http.responses import SECURITY_HEADERS
from shoal.web.http.security import SessionKeys, bracketed
from shoal.web.projects.incoming_files import open_path, restore_file
from shoal.web.projects.store import ProjectStore, scratch_folder
from shoal.web.workers.pool import WorkerPool
from shoal.web.workers.process import WorkerLimits

LOOPBACK = "127.0.0.1"
_DEFAULT_PORT = 8088
_STOPPING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
_IDLE_TIMEOUT = 30
"""Seconds that a connection may be idle before its next request."""
_MAX_CONNECTIONS = 200
_PORT_ERRORS = (errno.EADDRINUSE, errno.EACCES)
"""Errors for a port that is in use, or reserved for privileged programs."""


@dataclass(frozen=True)
class ServerConfig:
    """Configuration of the server."""

    folder: Path
    max_upload: int
    """Bytes."""
    memory: int
    """Bytes per worker."""
    host: str = LOOPBACK
    port: int | None = None
    """None: the default port, or a free one if that is taken; 0: a free one."""
    browser: bool = True
    file: Path | None = None
    """Opened at once, and used in place."""


def serve(config: ServerConfig, *, notify: Callable[[str], None]) -> None:
    """Serve the page until it is stopped; ``notify`` prints messages to the user."""
    os.umask(0o077)
    store = ProjectStore(config.folder)
    port = _DEFAULT_PORT if config.port is None else config.port
    with _bound(config.host, port, free=config.port is None) as listener, temporary_folder(scratch_folder()) as folder:
        workers = WorkerPool(WorkerLimits(config.memory, folder), warms_up=True)
        context = AppContext(store, workers, folder, config.max_upload)
        asyncio.run(_run(config, context, listener, notify))


async def _run(
    config: ServerConfig, context: AppContext, listener: socket.socket, notify: Callable[[str], None]
) -> None:
    port = listener.getsockname()[1]
    host = _link_host(config.host)
    keys = SessionKeys(port, hosts=[host])
    for project in context.store.all():
        restore_file(context, project, generate=False)
    start = "" if config.file is None else f"p/{(await open_path(context, config.file)).id}/data"
    address = f"http://{bracketed(host)}:{port}/{start}"

    def link() -> str:
        return f"{address}?token={keys.new_token()}"

    server = _Server(_uvicorn_config(create_app(context, keys)))
    with server.capture_signals():  # before the link is printed: the user may stop at once
        first = link()
        for sentence in _welcome(config, first):
            notify(sentence)
        if config.browser:
            _open(first)
        with _on_enter(
            lambda: notify(f"A fresh link, and the one before holds no more:\n\n  {link()}\n")
        ) as has_terminal:
            if has_terminal:
                notify("Press Enter for a fresh link.")
            await server.serve(sockets=[listener])


def _welcome(config: ServerConfig, link: str) -> Iterator[str]:
    if not _is_loopback(config.host):
        yield (
            f"Warning: --host {config.host} lets every machine that reaches this one ask for the page, and what it"
            " shows goes over the network unencrypted. Leave --host out, unless you know who can listen there.\n"
        )
    yield f"Shoal is ready. Open this link in a browser; it lets one browser in, once:\n\n  {link}\n"
    yield f"Projects are kept in {config.folder}. Stop with Ctrl-C."


def _uvicorn_config(app: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=_Protocol,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_MAX_CONNECTIONS,
        backlog=64,
        timeout_keep_alive=_IDLE_TIMEOUT,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=64 << 10,
    )


class _Server(uvicorn.Server):
    """Stop quietly on signals, including a hang-up; the command has nothing more to print."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        numbers = [getattr(signal, name) for name in _STOPPING if hasattr(signal, name)]
        handled = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
        previous = {number: signal.signal(number, self.handle_exit) for number in handled}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)


class _Protocol(H11Protocol):
    """HTTP of uvicorn with two changes: idle connections are closed, and the response to an invalid request has the
    headers of all responses.

    An incomplete request counts as idle. With many connections, a new one closes the one that was idle longest, so that
    idle clients cannot block others.
    """

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._start_idle_timer()
        others = [other for other in self.connections if isinstance(other, _Protocol) and other is not self]
        idle = [other for other in others if other._is_idle]
        if len(self.connections) > _MAX_CONNECTIONS // 2 and idle:
            min(idle, key=lambda other: other._idle_since).transport.close()

    def _start_idle_timer(self) -> None:
        self._idle_since = self.loop.time()
        self._idle_timer = self.loop.call_later(_IDLE_TIMEOUT, self._close_if_idle)

    @property
    def _is_idle(self) -> bool:
        """Whether every request was answered."""
        return not self.transport.is_closing() and (not self.cycle or self.cycle.response_complete)

    def on_response_complete(self) -> None:
        self._idle_timer.cancel()
        self._start_idle_timer()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._idle_timer.cancel()
        super().connection_lost(exc)

    def _close_if_idle(self) -> None:
        if self._is_idle:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        lines = ["HTTP/1.1 400 Bad Request", "content-type: text/plain; charset=utf-8", "connection: close"]
        lines += [f"{name}: {value}" for name, value in SECURITY_HEADERS.items()]
        lines += ["content-security-policy: default-src 'none'", f"content-length: {len(msg)}", "", msg]
        if not self.cycle or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write("\r\n".join(lines).encode())
        self.transport.close()


def _bound(host: str, port: int, *, free: bool) -> socket.socket:
    """Return a listening socket, on any free port if this one is taken and ``free``."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family)
    except (OSError, UnicodeError) as error:
        if free:
            return _bound(host, 0, free=False)
        if isinstance(error, OSError) and error.errno in _PORT_ERRORS:
            raise PageError.port_taken(port) from None
        reason = os_error_reason(error) if isinstance(error, OSError) else "no such name"
        raise PageError.no_such_host(host, reason) from None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _link_host(host: str) -> str:
    """Return the host of the link: the name of this machine if the server listens on all its addresses."""
    with suppress(ValueError):
        if ip_address(host).is_unspecified:
            return socket.gethostname()
    return host


def _open(link: str) -> None:
    """Open the link in a browser, if there is a graphical session."""

    def show() -> None:
        with suppress(Exception):
            webbrowser.open(link)

    if sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))):
        threading.Thread(target=show, daemon=True).start()


@contextmanager
def _on_enter(callback: Callable[[], None]) -> Iterator[bool]:
    """Call a function when the user presses Enter in the terminal; yield whether that is possible."""
    loop, keyboard = asyncio.get_running_loop(), 0

    def on_input() -> None:
        # in the background of a terminal, reading from it would stop this process
        if os.tcgetpgrp(keyboard) != os.getpgrp() or not os.read(keyboard, 4096):
            loop.remove_reader(keyboard)
        else:
            callback()

    try:
        has_terminal = os.isatty(keyboard) and os.tcgetpgrp(keyboard) == os.getpgrp()
        if has_terminal:
            loop.add_reader(keyboard, on_input)
    except (OSError, AttributeError, NotImplementedError):
        has_terminal = False
    try:
        yield has_terminal
    finally:
        if has_terminal:
            loop.remove_reader(keyboard)
