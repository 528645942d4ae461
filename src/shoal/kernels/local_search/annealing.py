"""Local search in a mutable partition: descent while a move pays, and simulated annealing."""

from __future__ import annotations

import numpy as np

from shoal.domain import BoolVector
from shoal.kernels.jit import inline, kernel
from shoal.kernels.linked_lists import NONE
from shoal.kernels.local_search.category_centroids import has_categories
from shoal.kernels.local_search.moves import MAX_VISITS, UnitNeighbors, create_group, dissolve_group, move, swap
from shoal.kernels.local_search.mutable_partition import SearchState, remove_decrease, swap_may_pay
from shoal.kernels.rng import Rng, next_int, random_below

RESHAPE_PERIOD, MAX_DISSOLVED = 8, 4
"""One of this many tries within a group creates or dissolves a group; groups above this many times k stay."""
_NO_UNITS = np.zeros(0, dtype=np.bool_)
_NO_RNG = Rng(np.ones(2, dtype=np.int64), np.zeros(1))


def descend(
    state: SearchState, neighbors: UnitNeighbors, dirty: BoolVector, limit: float, start: int, stop: int
) -> float:
    """Try every move around the marked units from ``start`` to ``stop``; the sum of the increases, at most 0.

    A unit is marked while its neighborhood may have changed.
    """
    return float(local_search(*state, neighbors, dirty, limit, start, stop, _NO_RNG, 0.0, 0))


def anneal(state: SearchState, neighbors: UnitNeighbors, rng: Rng, temperature: float, steps: int) -> float:
    """Make random moves at this temperature; the sum of the increases.

    A move that increases the error by x is accepted with probability exp(-x / temperature).
    """
    return float(local_search(*state, neighbors, _NO_UNITS, 0.0, 0, 0, rng, temperature, steps))


@kernel
def local_search(partition, centroids, constraints, neighbors, dirty, limit, start, stop, rng, temperature, steps):
    """Both searches in one kernel: they share most of their code, which is thus compiled once."""
    total = descend_range(partition, centroids, constraints, neighbors, dirty, limit, start, stop)
    return total + anneal_steps(partition, centroids, constraints, neighbors, rng, temperature, steps)


@kernel
def descend_range(partition, centroids, constraints, neighbors, dirty, limit, start, stop):
    """Try every move around the marked units of a range."""
    total = 0.0
    for unit in range(start, stop):
        if dirty[unit]:
            dirty[unit] = False
            if remove_decrease(partition, centroids, unit) <= 0.0:  # at the center; others may still swap with it
                continue
            increase = try_neighbors(partition, centroids, constraints, neighbors, unit, limit)
            if increase == 0.0:
                increase = try_reshape(partition, centroids, constraints, neighbors, unit, limit)
            if increase != 0.0:
                total += increase
                mark_neighbors(partition, neighbors, unit, dirty)
    return total


@kernel
def try_neighbors(partition, centroids, constraints, neighbors, unit, limit):
    """Try to move a unit to each near group, or to swap it with one of its units; make the first that pays."""
    own, points = partition.labels[unit], neighbors.points[neighbors.point_of[unit]]
    for i in range(len(points)):
        if points[i] == NONE:
            break
        group = partition.labels[neighbors.units[neighbors.starts[points[i]]]]
        if group != own and not already_tried(partition, neighbors, points, i, group):
            increase, other, visits = 0.0, partition.head[group], 0
            if partition.sizes[own] > partition.k:
                increase = move(partition, centroids, constraints, unit, group, limit)
            while increase == 0.0 and other != NONE and visits < MAX_VISITS:
                following = partition.next_unit[other]
                # the test comes first, since a call takes longer
                if has_categories(centroids) or swap_may_pay(partition, unit, other, limit):
                    increase = swap(partition, centroids, constraints, unit, other, limit)
                other, visits = following, visits + 1
            if increase != 0.0:
                return increase
    return 0.0


@inline
def already_tried(partition, neighbors, points, i, group):
    """Whether one of the points before i is in a group, which was then tried."""
    result = False
    for j in range(i):
        result = result or partition.labels[neighbors.units[neighbors.starts[points[j]]]] == group
    return result


@kernel
def try_reshape(partition, centroids, constraints, neighbors, unit, limit):
    """Try to create a group around a unit, or to dissolve its group if the unit is its head."""
    increase, group = create_group(partition, centroids, constraints, neighbors, unit, limit), partition.labels[unit]
    if increase == 0.0 and partition.head[group] == unit and partition.sizes[group] <= MAX_DISSOLVED * partition.k:
        increase = dissolve_group(partition, centroids, constraints, neighbors, group, limit)
    return increase


@kernel
def mark_neighbors(partition, neighbors, unit, dirty):
    """Mark the units of the group of a unit, and those near it."""
    other, visits = partition.head[partition.labels[unit]], 0
    while other != NONE and visits < MAX_VISITS:
        dirty[other] = True
        other, visits = partition.next_unit[other], visits + 1
    for i in range(neighbors.points.shape[1]):
        point = neighbors.points[neighbors.point_of[unit], i]
        if point != NONE:
            dirty[neighbors.units[neighbors.starts[point]]] = True
    dirty[unit] = True


@kernel
def anneal_steps(partition, centroids, constraints, neighbors, rng, temperature, steps):
    total, n_neighbors, n_quantiles = 0.0, neighbors.points.shape[1], len(rng.exponentials)
    for _ in range(steps):
        unit, dice = random_unit(partition, neighbors, rng), next_int(rng.state)
        coin, dice = dice % (2 * RESHAPE_PERIOD), dice // (2 * RESHAPE_PERIOD)
        i, dice = dice % n_neighbors, dice // n_neighbors
        i, dice = min(i, dice % n_neighbors), dice // n_neighbors
        point = neighbors.points[neighbors.point_of[unit], i]
        if unit == NONE or point == NONE:
            continue
        other, limit = random_unit_of_point(neighbors, point, rng), temperature * rng.exponentials[dice % n_quantiles]
        own, group = partition.labels[unit], partition.labels[other]
        if own != group:
            if partition.sizes[own] > partition.k and coin % 2 == 0:
                total += move(partition, centroids, constraints, unit, group, limit)
            else:
                other = random_partner(partition, other, rng.state)
                if has_categories(centroids) or swap_may_pay(partition, unit, other, limit):
                    total += swap(partition, centroids, constraints, unit, other, limit)
        elif coin == 0:
            total += create_group(partition, centroids, constraints, neighbors, unit, limit)
        elif coin == 1 and partition.sizes[own] <= MAX_DISSOLVED * partition.k:
            total += dissolve_group(partition, centroids, constraints, neighbors, own, limit)
    return total


@inline
def random_unit(partition, neighbors, rng):
    """A random unit; where records are equal, half of the time of any point and half of any group.

    The former covers rare points. The latter takes one of the last added units of a large group: where most records are
    equal, some of these fill up the groups of others, and would hardly ever be drawn among all records.
    """
    if len(neighbors.points) == len(neighbors.units):
        return random_below(rng.state, len(neighbors.units))
    number = random_below(rng.state, 2 * len(neighbors.points))
    if number < len(neighbors.points):
        return random_unit_of_point(neighbors, number, rng)
    unit = partition.head[random_below(rng.state, len(partition.head))]
    if unit != NONE:
        for _ in range(random_below(rng.state, min(partition.sizes[partition.labels[unit]], MAX_VISITS))):
            unit = partition.next_unit[unit]
    return unit


@inline
def random_unit_of_point(neighbors, point, rng):
    start, count = neighbors.starts[point], neighbors.starts[point + 1] - neighbors.starts[point]
    return neighbors.units[start + random_below(rng.state, count) if count > 1 else start]


@inline
def random_partner(partition, unit, rng):
    """Another random unit of a unit's group, so that the group keeps the unit; itself if it is alone."""
    group = partition.labels[unit]
    steps = random_below(rng, max(min(partition.sizes[group], MAX_VISITS) - 1, 1))
    other = partition.head[group]
    while other == unit or steps > 0:
        if other != unit:
            steps -= 1
        following = partition.next_unit[other]
        if following == NONE:
            break
        other = following
    return other
