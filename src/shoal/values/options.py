"""Options as plain values: k, switches, words; and progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shoal.errors import OptionError

Progress = Callable[[int, int], None]
"""Called with the number of records done and the number of all records."""

_MOST = 10**15
"""No table has so many records; a larger number need not be told to its last digit."""


def silent(done: float, total: int) -> None:
    """The progress of a caller who does not want to hear of it."""


def whole_k(k: Any, n: int | None = None) -> int:
    """k as a whole number of at least 2, and at most the n records there are."""
    try:
        number = int(k.__index__())
    except (AttributeError, TypeError):
        raise OptionError.k_not_whole() from None
    if isinstance(k, bool):
        raise OptionError.k_not_whole()
    number = max(-_MOST, min(number, _MOST))
    if number < 2:
        raise OptionError.k_too_small(number)
    if n is not None and number > n:
        raise OptionError.k_too_large(number, n)
    return number


def true_or_false(name: str, value: Any) -> bool:
    """An option that is a switch."""
    if not isinstance(value, bool):
        raise OptionError.bad_option(name, "true or false")
    return value


def one_of(name: str, value: Any, choices: Sequence[str]) -> str:
    """An option that is one of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise OptionError.unknown_choice(name, value, choices)
    return value
