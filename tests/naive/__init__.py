"""Slow and obvious oracles: plain loops, no tree, no compiled code.

They do the same arithmetic in the same order as the fast methods (squared distances summed over the columns
in order, running sums for the centroid), so that their partitions must be equal, ties included.

Most of them take ``Mixed`` records, of numbers and categories, as well as a matrix.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from naive.mixed import Mixed

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]
Table = Matrix | Mixed


def renumbered(labels: Labels) -> list[int]:
    """Groups numbered by first appearance."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(int(label), len(numbers)) for label in labels]


def distances(matrix: Table, point: Matrix) -> Matrix:
    if isinstance(matrix, Mixed):
        return matrix.distances(point)
    total = np.zeros(len(matrix))
    for j in range(matrix.shape[1]):
        total += (matrix[:, j] - point[j]) ** 2
    return total


def at(matrix: Table, points: list[Matrix]) -> Table:
    """Other points that are as far apart as these records, such as centers."""
    return matrix.at(points) if isinstance(matrix, Mixed) else np.array(points)


def numbers(matrix: Table) -> Matrix:
    return matrix.numbers if isinstance(matrix, Mixed) else matrix


def sums(matrix: Table, rows: list[int]) -> Matrix:
    """Of the numbers, row by row."""
    some = numbers(matrix)[rows]
    return np.cumsum(some, axis=0)[-1] if len(some) else np.zeros(some.shape[1])


def center(matrix: Table, total: Matrix, rows: list[int]) -> Matrix:
    """The center of these rows, whose numbers add up to a total."""
    means = total / len(rows)
    return np.append(means, matrix.nodes(rows)) if isinstance(matrix, Mixed) else means


def mean(matrix: Table, rows: list[int]) -> Matrix:
    return center(matrix, sums(matrix, rows), rows)


def sse(matrix: Table, labels: Labels) -> float:
    if isinstance(matrix, Mixed):
        members = [list(np.flatnonzero(labels == label)) for label in np.unique(labels)]
        return float(sum(distances(matrix[rows], mean(matrix, rows)).sum() for rows in members))
    groups = [matrix[labels == label] for label in np.unique(labels)]
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


class Flock:
    """The records without a group."""

    def __init__(self, matrix: Table) -> None:
        self.matrix = matrix
        self.left = list(range(len(matrix)))
        self.labels = np.full(len(matrix), -1)
        self.groups = 0
        self.summed = len(matrix)
        self.sums = sums(matrix, self.left)
        self.near: dict[int, Matrix] = {}
        """The distances of all records to the seeds of earlier searches."""

    def centroid(self) -> Matrix:
        if 2 * len(self.left) <= self.summed:
            self.summed = len(self.left)
            self.sums = sums(self.matrix, self.left)
        return center(self.matrix, self.sums, self.left)

    def farthest(self, point: Matrix) -> int:
        """The first of several: records without a group stay in their order."""
        return self.left[int(np.argmax(distances(self.matrix, point)[self.left]))]

    def nearest(self, seed: int) -> list[int]:
        if seed not in self.near:
            self.near[seed] = distances(self.matrix, self.matrix[seed])
        left = np.array(self.left, dtype=np.int64)
        return left[np.argsort(self.near[seed][left], kind="stable")].tolist()

    def take(self, row: int, group: int) -> None:
        self.left.remove(row)
        self.labels[row] = group
        self.sums = self.sums - numbers(self.matrix)[row]

    def gather(self, seed: int, count: int, group: int) -> None:
        for row in self.nearest(seed)[:count]:
            self.take(row, group)

    def grow(self, seed: int, k: int) -> None:
        self.groups += 1
        self.take(seed, self.groups - 1)
        self.gather(seed, k - 1, self.groups - 1)

    def one_group(self) -> None:
        self.labels[self.left] = self.groups

    def centroids(self) -> Table:
        members = [[row for row in range(len(self.labels)) if self.labels[row] == g] for g in range(self.groups)]
        return at(self.matrix, [mean(self.matrix, rows) for rows in members])

    def nearest_groups(self) -> None:
        centers = self.centroids()
        for row in self.left:
            self.labels[row] = np.argmin(distances(centers, self.matrix[row]))


def _pairs(matrix: Table, k: int, least: int) -> Flock:
    flock = Flock(matrix)
    while len(flock.left) >= least:
        r = flock.farthest(flock.centroid())
        flock.grow(r, k)
        flock.grow(flock.farthest(matrix[r]), k)
    return flock


def mdav(matrix: Table, k: int) -> Labels:
    flock = _pairs(matrix, k, 2 * k)
    if len(flock.left) >= k:
        flock.one_group()
    else:
        flock.nearest_groups()
    return flock.labels


def mdav_1(matrix: Table, k: int) -> Labels:
    flock = _pairs(matrix, k, 2 * k)
    if len(flock.left) >= k:
        flock.grow(flock.farthest(flock.centroid()), k)
    flock.nearest_groups()
    return flock.labels


def mdav_generic(matrix: Table, k: int) -> Labels:
    flock = _pairs(matrix, k, 3 * k)
    if len(flock.left) >= 2 * k:
        flock.grow(flock.farthest(flock.centroid()), k)
    flock.one_group()
    return flock.labels


def cbfs(matrix: Table, k: int) -> Labels:
    flock = Flock(matrix)
    while len(flock.left) >= k:
        flock.grow(flock.farthest(flock.centroid()), k)
    flock.nearest_groups()
    return flock.labels


def _most_distant(matrix: Table, k: int) -> Flock:
    flock = Flock(matrix)
    table = np.array([distances(matrix, point) for point in matrix])
    while len(flock.left) >= 2 * k:
        part = table[np.ix_(flock.left, flock.left)]
        part[np.tril_indices(len(part))] = -1.0
        first, second = divmod(int(np.argmax(part)), len(part))
        r, s = flock.left[first], flock.left[second]
        flock.take(r, flock.groups)
        flock.take(s, flock.groups + 1)
        flock.gather(r, k - 1, flock.groups)
        flock.gather(s, k - 1, flock.groups + 1)
        flock.groups += 2
    return flock


def md(matrix: Table, k: int) -> Labels:
    flock = _most_distant(matrix, k)
    if len(flock.left) >= k:
        flock.one_group()
    elif flock.left:
        flock.labels[flock.left] = np.argmin(distances(flock.centroids(), mean(matrix, flock.left)))
    return flock.labels


def dbfs(matrix: Table, k: int) -> Labels:
    flock = _most_distant(matrix, k)
    if len(flock.left) >= k:
        flock.one_group()
    else:
        flock.nearest_groups()
    return flock.labels


def v_mdav(matrix: Table, k: int, gamma: float = 0.2) -> Labels:
    flock = Flock(matrix)
    fixed = flock.centroid()
    while len(flock.left) >= k:
        flock.grow(flock.farthest(fixed), k)
        group = flock.groups - 1
        while flock.left and (flock.labels == group).sum() < 2 * k - 1:
            members = matrix[flock.labels == group]
            near = {x: min(distances(members, matrix[x])) for x in flock.left}
            x = min(flock.left, key=lambda row: (near[row], row))
            rest = [row for row in flock.left if row != x]
            d_out = min(distances(matrix[rest], matrix[x])) if rest else np.inf
            if gamma == 0 or not near[x] < gamma * gamma * d_out:
                break
            flock.take(x, group)
    flock.nearest_groups()
    return flock.labels


def best_cut(ordered: Table, k: int, most: int | None = None) -> float:
    """The least SSE of all cuts of an order into groups of at least k neighbors, by trying every one."""
    n = len(ordered)
    least = np.inf
    for count in range(n // k):
        for cuts in combinations(range(k, n - k + 1), count):
            sizes = np.diff([0, *cuts, n])
            if sizes.min() >= k and sizes.max() <= (most or n):
                least = min(least, sse(ordered, np.repeat(np.arange(len(sizes)), sizes)))
    return least
