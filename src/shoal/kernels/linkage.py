"""Clusters that merge, two at a time: always the nearest two of those that may.

A cluster is named after its lowest row, and of two that merge the lower name stays. Each cluster keeps the nearest
one with a higher name, so that every pair is kept once. Clusters only grow, so a pair that may not merge never may
again, and the distance kept for a cluster stays a lower bound when the nearest one is gone: the next is sought only
if that bound comes first.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.space import add_costs, add_squares
from shoal.values import FloatMatrix, FloatVector, IntVector, Progress, Space

SINGLE, COMPLETE, AVERAGE, CENTROID, WARD = range(5)
"""The distance of clusters: the least, largest or mean one of their records; of centroids; the rise of the SSE."""
EUCLIDEAN, SQUARED_EUCLIDEAN, MANHATTAN, MAXIMUM = range(4)
"""The distance of two points."""
THERE, MERGES = range(2)
"""What ``counts`` counts: clusters that may still merge; merges so far."""
GONE = -1
"""Stands for a nearest cluster that is gone, and for none."""
PAIR = 10
"""A pair of clusters takes the time of so many cells besides those of its columns."""


class Rule(NamedTuple):
    """How clusters are compared, and which may merge: up to ``most`` records, and not two of k and more.

    With ``by_size`` a distance is divided by the number of records of both clusters.
    """

    linkage: int
    metric: int
    k: int
    most: int
    by_size: bool


class Kin(NamedTuple):
    """What the categories of each cluster add up to: the costs and squares of all nodes, and the error of the center.

    Empty but for the linkages by centroids.
    """

    space: Space
    costs: FloatMatrix
    squares: FloatMatrix
    error: FloatVector


class Clusters(NamedTuple):
    """Clusters by name: center, size, age, the nearest one with a higher name and the distance to that.

    ``apart`` holds the distances of the clusters, each row from the diagonal on; it is empty where the centroids tell
    them. ``there`` lists the clusters that may still merge, in order. ``home`` leads from a row to a lower one of the
    same cluster, or to itself. ``born`` numbers the clusters as they came to be, records first.
    """

    kin: Kin
    centers: FloatMatrix
    sizes: IntVector
    born: IntVector
    near: IntVector
    distance: FloatVector
    apart: FloatVector
    there: IntVector
    counts: IntVector
    home: IntVector


def agglomerate(space: Space, home: IntVector, rule: Rule, *, progress: Progress) -> tuple[IntVector, IntVector]:
    """Merge as long as a pair may; for each record the name of its cluster, and when that was born.

    ``home`` has the names at the start: every record alone, or also clusters where the linkage is by centroids.
    """
    n, p = space.matrix.shape
    names = np.unique(home)
    by_centroids = rule.linkage in (CENTROID, WARD)
    nodes = len(space.sketch) if by_centroids else 0
    clusters = Clusters(
        kin=Kin(space, np.zeros((n, nodes)), np.zeros((n, nodes)), np.zeros(n)),
        centers=np.zeros((n, p)),
        sizes=np.zeros(n, dtype=np.int64),
        born=np.arange(n),
        near=np.full(n, GONE),
        distance=np.full(n, np.inf),
        apart=np.empty(0 if by_centroids else n * (n - 1) // 2),
        there=names,
        counts=np.array([len(names), 0]),
        home=home.copy(),
    )
    add_up(clusters, space.matrix)
    step = max(1, SLICE // (n * (p + 2 * nodes + PAIR)))
    for start in range(0, len(names), step):
        survey(clusters, rule, start, min(start + step, len(names)))
        progress(0, n)
    while merge(clusters, rule, step):
        progress(int(clusters.counts[MERGES]), n)
    follow(clusters.home)
    return clusters.home, clusters.born[clusters.home]


@kernel
def add_up(clusters, matrix):
    """Sizes and centroids, each summed in the order of the rows."""
    centers, sizes, home, kin = clusters.centers, clusters.sizes, clusters.home, clusters.kin
    for row in range(len(matrix)):
        sizes[home[row]] += 1
        for j in range(kin.space.numbers):
            centers[home[row], j] += matrix[row, j]
        for j in range(kin.space.numbers, matrix.shape[1]):
            centers[home[row], j] = matrix[row, j]
        if kin.costs.shape[1] > 0:
            add_costs(kin.space, kin.costs[home[row]], matrix[row], 1.0)
            add_squares(kin.space, kin.squares[home[row]], matrix[row], 1.0)
    for name in range(len(matrix)):
        if sizes[name] > 0:
            for j in range(kin.space.numbers):
                centers[name, j] /= sizes[name]
            settle_center(clusters, name)


@kernel
def settle_center(clusters, name):
    """Find the nodes at the center of a cluster, and their error."""
    kin, numbers = clusters.kin, clusters.kin.space.numbers
    if kin.costs.shape[1] > 0:
        kin.error[name] = 0.0
        for j in range(len(kin.space.widths)):
            first = kin.space.first[j]
            node = np.argmin(kin.costs[name, first : first + kin.space.widths[j]])
            clusters.centers[name, numbers + j] = node
            kin.error[name] += kin.squares[name, first + node]


@kernel
def survey(clusters, rule, start, stop):
    """Measure the distances of these clusters to all later ones, and find the nearest one of each."""
    centers, apart, mixed = clusters.centers, clusters.apart, len(clusters.kin.space.widths) > 0
    for i in range(start, stop):
        a = clusters.there[i]
        for b in range(a + 1, len(centers) if len(apart) > 0 else 0):
            if mixed:
                apart[place(len(centers), a, b)] = separation(clusters.kin, centers, a, b, rule.metric)
            else:
                apart[place(len(centers), a, b)] = difference(centers, a, b, rule.metric)
        look(clusters, rule, i)


@kernel
def merge(clusters, rule, looks):
    """Merge pairs, or seek the nearest cluster of one that lost it, so many times; whether there may be more."""
    for _ in range(looks):
        i = first(clusters)
        a = clusters.there[i]
        if clusters.distance[a] == np.inf:
            return False
        if clusters.near[a] == GONE:
            look(clusters, rule, i)
        else:
            unite(clusters, rule, a, clusters.near[a])
    return True


@kernel
def follow(home):
    """Lead each row to the lowest one of its cluster at once."""
    for row in range(len(home)):
        home[row] = home[home[row]]


@kernel
def first(clusters):
    """The place of the cluster with the least distance to its nearest one; of several, the lowest name."""
    there, distance, best = clusters.there, clusters.distance, 0
    for i in range(1, clusters.counts[THERE]):
        if distance[there[i]] < distance[there[best]]:
            best = i
    return best


@kernel
def look(clusters, rule, i):
    """Find the nearest one with a higher name; of several, the lowest name."""
    sizes, centers, apart, there = clusters.sizes, clusters.centers, clusters.apart, clusters.there
    mixed = clusters.kin.costs.shape[1] > 0
    a, near, least = there[i], GONE, np.inf
    for later in range(i + 1, clusters.counts[THERE]):
        b = there[later]
        distance = among(clusters, rule, a, b) if mixed else between(sizes, centers, apart, rule, a, b)
        if distance < least:
            near, least = b, distance
    clusters.near[a], clusters.distance[a] = near, least


@kernel
def unite(clusters, rule, a, b):
    """Merge b into a, which has the lower name."""
    if len(clusters.apart) > 0:
        link(clusters, rule.linkage, a, b)
    size, kin = clusters.sizes[a] + clusters.sizes[b], clusters.kin
    for j in range(kin.space.numbers):
        total = clusters.sizes[a] * clusters.centers[a, j] + clusters.sizes[b] * clusters.centers[b, j]
        clusters.centers[a, j] = total / size
    for node in range(kin.costs.shape[1]):
        kin.costs[a, node] += kin.costs[b, node]
        kin.squares[a, node] += kin.squares[b, node]
    settle_center(clusters, a)
    clusters.sizes[a], clusters.sizes[b], clusters.home[b] = size, 0, a
    clusters.born[a] = len(clusters.born) + clusters.counts[MERGES]
    clusters.counts[MERGES] += 1
    announce(clusters, rule, a, b)
    strike(clusters, rule, a)


@kernel
def link(clusters, linkage, a, b):
    """The distances of all others to the union of a and b take the place of those to a."""
    apart, n = clusters.apart, len(clusters.sizes)
    share = clusters.sizes[a] / (clusters.sizes[a] + clusters.sizes[b])
    for i in range(clusters.counts[THERE]):
        x = clusters.there[i]
        if x != a and x != b:
            here = place(n, min(a, x), max(a, x))
            one, other = apart[here], apart[place(n, min(b, x), max(b, x))]
            if linkage == SINGLE:
                apart[here] = min(one, other)
            elif linkage == COMPLETE:
                apart[here] = max(one, other)
            else:
                apart[here] = share * one + (1.0 - share) * other


@kernel
def announce(clusters, rule, a, b):
    """Let the others know that a has grown and that b is gone."""
    sizes, centers, apart, there = clusters.sizes, clusters.centers, clusters.apart, clusters.there
    mixed = clusters.kin.costs.shape[1] > 0
    near, distance = clusters.near, clusters.distance
    for i in range(clusters.counts[THERE]):
        x = there[i]
        new = np.inf
        if x < a:
            new = among(clusters, rule, x, a) if mixed else between(sizes, centers, apart, rule, x, a)
        if new < distance[x] or (new == distance[x] and a <= near[x]):
            near[x], distance[x] = a, new
        elif near[x] == a or near[x] == b:
            near[x] = GONE


@kernel
def strike(clusters, rule, a):
    """Take those off the list that are gone or full, and find the nearest one of a."""
    there, count, spot = clusters.there, 0, GONE
    for i in range(clusters.counts[THERE]):
        x = there[i]
        if 0 < clusters.sizes[x] < rule.most:
            spot = count if x == a else spot
            there[count] = x
            count += 1
        else:
            clusters.near[x], clusters.distance[x] = GONE, np.inf
    clusters.counts[THERE] = count
    if spot != GONE:
        look(clusters, rule, spot)


@part
def between(sizes, centers, apart, rule, a, b):
    """The distance of two clusters, the lower name first; infinite if they may not merge.

    It takes arrays and not the clusters, since unpacking those for every pair takes longer than all the rest.
    """
    one, other, distance = sizes[a], sizes[b], np.inf
    if one + other <= rule.most and (one < rule.k or other < rule.k):
        distance = apart[place(len(sizes), a, b)] if len(apart) > 0 else difference(centers, a, b, rule.metric)
        if rule.linkage == WARD:
            distance *= one * other / (one + other)
        if rule.by_size:
            distance /= one + other
    return distance


@kernel
def among(clusters, rule, a, b):
    """The same for clusters with categories, by their centers."""
    one, other, distance = clusters.sizes[a], clusters.sizes[b], np.inf
    if one + other <= rule.most and (one < rule.k or other < rule.k):
        if rule.linkage == WARD:
            distance = rise(clusters.kin, clusters.sizes, clusters.centers, a, b)
        else:
            distance = separation(clusters.kin, clusters.centers, a, b, rule.metric)
        if rule.by_size:
            distance /= one + other
    return distance


@part
def place(n, a, b):
    """Where the distance of two of n clusters is kept, the lower name first."""
    return a * (2 * n - a - 1) // 2 + b - a - 1


@kernel
def rise(kin, sizes, centers, a, b):
    """By how much the SSE rises if two clusters merge."""
    total, space = 0.0, kin.space
    for j in range(space.numbers):
        side = abs(centers[a, j] - centers[b, j])
        total += side * side
    total *= sizes[a] * sizes[b] / (sizes[a] + sizes[b])
    for j in range(len(space.widths)):
        first, best = space.first[j], space.first[j]
        for node in range(first, first + space.widths[j]):
            if kin.costs[a, node] + kin.costs[b, node] < kin.costs[a, best] + kin.costs[b, best]:
                best = node
        total += kin.squares[a, best] + kin.squares[b, best]
    return total - kin.error[a] - kin.error[b]


@kernel
def separation(kin, points, a, b, metric):
    """The distance of two points of numbers and categories."""
    space = kin.space
    sides = np.empty((2, points.shape[1]))
    for j in range(space.numbers):
        sides[0, j], sides[1, j] = points[a, j], points[b, j]
    for j in range(len(space.widths)):
        at = space.numbers + j
        row = space.starts[j] + space.widths[j] * int(points[a, at])
        sides[0, at], sides[1, at] = math.sqrt(space.square[row + int(points[b, at])]), 0.0
    return difference(sides, 0, 1, metric)


@kernel
def difference(points, a, b, metric):
    """The distance of two points of numbers."""
    total = 0.0
    for j in range(points.shape[1]):
        side = abs(points[a, j] - points[b, j])
        if metric == MAXIMUM:
            total = max(total, side)
        elif metric == MANHATTAN:
            total += side
        else:
            total += side * side
    return math.sqrt(total) if metric == EUCLIDEAN else total
