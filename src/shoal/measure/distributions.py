"""The distributions of each quasi-identifier before and after the release, as a report draws them.

They hold values of the data and are for internal use: what leaves the house goes through the filter of `report`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.measure.pair import FREQUENT, Pair
from shoal.measure.tallies import told
from shoal.schema.columns import Kind
from shoal.values import FloatVector, IntVector

BINS = 12
"""About so many bins cover a column of numbers."""
_ROUND = (1.0, 2.0, 2.5, 5.0)
_DAYS = (1.0, 2.0, 7.0, 14.0, 30.0, 91.0, 182.0, 365.0, 730.0, 1826.0)
REST = "all others"


@dataclass(frozen=True)
class Distribution:
    """One column: the records of each bin or category, before and after. Its labels and edges are values of the data.

    Records in which the column was missing and is filled by the release are neither among ``after`` nor blank.
    """

    name: str
    kind: str
    """``numbers``, ``dates`` or ``categories``."""
    labels: tuple[str, ...]
    """The bins, or the most frequent categories; where there are more, the last entry is ``all others``."""
    edges: tuple[float, ...]
    """Of numbers and dates, one more than there are bins; a bin begins at its edge and ends right before the next."""
    before: tuple[int, ...]
    after: tuple[int, ...]
    blank_before: int
    """The records that show nothing."""
    blank_after: int
    others: int = 0
    """The categories behind the entry for all others."""
    depths: tuple[tuple[int, int], ...] = ()
    """Of a column with a hierarchy, the levels of the released nodes, 1 for the root, and the records at each."""


def distributions(pair: Pair) -> tuple[Distribution, ...]:
    """Of every measured quasi-identifier, in their order."""
    numbers = {name: j for j, name in enumerate(pair.numeric)}
    others = {column.name: j for j, column in enumerate(pair.categories)}
    return tuple(
        _numbers(pair, numbers[name]) if name in numbers else _categories(pair, others[name])
        for name in pair.names
        if name in numbers or name in others
    )


def _numbers(pair: Pair, j: int) -> Distribution:
    name, known, empty = pair.numeric[j], ~pair.gone(j), pair.empty(j)
    dates = name in pair.dates
    was, now = pair.values[j][known], pair.shown[j][known & ~empty]
    edges = _edges(np.concatenate([was, now]), dates=dates)
    texts = [str(np.datetime64(math.floor(edge), "D")) if dates else f"{edge:.12g}" for edge in edges]
    return Distribution(
        name=name,
        kind="dates" if dates else "numbers",
        labels=tuple(f"{low} to {high}" for low, high in pairwise(texts)),
        edges=tuple(edges.tolist()),
        before=_binned(was, edges),
        after=_binned(now, edges),
        blank_before=int((~known).sum()),
        blank_after=int(empty.sum()),
    )


def _edges(numbers: FloatVector, *, dates: bool) -> FloatVector:
    """Round numbers at the same distance from each other, below and above all of these."""
    if not len(numbers):
        return np.empty(0)
    low, high = float(numbers.min()), float(numbers.max())
    step = _step(high / BINS - low / BINS, dates=dates)
    first, last = math.floor(low / step) if step else 0, math.ceil(high / step) if step else 0
    if not step or not last - first <= 2 * BINS or abs(first) > 2**52:
        return np.array([low, high])  # numbers that hardly differ, or are next to the end of all numbers
    last += last * step <= high  # the greatest is inside the last bin, not at its end
    with np.errstate(over="ignore"):
        edges = np.arange(first, last + 1) * step
    return np.array([float(f"{edge:.12g}") for edge in edges]) if np.isfinite(edges).all() else np.array([low, high])


def _step(width: float, *, dates: bool) -> float:
    """The least round step of at least this width; 0 where there is none."""
    if not width > 1e-300:
        return 0.0
    if dates and width <= _DAYS[-1]:
        return next(days for days in _DAYS if days >= width)
    power = 10.0 ** math.floor(math.log10(width))
    return next((factor * power for factor in (*_ROUND, 10.0) if factor * power >= width), 0.0)


def _binned(numbers: FloatVector, edges: FloatVector) -> tuple[int, ...]:
    bins = len(edges) - 1
    if bins < 1:
        return ()
    places = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, bins - 1)
    return tuple(np.bincount(places, minlength=bins).tolist())


def _categories(pair: Pair, j: int) -> Distribution:
    column, nodes = pair.categories[j], pair.nodes[:, j]
    size, names = len(column.hierarchy), column.hierarchy.nodes
    known = ~pair.lacked(j)
    untold = np.zeros(pair.records, dtype=np.bool_) if pair.untold is None else pair.untold[:, j]
    shown = known & ~untold
    if column.kind is not Kind.HIERARCHICAL:
        untold = untold | (~told(column, nodes) & known)  # a star says nothing where it stands for all values
        shown &= told(column, nodes)
    before = np.bincount(pair.codes[known, j], minlength=size)
    after = np.bincount(nodes[shown], minlength=size)
    order = np.argsort(-(before + after), kind="stable")
    order = order[(before + after)[order] > 0]
    top, rest = order[:FREQUENT], order[FREQUENT:]

    def counted(counts: IntVector) -> tuple[int, ...]:
        return (*counts[top].tolist(), *([int(counts[rest].sum())] if len(rest) else []))

    return Distribution(
        name=column.name,
        kind="categories",
        labels=(*(names[node] for node in top), *([REST] if len(rest) else [])),
        edges=(),
        before=counted(before),
        after=counted(after),
        blank_before=int((~known).sum()),
        blank_after=int(untold.sum()),
        others=len(rest),
        depths=_depths(column.hierarchy.depths, after) if column.kind is Kind.HIERARCHICAL else (),
    )


def _depths(depths: tuple[int, ...], counts: IntVector) -> tuple[tuple[int, int], ...]:
    """The records at each level of the nodes that are shown."""
    records = np.bincount(np.array(depths), counts).astype(np.int64)
    return tuple((level, int(records[level])) for level in np.flatnonzero(records).tolist())
