"""Submitted forms: their fields, and the numbers in them."""

from __future__ import annotations

from urllib.parse import parse_qsl

from shoal.errors import OptionError
from shoal.web.errors import PageError

_MAX_FIELDS = 100_000
_MAX_DIGITS = 30


class Form:
    """Fields of a submitted form."""

    def __init__(self, fields: list[tuple[str, str]]) -> None:
        self._fields = fields

    def get(self, name: str, default: str = "") -> str:
        """Return the last field of this name."""
        return next((value for key, value in reversed(self._fields) if key == name), default)

    def all(self, name: str) -> list[str]:
        return [value for key, value in self._fields if key == name]

    def items(self) -> list[tuple[str, str]]:
        return list(self._fields)

    def __contains__(self, name: str) -> bool:
        return any(key == name for key, _ in self._fields)


def parse_form(body: bytes) -> Form:
    try:
        text = body.decode("utf-8")
        return Form(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS))
    except ValueError:
        raise PageError.invalid_form() from None


def parse_index(text: str) -> int | None:
    """Parse a non-negative integer that the page itself has sent; None for any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def parse_integer(text: str, error: OptionError) -> int:
    """Parse an integer that the user has typed; raise ``error`` for any other text."""
    stripped = text.strip()
    digits = stripped.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS):
        raise error
    return int(stripped)
