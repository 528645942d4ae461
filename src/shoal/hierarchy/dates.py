"""Dates under the days, months, quarters, years and decades that they are in."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.ladders import grown, several, texts
from shoal.hierarchy.tree import Hierarchy

LEVELS: Mapping[str, Callable[[dt.date], str]] = {
    "day": lambda day: day.isoformat(),
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10:03}0s",
}

_DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


def from_dates(values: Iterable[object], *, levels: str | Sequence[str] = tuple(LEVELS), root: str = "*") -> Hierarchy:
    """Each date under its ``2026-03-05``, ``2026-03``, ``2026-Q1``, ``2026`` and ``2020s``, or some of these levels.

    Values are dates as ISO 8601 writes them, with or without a time, or date objects; a date without a time is its own
    day.
    """
    chosen = several(levels)
    if not chosen or [name for name in LEVELS if name in chosen] != chosen:
        raise OptionError.bad_option("levels", f"some of {', '.join(LEVELS)}, in this order")
    found = texts(values)
    days = {text: _day(text) for text in found}
    odd = sum(1 for text in found if days[text] is None)
    if odd:
        raise HierarchyError.not_dates(odd, of=len(found))
    order = sorted((day, text) for text, day in days.items() if day is not None)
    return grown(([text, *(LEVELS[level](day) for level in chosen)] for day, text in order), root=root)


def _day(text: str) -> dt.date | None:
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    try:
        return dt.date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return None
