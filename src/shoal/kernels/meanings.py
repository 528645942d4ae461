"""The categories of groups: what each node would cost as the center, and what a change would do to that.

The center of a category is the node with the least sum of distances, and of several the first. The sums of all nodes
are kept, so that a change asks for a look at the nodes and not at the records. Mostly not even for that: the two best
nodes are kept too, and a node that is ahead by more than the change can move stays the best. Where any two nodes are
equally far apart, as those of names without an order are, a unit that leaves or comes only moves its own node against
all others: costs are kept less the part that all nodes share, three nodes are left to look at, and the two best nodes
are found among those of the records. Sums of distances are exact, so that all of this finds the very node that a look
at all of them finds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import kernel, part
from shoal.kernels.space import add_row
from shoal.values import FloatMatrix, FloatVector, IntMatrix, IntVector, Space

NOBODY = -1


class Meanings(NamedTuple):
    """The categories of the groups: what each node would cost as the center, in distances and in squares.

    ``errors`` has the squares to the center of each group, and ``best`` and ``other`` the nodes of least and second
    least cost, by group and category. ``farthest`` is the largest distance of a category, and ``apart`` the distance of
    any two nodes, or 0 where these differ; if it is above 0, ``costs`` has minus ``apart`` for each record of a node.
    ``centers`` and ``scratch`` are room for the nodes and the costs of a group
    that might be. The records of unit u are ``members[first[u] : first[u + 1]]``.
    """

    space: Space
    first: IntVector
    members: IntVector
    costs: FloatMatrix
    squares: FloatMatrix
    errors: FloatVector
    best: IntMatrix
    other: IntMatrix
    farthest: FloatVector
    apart: FloatVector
    centers: IntVector
    scratch: FloatVector


def no_meanings(space: Space, first: IntVector, members: IntVector, groups: int) -> Meanings:
    """Those of so many groups without records."""
    nodes, columns = len(space.sketch), len(space.widths)
    farthest, apart = np.zeros(columns), np.zeros(columns)
    for j, (start, width) in enumerate(zip(space.starts, space.widths, strict=True)):
        table = space.distance[start : start + width * width].reshape(width, width)
        other = table[~np.eye(width, dtype=np.bool_)]
        farthest[j] = table.max(initial=0.0)
        if len(other) and (other == other[0]).all() and not np.diagonal(table).any():
            apart[j] = other[0]
    return Meanings(
        space=space,
        first=first,
        members=members,
        costs=np.zeros((groups, nodes)),
        squares=np.zeros((groups, nodes)),
        errors=np.zeros(groups),
        best=np.zeros((groups, columns), dtype=np.int64),
        other=np.zeros((groups, columns), dtype=np.int64),
        farthest=farthest,
        apart=apart,
        centers=np.zeros(columns, dtype=np.int64),
        scratch=np.zeros(nodes),
    )


@part
def has_categories(meanings):
    """Whether there are any categories at all."""
    return len(meanings.centers) > 0


@kernel
def count_categories(meanings, unit, group, times):
    """Add the records of a unit to the categories of a group, or take them away."""
    space, costs, squares = meanings.space, meanings.costs[group], meanings.squares[group]
    for place in range(meanings.first[unit], meanings.first[unit + 1]):
        record = meanings.members[place]
        for j in range(len(space.widths)):
            code, first, width = int(space.matrix[record, space.numbers + j]), space.first[j], space.widths[j]
            row = space.starts[j] + width * code
            if meanings.apart[j] > 0.0:
                costs[first + code] -= times * meanings.apart[j]
                own, square = squares[first + code], times * space.square[row + (1 if code == 0 else 0)]
                for node in range(first, first + width):
                    squares[node] += square
                squares[first + code] = own
            else:
                add_row(space.distance, row, times, costs, first, width)
                add_row(space.square, row, times, squares, first, width)


@part
def two_cheapest(costs, first, stop):
    """The nodes of least and second least cost from the first one on; of several, the first. One alone is both."""
    best, other, least, second = first, first, costs[first], np.inf
    for node in range(first + 1, stop):
        cost = costs[node]
        if cost < least:
            best, other, least, second = node, best, cost, least
        elif cost < second:
            other, second = node, cost
    return best, other


@kernel
def category_rise(meanings, group, gone, come):
    """How much the error of the categories of a group rises if one unit leaves and another comes, or nobody does."""
    if find_centers(meanings, group, gone, come) > 0:
        seek_centers(meanings, group, gone, come)
    return rise_to_centers(meanings, group, gone, come)


@kernel
def find_centers(meanings, group, gone, come):
    """Write the nodes of least cost after the change as far as the two best ones tell them; how many they do not.

    Here and below, arrays are taken out of their tuple before a loop: to hand a tuple on is to count its users.
    """
    space, costs, centers, unknown = meanings.space, meanings.costs, meanings.centers, 0
    best, other, apart, farthest = meanings.best, meanings.other, meanings.apart, meanings.farthest
    left, leaver = records_of(meanings.first, meanings.members, gone)
    joined, comer = records_of(meanings.first, meanings.members, come)
    matrix, numbers, first = space.matrix, space.numbers, space.first
    for j in range(len(centers)):
        center, after = best[group, j], other[group, j]
        least, cost = costs[group, center], costs[group, after]
        if cost - least <= (left + joined) * farthest[j]:
            if apart[j] > 0.0 and left <= 1 and joined <= 1:
                gone_to = first[j] + int(matrix[leaver, numbers + j]) if left > 0 else NOBODY
                come_to = first[j] + int(matrix[comer, numbers + j]) if joined > 0 else NOBODY
                price = costs[group, come_to] - apart[j] if joined > 0 else np.inf
                if gone_to != come_to and center != come_to:
                    if center == gone_to:
                        center, least = lesser(center, least + apart[j], after, cost)
                    center, least = lesser(center, least, come_to, price)
            else:
                center, unknown = NOBODY, unknown + 1
        centers[j] = center
    return unknown


@part
def records_of(first, members, unit):
    """How many records a unit has, and the first of them."""
    return (0, 0) if unit == NOBODY else (first[unit + 1] - first[unit], members[first[unit]])


@part
def lesser(node, cost, other, price):
    """The one of two nodes that costs less, or else the first, and its cost."""
    return (other, price) if price < cost or (price == cost and other < node) else (node, cost)


@kernel
def seek_centers(meanings, group, gone, come):
    """Write the nodes of least cost that are not known yet, by a look at all nodes."""
    space, costs, centers, scratch = meanings.space, meanings.costs, meanings.centers, meanings.scratch
    matrix, distance, first, members = space.matrix, space.distance, meanings.first, meanings.members
    for j in range(len(centers)):
        if centers[j] == NOBODY:
            start, width, row, code = space.first[j], space.widths[j], space.starts[j], space.numbers + j
            for node in range(width):
                scratch[node] = costs[group, start + node]
            if gone != NOBODY:
                for place in range(first[gone], first[gone + 1]):
                    at = row + width * int(matrix[members[place], code])
                    for node in range(width):
                        scratch[node] -= distance[at + node]
            if come != NOBODY:
                for place in range(first[come], first[come + 1]):
                    at = row + width * int(matrix[members[place], code])
                    for node in range(width):
                        scratch[node] += distance[at + node]
            centers[j] = start + two_cheapest(scratch, 0, width)[0]


@kernel
def rise_to_centers(meanings, group, gone, come):
    """The rise for the nodes of least cost that were written."""
    space, squares, centers, total = meanings.space, meanings.squares, meanings.centers, -meanings.errors[group]
    matrix, square, first, members = space.matrix, space.square, meanings.first, meanings.members
    for j in range(len(centers)):
        row, width, code = space.starts[j] + centers[j] - space.first[j], space.widths[j], space.numbers + j
        added, removed = 0.0, 0.0
        if come != NOBODY:
            for place in range(first[come], first[come + 1]):
                added += square[row + width * int(matrix[members[place], code])]
        if gone != NOBODY:
            for place in range(first[gone], first[gone + 1]):
                removed += square[row + width * int(matrix[members[place], code])]
        total += squares[group, centers[j]]
        total += added - removed
    return total
