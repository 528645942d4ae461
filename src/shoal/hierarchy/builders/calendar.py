"""Date hierarchies: days, months, quarters, years and decades."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.builders.paths import as_list, from_paths, value_texts
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
    """Build a tree of dates with the levels ``2026-03-05``, ``2026-03``, ``2026-Q1``, ``2026`` and ``2020s``.

    Values are ISO 8601 dates, with or without a time, or date objects. A date without a time is its own day.
    """
    chosen = as_list(levels)
    if not chosen or [name for name in LEVELS if name in chosen] != chosen:
        raise OptionError.invalid_value("levels", f"some of {', '.join(LEVELS)}, in this order")
    names = value_texts(values)
    days = {text: _parse_day(text) for text in names}
    invalid = sum(1 for text in names if days[text] is None)
    if invalid:
        raise HierarchyError.not_dates(invalid, of=len(names))
    order = sorted((day, text) for text, day in days.items() if day is not None)
    return from_paths(([text, *(LEVELS[level](day) for level in chosen)] for day, text in order), root=root)


def _parse_day(text: str) -> dt.date | None:
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    try:
        return dt.date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None
