"""Numbers under intervals.

An interval has its lower end and lacks its upper one, ``[20, 30)``, at every level. Intervals of one width begin at
multiples of it; those between cut points are open outside, ``< 18`` and ``>= 65``, so that no name tells the least or
the greatest value of the data. All is computed with exact fractions: 0.3 is in ``[0.3, 0.4)``.
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
from shoal.hierarchy.ladders import grown, several, texts
from shoal.hierarchy.tree import Hierarchy

Level = Callable[[Fraction], str]
"""From a number to the name of its interval."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_MOST_DIGITS = 400
"""Before and after the point: more than any float has."""


def from_intervals(
    values: Iterable[object], *, width: Any = None, quantiles: Any = None, cuts: Any = None, root: str = "*"
) -> Hierarchy:
    """Each number under its interval at every level, the finest first.

    Exactly one of these says what the intervals are. For several levels give several of it, so that each interval lies
    within one of the next level: ``width=(5, 10, 20)``, ``quantiles=(8, 4, 2)``, ``cuts=[(18, 25, 65), (18, 65)]``.

    width
        A number, or several of which each is a multiple of the one before.
    quantiles
        A number of groups with about as many values each, or several of which each divides the one before. Values
        count as often as they come.
    cuts
        Points that begin intervals, or several lists of which each has only points of the one before.
    """
    if sum(option is not None for option in (width, quantiles, cuts)) != 1:
        raise OptionError.bad_option("width", "one of width, quantiles and cuts (--width, --cuts, --quantiles)")
    found = texts(values)
    given = {text: number(text) for text in found}
    odd = sum(1 for text in found if given[text] is None)
    if odd:
        raise HierarchyError.not_numbers(odd, of=len(found))
    numbers = {text: place for text, place in given.items() if place is not None}
    if width is not None:
        levels = [_steps(step) for step in _widths(width)]
    elif cuts is not None:
        levels = [_between(points) for points in _cuts(cuts)]
    else:
        places = sorted(numbers[text] for text in found)
        levels = [_between(points) for points in (_quantiles(places, count) for count in _counts(quantiles)) if points]
    order = sorted(numbers, key=lambda text: (numbers[text], text))
    return grown(([text, *(level(numbers[text]) for level in levels)] for text in order), root=root)


def number(value: object) -> Fraction | None:
    """The number that a text or a number is, to its last digit; None if it is none or not finite."""
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS):
        return None
    text = str(value).strip()
    if not _NUMBER.fullmatch(text):
        return None
    exact = Decimal(text)
    exponent = exact.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -_MOST_DIGITS or exact.adjusted() >= _MOST_DIGITS:
        return None
    return Fraction(exact)


def _steps(width: Fraction) -> Level:
    @cache
    def name(steps: int) -> str:
        return f"[{written(steps * width)}, {written((steps + 1) * width)})"

    return lambda place: name(place // width)


def _between(points: Sequence[Fraction]) -> Level:
    ends = [written(point) for point in points]
    names = [f"< {ends[0]}", *(f"[{low}, {high})" for low, high in pairwise(ends)), f">= {ends[-1]}"]
    return lambda place: names[bisect_right(points, place)]


def _quantiles(places: Sequence[Fraction], groups: int) -> list[Fraction]:
    """The numbers that begin all groups but the first, of which ties leave fewer; there are no more than numbers."""
    groups = min(groups, len(places))
    return sorted({place for i in range(1, groups) if (place := places[i * len(places) // groups]) > places[0]})


def _widths(width: Any) -> list[Fraction]:
    found = [number(step) for step in several(width)]
    widths = [step for step in found if step is not None and step > 0]
    nested = all((wide / narrow).denominator == 1 for narrow, wide in pairwise(widths))
    if not widths or len(widths) < len(found) or not nested:
        raise OptionError.bad_option(
            "width", "a number above 0, or several of which each is a multiple of the one before"
        )
    return widths


def _counts(quantiles: Any) -> list[int]:
    counts = several(quantiles)
    whole = all(isinstance(count, int) and count >= 2 for count in counts)
    if not counts or not whole or any(fine % coarse for fine, coarse in pairwise(counts)):
        raise OptionError.bad_option(
            "quantiles", "a number of groups from 2 up, or several of which each divides the one before"
        )
    return counts


def _cuts(cuts: Any) -> list[list[Fraction]]:
    given = several(cuts)
    nested_lists = any(isinstance(points, Iterable) and not isinstance(points, str) for points in given)
    lists = [several(points) for points in given] if nested_lists else [given]
    found = [{number(point) for point in points} for points in lists]
    levels = [sorted(point for point in points if point is not None) for points in found]
    nested = all(fine >= coarse for fine, coarse in pairwise(found))
    if not levels or not all(levels) or any(None in points for points in found) or not nested:
        raise OptionError.bad_option(
            "cuts", "a list of numbers, or several lists of which each has only numbers of the one before"
        )
    return levels


def written(place: Fraction) -> str:
    """A number in plain digits: 20, 0.5, -1.25."""
    digits = 0
    while (place * 10**digits).denominator != 1:
        digits += 1
    scaled = str(abs(int(place * 10**digits))).rjust(digits + 1, "0")
    whole, part = scaled[: len(scaled) - digits], scaled[len(scaled) - digits :]
    return ("-" if place < 0 else "") + whole + ("." + part if part else "")
