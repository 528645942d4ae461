"""Category centroids of groups: the cost of each node as the center, and the effect of a change.

The center of a category is the node with the least sum of distances, the first of several. The sums of all nodes are
stored, so a change reads the nodes and not the records. Mostly not even that: the two best nodes are stored too, and a
node that leads by more than a change can shift stays the best. If all nodes are equally far apart, as with unordered
names, a unit that joins or leaves changes the cost of its own node against all others only. Then costs omit the part
that all nodes share, three nodes remain to compare, and the two best ones are found among those of the records. Sums of
distances are exact, so all shortcuts find the same node as a comparison of all nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatMatrix, FloatVector, IntMatrix, IntVector, Space
from shoal.kernels.distance import add_row
from shoal.kernels.jit import inline, kernel
from shoal.kernels.linked_lists import NONE


class CategoryCentroids(NamedTuple):
    """Category centroids of the groups::

                      |<- category 0 ->|<-- category 1 -->|     the nodes of category j start at space.node_offsets[j]
        costs[g]      | c0  c1  c2     | c3  c4  c5  c6   |     sum of distances to each node, if it were the center
        squares[g]    | s0  s1  s2     | s3  s4  s5  s6   |     sum of weight · d² to each node
        best[g]       | 1              | 5                |     node of least cost
        second[g]     | 0              | 3                |     node of second least cost
        errors[g]     = squares[g, 1] + squares[g, 5]

    ``max_distance`` is the largest distance of a category. ``uniform_distance`` is the distance of any two nodes, or 0
    if it varies; if positive, ``costs`` has minus that distance for each record of a node. ``centers`` and ``scratch``
    are work arrays for a changed group. Unit u has the records ``members[starts[u] : starts[u + 1]]``.
    """

    space: Space
    starts: IntVector
    members: IntVector
    costs: FloatMatrix
    squares: FloatMatrix
    errors: FloatVector
    best: IntMatrix
    second: IntMatrix
    max_distance: FloatVector
    uniform_distance: FloatVector
    centers: IntVector
    scratch: FloatVector


def init_centroids(space: Space, starts: IntVector, members: IntVector, groups: int) -> CategoryCentroids:
    """The centroids of this many empty groups."""
    nodes, columns = len(space.sketch), len(space.widths)
    max_distance, uniform_distance = np.zeros(columns), np.zeros(columns)
    for j, (start, width) in enumerate(zip(space.table_offsets, space.widths, strict=True)):
        table = space.distance[start : start + width * width].reshape(width, width)
        off_diagonal = table[~np.eye(width, dtype=np.bool_)]
        max_distance[j] = table.max(initial=0.0)
        if len(off_diagonal) and (off_diagonal == off_diagonal[0]).all() and not np.diagonal(table).any():
            uniform_distance[j] = off_diagonal[0]
    return CategoryCentroids(
        space=space,
        starts=starts,
        members=members,
        costs=np.zeros((groups, nodes)),
        squares=np.zeros((groups, nodes)),
        errors=np.zeros(groups),
        best=np.zeros((groups, columns), dtype=np.int64),
        second=np.zeros((groups, columns), dtype=np.int64),
        max_distance=max_distance,
        uniform_distance=uniform_distance,
        centers=np.zeros(columns, dtype=np.int64),
        scratch=np.zeros(nodes),
    )


@inline
def has_categories(centroids):
    return len(centroids.centers) > 0


@kernel
def add_categories(centroids, unit, group, times):
    """Add the records of a unit to the categories of a group, or subtract them."""
    space, costs, squares = centroids.space, centroids.costs[group], centroids.squares[group]
    for i in range(centroids.starts[unit], centroids.starts[unit + 1]):
        record = centroids.members[i]
        for j in range(len(space.widths)):
            code, first, width = int(space.matrix[record, space.n_numeric + j]), space.node_offsets[j], space.widths[j]
            row = space.table_offsets[j] + width * code
            if centroids.uniform_distance[j] > 0.0:
                costs[first + code] -= times * centroids.uniform_distance[j]
                own, square = squares[first + code], times * space.squared_distances[row + (1 if code == 0 else 0)]
                for node in range(first, first + width):
                    squares[node] += square
                squares[first + code] = own
            else:
                add_row(space.distance, row, times, costs, first, width)
                add_row(space.squared_distances, row, times, squares, first, width)


@inline
def two_cheapest(costs, first, stop):
    """The nodes of least and second least cost, the first of several; a single node is both."""
    best, second, best_cost, second_cost = first, first, costs[first], np.inf
    for node in range(first + 1, stop):
        cost = costs[node]
        if cost < best_cost:
            best, second, best_cost, second_cost = node, best, cost, best_cost
        elif cost < second_cost:
            second, second_cost = node, cost
    return best, second


@kernel
def category_increase(centroids, group, removed, added):
    """The increase of a group's category error if one unit is removed and another added, or NONE."""
    if find_centers(centroids, group, removed, added) > 0:
        search_centers(centroids, group, removed, added)
    return increase_at_centers(centroids, group, removed, added)


@kernel
def find_centers(centroids, group, removed, added):
    """Write the centers after a change as far as the two best nodes determine them; the number of unknown ones.

    Here and below, arrays are taken out of their tuple before a loop: passing a tuple counts references.
    """
    space, costs, centers, unknown = centroids.space, centroids.costs, centroids.centers, 0
    best, second = centroids.best, centroids.second
    uniform_distance, max_distance = centroids.uniform_distance, centroids.max_distance
    n_removed, first_removed = records_of(centroids.starts, centroids.members, removed)
    n_added, first_added = records_of(centroids.starts, centroids.members, added)
    matrix, numbers, first = space.matrix, space.n_numeric, space.node_offsets
    for j in range(len(centers)):
        center, runner_up = best[group, j], second[group, j]
        center_cost, runner_up_cost = costs[group, center], costs[group, runner_up]
        if runner_up_cost - center_cost <= (n_removed + n_added) * max_distance[j]:
            if uniform_distance[j] > 0.0 and n_removed <= 1 and n_added <= 1:
                removed_node = first[j] + int(matrix[first_removed, numbers + j]) if n_removed > 0 else NONE
                added_node = first[j] + int(matrix[first_added, numbers + j]) if n_added > 0 else NONE
                added_cost = costs[group, added_node] - uniform_distance[j] if n_added > 0 else np.inf
                if removed_node != added_node and center != added_node:
                    if center == removed_node:
                        center_cost += uniform_distance[j]
                        center, center_cost = cheaper(center, center_cost, runner_up, runner_up_cost)
                    center, center_cost = cheaper(center, center_cost, added_node, added_cost)
            else:
                center, unknown = NONE, unknown + 1
        centers[j] = center
    return unknown


@inline
def records_of(starts, members, unit):
    """The number of records of a unit, and the first of them."""
    return (0, 0) if unit == NONE else (starts[unit + 1] - starts[unit], members[starts[unit]])


@inline
def cheaper(node, cost, other, other_cost):
    """The cheaper of two nodes, or the first of equal ones, and its cost."""
    return (other, other_cost) if other_cost < cost or (other_cost == cost and other < node) else (node, cost)


@kernel
def search_centers(centroids, group, removed, added):
    """Write the unknown centers, by a comparison of all nodes."""
    space, costs, centers, scratch = centroids.space, centroids.costs, centroids.centers, centroids.scratch
    matrix, distance, starts, members = space.matrix, space.distance, centroids.starts, centroids.members
    for j in range(len(centers)):
        if centers[j] == NONE:
            first, width = space.node_offsets[j], space.widths[j]
            row, code = space.table_offsets[j], space.n_numeric + j
            for node in range(width):
                scratch[node] = costs[group, first + node]
            if removed != NONE:
                for i in range(starts[removed], starts[removed + 1]):
                    offset = row + width * int(matrix[members[i], code])
                    for node in range(width):
                        scratch[node] -= distance[offset + node]
            if added != NONE:
                for i in range(starts[added], starts[added + 1]):
                    offset = row + width * int(matrix[members[i], code])
                    for node in range(width):
                        scratch[node] += distance[offset + node]
            centers[j] = first + two_cheapest(scratch, 0, width)[0]


@kernel
def increase_at_centers(centroids, group, removed, added):
    """The increase of the error for the centers that were written."""
    space, squares, centers, total = centroids.space, centroids.squares, centroids.centers, -centroids.errors[group]
    matrix, square, starts, members = space.matrix, space.squared_distances, centroids.starts, centroids.members
    for j in range(len(centers)):
        row = space.table_offsets[j] + centers[j] - space.node_offsets[j]
        width, code = space.widths[j], space.n_numeric + j
        added_squares, removed_squares = 0.0, 0.0
        if added != NONE:
            for i in range(starts[added], starts[added + 1]):
                added_squares += square[row + width * int(matrix[members[i], code])]
        if removed != NONE:
            for i in range(starts[removed], starts[removed + 1]):
                removed_squares += square[row + width * int(matrix[members[i], code])]
        total += squares[group, centers[j]]
        total += added_squares - removed_squares
    return total
