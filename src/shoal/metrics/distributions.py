"""Distributions of each quasi-identifier before and after the release, for the charts of a report.

They hold values of the data and are for internal use; the external report filters them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.domain import FloatVector, IntVector
from shoal.domain.columns import Kind
from shoal.metrics.column_frequencies import is_informative
from shoal.metrics.inputs import MAX_FREQUENT, MetricInputs

TARGET_BINS = 12
"""Approximate number of bins of a numeric column."""
_ROUND = (1.0, 2.0, 2.5, 5.0)
_DAYS = (1.0, 2.0, 7.0, 14.0, 30.0, 91.0, 182.0, 365.0, 730.0, 1826.0)
ALL_OTHERS = "all others"


@dataclass(frozen=True)
class Distribution:
    """Counts per bin or category of one column, before and after. Labels and edges are values of the data.

    Records in which the column was missing and imputed by the release are neither in ``after`` nor blank.
    """

    name: str
    kind: str
    labels: tuple[str, ...]
    """The bins, or the most frequent categories, then ``all others`` if there are more."""
    edges: tuple[float, ...]
    """Bin edges of numbers and dates, one more than bins; bins include their left edge only."""
    before: tuple[int, ...]
    after: tuple[int, ...]
    blank_before: int
    """The number of records with a missing value."""
    blank_after: int
    others: int = 0
    """The number of categories in ``all others``."""
    depths: tuple[tuple[int, int], ...] = ()
    """For a hierarchy, each level of the released nodes (the root is 1) with its number of records."""


def distributions(inputs: MetricInputs) -> tuple[Distribution, ...]:
    """Compute the distribution of every measured quasi-identifier, in order."""
    numeric = {name: j for j, name in enumerate(inputs.numeric)}
    categorical = {column.name: j for j, column in enumerate(inputs.categories)}
    return tuple(
        _numeric_distribution(inputs, numeric[name])
        if name in numeric
        else _categorical_distribution(inputs, categorical[name])
        for name in inputs.quasi_identifiers
        if name in numeric or name in categorical
    )


def _numeric_distribution(inputs: MetricInputs, j: int) -> Distribution:
    name, known, missing = inputs.numeric[j], ~inputs.is_original_missing(j), inputs.is_released_missing(j)
    dates = name in inputs.dates
    original, released = inputs.original_values[j][known], inputs.released_values[j][known & ~missing]
    edges = _edges(np.concatenate([original, released]), dates=dates)
    texts = [str(np.datetime64(math.floor(edge), "D")) if dates else f"{edge:.12g}" for edge in edges]
    return Distribution(
        name=name,
        kind="dates" if dates else "numbers",
        labels=tuple(f"{low} to {high}" for low, high in pairwise(texts)),
        edges=tuple(edges.tolist()),
        before=_bin_counts(original, edges),
        after=_bin_counts(released, edges),
        blank_before=int((~known).sum()),
        blank_after=int(missing.sum()),
    )


def _edges(numbers: FloatVector, *, dates: bool) -> FloatVector:
    if not len(numbers):
        return np.empty(0)
    low, high = float(numbers.min()), float(numbers.max())
    step = _step(high / TARGET_BINS - low / TARGET_BINS, dates=dates)
    first, last = math.floor(low / step) if step else 0, math.ceil(high / step) if step else 0
    if not step or not last - first <= 2 * TARGET_BINS or abs(first) > 2**52:
        return np.array([low, high])  # nearly constant, or close to the largest float
    last += last * step <= high  # the maximum lies inside the last bin, not on its edge
    with np.errstate(over="ignore"):
        edges = np.arange(first, last + 1) * step
    return np.array([float(f"{edge:.12g}") for edge in edges]) if np.isfinite(edges).all() else np.array([low, high])


def _step(width: float, *, dates: bool) -> float:
    """The smallest round step of at least this width; 0 if there is none."""
    if not width > 1e-300:
        return 0.0
    if dates and width <= _DAYS[-1]:
        return next(days for days in _DAYS if days >= width)
    power = 10.0 ** math.floor(math.log10(width))
    return next((factor * power for factor in (*_ROUND, 10.0) if factor * power >= width), 0.0)


def _bin_counts(numbers: FloatVector, edges: FloatVector) -> tuple[int, ...]:
    bins = len(edges) - 1
    if bins < 1:
        return ()
    places = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, bins - 1)
    return tuple(np.bincount(places, minlength=bins).tolist())


def _categorical_distribution(inputs: MetricInputs, j: int) -> Distribution:
    column, nodes = inputs.categories[j], inputs.released_codes[:, j]
    size, names = len(column.hierarchy), column.hierarchy.nodes
    known, missing = ~inputs.is_original_code_missing(j), inputs.is_released_code_missing(j)
    released = known & ~missing
    if column.kind is not Kind.HIERARCHICAL:
        missing = missing | (~is_informative(column, nodes) & known)  # the root of a flat hierarchy is no information
        released &= is_informative(column, nodes)
    before = np.bincount(inputs.original_codes[known, j], minlength=size)
    after = np.bincount(nodes[released], minlength=size)
    order = np.argsort(-(before + after), kind="stable")
    order = order[(before + after)[order] > 0]
    top, rest = order[:MAX_FREQUENT], order[MAX_FREQUENT:]

    is_tree = column.kind is Kind.HIERARCHICAL
    depth_counts = np.bincount(np.array(column.hierarchy.depths), after).astype(np.int64) if is_tree else np.zeros(0)

    def top_counts(counts: IntVector) -> tuple[int, ...]:
        return (*counts[top].tolist(), *([int(counts[rest].sum())] if len(rest) else []))

    return Distribution(
        name=column.name,
        kind="categories",
        labels=(*(names[node] for node in top), *([ALL_OTHERS] if len(rest) else [])),
        edges=(),
        before=top_counts(before),
        after=top_counts(after),
        blank_before=int((~known).sum()),
        blank_after=int(missing.sum()),
        others=len(rest),
        depths=tuple((level, int(depth_counts[level])) for level in np.flatnonzero(depth_counts).tolist()),
    )
