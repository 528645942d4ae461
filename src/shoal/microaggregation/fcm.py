"""FCM: microaggregation by fuzzy c-means."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records, no_progress, number_by_first_row
from shoal.microaggregation.mdav import mdav_1
from shoal.microaggregation.mondrian import mondrian_relaxed
from shoal.microaggregation.registry import mixed_method

_POWERS = (5, 4, 3)
"""Powers of the exponents m = 1 + 2**-power of successive runs; the last one is used for all later runs."""
_RUNS = 10


@mixed_method(
    name="fcm",
    paper="Domingo-Ferrer and Torra, Journal of Advanced Computational Intelligence 7(2), 2003",
    year=2003,
    cost="O(n²/k) time at worst for each of up to 50 iterations, O(n) memory",
)
def fcm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Run fuzzy c-means with fewer and fewer clusters until all have k records; split large clusters likewise.

    J. Domingo-Ferrer and V. Torra, "Fuzzy microaggregation for microdata protection", 2003; as described in
    section 2 of the Multi-DSort paper.

    Notes
    -----
    *Steps*

    1. Start with many clusters c and a small exponent m.
    2. Run fuzzy c-means; each record belongs to the cluster of its largest membership. If a cluster has fewer than k
       records, reduce c, increase m, and run again.
    3. Do the same with the records of each cluster of 2k or more.

    *Departures from the paper*: we did not have its schedule of c and m. The first centers are the centroids of
    ``mondrian-relaxed``, between n/2k and n/k of them. Each run starts from the centers of the previous one without
    those with fewer than k records. The exponent grows from 1 + 1/32 to 1 + 1/8 only: with large exponents all centers
    drift to the mean and the loss rises. A run updates the centers at most 5 times. After 10 runs, the records of
    clusters that are still too small move to the nearest other center. If only one cluster is left, ``mdav-1``
    partitions its records.

    *Cost*: an iteration searches a tree of centers for those near each record; the first runs cost most. Memberships
    are not stored; those below a millionth of the largest one of a record count as 0. Ties go to the first center.
    """
    labels, groups, done = np.zeros(records.count, dtype=np.int64), 0, 0
    parts = [np.arange(records.count)]
    while parts:
        rows = parts.pop()
        part = records.take(rows)
        part_labels = np.zeros(len(rows), dtype=np.int64)
        if len(rows) >= 2 * k:
            part_labels = _clusters(part, k, tick=partial(progress, done, records.count))  # steps 1 and 2
            if part_labels.max() > 0:
                parts += np.split(
                    rows[np.argsort(part_labels, kind="stable")], np.cumsum(np.bincount(part_labels))[:-1]
                )  # step 3
                continue
            part_labels = mdav_1(part, k, progress=no_progress)
        labels[rows] = groups + part_labels
        groups, done = groups + int(part_labels.max()) + 1, done + len(rows)
        progress(done, records.count)
    return labels


def _clusters(records: Records, k: int, *, tick: Callable[[], None]) -> IntVector:
    """Return labels of clusters of at least k records, numbered from 0."""
    space = records.space
    _, start = number_by_first_row(mondrian_relaxed(records, k, progress=no_progress))
    centers = kernels.centroids.centroids(space, start, int(start.max()) + 1)  # step 1
    for run in range(_RUNS):
        power = _POWERS[min(run, len(_POWERS) - 1)]
        clusters = kernels.fuzzy_c_means.c_means(space, centers, power, tick=tick)  # step 2
        sizes = np.bincount(clusters.labels, minlength=len(centers))
        centers = clusters.centers[sizes >= k]
        if not ((sizes > 0) & (sizes < k)).any():
            break
    else:
        small = np.flatnonzero(sizes[clusters.labels] < k)
        nearest = np.empty_like(clusters.labels)
        kernels.centroids.assign_to_nearest(space, nearest, centers, small)
        clusters.labels[small] = np.flatnonzero(sizes >= k)[nearest[small]]
    return np.unique(clusters.labels, return_inverse=True)[1]
