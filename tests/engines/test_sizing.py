"""How much is held at once."""

from __future__ import annotations

import pytest

from shoal.engines.sizing import AT_ONCE, PROGRAM, sizing, whole_bytes
from shoal.errors import OptionError


@pytest.mark.parametrize(
    ("words", "size"),
    [("2GB", 2_000_000_000), ("1.5 gb", 1_500_000_000), ("800MB", 800_000_000), ("1GiB", 2**30), (10**9, 10**9)],
)
def test_words_are_bytes(words: object, size: int) -> None:
    assert whole_bytes(words) == size


@pytest.mark.parametrize("words", ["", "much", "GB", "-2GB", "2XB", True, None, "nan", "1e9"])
def test_other_words_are_refused(words: object) -> None:
    with pytest.raises(OptionError, match="memory"):
        whole_bytes(words)


def test_too_little_is_refused() -> None:
    with pytest.raises(OptionError, match="too low"):
        whole_bytes("100MB")


def test_pieces_grow_with_the_ceiling_and_fit_it() -> None:
    small, large = (sizing(whole_bytes(words), columns=20) for words in ("1GB", "4GB"))
    assert small.chunk < large.chunk
    assert small.piece(columns=8, refined=False) < large.piece(columns=8, refined=False)
    assert large.piece(columns=8, refined=True) < large.piece(columns=8, refined=False)
    assert AT_ONCE * 8 * 8 * large.piece(columns=8, refined=False) < 4e9 - PROGRAM
