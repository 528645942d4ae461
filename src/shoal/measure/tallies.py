"""Tallies: what the values of each column tell when they are counted, before and after the release."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.measure.once import once
from shoal.measure.pair import Pair
from shoal.schema.columns import Kind
from shoal.threads import share
from shoal.values import BoolVector, Categories, FloatVector

Keys = NDArray[Any]


class ColumnTally(NamedTuple):
    """One column, counted over the records in which it was not missing."""

    entropy: float
    """Σ −log2 P(x): what the original values say, in bits."""
    unsaid: float
    """Σ −log2 P(x | x′): what they say beyond the released ones."""
    before: int
    after: int
    """The different values before and after."""
    apart: float | None
    """The distance of the distributions of both, from 0 to 1; None where one of them is empty."""


@once
def tallies(pair: Pair) -> tuple[ColumnTally, ...]:
    """Of every column, numbers before categories: column by column, so that the counts of few are held at a time."""
    numbers = share(lambda j: _number(pair, j), range(len(pair.numeric)), records=pair.records)
    return (*numbers, *share(lambda j: _category(pair, j), range(len(pair.categories)), records=pair.records))


def ranks(column: Categories) -> FloatVector | None:
    """For each node of an ordinal column its place among the levels, from 0 to 1; None where they have no order."""
    return column.distance[0] if column.kind is Kind.ORDINAL else None  # the first node is the lowest level


def told(column: Categories, nodes: Keys) -> BoolVector:
    """Which of these nodes say something: not the root, and not the node of missing values."""
    said: BoolVector = nodes != len(column.hierarchy) - 1
    return said if column.gap is None else said & (nodes != column.gap)


def _number(pair: Pair, j: int) -> ColumnTally:
    known = ~pair.gone(j)
    was, now, shown = (_some(part, known) for part in (pair.values[j], pair.shown[j], ~pair.empty(j)))
    middles = _some(now, shown)
    ends = pair.bounds.get(pair.numeric[j])
    if ends is not None:  # intervals of the same middle are different values
        places = np.unique(_joint(ends[0][known][shown], ends[1][known][shown]), return_inverse=True)[1]
        now = np.zeros(len(was))
        now[shown] = places
    joint = _joint(np.where(shown, now, np.inf), was)
    ordered = np.sort(was)
    before, after = _runs(ordered), _counts(_some(now, shown))
    return ColumnTally(
        *_bits(before, [*after.tolist(), int((~shown).sum())], _counts(joint)),
        before=len(before),
        after=len(after),
        apart=_largest(ordered, np.sort(middles)),
    )


def _category(pair: Pair, j: int) -> ColumnTally:
    column, size = pair.categories[j], len(pair.categories[j].hierarchy)
    known = np.ones(pair.records, dtype=np.bool_) if column.gap is not None else ~pair.lacked(j)
    was, now = pair.codes[known, j], pair.nodes[known, j]
    before, after = (np.bincount(part, minlength=size) for part in (was, now))
    nodes, rank = np.arange(size), ranks(column)
    values = (before > 0) & (nodes != column.gap)
    shown = (after > 0) & (told(column, nodes) | values)
    if rank is not None:
        apart = _cumulated(rank * (column.steps or 1), before * values, after * shown)
    else:
        apart = float(np.abs(before - after).sum() / (2 * len(was))) if len(was) else None
    bits = _bits(before[before > 0], after[after > 0].tolist(), _counts(was * size + now))
    return ColumnTally(*bits, before=int(values.sum()), after=int(shown.sum()), apart=apart)


def _some(cells: Keys, chosen: BoolVector) -> Keys:
    """Those that are chosen: mostly all."""
    return cells if chosen.all() else cells[chosen]


def _joint(one: Keys, other: Keys) -> Keys:
    """Two numbers as one key, whatever they are."""
    key = np.empty(len(one), dtype=np.complex128)
    key.real, key.imag = one, other
    return key


def _counts(keys: Keys) -> Keys:
    """How often each different key occurs."""
    return _runs(np.sort(keys))


def _runs(ordered: Keys) -> Keys:
    """The lengths of the runs of equal keys."""
    starts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.diff(starts, prepend=0, append=len(ordered)) if len(ordered) else starts


def _bits(before: Keys, after: list[int], joint: Keys) -> tuple[float, float]:
    """Σ −log2 P(x) and Σ −log2 P(x | x′), from how often x, x′ and both occur."""
    whole, released, both = _weighed([int(before.sum())]), _weighed(after), _weighed(joint)
    return max(whole - _weighed(before), 0.0), max(released - both, 0.0)


def _weighed(counts: Any) -> float:
    """Σ c·log2 c, by the sizes of the counts: the same counts in another order give the same sum."""
    sizes, times = np.unique(np.asarray(counts, dtype=np.int64), return_counts=True)
    return math.fsum((times * sizes * np.log2(np.maximum(sizes, 1))).tolist())


def _largest(was: FloatVector, now: FloatVector) -> float | None:
    """The largest difference of the cumulated shares of sorted numbers: it is at, or right before, a released one."""
    if not len(was) or not len(now):
        return None
    points = now[np.cumsum(_runs(now)) - 1]
    sides = [
        np.abs(np.searchsorted(was, points, side) / len(was) - np.searchsorted(now, points, side) / len(now)).max()
        for side in ("left", "right")
    ]
    return float(max(sides))


def _cumulated(ranks: FloatVector, before: Keys, after: Keys) -> float | None:
    """The same of the counts of nodes, whose ranks are whole numbers."""
    if not before.any() or not after.any():
        return None
    places = np.rint(ranks).astype(np.int64)
    was, now = (np.bincount(places, counts).cumsum() / counts.sum() for counts in (before, after))
    return float(np.abs(was - now).max())
