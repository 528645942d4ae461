"""Stages that several methods share: each takes the records and gives labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal import kernels
from shoal.values import IntVector, Progress, Records

Method = Callable[..., IntVector]


def best_cut(records: Records, order: IntVector, k: int, *, progress: Progress) -> IntVector:
    """The cut of an order into runs of k to 2k - 1 neighbors with the least SSE."""
    ordered = records.space.some(order)
    labels = np.empty(records.count, dtype=np.int64)
    labels[order] = kernels.path.shortest_path(ordered, k, progress=progress)
    return labels


def best_cut_of_ring(records: Records, order: IntVector, k: int, *, progress: Progress) -> IntVector:
    """A cut of an order whose last record is beside its first one: never worse than the best cut that parts these two.

    The ring is opened there and cut; then it is opened halfway, where that cut has parted two records, and cut again.
    """
    labels = best_cut(records, order, k, progress=stage(progress, records, 0, 2))
    parted = np.flatnonzero(np.diff(labels[order])) + 1
    if not len(parted):
        return labels
    halfway = int(parted[len(parted) // 2])
    return best_cut(records, np.roll(order, -halfway), k, progress=stage(progress, records, 1, 2))


def along(points: IntVector, point: IntVector) -> IntVector:
    """The records in the order of their points; those of one point by rows."""
    place = np.empty(len(points), dtype=np.int64)
    place[points] = np.arange(len(points))
    return np.argsort(place[point], kind="stable")


def dissolve(
    records: Records,
    labels: IntVector,
    *,
    order: IntVector | None = None,
    most: int | None = None,
    progress: Progress,
) -> IntVector:
    """Dissolve groups where that lowers the total SSE: the second stage of DBA, TFRP and MDAV-2.

    Groups are tried in the given order, or else in descending order of SSE; ``most`` limits what a group may grow to.
    """
    state = kernels.dissolve.stand(records.space, labels)
    if order is None:
        order = np.argsort(-state.spread, kind="stable")
    left: IntVector = kernels.dissolve.dissolve(
        state, order, most=records.count if most is None else most, progress=progress
    )
    return left


def stage(progress: Progress, records: Records, number: int, of: int) -> Progress:
    """The progress of one of several stages, as if they were of equal length."""
    n = records.count

    def heard(done: int, total: int) -> None:
        progress((number * n + n * done // total) // of, n)

    return heard


def split_large(records: Records, labels: IntVector, k: int, by: Method, *, progress: Progress) -> IntVector:
    """Partition every group of 2k and more records again, by a method that sees these records alone."""
    split, sizes = labels.copy(), np.bincount(labels)
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes)[:-1])
    groups, done = len(sizes), 0
    for rows in members:
        if len(rows) >= 2 * k:
            parts = by(records.some(rows), k, progress=_from(done, progress, records))
            split[rows] = groups + parts
            groups += int(parts.max()) + 1
        done += len(rows)
    return split


def _from(start: int, progress: Progress, records: Records) -> Progress:
    """The progress of a part of the records, after so many others."""
    return lambda done, _: progress(start + done, records.count)
