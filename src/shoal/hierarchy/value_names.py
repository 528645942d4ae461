"""Text of values, as a column shows them, whatever their type."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Iterable
from typing import Any

from shoal.errors import OptionError


def format_values(values: Iterable[object], *, expected: str) -> list[str | None]:
    """Format values as text; None for missing values. ``expected`` describes valid values in messages.

    Whole floats have no point, booleans are ``true`` and ``false``, and times are dates if all are at midnight.
    """
    python_values = [_to_python(value, expected) for value in values]
    times = [value for value in python_values if isinstance(value, dt.datetime)]
    days = all(value.time() == dt.time() and value.tzinfo is None for value in times)
    return [None if value is None else _format(value, days) for value in python_values]


def _to_python(value: Any, expected: str) -> Any:
    """Convert a value to a Python object; None if it is missing."""
    hashable = isinstance(value, Hashable)  # a name, so that mypy does not narrow the type
    if not hashable:
        raise OptionError.invalid_value("values", expected)
    if hasattr(value, "dtype") and hasattr(value, "item"):
        # numpy converts times of nanoseconds to integers
        value = (value.astype("datetime64[us]") if value.dtype.str[1:] == "M8[ns]" else value).item()
    try:
        return value if value == value else None
    except (TypeError, ArithmeticError):
        return None  # pandas' NA cannot be compared with itself: missing


def _format(value: Any, days: bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float.__repr__(value).removesuffix(".0")
    if isinstance(value, dt.datetime):
        return str(value.date()) if days else value.isoformat(sep=" ")
    try:
        return str(value)
    except ValueError:
        # Python refuses to format integers of thousands of digits
        raise OptionError.invalid_value("values", "values that can be written as text") from None
