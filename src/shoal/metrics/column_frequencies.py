"""Value counts of each column before and after the release, and the statistics derived from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.domain import BoolVector, CategoricalColumn, FloatVector
from shoal.domain.columns import Kind
from shoal.metrics.inputs import MetricInputs, memoize
from shoal.system.threads import parallel_map

T = TypeVar("T")
Keys = NDArray[Any]


class ColumnCounts(NamedTuple):
    """Statistics of one column over the records in which it was not missing."""

    entropy: float
    """Σ −log2 P(x): the information in the original values, in bits."""
    lost_entropy: float
    """Σ −log2 P(x | x′): the information that the released values lose, in bits."""
    n_distinct_before: int
    n_distinct_after: int
    """The number of distinct values before and after."""
    distance: float | None
    """The distance between both distributions, from 0 to 1; None if one of them is empty."""


@memoize
def count_columns(inputs: MetricInputs) -> tuple[ColumnCounts, ...]:
    """Count the values of every column, numeric before categorical, with few columns in memory at a time."""
    numbers = parallel_map(lambda j: _count_numbers(inputs, j), range(len(inputs.numeric)), records=inputs.records)
    return (
        *numbers,
        *parallel_map(lambda j: _count_codes(inputs, j), range(len(inputs.categories)), records=inputs.records),
    )


def column_metric(inputs: MetricInputs, metric: Callable[[ColumnCounts], T]) -> dict[str, T]:
    """Compute a metric for each column."""
    columns = zip(inputs.facts.compared_columns, count_columns(inputs), strict=True)
    return {name: metric(counts) for name, counts in columns}


def level_ranks(column: CategoricalColumn) -> FloatVector | None:
    """The rank of each node of an ordinal column, from 0 to 1; None for other kinds."""
    return column.distance[0] if column.kind is Kind.ORDINAL else None  # node 0 is the lowest level


def is_informative(column: CategoricalColumn, nodes: Keys) -> BoolVector:
    """Mask of the informative nodes: neither the root nor the node of missing values."""
    informative: BoolVector = nodes != len(column.hierarchy) - 1
    return informative if column.missing_code is None else informative & (nodes != column.missing_code)


def _count_numbers(inputs: MetricInputs, j: int) -> ColumnCounts:
    known = ~inputs.is_original_missing(j)
    original, released, present = (
        _select(values, known)
        for values in (inputs.original_values[j], inputs.released_values[j], ~inputs.is_released_missing(j))
    )
    midpoints = _select(released, present)
    interval = inputs.released_intervals.get(inputs.numeric[j])
    if interval is not None:  # intervals with the same midpoint are different values
        places = np.unique(_joint_keys(interval[0][known][present], interval[1][known][present]), return_inverse=True)[
            1
        ]
        released = np.zeros(len(original))
        released[present] = places
    joint = _joint_keys(np.where(present, released, np.inf), original)
    ordered = np.sort(original)
    before, after = _run_lengths(ordered), _counts(_select(released, present))
    return ColumnCounts(
        *_entropies(before, [*after.tolist(), int((~present).sum())], _counts(joint)),
        n_distinct_before=len(before),
        n_distinct_after=len(after),
        distance=_distance_of_numbers(ordered, np.sort(midpoints)),
    )


def _count_codes(inputs: MetricInputs, j: int) -> ColumnCounts:
    column, size = inputs.categories[j], len(inputs.categories[j].hierarchy)
    known = ~inputs.is_original_code_missing(j) | (column.missing_code is not None)
    original, released = inputs.original_codes[known, j], inputs.released_codes[known, j]
    before, after = (np.bincount(codes, minlength=size) for codes in (original, released))
    nodes, rank = np.arange(size), level_ranks(column)
    values = (before > 0) & (nodes != column.missing_code)
    released_values = (after > 0) & (is_informative(column, nodes) | values)
    if rank is not None:
        distance = _distance_of_ranks(rank * (column.n_steps or 1), before * values, after * released_values)
    else:
        distance = float(np.abs(before - after).sum() / (2 * len(original))) if len(original) else None
    bits = _entropies(before[before > 0], after[after > 0].tolist(), _counts(original * size + released))
    return ColumnCounts(
        *bits, n_distinct_before=int(values.sum()), n_distinct_after=int(released_values.sum()), distance=distance
    )


def _select(values: Keys, mask: BoolVector) -> Keys:
    """Apply a mask that is mostly all true."""
    return values if mask.all() else values[mask]


def _joint_keys(first: Keys, second: Keys) -> Keys:
    key = np.empty(len(first), dtype=np.complex128)
    key.real, key.imag = first, second
    return key


def _counts(keys: Keys) -> Keys:
    return _run_lengths(np.sort(keys))


def _run_lengths(ordered: Keys) -> Keys:
    starts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.diff(starts, prepend=0, append=len(ordered)) if len(ordered) else starts


def _entropies(before: Keys, after: list[int], joint: Keys) -> tuple[float, float]:
    """Σ −log2 P(x) and Σ −log2 P(x | x′), from the counts of x, of x′ and of both."""
    total, released, both = _sum_c_log_c([int(before.sum())]), _sum_c_log_c(after), _sum_c_log_c(joint)
    return max(total - _sum_c_log_c(before), 0.0), max(released - both, 0.0)


def _sum_c_log_c(counts: Any) -> float:
    """Σ c·log2 c. Grouping equal counts makes the sum independent of their order."""
    sizes, times = np.unique(np.asarray(counts, dtype=np.int64), return_counts=True)
    return math.fsum((times * sizes * np.log2(np.maximum(sizes, 1))).tolist())


def _distance_of_numbers(original: FloatVector, released: FloatVector) -> float | None:
    """The Kolmogorov-Smirnov distance of sorted numbers; the maximum is at or just before a released value."""
    if not len(original) or not len(released):
        return None
    points = released[np.cumsum(_run_lengths(released)) - 1]
    sides = [
        np.abs(
            np.searchsorted(original, points, side) / len(original)
            - np.searchsorted(released, points, side) / len(released)
        ).max()
        for side in ("left", "right")
    ]
    return float(max(sides))


def _distance_of_ranks(ranks: FloatVector, before: Keys, after: Keys) -> float | None:
    """The Kolmogorov-Smirnov distance of node counts with integer ranks."""
    if not before.any() or not after.any():
        return None
    positions = np.rint(ranks).astype(np.int64)
    original_share, released_share = (
        np.bincount(positions, counts).cumsum() / counts.sum() for counts in (before, after)
    )
    return float(np.abs(original_share - released_share).max())
