"""Naive recoding of groups with missing cells, suppressed records and weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

SUPPRESSED = object()
"""The cell of a suppressed record."""


def mean(values: Sequence[float], weights: Sequence[float]) -> float:
    total = sum(Fraction(value) * Fraction(weight) for value, weight in zip(values, weights, strict=True))
    return float(total / sum(map(Fraction, weights)))


def lower_median(values: Sequence[float], weights: Sequence[float]) -> float:
    half = sum(map(Fraction, weights)) / 2
    for value in sorted(set(values)):
        if sum(Fraction(w) for v, w in zip(values, weights, strict=True) if v <= value) >= half:
            return value
    raise AssertionError


def mode(values: Sequence[int], weights: Sequence[float]) -> int:
    heavy = {value: sum(w for v, w in zip(values, weights, strict=True) if v == value) for value in values}
    return min(heavy, key=lambda value: (-heavy[value], value))


def released(
    cells: Sequence[Any],
    labels: Sequence[int],
    weights: Sequence[float],
    *,
    missing: str,
    suppressed: Sequence[bool],
    center: Callable[[Sequence[Any], Sequence[float]], Any],
) -> list[Any]:
    """The released cells; None is a missing one, in and out."""
    rows = range(len(cells))

    def value(among: Sequence[int]) -> Any:
        known = [row for row in among if cells[row] is not None]
        return center([cells[row] for row in known], [weights[row] for row in known]) if known else None

    def cell(row: int) -> Any:
        if suppressed[row]:
            return SUPPRESSED
        group = [other for other in rows if labels[other] == labels[row] and not suppressed[other]]
        if missing == "wildcard":
            return None if cells[row] is None else value(group)
        if missing == "impute":
            found = value(group)
            return value([other for other in rows if not suppressed[other]]) if found is None else found
        gone = sum(weights[other] for other in group if cells[other] is None)
        return None if 2 * gone > sum(weights[other] for other in group) else value(group)

    return [cell(row) for row in rows]


def nearest_total(centers: Sequence[float], sizes: Sequence[int], total: int) -> int:
    """How near the total comes at best where every center goes to a whole neighbor."""
    choices = product(*({int(c // 1), int(-(-c // 1))} for c in centers))
    return min(abs(total - sum(s * n for s, n in zip(sizes, numbers, strict=True))) for numbers in choices)
