"""Checks of option values. Each returns the value to use, or raises an `OptionError`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shoal.errors import OptionError

EXPECTED_BOUNDS = "the least and the largest value of numeric quasi-identifiers, as {'age': (0, 120)}"
_EXPECTED_WEIGHTS = "a number above 0 for each quasi-identifier that is named"
_INTEGER_LIMIT = 2**63
_MAX_RECORDS = 10**15
"""Larger than any table; larger numbers are clipped in messages."""


def to_python(value: Any) -> Any:
    """Convert a scalar of numpy to the type of Python."""
    return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value


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


def check_fraction(name: str, value: Any, *, min_value: float = 0.0, max_value: float = 1.0) -> float:
    """Validate a number between two limits."""
    expected = f"a number from {min_value:g} {'on' if max_value == math.inf else f'to {max_value:g}'}"
    number = check_number(name, value, expected)
    if not min_value <= number <= max_value:
        raise OptionError.invalid_value(name, expected)
    return number


def check_number(name: str, value: Any, expected: str) -> float:
    """Validate a finite number; ``expected`` describes it in the message."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise OptionError.invalid_value(name, expected) from None
    if isinstance(value, bool) or not math.isfinite(number):
        raise OptionError.invalid_value(name, expected)
    return number


def check_seconds(name: str, value: Any) -> float:
    """Validate a time limit."""
    seconds = check_number(name, value, "a number above 0")
    if seconds <= 0:
        raise OptionError.invalid_value(name, "a number above 0")
    return seconds


def check_seed(seed: Any, *, name: str = "seed") -> int:
    value = to_python(seed)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _INTEGER_LIMIT:
        raise OptionError.seed_not_integer(name)
    return value


def check_scalar(name: str, value: Any) -> str | int | float | bool:
    """Validate an option of a method: a built-in value that a policy can store."""
    value = to_python(value)
    if not isinstance(value, str | int | float | bool) or (isinstance(value, int) and abs(value) >= _INTEGER_LIMIT):
        raise OptionError.invalid_value(name, "a number, a word, true or false")
    return value


def parse_weights(weights: Mapping[Any, Any] | None) -> dict[str, float]:
    try:
        return {str(name): float(weight) for name, weight in (weights or {}).items()}
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise OptionError.invalid_value("weights", _EXPECTED_WEIGHTS) from None


def parse_bounds(name: str, bounds: Any) -> dict[str, tuple[float, float]]:
    """Validate the minimum and the maximum of columns."""
    if not isinstance(bounds, Mapping):
        raise OptionError.invalid_value(name, EXPECTED_BOUNDS)
    checked: dict[str, tuple[float, float]] = {}
    for column, pair in bounds.items():
        if not isinstance(pair, Iterable) or isinstance(pair, str):
            raise OptionError.invalid_value(name, EXPECTED_BOUNDS)
        ends = [check_number(name, end, EXPECTED_BOUNDS) for end in pair]
        if len(ends) != 2 or ends[0] > ends[1]:
            raise OptionError.invalid_value(name, EXPECTED_BOUNDS)
        checked[str(column)] = (ends[0], ends[1])
    return checked


def check_method_name(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError.invalid_value(name, "the name of a method")
    return value


def check_count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise OptionError.invalid_value(name, "a whole number of at least 1")
    return value
