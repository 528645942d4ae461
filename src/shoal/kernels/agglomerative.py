"""Agglomerative clustering: merge the nearest two clusters that may merge, repeatedly.

A cluster is named after its lowest row; a union keeps the lower name. Each cluster stores its nearest neighbor with a
higher name, so that every pair is stored once. Clusters only grow, so a pair that may not merge never may. The distance
stored for a cluster remains a lower bound when its neighbor disappears: the next neighbor is searched only when that
bound is the least.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.domain import FloatMatrix, FloatVector, IntVector, Progress, Space
from shoal.kernels.distance import add_costs, add_squares
from shoal.kernels.jit import SLICE, inline, kernel

SINGLE, COMPLETE, AVERAGE, CENTROID, WARD = range(5)
"""Linkage: least, largest or mean distance of records; distance of centroids; increase of the SSE."""
EUCLIDEAN, SQUARED_EUCLIDEAN, MANHATTAN, MAXIMUM = range(4)
"""Distance of two points."""
ACTIVE, MERGES = range(2)
"""Fields of ``counts``: clusters that may still merge; merges so far."""
NONE = -1
"""A missing neighbor."""
PAIR_COST = 10
"""The time for a pair of clusters besides its columns, in cells."""


class LinkageRule(NamedTuple):
    """The distance of clusters, and which may merge: up to ``max_size`` records, and not two of k or more.

    With ``by_size`` a distance is divided by the number of records of both clusters.
    """

    linkage: int
    metric: int
    k: int
    max_size: int
    by_size: bool


class CategorySums(NamedTuple):
    """By cluster: costs and squares of all category nodes, and the error of the center.

    Empty except for centroid and Ward linkage.
    """

    space: Space
    costs: FloatMatrix
    squares: FloatMatrix
    errors: FloatVector


class AgglomerativeClusters(NamedTuple):
    """Clusters by name: center, size, age, nearest neighbor with a higher name, and its distance.

    ``pairwise`` has the distances of clusters, each row from the diagonal on; it is empty if centroids determine them.
    ``active`` lists the clusters that may still merge, in order. ``parents`` leads from a row to a lower one of the
    same cluster, or to itself. ``age`` numbers the clusters in order of creation, records first.
    """

    categories: CategorySums
    centers: FloatMatrix
    sizes: IntVector
    age: IntVector
    neighbor: IntVector
    distance: FloatVector
    pairwise: FloatVector
    active: IntVector
    counts: IntVector
    parents: IntVector


def agglomerate(
    space: Space, parents: IntVector, rule: LinkageRule, *, progress: Progress
) -> tuple[IntVector, IntVector]:
    """Merge while a pair may; for each record the name of its cluster, and the age of that.

    ``parents`` has the initial names: every record alone, or larger clusters with centroid and Ward linkage.
    """
    n, p = space.matrix.shape
    names = np.unique(parents)
    by_centroids = rule.linkage in (CENTROID, WARD)
    nodes = len(space.sketch) if by_centroids else 0
    clusters = AgglomerativeClusters(
        categories=CategorySums(space, np.zeros((n, nodes)), np.zeros((n, nodes)), np.zeros(n)),
        centers=np.zeros((n, p)),
        sizes=np.zeros(n, dtype=np.int64),
        age=np.arange(n),
        neighbor=np.full(n, NONE),
        distance=np.full(n, np.inf),
        pairwise=np.empty(0 if by_centroids else n * (n - 1) // 2),
        active=names,
        counts=np.array([len(names), 0]),
        parents=parents.copy(),
    )
    init_centers(clusters, space.matrix)
    step = max(1, SLICE // (n * (p + 2 * nodes + PAIR_COST)))
    for start in range(0, len(names), step):
        init_distances(clusters, rule, start, min(start + step, len(names)))
        progress(0, n)
    while merge_steps(clusters, rule, step):
        progress(int(clusters.counts[MERGES]), n)
    resolve(clusters.parents)
    return clusters.parents, clusters.age[clusters.parents]


@kernel
def init_centers(clusters, matrix):
    """Sizes and centroids, each summed in the order of the rows."""
    centers, sizes, parents, categories = clusters.centers, clusters.sizes, clusters.parents, clusters.categories
    for row in range(len(matrix)):
        sizes[parents[row]] += 1
        for j in range(categories.space.n_numeric):
            centers[parents[row], j] += matrix[row, j]
        for j in range(categories.space.n_numeric, matrix.shape[1]):
            centers[parents[row], j] = matrix[row, j]
        if categories.costs.shape[1] > 0:
            add_costs(categories.space, categories.costs[parents[row]], matrix[row], 1.0)
            add_squares(categories.space, categories.squares[parents[row]], matrix[row], 1.0)
    for name in range(len(matrix)):
        if sizes[name] > 0:
            for j in range(categories.space.n_numeric):
                centers[name, j] /= sizes[name]
            update_center(clusters, name)


@kernel
def update_center(clusters, name):
    """Find the nodes at the center of a cluster, and their error."""
    categories, numbers = clusters.categories, clusters.categories.space.n_numeric
    if categories.costs.shape[1] > 0:
        categories.errors[name] = 0.0
        for j in range(len(categories.space.widths)):
            first = categories.space.node_offsets[j]
            node = np.argmin(categories.costs[name, first : first + categories.space.widths[j]])
            clusters.centers[name, numbers + j] = node
            categories.errors[name] += categories.squares[name, first + node]


@kernel
def init_distances(clusters, rule, start, stop):
    """Compute the distances of these clusters to all later ones, and the nearest neighbor of each."""
    centers, pairwise, mixed = clusters.centers, clusters.pairwise, len(clusters.categories.space.widths) > 0
    for i in range(start, stop):
        a = clusters.active[i]
        for b in range(a + 1, len(centers) if len(pairwise) > 0 else 0):
            if mixed:
                distance = mixed_point_distance(clusters.categories, centers, a, b, rule.metric)
            else:
                distance = point_distance(centers, a, b, rule.metric)
            pairwise[pair_index(len(centers), a, b)] = distance
        find_neighbor(clusters, rule, i)


@kernel
def merge_steps(clusters, rule, steps):
    """Merge pairs, or search missing neighbors, this many times; whether more merges may follow."""
    for _ in range(steps):
        i = nearest_pair(clusters)
        a = clusters.active[i]
        if clusters.distance[a] == np.inf:
            return False
        if clusters.neighbor[a] == NONE:
            find_neighbor(clusters, rule, i)
        else:
            merge_pair(clusters, rule, a, clusters.neighbor[a])
    return True


@kernel
def resolve(parents):
    """Point each row directly to the lowest one of its cluster."""
    for row in range(len(parents)):
        parents[row] = parents[parents[row]]


@kernel
def nearest_pair(clusters):
    """The position of the cluster with the nearest neighbor; of several, the lowest name."""
    active, distance, best = clusters.active, clusters.distance, 0
    for i in range(1, clusters.counts[ACTIVE]):
        if distance[active[i]] < distance[active[best]]:
            best = i
    return best


@kernel
def find_neighbor(clusters, rule, i):
    """Find the nearest neighbor with a higher name; of several, the lowest name."""
    sizes, centers, pairwise, active = clusters.sizes, clusters.centers, clusters.pairwise, clusters.active
    mixed = clusters.categories.costs.shape[1] > 0
    a, neighbor, least = active[i], NONE, np.inf
    for later in range(i + 1, clusters.counts[ACTIVE]):
        b = active[later]
        if mixed:
            distance = mixed_distance(clusters, rule, a, b)
        else:
            distance = cluster_distance(sizes, centers, pairwise, rule, a, b)
        if distance < least:
            neighbor, least = b, distance
    clusters.neighbor[a], clusters.distance[a] = neighbor, least


@kernel
def merge_pair(clusters, rule, a, b):
    """Merge b into a, which has the lower name."""
    if len(clusters.pairwise) > 0:
        update_pairwise(clusters, rule.linkage, a, b)
    size, categories = clusters.sizes[a] + clusters.sizes[b], clusters.categories
    for j in range(categories.space.n_numeric):
        total = clusters.sizes[a] * clusters.centers[a, j] + clusters.sizes[b] * clusters.centers[b, j]
        clusters.centers[a, j] = total / size
    for node in range(categories.costs.shape[1]):
        categories.costs[a, node] += categories.costs[b, node]
        categories.squares[a, node] += categories.squares[b, node]
    update_center(clusters, a)
    clusters.sizes[a], clusters.sizes[b], clusters.parents[b] = size, 0, a
    clusters.age[a] = len(clusters.age) + clusters.counts[MERGES]
    clusters.counts[MERGES] += 1
    update_neighbors(clusters, rule, a, b)
    drop_inactive(clusters, rule, a)


@kernel
def update_pairwise(clusters, linkage, a, b):
    """Replace the distances to a by those to the union of a and b (Lance and Williams)."""
    pairwise, n = clusters.pairwise, len(clusters.sizes)
    share = clusters.sizes[a] / (clusters.sizes[a] + clusters.sizes[b])
    for i in range(clusters.counts[ACTIVE]):
        x = clusters.active[i]
        if x != a and x != b:
            index = pair_index(n, min(a, x), max(a, x))
            to_a, to_b = pairwise[index], pairwise[pair_index(n, min(b, x), max(b, x))]
            if linkage == SINGLE:
                pairwise[index] = min(to_a, to_b)
            elif linkage == COMPLETE:
                pairwise[index] = max(to_a, to_b)
            else:
                pairwise[index] = share * to_a + (1.0 - share) * to_b


@kernel
def update_neighbors(clusters, rule, a, b):
    """Update the neighbors of the others after a grew and b disappeared."""
    sizes, centers, pairwise, active = clusters.sizes, clusters.centers, clusters.pairwise, clusters.active
    mixed = clusters.categories.costs.shape[1] > 0
    neighbor, distance = clusters.neighbor, clusters.distance
    for i in range(clusters.counts[ACTIVE]):
        x = active[i]
        new = np.inf
        if x < a:
            if mixed:
                new = mixed_distance(clusters, rule, x, a)
            else:
                new = cluster_distance(sizes, centers, pairwise, rule, x, a)
        if new < distance[x] or (new == distance[x] and a <= neighbor[x]):
            neighbor[x], distance[x] = a, new
        elif neighbor[x] == a or neighbor[x] == b:
            neighbor[x] = NONE


@kernel
def drop_inactive(clusters, rule, a):
    """Remove merged and full clusters from the list, and find the neighbor of a."""
    active, count, position = clusters.active, 0, NONE
    for i in range(clusters.counts[ACTIVE]):
        x = active[i]
        if 0 < clusters.sizes[x] < rule.max_size:
            position = count if x == a else position
            active[count] = x
            count += 1
        else:
            clusters.neighbor[x], clusters.distance[x] = NONE, np.inf
    clusters.counts[ACTIVE] = count
    if position != NONE:
        find_neighbor(clusters, rule, position)


@inline
def cluster_distance(sizes, centers, pairwise, rule, a, b):
    """The distance of two clusters, the lower name first; infinite if they may not merge.

    It takes arrays instead of the clusters: unpacking those for every pair takes longer than all the rest.
    """
    size_a, size_b, distance = sizes[a], sizes[b], np.inf
    if size_a + size_b <= rule.max_size and (size_a < rule.k or size_b < rule.k):
        if len(pairwise) > 0:
            distance = pairwise[pair_index(len(sizes), a, b)]
        else:
            distance = point_distance(centers, a, b, rule.metric)
        if rule.linkage == WARD:
            distance *= size_a * size_b / (size_a + size_b)
        if rule.by_size:
            distance /= size_a + size_b
    return distance


@kernel
def mixed_distance(clusters, rule, a, b):
    """The same for clusters with categories, by their centers."""
    size_a, size_b, distance = clusters.sizes[a], clusters.sizes[b], np.inf
    if size_a + size_b <= rule.max_size and (size_a < rule.k or size_b < rule.k):
        if rule.linkage == WARD:
            distance = ward_increase(clusters.categories, clusters.sizes, clusters.centers, a, b)
        else:
            distance = mixed_point_distance(clusters.categories, clusters.centers, a, b, rule.metric)
        if rule.by_size:
            distance /= size_a + size_b
    return distance


@inline
def pair_index(n, a, b):
    """The index of the distance of two of n clusters, the lower name first."""
    return a * (2 * n - a - 1) // 2 + b - a - 1


@kernel
def ward_increase(categories, sizes, centers, a, b):
    """The increase of the SSE if two clusters merge."""
    total, space, costs = 0.0, categories.space, categories.costs
    for j in range(space.n_numeric):
        difference = abs(centers[a, j] - centers[b, j])
        total += difference * difference
    total *= sizes[a] * sizes[b] / (sizes[a] + sizes[b])
    for j in range(len(space.widths)):
        first, best = space.node_offsets[j], space.node_offsets[j]
        for node in range(first, first + space.widths[j]):
            if costs[a, node] + costs[b, node] < costs[a, best] + costs[b, best]:
                best = node
        total += categories.squares[a, best] + categories.squares[b, best]
    return total - categories.errors[a] - categories.errors[b]


@kernel
def mixed_point_distance(categories, points, a, b, metric):
    space = categories.space
    sides = np.empty((2, points.shape[1]))
    for j in range(space.n_numeric):
        sides[0, j], sides[1, j] = points[a, j], points[b, j]
    for j in range(len(space.widths)):
        column = space.n_numeric + j
        row = space.table_offsets[j] + space.widths[j] * int(points[a, column])
        sides[0, column], sides[1, column] = math.sqrt(space.squared_distances[row + int(points[b, column])]), 0.0
    return point_distance(sides, 0, 1, metric)


@kernel
def point_distance(points, a, b, metric):
    total = 0.0
    for j in range(points.shape[1]):
        difference = abs(points[a, j] - points[b, j])
        if metric == MAXIMUM:
            total = max(total, difference)
        elif metric == MANHATTAN:
            total += difference
        else:
            total += difference * difference
    return math.sqrt(total) if metric == EUCLIDEAN else total
