"""Validation of option values; progress callbacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shoal.errors import OptionError

Progress = Callable[[int, int], None]
"""Callback that receives the number of processed records and the total."""

_MAX_RECORDS = 10**15
"""Larger than any table; larger numbers are clipped in messages."""


def no_progress(done: float, total: int) -> None:
    """Ignore progress."""


def check_k(k: Any, n: int | None = None) -> int:
    """Validate k: an integer of at least 2 and at most the number of records n."""
    try:
        number = int(k.__index__())
    except (AttributeError, TypeError):
        raise OptionError.k_not_integer() from None
    if isinstance(k, bool):
        raise OptionError.k_not_integer()
    number = max(-_MAX_RECORDS, min(number, _MAX_RECORDS))
    if number < 2:
        raise OptionError.k_too_small(number)
    if n is not None and number > n:
        raise OptionError.k_too_large(number, n)
    return number


def check_bool(name: str, value: Any) -> bool:
    """Validate a boolean option."""
    if not isinstance(value, bool):
        raise OptionError.invalid_value(name, "true or false")
    return value


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Validate an option with a fixed set of choices."""
    if not isinstance(value, str) or value not in choices:
        raise OptionError.unknown_choice(name, value, choices)
    return value
