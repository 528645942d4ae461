"""Builders of hierarchies from the values of a column: intervals, prefixes, dates and frequencies."""

from __future__ import annotations

import datetime as dt
import heapq
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.value_names import format_values

LevelFunction = Callable[[Fraction], str]
"""Maps a number to the name of its interval."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_MAX_DIGITS = 400
"""Maximum digits before and after the point: more than any float has."""


def from_intervals(
    values: Iterable[object], *, width: Any = None, quantiles: Any = None, cuts: Any = None, root: str = "*"
) -> Hierarchy:
    """Build a tree of numbers and their intervals, the finest level first.

    Intervals are closed on the left and open on the right, ``[20, 30)``. Those of a fixed width start at multiples of
    it. Those between cut points are unbounded at both ends, ``< 18`` and ``>= 65``, so that no name discloses the
    minimum or maximum of the data. Arithmetic is exact, with fractions: 0.3 is in ``[0.3, 0.4)``.

    Give exactly one of ``width``, ``quantiles`` and ``cuts``. Several values of it define several levels; each interval
    must lie within one of the next level: ``width=(5, 10, 20)``, ``quantiles=(8, 4, 2)``,
    ``cuts=[(18, 25, 65), (18, 65)]``.

    width
        A number, or several where each is a multiple of the one before.
    quantiles
        A number of groups of about equal size, or several where each divides the one before. Repeated values count
        each time.
    cuts
        Lower ends of intervals, or several lists where each is a subset of the one before.
    """
    if sum(option is not None for option in (width, quantiles, cuts)) != 1:
        raise OptionError.invalid_value("width", "one of width, quantiles and cuts (--width, --cuts, --quantiles)")
    names = value_texts(values)
    parsed = {text: parse_fraction(text) for text in names}
    invalid = sum(1 for text in names if parsed[text] is None)
    if invalid:
        raise HierarchyError.not_numbers(invalid, of=len(names))
    numbers = {text: value for text, value in parsed.items() if value is not None}
    if width is not None:
        levels = [_fixed_width(step) for step in _check_widths(width)]
    elif cuts is not None:
        levels = [_between(points) for points in _check_cuts(cuts)]
    else:
        ordered = sorted(numbers[text] for text in names)
        groups = _check_quantiles(quantiles)
        levels = [_between(points) for points in (_quantile_cuts(ordered, count) for count in groups) if points]
    order = sorted(numbers, key=lambda text: (numbers[text], text))
    return _from_paths(([text, *(level(numbers[text]) for level in levels)] for text in order), root=root)


def parse_fraction(value: object) -> Fraction | None:
    """Parse a text or number exactly; None if it is not a finite number."""
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) >= 10**_MAX_DIGITS):
        return None
    text = str(value).strip()
    if not _NUMBER.fullmatch(text):
        return None
    exact = Decimal(text)
    exponent = exact.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -_MAX_DIGITS or exact.adjusted() >= _MAX_DIGITS:
        return None
    return Fraction(exact)


def _fixed_width(width: Fraction) -> LevelFunction:
    @cache
    def name(steps: int) -> str:
        return f"[{format_fraction(steps * width)}, {format_fraction((steps + 1) * width)})"

    return lambda value: name(value // width)


def _between(points: Sequence[Fraction]) -> LevelFunction:
    ends = [format_fraction(point) for point in points]
    names = [f"< {ends[0]}", *(f"[{low}, {high})" for low, high in pairwise(ends)), f">= {ends[-1]}"]
    return lambda value: names[bisect_right(points, value)]


def _quantile_cuts(ordered: Sequence[Fraction], groups: int) -> list[Fraction]:
    """Return the lower ends of all groups but the first; ties give fewer groups."""
    groups = min(groups, len(ordered))
    return sorted({value for i in range(1, groups) if (value := ordered[i * len(ordered) // groups]) > ordered[0]})


def _check_widths(width: Any) -> list[Fraction]:
    parsed = [parse_fraction(step) for step in _as_list(width)]
    widths = [step for step in parsed if step is not None and step > 0]
    nested = all((wide / narrow).denominator == 1 for narrow, wide in pairwise(widths))
    if not widths or len(widths) < len(parsed) or not nested:
        raise OptionError.invalid_value(
            "width", "a number above 0, or several of which each is a multiple of the one before"
        )
    return widths


def _check_quantiles(quantiles: Any) -> list[int]:
    counts = _as_list(quantiles)
    valid = all(isinstance(count, int) and count >= 2 for count in counts)
    if not counts or not valid or any(fine % coarse for fine, coarse in pairwise(counts)):
        raise OptionError.invalid_value(
            "quantiles", "a number of groups from 2 up, or several of which each divides the one before"
        )
    return counts


def _check_cuts(cuts: Any) -> list[list[Fraction]]:
    given = _as_list(cuts)
    nested_lists = any(isinstance(points, Iterable) and not isinstance(points, str) for points in given)
    lists = [_as_list(points) for points in given] if nested_lists else [given]
    parsed = [{parse_fraction(point) for point in points} for points in lists]
    levels = [sorted(point for point in points if point is not None) for points in parsed]
    nested = all(fine >= coarse for fine, coarse in pairwise(parsed))
    if not levels or not all(levels) or any(None in points for points in parsed) or not nested:
        raise OptionError.invalid_value(
            "cuts", "a list of numbers, or several lists of which each has only numbers of the one before"
        )
    return levels


def format_fraction(value: Fraction) -> str:
    """Format a number in plain digits: 20, 0.5, -1.25."""
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    scaled = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    whole, decimals = scaled[: len(scaled) - digits], scaled[len(scaled) - digits :]
    return ("-" if value < 0 else "") + whole + ("." + decimals if decimals else "")


def from_prefixes(
    values: Iterable[object], *, lengths: Any = None, mask: str = "*", separators: str | None = None, root: str = "*"
) -> Hierarchy:
    """Build a tree of codes and their prefixes, the longest first, as for postcodes, ICD, ISCO and NACE.

    With a mask, removed characters are masked up to the length of the longest code: ``08034``, ``0803*``, ``080**``.
    Without one, the prefix is the name: ``2111``, ``211``, ``21``, ``2``. The name of a node determines its ancestors,
    so a value spelled like a node is that node. Spaces around a code are part of its name only.

    lengths
        Lengths of the prefixes; all lengths by default.
    mask
        One character that replaces each removed one and occurs in no code, or ``""``.
    separators
        Characters at which to cut instead, as in ``1.10.2``, ``1.10.*``, ``1.*``; one mask replaces all that is
        removed.
    """
    if not isinstance(mask, str) or len(mask) > 1:
        raise OptionError.invalid_value("mask", "one character, or '' for none")
    if lengths is not None and separators is not None:
        raise OptionError.invalid_value("separators", "either lengths or separators")
    names = sorted(set(value_texts(values)))
    codes = [text.strip() for text in names]
    if mask not in ("", "*") and any(mask in code for code in codes):
        raise OptionError.invalid_value("mask", "one character that no code has")
    path = _by_length(codes, lengths, mask) if separators is None else _by_separator(codes, separators, mask)
    return _from_paths(([text, *path(code)] for text, code in zip(names, codes, strict=True)), root=root)


def _by_length(codes: list[str], lengths: Any, mask: str) -> Callable[[str], list[str]]:
    longest = max(map(len, codes))
    chosen = range(1, longest) if lengths is None else _as_list(lengths)
    if (lengths is not None and not chosen) or not all(type(length) is int and length >= 1 for length in chosen):
        raise OptionError.invalid_value("lengths", "numbers of characters, from 1 up")
    order = sorted(set(chosen), reverse=True)

    def path(code: str) -> list[str]:
        return [code[:length].rstrip() if not mask else code[:length].ljust(longest, mask) for length in order]

    return path


def _by_separator(codes: list[str], separators: str, mask: str) -> Callable[[str], list[str]]:
    if not isinstance(separators, str) or not separators or (mask and mask in separators):
        raise OptionError.invalid_value("separators", "the characters at which to cut, such as '.', without the mask")
    cut = re.compile(f"[{re.escape(separators)}]")
    ends = {code: [match.start() for match in cut.finditer(code) if match.start()] for code in codes}
    max_cuts = max(map(len, ends.values()))

    def name(code: str, at: int) -> str:
        return code[: at + 1] + mask if mask else code[:at].rstrip()

    # 1.10 is generalized to 1.10.*, as 1.10.2 is
    shared = {code[:at]: name(code, at) for code in reversed(codes) for at in ends[code]} if mask else {}

    def path(code: str) -> list[str]:
        whole = code if mask and code.endswith(mask) else shared.get(code, code)
        prefixes = [name(code, at) for at in reversed(ends[code])]
        return [whole] * (max_cuts - len(prefixes)) + prefixes

    return path


DATE_LEVELS: Mapping[str, Callable[[dt.date], str]] = {
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


def from_dates(
    values: Iterable[object], *, levels: str | Sequence[str] = tuple(DATE_LEVELS), root: str = "*"
) -> Hierarchy:
    """Build a tree of dates with the levels ``2026-03-05``, ``2026-03``, ``2026-Q1``, ``2026`` and ``2020s``.

    Values are ISO 8601 dates, with or without a time, or date objects. A date without a time is its own day.
    """
    chosen = _as_list(levels)
    if not chosen or [name for name in DATE_LEVELS if name in chosen] != chosen:
        raise OptionError.invalid_value("levels", f"some of {', '.join(DATE_LEVELS)}, in this order")
    names = value_texts(values)
    days = {text: _parse_day(text) for text in names}
    invalid = sum(1 for text in names if days[text] is None)
    if invalid:
        raise HierarchyError.not_dates(invalid, of=len(names))
    order = sorted((day, text) for text, day in days.items() if day is not None)
    return _from_paths(([text, *(DATE_LEVELS[level](day) for level in chosen)] for day, text in order), root=root)


def _parse_day(text: str) -> dt.date | None:
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    try:
        return dt.date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None


_COUNTS = "how often each value occurs, as whole numbers from 0 up"


def from_frequencies(
    counts: Mapping[Any, int] | Iterable[object], *, groups: int | None = None, root: str = "*"
) -> Hierarchy:
    """Build a Huffman tree, for values with no known relation; ties are broken by the text of the values.

    The two rarest nodes are merged into a group with the sum of their counts, up to the root. Rare values are deep,
    close to other rare ones, where generalization affects few records; frequent values are merged last. Groups are
    named ``group 1``, ``group 2`` in order of creation, so names disclose only the rank of a value's frequency.

    ``counts`` maps values to their counts, or is the values with repeats. ``groups`` is the maximum number of children
    of the root, 2 by default.
    """
    max_children = 2 if groups is None else groups
    if type(max_children) is not int or max_children < 2:
        raise OptionError.invalid_value("groups", "a whole number from 2 up")
    _check_root(root)
    totals = _count(counts)
    # a value may be the root itself
    totals.pop(root, None)
    if not totals:
        raise HierarchyError.one_node()
    word = "group"
    while any(name.startswith(f"{word} ") for name in (root, *totals)):
        word += "_"
    # at equal counts, values come before groups and older groups before newer ones
    heap = [(count, place, text) for place, (text, count) in enumerate(sorted(totals.items()))]
    heapq.heapify(heap)
    edges: list[tuple[str, str]] = []
    n_groups = 0
    while len(heap) > max_children:
        rarest, next_rarest = heapq.heappop(heap), heapq.heappop(heap)
        n_groups += 1
        group = f"{word} {n_groups}"
        edges += [(next_rarest[2], group), (rarest[2], group)]
        heapq.heappush(heap, (rarest[0] + next_rarest[0], len(totals) + n_groups, group))
    edges += [(name, root) for _, _, name in sorted(heap, reverse=True)]
    return Hierarchy.from_edges(edges)


def _count(counts: Any) -> dict[str, int]:
    if not isinstance(counts, Mapping):
        return Counter(value_texts(counts))
    totals: Counter[str] = Counter()
    for text, count in zip(value_texts(counts), counts.values(), strict=True):
        try:
            totals[text] += count.__index__()
        except AttributeError:
            raise OptionError.invalid_value("counts", _COUNTS) from None
        if count < 0:
            raise OptionError.invalid_value("counts", _COUNTS)
    return totals


def value_texts(values: Iterable[object]) -> list[str]:
    """Return the values as text, with repeats and in order; none may be empty."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise OptionError.invalid_value("values", "a list of values")
    names = [text or "" for text in format_values(values, expected="a list of values")]
    if not names:
        raise HierarchyError.no_values()
    blank = sum(1 for text in names if not text.strip())
    if blank:
        raise HierarchyError.blank_values(blank, of=len(names))
    return names


def _as_list(value: Any) -> list[Any]:
    """Return an option that is one value or several as a list."""
    return [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)


def _from_paths(paths: Iterable[Sequence[str]], *, root: str) -> Hierarchy:
    """Build the tree from paths, each from a value up to a child of the root. A value may be the root itself."""
    _check_root(root)
    return Hierarchy.from_rows([root] * (len(names) + 1) if names[0] == root else [*names, root] for names in paths)


def _check_root(root: object) -> None:
    if not isinstance(root, str) or not root.strip():
        raise OptionError.invalid_value("root", "a name")
