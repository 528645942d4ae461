"""FCM: microaggregation by fuzzy c-means."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from shoal import kernels
from shoal.partition.mdav import mdav_1
from shoal.partition.mondrian import mondrian_relaxed
from shoal.partition.registry import EVERY, method
from shoal.values import IntVector, Progress, Records, by_first_row, silent

_POWERS = (5, 4, 3)
"""The exponents m = 1 + 2**-power of the runs, one after another; the last is that of all later runs."""
_RUNS = 10


@method(
    name="fcm",
    paper="Domingo-Ferrer and Torra, Journal of Advanced Computational Intelligence 7(2), 2003",
    year=2003,
    cost="O(n²/k) time at worst for each of up to 50 iterations, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def fcm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Fuzzy c-means with fewer and fewer clusters until all have k records; large ones again.

    J. Domingo-Ferrer and V. Torra, "Fuzzy microaggregation for microdata protection", 2003; as told in section 2
    of the Multi-DSort paper.

    Notes
    -----
    *Steps*

    1. Start with many clusters c and a small exponent m.
    2. Run fuzzy c-means; each record is in the cluster of its largest membership. If a cluster has fewer than k
       records, reduce c, increase m, and run again.
    3. Do the same to the records of each cluster of 2k and more.

    *Departures from the paper*: its schedule of c and m was not known here. The first centers are the centroids
    of ``mondrian-relaxed``, between n/2k and n/k of them. Each run starts from the centers of the last one without
    those that have fewer than k records. The exponent grows from 1 + 1/32 to 1 + 1/8 and no further: with large
    exponents the centers all drift to the middle and the loss rises. A run moves the centers at most 5 times. After
    10 runs, the records of clusters that are still too small go to the nearest other center. Where one cluster
    only is left, ``mdav-1`` partitions its records.

    *Cost*: an iteration searches a tree of centers for those near to each record; the first runs cost most. Memberships
    are not stored. Those below a millionth of a record's largest count as none. Ties go to the first center.
    """
    labels, groups, done = np.zeros(records.count, dtype=np.int64), 0, 0
    parts = [np.arange(records.count)]
    while parts:
        rows = parts.pop()
        part = records.some(rows)
        found = np.zeros(len(rows), dtype=np.int64)
        if len(rows) >= 2 * k:
            found = _clusters(part, k, tick=partial(progress, done, records.count))  # steps 1 and 2
            if found.max() > 0:
                parts += np.split(rows[np.argsort(found, kind="stable")], np.cumsum(np.bincount(found))[:-1])  # step 3
                continue
            found = mdav_1(part, k, progress=silent)
        labels[rows] = groups + found
        groups, done = groups + int(found.max()) + 1, done + len(rows)
        progress(done, records.count)
    return labels


def _clusters(records: Records, k: int, *, tick: Callable[[], None]) -> IntVector:
    """Clusters of at least k records, from 0; one if there are not more."""
    space = records.space
    _, start = by_first_row(mondrian_relaxed(records, k, progress=silent))
    centers = kernels.groups.centroids(space, start, int(start.max()) + 1)  # step 1
    for run in range(_RUNS):
        power = _POWERS[min(run, len(_POWERS) - 1)]
        cloud = kernels.fuzzy.c_means(space, centers, power, tick=tick)  # step 2
        sizes = np.bincount(cloud.labels, minlength=len(centers))
        centers = cloud.centers[sizes >= k]
        if not ((sizes > 0) & (sizes < k)).any():
            break
    else:
        small = np.flatnonzero(sizes[cloud.labels] < k)
        near = np.empty_like(cloud.labels)
        kernels.groups.join_nearest(space, near, centers, small)
        cloud.labels[small] = np.flatnonzero(sizes >= k)[near[small]]
    numbers: IntVector = np.unique(cloud.labels, return_inverse=True)[1]
    return numbers
