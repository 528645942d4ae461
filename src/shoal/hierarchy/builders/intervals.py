"""Interval hierarchies for numbers.

Intervals are closed on the left and open on the right, ``[20, 30)``. Intervals of a fixed width start at multiples of
it. Those between cut points are unbounded at both ends, ``< 18`` and ``>= 65``, so that no name discloses the minimum
or maximum of the data. Arithmetic is exact, with fractions: 0.3 is in ``[0.3, 0.4)``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.builders.paths import as_list, from_paths, value_texts
from shoal.hierarchy.tree import Hierarchy

LevelFunction = Callable[[Fraction], str]
"""Maps a number to the name of its interval."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_MAX_DIGITS = 400
"""Maximum digits before and after the point: more than any float has."""


def from_intervals(
    values: Iterable[object], *, width: Any = None, quantiles: Any = None, cuts: Any = None, root: str = "*"
) -> Hierarchy:
    """Build a tree of numbers and their intervals, the finest level first.

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
    return from_paths(([text, *(level(numbers[text]) for level in levels)] for text in order), root=root)


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
    parsed = [parse_fraction(step) for step in as_list(width)]
    widths = [step for step in parsed if step is not None and step > 0]
    nested = all((wide / narrow).denominator == 1 for narrow, wide in pairwise(widths))
    if not widths or len(widths) < len(parsed) or not nested:
        raise OptionError.invalid_value(
            "width", "a number above 0, or several of which each is a multiple of the one before"
        )
    return widths


def _check_quantiles(quantiles: Any) -> list[int]:
    counts = as_list(quantiles)
    valid = all(isinstance(count, int) and count >= 2 for count in counts)
    if not counts or not valid or any(fine % coarse for fine, coarse in pairwise(counts)):
        raise OptionError.invalid_value(
            "quantiles", "a number of groups from 2 up, or several of which each divides the one before"
        )
    return counts


def _check_cuts(cuts: Any) -> list[list[Fraction]]:
    given = as_list(cuts)
    nested_lists = any(isinstance(points, Iterable) and not isinstance(points, str) for points in given)
    lists = [as_list(points) for points in given] if nested_lists else [given]
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
