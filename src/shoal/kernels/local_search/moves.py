"""Moves of local search: move, swap, split (a new group) and merge (a dissolved group).

Every move compares the increase of the error with a limit: below 0 in a descent, above 0 where the error may
increase. It returns the increase if it was made, else 0. No group falls below k units, and every changed group meets
the constraints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import IntMatrix, IntVector
from shoal.kernels.jit import kernel
from shoal.kernels.linked_lists import NONE
from shoal.kernels.local_search.mutable_partition import (
    N_EMPTY,
    add,
    add_increase,
    is_feasible,
    remove,
    remove_decrease,
    replace_increase,
)

MAX_VISITS = 32
"""Units of a large group that are considered, the last added first."""


class UnitNeighbors(NamedTuple):
    """Neighbors of units; equal units are one point.

    ``point_of`` is the point of each unit, and point q has the units ``units[starts[q] : starts[q + 1]]``. ``points``
    has the nearest points of each point, nearest first, itself included if it has several units.
    """

    points: IntMatrix
    point_of: IntVector
    starts: IntVector
    units: IntVector


@kernel
def move(partition, centroids, constraints, unit, group, limit):
    """Move a unit to another group, if its own has more than k units."""
    own = partition.labels[unit]
    if partition.sizes[own] <= partition.k:
        return 0.0
    increase = add_increase(partition, centroids, unit, group) - remove_decrease(partition, centroids, unit)
    if (
        increase < limit
        and is_feasible(partition, constraints, own, unit, NONE)
        and is_feasible(partition, constraints, group, NONE, unit)
    ):
        remove(partition, centroids, unit)
        add(partition, centroids, unit, group)
        return increase
    return 0.0


@kernel
def swap(partition, centroids, constraints, unit, other, limit):
    own, group = partition.labels[unit], partition.labels[other]
    increase = replace_increase(partition, centroids, other, unit)
    increase += replace_increase(partition, centroids, unit, other)
    if (
        increase < limit
        and is_feasible(partition, constraints, own, unit, other)
        and is_feasible(partition, constraints, group, other, unit)
    ):
        remove(partition, centroids, unit)
        remove(partition, centroids, other)
        add(partition, centroids, unit, group)
        add(partition, centroids, other, own)
        return increase
    return 0.0


@kernel
def create_group(partition, centroids, constraints, neighbors, unit, limit):
    """Split move: a new group of a unit and the nearest units that their groups can spare."""
    k, increase, n_moved = partition.k, 0.0, 0
    if partition.counts[N_EMPTY] == 0 or partition.sizes[partition.labels[unit]] <= k:
        return 0.0
    if remove_decrease(partition, centroids, unit) <= 0.0:  # it is at the center of its group
        return 0.0
    group = partition.empty_groups[partition.counts[N_EMPTY] - 1]
    moved, origin = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    own_point = neighbors.point_of[unit]
    for i in range(-1, neighbors.points.shape[1]):
        point = own_point if i < 0 else neighbors.points[own_point, i]
        if point == NONE or (i >= 0 and point == own_point):
            continue
        for j in range(neighbors.starts[point], min(neighbors.starts[point + 1], neighbors.starts[point] + MAX_VISITS)):
            candidate = unit if i < 0 and j == neighbors.starts[point] else neighbors.units[j]
            old = partition.labels[candidate]
            if n_moved < k and old != group and partition.sizes[old] > k:
                moved[n_moved], origin[n_moved] = candidate, old
                increase -= remove_decrease(partition, centroids, candidate)
                increase += add_increase(partition, centroids, candidate, group)
                remove(partition, centroids, candidate)
                add(partition, centroids, candidate, group)
                n_moved += 1
    if n_moved == k and increase < limit and all_feasible(partition, constraints, origin, group):
        partition.counts[N_EMPTY] -= 1
        return increase
    undo(partition, centroids, moved, origin, n_moved)
    return 0.0


@kernel
def dissolve_group(partition, centroids, constraints, neighbors, group, limit):
    """Merge move: each unit of a group moves to the near group where it costs least."""
    size, total, n_moved = partition.sizes[group], 0.0, 0
    moved, origin = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    targets = np.empty(size, dtype=np.int64)
    while n_moved < size:
        unit, target, best_increase, last = partition.head[group], NONE, np.inf, group
        for i in range(min(neighbors.points.shape[1], MAX_VISITS)):
            point = neighbors.points[neighbors.point_of[unit], i]
            if point != NONE:
                other = partition.labels[neighbors.units[neighbors.starts[point]]]
                if other != group and other != last:
                    last = other
                    increase = add_increase(partition, centroids, unit, other)
                    if increase < best_increase:
                        best_increase, target = increase, other
        if target == NONE:
            break
        total += best_increase - remove_decrease(partition, centroids, unit)
        moved[n_moved], origin[n_moved], targets[n_moved] = unit, group, target
        remove(partition, centroids, unit)
        add(partition, centroids, unit, target)
        n_moved += 1
    if n_moved == size and total < limit and all_feasible(partition, constraints, targets, NONE):
        partition.empty_groups[partition.counts[N_EMPTY]] = group
        partition.counts[N_EMPTY] += 1
        return total
    undo(partition, centroids, moved, origin, n_moved)
    return 0.0


@kernel
def all_feasible(partition, constraints, groups, group):
    """Whether all these groups meet the constraints, and one more group unless it is NONE."""
    if len(constraints.members) == 0:
        return True
    for i in range(len(groups)):
        if not is_feasible(partition, constraints, groups[i], NONE, NONE):
            return False
    return group == NONE or is_feasible(partition, constraints, group, NONE, NONE)


@kernel
def undo(partition, centroids, units, groups, n_moved):
    """Return units to their former groups, the last one first."""
    for i in range(n_moved - 1, -1, -1):
        remove(partition, centroids, units[i])
        add(partition, centroids, units[i], groups[i])
