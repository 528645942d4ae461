"""Sizes of chunks, parts and class counts for a memory limit.

The size of a chunk only affects memory. The size of a part affects the groups: it depends on the memory limit, the
columns and the method, never on the number of threads, and is recorded in the policy.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from shoal.errors import OptionError

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_MAX_BYTES = 2**62
PROGRAM_BYTES = 500_000_000
"""Memory of the program and its libraries."""
MIN_MEMORY = 800_000_000
"""Minimum memory limit: the program, some chunks and one part."""
PARALLEL_PARTS = 2
_CHUNKS = 2 * PARALLEL_PARTS + 1
"""Chunks in memory at the same time, with those that are prefetched."""
_CHUNK_EXPANSION = 12
"""Memory of a chunk while it is parsed, encoded and written, as a multiple of its size."""
_PART_FRACTION = 0.6
"""Fraction of the remaining memory for parts; the rest is for allocator caches."""
_HOUSEHOLD_FRACTION = 0.25
"""Fraction of the remaining memory for the leaves of all households while records are partitioned."""


class MemoryBudget(NamedTuple):
    """Sizes in bytes and records for a memory limit."""

    limit: int
    chunk_bytes: int
    chunk_rows: int
    class_count_bytes: int
    """Bytes of class counts in memory before they are spilled."""
    household_bytes: int
    """Maximum bytes for the leaves of all households."""

    def part_rows(self, *, columns: int, refined: bool) -> int:
        """Return the maximum number of records of a part."""
        each = (160 if refined else 100) + (90 if refined else 60) * columns
        return max(1_000, int((self.limit - PROGRAM_BYTES) * _PART_FRACTION / PARALLEL_PARTS / each))


def memory_budget(memory: int, *, columns: int) -> MemoryBudget:
    """Return the sizes for a memory limit and the number of columns of the table."""
    available = memory - PROGRAM_BYTES
    chunk = int(min(available * 0.6 / _CHUNKS / _CHUNK_EXPANSION, 64 << 20))
    return MemoryBudget(
        memory,
        chunk_bytes=chunk,
        chunk_rows=max(1_000, chunk // (8 * columns)),
        class_count_bytes=int(available * 0.03),
        household_bytes=int(available * _HOUSEHOLD_FRACTION),
    )


def check_memory(memory: object) -> int:
    """Return a memory limit in bytes from a number or a text such as 2GB; raise if it is invalid or too low."""
    size = parse_bytes(memory, option="memory")
    if size < MIN_MEMORY:
        raise OptionError.memory_limit_too_low(size, MIN_MEMORY)
    return size


def parse_bytes(size: object, *, option: str) -> int:
    """Return a size in bytes from a number or a text such as 2GB."""
    try:
        text = str(size)
    except ValueError:
        text = ""  # Python refuses to format integers of thousands of digits
    match = re.fullmatch(r"\s*(\d{1,40}(?:\.\d{1,40})?)\s*([a-zA-Z]*)\s*", text, re.ASCII)
    if isinstance(size, bool) or not match or match[2].upper() not in _UNITS:
        raise OptionError.invalid_value(option, "a size such as 2GB or 800MB")
    return min(int(float(match[1]) * _UNITS[match[2].upper()]), _MAX_BYTES)
