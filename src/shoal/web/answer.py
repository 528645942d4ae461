"""An answer on its way out: it gets the headers that all have, whoever made it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from shoal.errors import PageError
from shoal.web.refusal import OWN_POLICY, refusal

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Of an answer that brings no Content-Security-Policy itself."""
_DENIED = (
    *("accelerometer", "autoplay", "camera", "clipboard-read", "display-capture", "encrypted-media", "fullscreen"),
    *("gamepad", "geolocation", "gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer", "microphone"),
    *("midi", "payment", "picture-in-picture", "publickey-credentials-get", "screen-wake-lock", "serial"),
    *("storage-access", "usb", "xr-spatial-tracking"),
)
HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    # not no-referrer: with that, browsers send the forms of a page with the origin "null"
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": ", ".join(f"{name}=()" for name in _DENIED),
}
"""On every answer."""
_SILENCE, _LINGER = 0.2, 2.0
"""Seconds without a byte, and in all, for which the rest of a refused body is still taken and thrown away."""


def declared(headers: Headers) -> int:
    """The bytes that a request says it brings; 0 where it does not say."""
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() and len(length) < 20 else 0


class Answer:
    """The answer to one request."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._headers = Headers(scope=scope)
        self._status = 0
        self._more = declared(self._headers) > 0 or "transfer-encoding" in self._headers
        """Whether some of the request is still to come."""

    async def receive(self) -> Message:
        message = await self._receive()
        self._more = message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            await self._send({**message, "headers": self._dressed(message)})
        elif self._refuses and self._more and not message.get("more_body"):
            await self._send({**message, "more_body": True})
            await self._linger()
            await self._send({"type": "http.response.body", "body": b""})
        else:
            await self._send(message)

    async def refuse(self, error: PageError) -> None:
        """Say why not, unless an answer has begun."""
        if self._status:
            return
        kind, body = refusal(error.sentence, headers=self._headers)
        headers = [
            (b"content-type", kind.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"content-security-policy", OWN_POLICY.encode()),
        ]
        await self.send({"type": "http.response.start", "status": error.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    @property
    def _refuses(self) -> bool:
        return self._status >= 400

    def _dressed(self, message: Message) -> list[tuple[bytes, bytes]]:
        fixed = {name.encode(): value.encode() for name, value in HEADERS.items()}
        own = [(name.lower(), value) for name, value in message.get("headers", [])]
        kept = [(name, value) for name, value in own if name not in fixed and name != b"server"]
        if all(name != b"content-security-policy" for name, _ in kept):
            kept.append((b"content-security-policy", POLICY.encode()))
        if self._refuses and self._more:
            kept.append((b"connection", b"close"))  # a refused body is not waited for
        return [*kept, *fixed.items()]

    async def _linger(self) -> None:
        """Let the sender notice: a connection closed in the face of a browser that sends takes the answer with it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER):
                while self._more:
                    async with asyncio.timeout(_SILENCE):
                        await self.receive()
