"""How values are named: as a column shows them, whatever objects they come as."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Iterable
from typing import Any

from shoal.errors import OptionError


def named(values: Iterable[object], *, expected: str) -> list[str | None]:
    """The texts of values, None for what is missing; ``expected`` says what values should be.

    Whole floats have no point, truths are ``true`` and ``false``, and times are days where all are midnights.
    """
    found = [_bare(value, expected) for value in values]
    times = [value for value in found if isinstance(value, dt.datetime)]
    days = all(value.time() == dt.time() and value.tzinfo is None for value in times)
    return [None if value is None else _text(value, days) for value in found]


def _bare(value: Any, expected: str) -> Any:
    """A value as Python has it; None if it is missing."""
    single = isinstance(value, Hashable)
    if not single:
        raise OptionError.bad_option("values", expected)
    if hasattr(value, "dtype") and hasattr(value, "item"):
        # numpy gives times of nanoseconds as bare numbers
        value = (value.astype("datetime64[us]") if value.dtype.str[1:] == "M8[ns]" else value).item()
    try:
        return value if value == value else None
    except (TypeError, ArithmeticError):
        return None  # what cannot be compared with itself is no value either, as pandas' NA


def _text(value: Any, days: bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float.__repr__(value).removesuffix(".0")
    if isinstance(value, dt.datetime):
        return str(value.date()) if days else value.isoformat(sep=" ")
    try:
        return str(value)
    except ValueError:
        # Python refuses to write whole numbers of thousands of digits
        raise OptionError.bad_option("values", "values that can be written as text") from None
