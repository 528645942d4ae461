"""K-modes on tuples: assignment to the nearest center, new centers, and clusters below k that are dissolved."""

from __future__ import annotations

import numpy as np

from shoal.domain import IntMatrix, IntVector, Progress, Tuples
from shoal.kernels.jit import SLICE, kernel
from shoal.kernels.tuples.tuple_distance import add, find_center, tuple_distance


def assign(tuples: Tuples, centers: IntMatrix, labels: IntVector, *, progress: Progress) -> None:
    """Assign each tuple to the nearest center."""
    step = max(1, SLICE // 4 // centers.size)
    everywhere = np.ones(len(centers), dtype=np.bool_)
    for start in range(0, len(labels), step):
        stop = min(start + step, len(labels))
        assign_to_nearest(tuples, centers, labels, everywhere, np.arange(start, stop))
        progress(stop, len(labels))


def dissolve_small(tuples: Tuples, centers: IntMatrix, labels: IntVector, k: int, *, progress: Progress) -> None:
    """Dissolve the smallest cluster until all have k records; its tuples go to the nearest other center."""
    sizes = np.bincount(labels, weights=tuples.counts, minlength=len(centers))
    sizes[sizes == 0] = np.inf  # an empty cluster
    done, count = 0, int((sizes < k).sum())
    while sizes[smallest := int(np.argmin(sizes))] < k:
        sizes[smallest] = np.inf
        members = np.flatnonzero(labels == smallest)
        assign_to_nearest(tuples, centers, labels, sizes < np.inf, members)
        np.add.at(sizes, labels[members], tuples.counts[members])
        done += 1
        progress(done, count)


@kernel
def assign_to_nearest(tuples, centers, labels, active, members):
    """Assign these tuples to the nearest active center; ties go to the lowest number."""
    best = np.full(len(members), np.inf)
    for cluster in range(len(centers)):
        if active[cluster]:
            for i in range(len(members)):
                distance = tuple_distance(tuples, members[i], centers[cluster])
                if distance < best[i]:
                    best[i], labels[members[i]] = distance, cluster


@kernel
def find_centers(tuples, centers, order, starts):
    """Update the center of each cluster, whose tuples are ``order[starts[c] : starts[c + 1]]``."""
    costs = np.empty(np.sum(tuples.widths))
    for cluster in range(len(centers)):
        if starts[cluster] < starts[cluster + 1]:
            costs[:] = 0.0
            for t in order[starts[cluster] : starts[cluster + 1]]:
                add(tuples, costs, t, tuples.counts[t])
            find_center(tuples, costs, centers[cluster])
