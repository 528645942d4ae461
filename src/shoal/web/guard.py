"""The guard at the door: who may come in, and what leaves.

Every request is looked at in this order, and what fails is refused before the application sees it:

1. its address: one Host, and one of ours, so that no name that somebody else points at this machine reaches the page;
2. its sender: a browser says which site asks (Origin, Sec-Fetch-Site), and only the page itself and the person at the
   address bar may. A request that changes something must have our Origin; there is no exception for those without one;
3. its method: GET, HEAD and POST;
4. its key: the printed link holds a token that is exchanged once for a cookie;
5. its form: what changes something must bring a token that only our own pages hold.

What is left is for the application, and leaves as `answer` has it.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl, quote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.errors import PageError
from shoal.web.answer import Answer, declared

_METHODS = ("GET", "HEAD", "POST")
_LONGEST_FORM = 8 << 20
_MOST_FIELDS = 100_000
_LONGEST_PATH = 1_000
_PATIENCE = 30
"""Seconds in which a form must arrive."""
_PAUSE = 0.2
"""Seconds after a key that does not fit."""


class Keys:
    """What opens the page: a token that is used up, and the cookie of the browser that used it.

    Only one browser is in at a time. Who comes with a fresh link shuts out whoever came before, so that a link that
    somebody else was quicker to use does no lasting harm.
    """

    def __init__(self, port: int, *, hosts: Sequence[str] = ()) -> None:
        names = ["127.0.0.1", "localhost", "[::1]", *(bracketed(host) for host in hosts)]
        self.port = port
        self.hosts = frozenset(address for name in names for address in addresses(name.lower(), port))
        self.cookie = f"shoal-{port}"
        self._token: str | None = None
        self.session = secrets.token_urlsafe(32)

    def renew(self) -> str:
        """A fresh token; the one before holds no more."""
        self._token = secrets.token_urlsafe(24)
        return self._token

    def exchange(self, token: str, *, inside: bool = False) -> bool:
        """Use the token up; whether it was the right one. There is a new cookie, unless who comes is ``inside``."""
        if self._token is None or not _same(token, self._token):
            return False
        self._token = None
        if not inside:
            self.session = secrets.token_urlsafe(32)
        return True

    def fits(self, cookies: Sequence[str]) -> bool:
        """Whether one of these cookies is that of the browser that was let in."""
        pairs = [part.strip().partition("=") for line in cookies for part in line.split(";")]
        # there may be several: a program on another port of this machine can set cookies of the same name
        return any(_same(value, self.session) for name, _, value in pairs if name == self.cookie)

    @property
    def csrf(self) -> str:
        """What the forms of that browser bring along."""
        return hmac.new(self.session.encode(), b"csrf", "sha256").hexdigest()

    @property
    def set_cookie(self) -> str:
        return f"{self.cookie}={self.session}; HttpOnly; SameSite=Strict; Path=/"


def bracketed(host: str) -> str:
    """A host as it stands in an address: IPv6 in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def addresses(host: str, port: int) -> tuple[str, ...]:
    """How a browser names a host with its port; it leaves out the usual one."""
    return (f"{host}:{port}", host) if port == 80 else (f"{host}:{port}",)


def _same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), known.encode())


class Form:
    """The fields of a form, as they were sent."""

    def __init__(self, fields: list[tuple[str, str]]) -> None:
        self._fields = fields

    def get(self, name: str, default: str = "") -> str:
        """The last field of this name."""
        return next((value for key, value in reversed(self._fields) if key == name), default)

    def all(self, name: str) -> list[str]:
        return [value for key, value in self._fields if key == name]

    def items(self) -> list[tuple[str, str]]:
        return list(self._fields)

    def __contains__(self, name: str) -> bool:
        return any(key == name for key, _ in self._fields)


class Guard:
    """The outermost part of the application: nothing else sees a request before, or an answer after."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        answer = Answer(scope, receive, send)
        try:
            await self._let_in(scope, answer)
        except PageError as error:
            await answer.refuse(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the page goes on, and only its place is told
            _tell(error)
            await answer.refuse(PageError.bug(type(error).__name__))

    async def _let_in(self, scope: Scope, answer: Answer) -> None:
        headers = Headers(scope=scope)
        self._check_address(scope, headers)
        _check_sender(scope, headers)
        if scope["method"] not in _METHODS:
            raise PageError.no_method()
        fits, token = self._keys.fits(headers.getlist("cookie")), _token(scope)
        if token is not None and scope["method"] == "GET":
            await self._exchange(token, scope, answer, fits=fits)
            return
        if not fits:
            await asyncio.sleep(_PAUSE)
            raise PageError.not_let_in()
        state, receive = scope.setdefault("state", {}), cast("Receive", answer.receive)
        state["csrf"], state["form"] = self._keys.csrf, Form([])
        if scope["method"] == "POST":
            state["form"], receive = await self._form(headers, receive)
        await self._app(scope, receive, answer.send)

    def _check_address(self, scope: Scope, headers: Headers) -> None:
        path, named = scope["path"], headers.getlist("host")
        # as for a proxy, with a NUL, or longer than any of ours
        if not path.startswith("/") or not path.isprintable() or len(path) > _LONGEST_PATH:
            raise PageError.no_address()
        # an address in digits is one that no foreign name leads to
        reached = addresses(bracketed(scope["server"][0]), self._keys.port) if scope.get("server") else ()
        if len(named) != 1 or named[0].lower() not in {*self._keys.hosts, *reached}:
            raise PageError.wrong_host()

    async def _exchange(self, token: str, scope: Scope, answer: Answer, *, fits: bool) -> None:
        """Let the browser in and send it to the same address without the token."""
        if not self._keys.exchange(token, inside=fits) and not fits:
            await asyncio.sleep(_PAUSE)
            raise PageError.used_link()
        place = "/" + quote(scope["path"].lstrip("/"))
        headers = [(b"location", place.encode()), (b"content-length", b"0")]
        if not fits:
            headers.append((b"set-cookie", self._keys.set_cookie.encode()))
        await answer.send({"type": "http.response.start", "status": 303, "headers": headers})
        await answer.send({"type": "http.response.body", "body": b""})

    async def _form(self, headers: Headers, receive: Receive) -> tuple[Form, Receive]:
        """The form that was sent, if it is one; other bodies are left to the application, and need the header."""
        form, again = Form([]), receive
        if headers.get("content-type", "").partition(";")[0].strip().lower() == "application/x-www-form-urlencoded":
            body = await _body(headers, receive)
            form, again = _parsed(body), _replayed(body, receive)
        if not _same(headers.get("x-csrf-token") or form.get("csrf"), self._keys.csrf):
            raise PageError.stale_form()
        return form, again


def _check_sender(scope: Scope, headers: Headers) -> None:
    origins = headers.getlist("origin")
    own = f"{scope['scheme']}://{headers['host'].lower()}"
    if any(site not in ("same-origin", "none") for site in headers.getlist("sec-fetch-site")):
        raise PageError.foreign()
    if any(origin.lower() != own for origin in origins):
        raise PageError.foreign()
    if scope["method"] not in ("GET", "HEAD") and not origins:
        raise PageError.foreign()


def _token(scope: Scope) -> str | None:
    fields = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    return next((value for name, value in fields if name == "token"), None)


async def _body(headers: Headers, receive: Receive) -> bytes:
    """The body of a form, as long as it is not too long and does not take too long."""
    if declared(headers) > _LONGEST_FORM:
        raise PageError.long_form(_LONGEST_FORM)
    body, more = bytearray(), True
    try:
        async with asyncio.timeout(_PATIENCE):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise PageError.bad_form()
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > _LONGEST_FORM:
                    raise PageError.long_form(_LONGEST_FORM)
    except TimeoutError:
        raise PageError.stalled(_PATIENCE) from None
    return bytes(body)


def _parsed(body: bytes) -> Form:
    try:
        text = body.decode("utf-8")
        return Form(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise PageError.bad_form() from None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The same body for whoever asks for it again."""
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again


def _tell(error: Exception) -> None:
    """Name the place of a bug in the terminal, and no more: the text of an exception may quote the data."""
    if os.environ.get("SHOAL_DEBUG"):
        traceback.print_exception(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"
    sys.stderr.write(f"shoal: {PageError.bug(where)}\n")
