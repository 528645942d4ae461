"""Security middleware: which requests reach the application.

Every request is checked in this order; the first failed check refuses it:

1. address: exactly one Host header, with a known name, so that no foreign domain that resolves to this machine
   reaches the server (DNS rebinding);
2. origin: Origin and Sec-Fetch-Site must name this site or the address bar. A request that changes something must have
   an Origin, without exception;
3. method: GET, HEAD and POST;
4. session: the printed link has a one-time token, which is exchanged for a session cookie;
5. CSRF: a request that changes something must have the token of the session.

Responses leave through a `ResponseWriter`, which adds the headers.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import sys
import traceback
from collections.abc import Sequence
from typing import cast
from urllib.parse import parse_qsl, quote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.web.errors import PageError, error_location
from shoal.web.http.forms import Form, parse_form
from shoal.web.http.responses import ResponseWriter, content_length

_METHODS = ("GET", "HEAD", "POST")
_MAX_FORM_BYTES = 8 << 20
_MAX_PATH = 1_000
_PATIENCE = 30
"""Seconds in which a form must arrive."""
_PAUSE = 0.2
"""Delay in seconds after a wrong token or cookie."""


class SessionKeys:
    """One-time token of the link, and session cookie of the browser that used it.

    One browser has the session at a time. A new link ends the session before it, so that a stolen link does no lasting
    harm.
    """

    def __init__(self, port: int, *, hosts: Sequence[str] = ()) -> None:
        names = ["127.0.0.1", "localhost", "[::1]", *(bracketed(host) for host in hosts)]
        self.port = port
        self.hosts = frozenset(address for name in names for address in host_headers(name.lower(), port))
        self.cookie = f"shoal-{port}"
        self._token: str | None = None
        self.session = secrets.token_urlsafe(32)

    def new_token(self) -> str:
        """Return a new token; the previous one is invalid."""
        self._token = secrets.token_urlsafe(24)
        return self._token

    def exchange(self, token: str, *, has_session: bool = False) -> bool:
        """Use up the token; return whether it was right. The session is renewed unless the caller has it already
        (``has_session``).
        """
        if self._token is None or not _equal(token, self._token):
            return False
        self._token = None
        if not has_session:
            self.session = secrets.token_urlsafe(32)
        return True

    def has_session_cookie(self, cookies: Sequence[str]) -> bool:
        pairs = [part.strip().partition("=") for line in cookies for part in line.split(";")]
        # there may be several: programs on other ports of this machine can set cookies of the same name
        return any(_equal(value, self.session) for name, _, value in pairs if name == self.cookie)

    @property
    def csrf(self) -> str:
        return hmac.new(self.session.encode(), b"csrf", "sha256").hexdigest()

    @property
    def set_cookie(self) -> str:
        return f"{self.cookie}={self.session}; HttpOnly; SameSite=Strict; Path=/"


def bracketed(host: str) -> str:
    """Return a host as written in a URL: IPv6 in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def host_headers(host: str, port: int) -> tuple[str, ...]:
    """Return the Host headers for a host and port; browsers omit the default port."""
    return (f"{host}:{port}", host) if port == 80 else (f"{host}:{port}",)


def _equal(value: str, expected: str) -> bool:
    return hmac.compare_digest(value.encode("utf-8", "surrogateescape"), expected.encode())


class SecurityMiddleware:
    """Outermost ASGI middleware: nothing else sees a request before it, or a response after it."""

    def __init__(self, app: ASGIApp, keys: SessionKeys) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        response = ResponseWriter(scope, receive, send)
        try:
            await self._handle(scope, response)
        except PageError as error:
            await response.refuse(error)
        except Exception as error:  # noqa: BLE001 - the server goes on, and prints only where it failed
            _print_location(error)
            await response.refuse(PageError.bug(type(error).__name__))

    async def _handle(self, scope: Scope, response: ResponseWriter) -> None:
        headers = Headers(scope=scope)
        self._check_address(scope, headers)
        _check_sender(scope, headers)
        if scope["method"] not in _METHODS:
            raise PageError.method_not_allowed()
        has_session, token = self._keys.has_session_cookie(headers.getlist("cookie")), _query_token(scope)
        if token is not None and scope["method"] == "GET":
            await self._exchange(token, scope, response, fits=has_session)
            return
        if not has_session:
            await asyncio.sleep(_PAUSE)
            raise PageError.not_authenticated()
        state, receive = scope.setdefault("state", {}), cast("Receive", response.receive)
        state["csrf"], state["form"] = self._keys.csrf, Form([])
        if scope["method"] == "POST":
            state["form"], receive = await self._form(headers, receive)
        await self._app(scope, receive, response.send)

    def _check_address(self, scope: Scope, headers: Headers) -> None:
        path, hosts = scope["path"], headers.getlist("host")
        # proxy form, control characters, or too long
        if not path.startswith("/") or not path.isprintable() or len(path) > _MAX_PATH:
            raise PageError.unknown_page()
        # no foreign domain name equals a numeric address
        numeric_hosts = host_headers(bracketed(scope["server"][0]), self._keys.port) if scope.get("server") else ()
        if len(hosts) != 1 or hosts[0].lower() not in {*self._keys.hosts, *numeric_hosts}:
            raise PageError.wrong_host()

    async def _exchange(self, token: str, scope: Scope, response: ResponseWriter, *, fits: bool) -> None:
        """Start a session, and redirect to the same address without the token."""
        if not self._keys.exchange(token, has_session=fits) and not fits:
            await asyncio.sleep(_PAUSE)
            raise PageError.link_already_used()
        location = "/" + quote(scope["path"].lstrip("/"))
        headers = [(b"location", location.encode()), (b"content-length", b"0")]
        if not fits:
            headers.append((b"set-cookie", self._keys.set_cookie.encode()))
        await response.send({"type": "http.response.start", "status": 303, "headers": headers})
        await response.send({"type": "http.response.body", "body": b""})

    async def _form(self, headers: Headers, receive: Receive) -> tuple[Form, Receive]:
        """Return the form of a request, if it is one. Other bodies need the CSRF header and are left to the
        application.
        """
        form, replay = Form([]), receive
        if headers.get("content-type", "").partition(";")[0].strip().lower() == "application/x-www-form-urlencoded":
            body = await _body(headers, receive)
            form, replay = parse_form(body), _replayed(body, receive)
        if not _equal(headers.get("x-csrf-token") or form.get("csrf"), self._keys.csrf):
            raise PageError.stale_form()
        return form, replay


def _check_sender(scope: Scope, headers: Headers) -> None:
    origins = headers.getlist("origin")
    this_origin = f"{scope['scheme']}://{headers['host'].lower()}"
    if any(site not in ("same-origin", "none") for site in headers.getlist("sec-fetch-site")):
        raise PageError.cross_site()
    if any(origin.lower() != this_origin for origin in origins):
        raise PageError.cross_site()
    if scope["method"] not in ("GET", "HEAD") and not origins:
        raise PageError.cross_site()


def _query_token(scope: Scope) -> str | None:
    fields = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    return next((value for name, value in fields if name == "token"), None)


async def _body(headers: Headers, receive: Receive) -> bytes:
    if content_length(headers) > _MAX_FORM_BYTES:
        raise PageError.form_too_large(_MAX_FORM_BYTES)
    body, more = bytearray(), True
    try:
        async with asyncio.timeout(_PATIENCE):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise PageError.invalid_form()
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > _MAX_FORM_BYTES:
                    raise PageError.form_too_large(_MAX_FORM_BYTES)
    except TimeoutError:
        raise PageError.upload_stalled(_PATIENCE) from None
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a receive channel that yields the body again."""
    pending = [body]

    async def again() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return again


def _print_location(error: Exception) -> None:
    """Print the location of a bug to the terminal, without its message, which may quote the data."""
    if os.environ.get("SHOAL_DEBUG"):
        traceback.print_exception(error)
    sys.stderr.write(f"shoal: {PageError.bug(error_location(error))}\n")
