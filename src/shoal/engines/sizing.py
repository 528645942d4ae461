"""How much is held in memory at once: chunks, pieces and counts, by the ceiling that was given.

Chunks only decide about memory. The size of a piece decides about groups, so it follows from the ceiling, the columns
and the method alone, never from the number of threads, and the policy of the release keeps it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from shoal.errors import OptionError

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_MOST = 2**62
"""No machine has more bytes, and no count of them has more digits."""
PROGRAM = 500_000_000
"""What the program itself takes, with all that it loads."""
LEAST = 800_000_000
"""The lowest ceiling: what is left of it beside the program must hold some chunks and a piece."""
AT_ONCE = 2
"""Pieces that are worked on at the same time."""
_CHUNKS = 2 * AT_ONCE + 1
"""Chunks that are held at the same time: some ahead of those that are worked on."""
_GROWN = 12
"""How many times its bytes a chunk takes while it is understood, encoded and written."""
_SHARE = 0.6
"""The part of the memory left that pieces may take; the rest is for what allocators keep."""


class Sizing(NamedTuple):
    """Bytes and records that are held at once."""

    ceiling: int
    chunk: int
    """Bytes of a chunk at most."""
    rows: int
    """Records of a chunk at most."""
    room: int
    """Bytes in which classes are counted before a scratch folder is needed."""

    def piece(self, *, columns: int, refined: bool) -> int:
        """The records of a piece at most."""
        each = (160 if refined else 100) + (90 if refined else 60) * columns
        return max(1_000, int((self.ceiling - PROGRAM) * _SHARE / AT_ONCE / each))


def sizing(memory: int, *, columns: int) -> Sizing:
    """By the ceiling, and the number of all columns of the table."""
    left = memory - PROGRAM
    chunk = int(min(left * 0.6 / _CHUNKS / _GROWN, 64 << 20))
    return Sizing(memory, chunk, max(1_000, chunk // (8 * columns)), int(left * 0.03))


def whole_bytes(memory: object) -> int:
    """A ceiling as bytes, from a number or words such as 2GB, or the reason why it is none."""
    size = bytes_in(memory, option="memory")
    if size < LEAST:
        raise OptionError.little_memory(size, LEAST)
    return size


def bytes_in(words: object, *, option: str) -> int:
    """A size as bytes, from a number or words such as 2GB."""
    try:
        text = str(words)
    except ValueError:
        text = ""  # Python refuses to write whole numbers of thousands of digits
    found = re.fullmatch(r"\s*(\d{1,40}(?:\.\d{1,40})?)\s*([a-zA-Z]*)\s*", text, re.ASCII)
    if isinstance(words, bool) or not found or found[2].upper() not in _UNITS:
        raise OptionError.bad_option(option, "a size such as 2GB or 800MB")
    return min(int(float(found[1]) * _UNITS[found[2].upper()]), _MOST)
