"""The tree of Ward as an order: clusters merge, two at a time, and their strands are tied where they are nearest.

The distance of two clusters is s·t / (s + t) times the squared distance of their centers, s and t being the records in
them. From cluster to nearest cluster a chain is followed until two are the nearest ones of each other; these merge,
and the chain goes on from what is left of it. For numbers that makes the same tree as merging the nearest two of all.
For categories a union may be nearer to a cluster than both its parts were, and the chain may come back to one that it
has passed: it goes on from there, with distances that only get less, so that it ends.

A cluster is named after its lowest point. The clusters that are left lie in the first places of the arrays, in no
order, so that the inner loops run over neighbors in memory and vectorize.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.near import cells
from shoal.kernels.space import add_costs, find_center
from shoal.kernels.spanning import BLOCK, closest
from shoal.kernels.strands import apart, join, loose, walk
from shoal.values import BoolVector, FloatMatrix, FloatVector, IntMatrix, IntVector, Progress, Space

LEFT, LINKS = range(2)
"""What ``counts`` counts: the clusters that are left, and those in the chain."""
NOBODY = -1
"""Before the first one of a chain."""
CELL = 50_000
"""Points of a tree at most: one of so many takes some ten seconds, and one of twice as many four times that."""


class Clusters(NamedTuple):
    """By place: centers (``columns``), ``sizes`` in records, costs of the nodes of categories, names, both ``ends``.

    ``place`` finds the place of a name. ``chain`` has the names from its first on, and ``inside`` those that are in it.
    ``distance`` has room for the distances to all others.
    """

    columns: FloatMatrix
    sizes: FloatVector
    costs: FloatMatrix
    names: IntVector
    ends: IntMatrix
    place: IntVector
    chain: IntVector
    inside: BoolVector
    distance: FloatVector
    counts: IntVector


def order_of_leaves(space: Space, times: IntVector, *, progress: Progress) -> IntVector:
    """An order of points, each of which stands for so many records, that keeps every cluster of the tree together.

    Where there are several cells, each has a tree of its own.
    """
    orders: list[IntVector] = []
    done = 0
    for rows in cells(space, CELL):
        orders.append(rows[leaves(space.some(rows), times[rows], progress=_after(done, progress, len(times)))])
        done += len(rows)
    return np.concatenate(orders)


def _after(done: int, progress: Progress, total: int) -> Progress:
    """The progress of a cell, after so many points."""
    return lambda more, _: progress(done + more, total)


def leaves(space: Space, times: IntVector, *, progress: Progress) -> IntVector:
    """The order of the points of one tree."""
    n, p = space.matrix.shape
    clusters = Clusters(
        columns=space.matrix.T.copy(),
        sizes=times.astype(np.float64),
        costs=np.zeros((n, len(space.sketch))),
        names=np.arange(n),
        ends=np.column_stack([np.arange(n), np.arange(n)]),
        place=np.arange(n),
        chain=np.zeros(n, dtype=np.int64),
        inside=np.zeros(n, dtype=np.bool_),
        distance=np.empty(n),
        counts=np.array([n, 0]),
    )
    if len(space.widths):
        count(space, clusters)
    links = loose(n)
    while clusters.counts[LEFT] > 1:
        follow(space, clusters, links, max(1, SLICE // (int(clusters.counts[LEFT]) * (p + 2))))
        progress(n - int(clusters.counts[LEFT]), n)
    order: IntVector = walk(links)
    return order


@kernel
def count(space, clusters):
    """What the nodes of the categories would cost as the center of each point."""
    for row in range(len(clusters.names)):
        add_costs(space, clusters.costs[row], space.matrix[row], clusters.sizes[row])


@kernel
def follow(space, clusters, links, passes):
    """Follow the chain for so many steps, and merge two clusters wherever it ends."""
    chain, inside, counts = clusters.chain, clusters.inside, clusters.counts
    while passes > 0 and counts[LEFT] > 1:
        passes -= 1
        if counts[LINKS] == 0:
            enter(clusters, clusters.names[0])
        last = counts[LINKS] - 1
        name, before = chain[last], chain[last - 1] if last > 0 else NOBODY
        near = nearest_cluster(space, clusters, name, before)
        if near == before:
            inside[name], inside[before] = False, False
            counts[LINKS] -= 2
            one, other = clusters.place[name], clusters.place[before]
            merge(space, clusters, links, min(one, other), max(one, other))
        elif inside[near]:  # it has come nearer since it was left behind
            while chain[counts[LINKS] - 1] != near:
                counts[LINKS] -= 1
                inside[chain[counts[LINKS]]] = False
        else:
            enter(clusters, near)


@part
def enter(clusters, name):
    """Put a cluster at the end of the chain."""
    clusters.chain[clusters.counts[LINKS]], clusters.inside[name] = name, True
    clusters.counts[LINKS] += 1


@kernel
def nearest_cluster(space, clusters, name, before):
    """The nearest other cluster; of several the one before it in the chain, then the lowest name."""
    left, here, distance = clusters.counts[LEFT], clusters.place[name], clusters.distance
    for first in range(0, left, BLOCK):
        measure(space, clusters, here, first, min(first + BLOCK, left))
    distance[here] = np.inf
    near = closest(distance[:left], clusters.names)
    if before != NOBODY and distance[clusters.place[before]] <= distance[near]:
        return before
    return clusters.names[near]


@kernel
def measure(space, clusters, here, first, last):
    """The distances of one cluster to those of a block; without branches, so that it vectorizes."""
    found, sizes, size = clusters.distance[first:last], clusters.sizes[first:last], clusters.sizes[here]
    for i in range(len(found)):
        found[i] = 0.0
    for j in range(space.numbers):
        column, value = clusters.columns[j, first:last], clusters.columns[j, here]
        for i in range(len(found)):
            difference = column[i] - value
            found[i] += difference * difference
    for j in range(len(space.widths)):
        codes = clusters.columns[space.numbers + j]
        row = space.starts[j] + space.widths[j] * int(codes[here])
        for i in range(len(found)):
            found[i] += space.square[row + int(codes[first + i])]
    for i in range(len(found)):
        found[i] *= size * sizes[i] / (size + sizes[i])


@kernel
def merge(space, clusters, links, here, there):
    """Let the cluster at a place take in one at a later place, which the last of all then takes."""
    columns, sizes, costs, names = clusters.columns, clusters.sizes, clusters.costs, clusters.names
    last = clusters.counts[LEFT] - 1
    tie_ends(space, links, clusters.ends[here], clusters.ends[there])
    size = sizes[here] + sizes[there]
    sums, center = np.empty(space.numbers + costs.shape[1]), np.empty(len(columns))
    for j in range(space.numbers):
        sums[j] = sizes[here] * columns[j, here] + sizes[there] * columns[j, there]
    for node in range(costs.shape[1]):
        costs[here, node] += costs[there, node]
        sums[space.numbers + node] = costs[here, node]
        costs[there, node] = costs[last, node]
    find_center(space, sums, size, center)
    for j in range(len(columns)):
        columns[j, here], columns[j, there] = center[j], columns[j, last]
    sizes[here], sizes[there] = size, sizes[last]
    names[here], names[there] = min(names[here], names[there]), names[last]
    for i in range(2):
        clusters.ends[there, i] = clusters.ends[last, i]
    clusters.place[names[there]], clusters.place[names[here]] = there, here
    clusters.counts[LEFT] = last


@kernel
def tie_ends(space, links, ends, others):
    """Tie two strands where their ends are nearest; the first one then has the ends that are left."""
    best, end, start = np.inf, 0, 0
    for i in range(2):
        for j in range(2):
            gap = apart(space, ends[i], others[j])
            if gap < best:
                best, end, start = gap, i, j
    join(links, ends[end], others[start])
    ends[0], ends[1] = ends[1 - end], others[1 - start]
