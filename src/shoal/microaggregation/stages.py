"""Stages shared by several methods."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records

_GroupFunction = Callable[..., IntVector]


def best_cut(records: Records, order: IntVector, k: int, *, progress: Progress) -> IntVector:
    """Cut an order into runs of k to 2k - 1 neighbors with minimum SSE."""
    ordered = records.space.take(order)
    labels = np.empty(records.count, dtype=np.int64)
    labels[order] = kernels.orders.shortest_path.shortest_path(ordered, k, progress=progress)
    return labels


def best_cut_of_tour(records: Records, order: IntVector, k: int, *, progress: Progress) -> IntVector:
    """Cut a closed tour into runs of k to 2k - 1 neighbors; never worse than the best cut of the open order.

    The tour is cut as an open order first; then it is opened at a boundary halfway along this cut, and cut again.
    """
    labels = best_cut(records, order, k, progress=stage_progress(progress, records, 0, 2))
    boundaries = np.flatnonzero(np.diff(labels[order])) + 1
    if not len(boundaries):
        return labels
    halfway = int(boundaries[len(boundaries) // 2])
    return best_cut(records, np.roll(order, -halfway), k, progress=stage_progress(progress, records, 1, 2))


def order_by_points(points: IntVector, point: IntVector) -> IntVector:
    """Return the records in the order of their points; records of one point by row."""
    position = np.empty(len(points), dtype=np.int64)
    position[points] = np.arange(len(points))
    return np.argsort(position[point], kind="stable")


def dissolve(
    records: Records,
    labels: IntVector,
    *,
    order: IntVector | None = None,
    max_size: int | None = None,
    progress: Progress,
) -> IntVector:
    """Dissolve groups where that lowers the total SSE: the second stage of DBA, TFRP and MDAV-2.

    Groups are tried in the given order, by default in descending order of SSE. No group grows beyond ``max_size``.
    """
    state = kernels.dissolve.init(records.space, labels)
    if order is None:
        order = np.argsort(-state.sse, kind="stable")
    return kernels.dissolve.run(
        state, order, max_size=records.count if max_size is None else max_size, progress=progress
    )


def stage_progress(progress: Progress, records: Records, number: int, of: int) -> Progress:
    """Report the progress of one of several stages of equal length."""
    n = records.count

    def report(done: int, total: int) -> None:
        progress((number * n + n * done // total) // of, n)

    return report


def split_large(
    records: Records, labels: IntVector, k: int, method: _GroupFunction, *, progress: Progress
) -> IntVector:
    """Partition every group of 2k or more records again, by a method applied to these records alone."""
    split, sizes = labels.copy(), np.bincount(labels)
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes)[:-1])
    groups, done = len(sizes), 0
    for rows in members:
        if len(rows) >= 2 * k:
            parts = method(records.take(rows), k, progress=_offset(done, progress, records))
            split[rows] = groups + parts
            groups += int(parts.max()) + 1
        done += len(rows)
    return split


def _offset(start: int, progress: Progress, records: Records) -> Progress:
    """Report progress after ``start`` other records."""
    return lambda done, _: progress(start + done, records.count)
