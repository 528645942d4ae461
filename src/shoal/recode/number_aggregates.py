"""Means and medians of groups of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from shoal.domain import DateColumn, FloatMatrix, FloatVector, IntVector
from shoal.domain.scale import times_power_of_two

CenterFunction = Callable[[FloatMatrix, IntVector, int, FloatVector | None], FloatMatrix]
"""Takes values and labels of the records, number of groups and record weights; returns a row per group."""


def mean(values: FloatMatrix, labels: IntVector, groups: int, weights: FloatVector | None = None) -> FloatMatrix:
    """Return the (weighted) mean of each group, column by column.

    Values are scaled by their column's largest power of two and taken relative to their group's first record: huge
    values do not overflow, and a group of equal values keeps that value to the last bit. No mean leaves the bounds of
    its column.
    """
    exponent = np.frexp(np.abs(values).max(axis=0, initial=0.0))[1]
    small = times_power_of_two(values, -exponent)
    sizes = np.bincount(labels, weights, minlength=groups)
    first = np.empty(groups, dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels))[::-1]
    anchor = small[first]
    offset = small - anchor[labels]
    if weights is not None:
        offset *= weights[:, None]
    sums = np.column_stack([np.bincount(labels, offset[:, j], minlength=groups) for j in range(values.shape[1])])
    centers: FloatMatrix = np.ldexp(anchor + sums / sizes[:, None], exponent)
    return np.clip(centers, values.min(axis=0, initial=np.inf), values.max(axis=0, initial=-np.inf))


def median(values: FloatMatrix, labels: IntVector, groups: int, weights: FloatVector | None = None) -> FloatMatrix:
    """Return the median of each group, column by column; the mean of the two middle values in groups of even size.

    With weights it is the lower weighted median: the lowest value up to which the records have half of the group's
    weight.
    """
    starts = np.concatenate(([0], np.bincount(labels, minlength=groups).cumsum()))
    centers = np.empty((groups, values.shape[1]))
    for j in range(values.shape[1]):
        order = np.lexsort((values[:, j], labels))
        ordered = values[order, j]
        if weights is not None:
            centers[:, j] = ordered[_median_places(weights[order], labels[order], starts)]
            continue
        low, high = (starts[:-1] + starts[1:] - 1) // 2, (starts[:-1] + starts[1:]) // 2
        centers[:, j] = ordered[low] / 2 + ordered[high] / 2
        same = ordered[low] == ordered[high]
        centers[same, j] = ordered[low][same]
    return centers


def _median_places(weights: FloatVector, labels: IntVector, starts: IntVector) -> IntVector:
    """Return, for each group of consecutive rows, the first row that reaches half of its weight."""
    reached = np.concatenate(([0.0], np.cumsum(weights)))
    start_weight, end_weight = reached[starts[:-1]], reached[starts[1:]]
    below = reached[1:] - start_weight[labels] < (end_weight - start_weight)[labels] / 2
    places: IntVector = starts[:-1] + np.bincount(labels[below], minlength=len(starts) - 1)
    return places


CENTER_FUNCTIONS: Mapping[str, CenterFunction] = {"mean": mean, "median": median}


def group_bounds(values: FloatVector, labels: IntVector, groups: int) -> tuple[FloatVector, FloatVector]:
    """Return the lowest and the highest value of each group."""
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, labels, values)
    np.maximum.at(high, labels, values)
    return low, high


def format_intervals(low: FloatVector, high: FloatVector, *, dates: bool, zone: str = "") -> list[str]:
    """Return ``[25-55]`` for each pair of bounds, ``39`` if both are equal; different bounds never give the same text.

    The whole column uses ``[-5 to -2]`` if the text of a number contains a minus sign, and for dates. Dates end with
    their time zone.
    """
    ends = np.concatenate((low, high))
    texts = [text + zone for text in DateColumn(ends).format(with_time=bool(zone))] if dates else _numbers(ends)
    between = " to " if any("-" in text for text in texts) else "-"
    pairs = zip(texts[: len(low)], texts[len(low) :], strict=True)
    return [first if first == last else f"[{first}{between}{last}]" for first, last in pairs]


def _numbers(values: FloatVector) -> Sequence[str]:
    """Format numbers as short as possible without loss; integers without a point, and no negative zero."""
    return [repr(number).removesuffix(".0") for number in (values + 0.0).tolist()]
