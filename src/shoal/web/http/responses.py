"""Responses on their way out: security headers, and error responses of the middleware."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from contextlib import suppress
from html import escape

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from shoal.web.errors import PageError

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of a response that has none."""
_DENIED_FEATURES = (
    *("accelerometer", "autoplay", "camera", "clipboard-read", "display-capture", "encrypted-media", "fullscreen"),
    *("gamepad", "geolocation", "gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer", "microphone"),
    *("midi", "payment", "picture-in-picture", "publickey-credentials-get", "screen-wake-lock", "serial"),
    *("storage-access", "usb", "xr-spatial-tracking"),
)
SECURITY_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    # not no-referrer: browsers would then send the forms of a page with the origin "null"
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": ", ".join(f"{name}=()" for name in _DENIED_FEATURES),
}
"""Headers of every response."""
_MAX_SILENCE, _MAX_LINGER = 0.2, 2.0
"""Seconds without a byte, and in total, for which the rest of a refused body is read and discarded."""


def content_length(headers: Headers) -> int:
    """Return the content length that a request declares; 0 if none."""
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() and len(length) < 20 else 0


class ResponseWriter:
    """Receive and send channels of one request; adds the headers to its response."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._headers = Headers(scope=scope)
        self._status = 0
        self._more_body = content_length(self._headers) > 0 or "transfer-encoding" in self._headers
        """Whether a part of the request body is still to come."""

    async def receive(self) -> Message:
        message = await self._receive()
        self._more_body = message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            await self._send({**message, "headers": self._with_headers(message)})
        elif self._is_error and self._more_body and not message.get("more_body"):
            await self._send({**message, "more_body": True})
            await self._linger()
            await self._send({"type": "http.response.body", "body": b""})
        else:
            await self._send(message)

    async def refuse(self, error: PageError) -> None:
        """Send an error response, unless a response has started."""
        if self._status:
            return
        media_type, body = error_response(error.sentence, headers=self._headers)
        headers = [
            (b"content-type", media_type.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"content-security-policy", ERROR_PAGE_POLICY.encode()),
        ]
        await self.send({"type": "http.response.start", "status": error.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    @property
    def _is_error(self) -> bool:
        return self._status >= 400

    def _with_headers(self, message: Message) -> list[tuple[bytes, bytes]]:
        fixed = {name.encode(): value.encode() for name, value in SECURITY_HEADERS.items()}
        given = [(name.lower(), value) for name, value in message.get("headers", [])]
        headers = [(name, value) for name, value in given if name not in fixed and name != b"server"]
        if all(name != b"content-security-policy" for name, _ in headers):
            headers.append((b"content-security-policy", CONTENT_SECURITY_POLICY.encode()))
        if self._is_error and self._more_body:
            headers.append((b"connection", b"close"))  # the rest of the body is not read
        return [*headers, *fixed.items()]

    async def _linger(self) -> None:
        """Read on for a moment: if the connection closes while a browser sends, the browser drops the response."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_MAX_LINGER):
                while self._more_body:
                    async with asyncio.timeout(_MAX_SILENCE):
                        await self.receive()


_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1.5rem}"
    "h1{font-size:1.25rem}"
)
ERROR_PAGE_POLICY = (
    f"default-src 'none'; style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of this page: its own style, and nothing else."""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shoal</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>Shoal does not open this</h1>
<p role="alert">{sentence}</p>
</main>
</body>
</html>
"""


def error_response(sentence: str, *, headers: Headers) -> tuple[str, bytes]:
    """Return the media type and the body of an error response."""
    if headers.get("x-requested-with") == "shoal":
        return "application/json", json.dumps({"error": sentence}).encode()
    return "text/html; charset=utf-8", _PAGE.format(style=_STYLE, sentence=escape(sentence)).encode()
