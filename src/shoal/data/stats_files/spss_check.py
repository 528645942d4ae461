"""Validate the dictionary of an SPSS file before a C library reads it, which trusts widths and offsets."""

from __future__ import annotations

import struct
from pathlib import Path

_MAGIC = (b"$FL2", b"$FL3")
_LAYOUT_AT, _LAYOUTS = 64, (2, 3)
_RECORDS_AT = 176
_VARIABLE, _LABELS, _LABELLED, _REMARKS, _MORE, _END = 2, 3, 4, 6, 7, 999
_WIDTHS = range(-1, 256)
"""Widths of a variable: 0 for a number, else of a text; -1 continues the previous text."""
_MISSING = (-3, -2, 0, 1, 2, 3)
"""Number of declared missing values; negative if they include a range."""
_LAST_OF_TEXT = 2
"""Largest format number of a text format."""
_MAX_BYTES = 64 << 20
"""Maximum bytes of a dictionary."""


def is_valid_dictionary(path: Path) -> bool:
    """Return whether the dictionary is valid; True for files that are not SPSS files."""
    with path.open("rb") as file:
        head = file.read(_MAX_BYTES)
    if head[:4] not in _MAGIC or len(head) < _RECORDS_AT:
        return True
    orders = [order for order in "<>" if struct.unpack_from(f"{order}i", head, _LAYOUT_AT)[0] in _LAYOUTS]
    try:
        return bool(orders) and _Records(head, orders[0]).are_sound()
    except struct.error:
        return len(head) == _MAX_BYTES  # truncated, unless it exceeds the bytes read


class _Records:
    """Sequential reader and validator of dictionary records."""

    def __init__(self, head: bytes, order: str) -> None:
        self._head, self._order, self._at, self._variables = head, order, _RECORDS_AT, 0

    def _numbers(self, count: int) -> tuple[int, ...]:
        found = struct.unpack_from(f"{self._order}{count}i", self._head, self._at)
        self._at += 4 * count
        return found

    def _skip(self, count: int) -> bool:
        self._at += count
        return count >= 0 and self._at <= len(self._head)

    def are_sound(self) -> bool:
        while True:
            (kind,) = self._numbers(1)
            if kind == _END:
                return True
            if not self._is_sound(kind):
                return False

    def _is_sound(self, kind: int) -> bool:
        if kind == _VARIABLE:
            return self._is_variable()
        if kind == _LABELS:
            return self._are_labels()
        (count,) = self._numbers(1)
        if kind == _LABELLED:
            return 0 <= count <= self._variables and all(1 <= n <= self._variables for n in self._numbers(count))
        if kind == _REMARKS:
            return self._skip(80 * count)
        if kind != _MORE:
            return False
        size, parts = self._numbers(2)
        return size >= 0 and self._skip(size * parts)

    def _is_variable(self) -> bool:
        width, labelled, missing, format_code, *_ = self._numbers(7)
        self._variables += 1
        if width not in _WIDTHS or labelled not in (0, 1) or missing not in _MISSING:
            return False
        if width > 0 and (format_code >> 16 & 255) > _LAST_OF_TEXT:
            return False
        has_name = not labelled or self._skip((self._numbers(1)[0] + 3) // 4 * 4)
        return has_name and self._skip(8 * abs(missing))

    def _are_labels(self) -> bool:
        (count,) = self._numbers(1)
        for _ in range(count):
            (length,) = struct.unpack_from("8xB", self._head, self._at)
            if not self._skip(8 + (1 + length + 7) // 8 * 8):
                return False
        return count >= 0
