"""The dictionary of an SPSS file, looked at before a library in C reads it: that one trusts widths and positions."""

from __future__ import annotations

import struct
from pathlib import Path

_MAGIC = (b"$FL2", b"$FL3")
_LAYOUT_AT, _LAYOUTS = 64, (2, 3)
_RECORDS_AT = 176
_VARIABLE, _LABELS, _LABELLED, _REMARKS, _MORE, _END = 2, 3, 4, 6, 7, 999
_WIDTHS = range(-1, 256)
"""Of a variable: 0 for a number, that of a text, -1 where the text before goes on."""
_MISSING = (-3, -2, 0, 1, 2, 3)
"""How many values are declared missing; below 0 a range is among them."""
_LAST_OF_TEXT = 2
"""Numbers of formats up to this are those of texts, all others those of numbers."""
_LARGEST = 64 << 20
"""Bytes in which a dictionary is looked for."""


def is_sound(path: Path) -> bool:
    """Whether the dictionary is as SPSS writes it; of what is no such file, nothing is said."""
    with path.open("rb") as file:
        head = file.read(_LARGEST)
    if head[:4] not in _MAGIC or len(head) < _RECORDS_AT:
        return True
    orders = [order for order in "<>" if struct.unpack_from(f"{order}i", head, _LAYOUT_AT)[0] in _LAYOUTS]
    try:
        return bool(orders) and _Records(head, orders[0]).are_sound()
    except struct.error:
        return len(head) == _LARGEST  # it breaks off, unless all of it was not looked at


class _Records:
    """The records of a dictionary, one after another."""

    def __init__(self, head: bytes, order: str) -> None:
        self._head, self._order, self._at, self._variables = head, order, _RECORDS_AT, 0

    def _numbers(self, count: int) -> tuple[int, ...]:
        found = struct.unpack_from(f"{self._order}{count}i", self._head, self._at)
        self._at += 4 * count
        return found

    def _pass(self, count: int) -> bool:
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
            return self._pass(80 * count)
        if kind != _MORE:
            return False
        size, parts = self._numbers(2)
        return size >= 0 and self._pass(size * parts)

    def _is_variable(self) -> bool:
        width, labelled, missing, look, *_ = self._numbers(7)
        self._variables += 1
        if width not in _WIDTHS or labelled not in (0, 1) or missing not in _MISSING:
            return False
        if width > 0 and (look >> 16 & 255) > _LAST_OF_TEXT:
            return False
        named = not labelled or self._pass((self._numbers(1)[0] + 3) // 4 * 4)
        return named and self._pass(8 * abs(missing))

    def _are_labels(self) -> bool:
        (count,) = self._numbers(1)
        for _ in range(count):
            (length,) = struct.unpack_from("8xB", self._head, self._at)
            if not self._pass(8 + (1 + length + 7) // 8 * 8):
                return False
        return count >= 0
