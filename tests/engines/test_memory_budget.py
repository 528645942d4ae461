"""Sizes of chunks and parts for a memory limit."""

from __future__ import annotations

import pytest

from shoal.engines.memory_budget import PARALLEL_PARTS, PROGRAM_BYTES, check_memory, memory_budget
from shoal.errors import OptionError


@pytest.mark.parametrize(
    ("words", "size"),
    [("2GB", 2_000_000_000), ("1.5 gb", 1_500_000_000), ("800MB", 800_000_000), ("1GiB", 2**30), (10**9, 10**9)],
)
def test_words_are_bytes(words: object, size: int) -> None:
    assert check_memory(words) == size


@pytest.mark.parametrize("words", ["", "much", "GB", "-2GB", "2XB", True, None, "nan", "1e9"])
def test_other_words_are_refused(words: object) -> None:
    with pytest.raises(OptionError, match="memory"):
        check_memory(words)


def test_too_little_is_refused() -> None:
    with pytest.raises(OptionError, match="too low"):
        check_memory("100MB")


def test_pieces_grow_with_the_ceiling_and_fit_it() -> None:
    small, large = (memory_budget(check_memory(words), columns=20) for words in ("1GB", "4GB"))
    assert small.chunk_bytes < large.chunk_bytes
    assert small.part_rows(columns=8, refined=False) < large.part_rows(columns=8, refined=False)
    assert large.part_rows(columns=8, refined=True) < large.part_rows(columns=8, refined=False)
    assert PARALLEL_PARTS * 8 * 8 * large.part_rows(columns=8, refined=False) < 4e9 - PROGRAM_BYTES
