"""The server: one process on the loopback address, for the person who started it."""

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

from shoal.aside import reason
from shoal.errors import PageError
from shoal.web.answer import HEADERS
from shoal.web.app import application
from shoal.web.arrivals import found_again, take_path
from shoal.web.desk import Desk
from shoal.web.folders import scratch_folder
from shoal.web.guard import Keys, bracketed
from shoal.web.jobs import Jobs
from shoal.web.scratch import scratch
from shoal.web.store import Store
from shoal.web.warming import Warming
from shoal.web.workers import Limits
from shoal.web.workplace import Workplace

LOOPBACK = "127.0.0.1"
_USUAL_PORT = 8088
_STOPPING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
_PATIENCE = 30
"""Seconds that a connection may take to ask something, for the first time or again."""
_CONNECTIONS = 200
_TAKEN = (errno.EADDRINUSE, errno.EACCES)
"""What the system says of a port that another program has, or that ordinary programs may not have."""


@dataclass(frozen=True)
class Offer:
    """How the page is offered."""

    folder: Path
    """Where projects are kept."""
    max_upload: int
    """Bytes."""
    memory: int
    """Bytes that each worker may take."""
    host: str = LOOPBACK
    port: int | None = None
    """None: the usual one, or a free one where that is taken; 0: a free one."""
    browser: bool = True
    file: Path | None = None
    """Opened at once, and used where it is."""


def serve(offer: Offer, *, tell: Callable[[str], None]) -> None:
    """Offer the page until somebody stops it; ``tell`` says to that person what is to be known."""
    os.umask(0o077)
    store = Store(offer.folder)
    with _listening(offer.host, offer.port) as listener, scratch(scratch_folder()) as folder:
        limits = Limits(offer.memory, folder)
        warming = Warming(limits)
        place = Workplace(store, Desk(limits), Jobs(limits), folder, offer.max_upload, warming=warming)
        asyncio.run(_run(offer, place, listener, tell))


async def _run(offer: Offer, place: Workplace, listener: socket.socket, tell: Callable[[str], None]) -> None:
    port = listener.getsockname()[1]
    keys = Keys(port, hosts=_names(offer.host))
    for project in place.store.all():
        found_again(place, project, make=False)
    start = "" if offer.file is None else f"p/{(await take_path(place, offer.file)).id}/data"
    address = f"http://{bracketed(_shown(offer.host))}:{port}/{start}"

    def link() -> str:
        return f"{address}?token={keys.renew()}"

    server = _Server(_config(application(place, keys)))
    with server.capture_signals():  # from here on: who has the link may stop the page at once
        first = link()
        for sentence in _welcome(offer, first):
            tell(sentence)
        if offer.browser:
            _open(first)
        with _on_enter(lambda: tell(f"A fresh link, and the one before holds no more:\n\n  {link()}\n")) as heard:
            if heard:
                tell("Press Enter for a fresh link.")
            await server.serve(sockets=[listener])


def _welcome(offer: Offer, link: str) -> Iterator[str]:
    if not _is_loopback(offer.host):
        yield (
            f"Warning: --host {offer.host} lets every machine that reaches this one ask for the page, and what it shows"
            " goes over the network unencrypted. Leave --host out, unless you know who can listen there.\n"
        )
    yield f"Shoal is ready. Open this link in a browser; it lets one browser in, once:\n\n  {link}\n"
    yield f"Projects are kept in {offer.folder}. Stop with Ctrl-C."


def _config(app: Any) -> uvicorn.Config:
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
        limit_concurrency=_CONNECTIONS,
        backlog=64,
        timeout_keep_alive=_PATIENCE,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=64 << 10,
    )


class _Server(uvicorn.Server):
    """Ends quietly when it is told to stop, with a hang-up too; the command itself has nothing more to say."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        numbers = [getattr(signal, name) for name in _STOPPING if hasattr(signal, name)]
        heeded = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self.handle_exit) for number in heeded}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class _Protocol(H11Protocol):
    """HTTP as uvicorn speaks it, but for two things: silence ends a connection, and the refusal of what is no request
    has the headers of all answers.

    Half a request is silence too, the first as any later one. Where there are many connections, the one that was silent
    longest makes room, so that nobody keeps others out by asking nothing.
    """

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._listen()
        others = [other for other in self.connections if isinstance(other, _Protocol) and other is not self]
        silent = [other for other in others if other._waits]
        if len(self.connections) > _CONNECTIONS // 2 and silent:
            min(silent, key=lambda other: other._since).transport.close()

    def _listen(self) -> None:
        self._since = self.loop.time()
        self._silent = self.loop.call_later(_PATIENCE, self._give_up)

    @property
    def _waits(self) -> bool:
        """Whether nothing was asked that is not answered."""
        return not self.transport.is_closing() and (not self.cycle or self.cycle.response_complete)

    def on_response_complete(self) -> None:
        self._silent.cancel()
        self._listen()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._silent.cancel()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        if self._waits:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        lines = ["HTTP/1.1 400 Bad Request", "content-type: text/plain; charset=utf-8", "connection: close"]
        lines += [f"{name}: {value}" for name, value in HEADERS.items()]
        lines += ["content-security-policy: default-src 'none'", f"content-length: {len(msg)}", "", msg]
        if not self.cycle or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write("\r\n".join(lines).encode())
        self.transport.close()


@contextmanager
def _listening(host: str, port: int | None) -> Iterator[socket.socket]:
    """The socket of the page."""
    found = _bound(host, _USUAL_PORT if port is None else port, free=port is None)
    try:
        yield found
    finally:
        found.close()


def _bound(host: str, port: int, *, free: bool) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family)
    except (OSError, UnicodeError) as error:
        if free:
            return _bound(host, 0, free=False)
        if isinstance(error, OSError) and error.errno in _TAKEN:
            raise PageError.port_taken(port) from None
        raise PageError.no_such_host(host, reason(error) if isinstance(error, OSError) else "no such name") from None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _names(host: str) -> list[str]:
    """By what names a browser may ask for the page, beside those of the loopback."""
    return [_shown(host), socket.gethostname()] if _is_any(host) else [host]


def _shown(host: str) -> str:
    """The host of the link."""
    return socket.gethostname() if _is_any(host) else host


def _is_any(host: str) -> bool:
    with suppress(ValueError):
        return ip_address(host).is_unspecified
    return False


def _open(link: str) -> None:
    """Show the page in the browser of the person, if there is one with windows."""
    windows = sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))

    def show() -> None:
        with suppress(Exception):
            webbrowser.open(link)

    if windows:
        threading.Thread(target=show, daemon=True).start()


@contextmanager
def _on_enter(act: Callable[[], None]) -> Iterator[bool]:
    """Act when somebody presses Enter in the terminal; whether that can be heard."""
    loop, keyboard = asyncio.get_running_loop(), 0

    def heard() -> None:
        # in the background of a terminal, reading from it would stop this process
        if os.tcgetpgrp(keyboard) != os.getpgrp() or not os.read(keyboard, 4096):
            loop.remove_reader(keyboard)
        else:
            act()

    try:
        hears = os.isatty(keyboard) and os.tcgetpgrp(keyboard) == os.getpgrp()
        if hears:
            loop.add_reader(keyboard, heard)
    except (OSError, AttributeError, NotImplementedError):
        hears = False
    try:
        yield hears
    finally:
        if hears:
            loop.remove_reader(keyboard)
