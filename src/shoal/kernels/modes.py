"""Clusters of combinations of categories around centers: the nearest center, its new place, clusters that dissolve."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import SLICE, kernel
from shoal.kernels.meaning import add, apart, find_center
from shoal.values import IntMatrix, IntVector, Progress, Tuples


def assign(tuples: Tuples, centers: IntMatrix, labels: IntVector, *, progress: Progress) -> None:
    """Each combination to the nearest center."""
    step = max(1, SLICE // 4 // centers.size)
    everywhere = np.ones(len(centers), dtype=np.bool_)
    for start in range(0, len(labels), step):
        stop = min(start + step, len(labels))
        to_nearest(tuples, centers, labels, everywhere, np.arange(start, stop))
        progress(stop, len(labels))


def dissolve(tuples: Tuples, centers: IntMatrix, labels: IntVector, k: int, *, progress: Progress) -> None:
    """Dissolve clusters, the smallest first, until all have k records: each combination goes to the nearest other."""
    sizes = np.bincount(labels, weights=tuples.counts, minlength=len(centers))
    sizes[sizes == 0] = np.inf  # no cluster at all
    done, small = 0, int((sizes < k).sum())
    while sizes[smallest := int(np.argmin(sizes))] < k:
        sizes[smallest] = np.inf
        members = np.flatnonzero(labels == smallest)
        to_nearest(tuples, centers, labels, sizes < np.inf, members)
        np.add.at(sizes, labels[members], tuples.counts[members])
        done += 1
        progress(done, small)


@kernel
def to_nearest(tuples, centers, labels, standing, members):
    """These combinations go to the nearest center of a cluster that stands; of several, the first."""
    best = np.full(len(members), np.inf)
    for cluster in range(len(centers)):
        if standing[cluster]:
            for i in range(len(members)):
                distance = apart(tuples, members[i], centers[cluster])
                if distance < best[i]:
                    best[i], labels[members[i]] = distance, cluster


@kernel
def find_centers(tuples, centers, order, starts):
    """Move the center of each cluster to its records: those of the order from its start to the next."""
    costs = np.empty(np.sum(tuples.widths))
    for cluster in range(len(centers)):
        if starts[cluster] < starts[cluster + 1]:
            costs[:] = 0.0
            for t in order[starts[cluster] : starts[cluster + 1]]:
                add(tuples, costs, t, tuples.counts[t])
            find_center(tuples, costs, centers[cluster])
