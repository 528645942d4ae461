"""Slow oracles of orders of records: tours and what shortens them, greedy edges, and the leaves of Ward's tree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

import naive
from naive import Matrix, Table

Edges = set[frozenset[int]]


def apart(matrix: Table, one: int, other: int) -> float:
    return float(np.sqrt(naive.distances(matrix[[one]], matrix[other])[0]))


def length(matrix: Table, tour: list[int]) -> float:
    """Of the closed tour."""
    return sum(apart(matrix, one, other) for one, other in zip(tour, tour[1:] + tour[:1], strict=True))


def edges(tour: list[int]) -> Edges:
    return {frozenset(pair) for pair in zip(tour, tour[1:] + tour[:1], strict=True)}


def from_row(tour: list[int], row: int, step: int) -> list[int]:
    """The same tour, read from a row on, backward where the step is negative."""
    at = tour.index(row)
    turned = tour[at:] + tour[:at]
    return turned if step > 0 else turned[:1] + turned[:0:-1]


def reconnected(tour: list[int], row: int, step: int, near: list[int]) -> Iterator[list[int]]:
    """The tours that put one of these points beside a row: what lies between them is turned."""
    line = from_row(tour, row, step)
    for other in near:
        at = line.index(other)
        yield line[:1] + line[at:0:-1] + line[at + 1 :]


def relocated(tour: list[int], row: int, step: int, size: int, near: list[int]) -> Iterator[list[int]]:
    """The tours that move so many points, of which a row is the last, beside one of these points."""
    line = from_row(tour, row, step)
    piece, rest = [row, *line[:-size:-1]], line[1 : len(line) - size + 1]
    for other in near:
        if other in rest:
            at = rest.index(other)
            if at + 1 < len(rest):
                yield rest[: at + 1] + piece + rest[at + 1 :]
            if at > 0:
                yield rest[:at] + piece[::-1] + rest[at:]


def greedy(matrix: Matrix) -> list[int]:
    """The shortest pair that leaves paths, again and again; from the lower end of the path."""
    n = len(matrix)
    paths = [[row] for row in range(n)]
    for one, other in sorted(combinations(range(n), 2), key=lambda pair: apart(matrix, *pair)):
        first = next(path for path in paths if one in path)
        second = next(path for path in paths if other in path)
        if first is not second and one in (first[0], first[-1]) and other in (second[0], second[-1]):
            paths = [path for path in paths if path is not first and path is not second]
            paths.append(
                (first if first[-1] == one else first[::-1]) + (second if second[0] == other else second[::-1])
            )
    return from_lower_end(paths[0])


def from_lower_end(path: list[int]) -> list[int]:
    return path if path[0] < path[-1] else path[::-1]


class Cluster:
    """Points in an order, the records that they stand for, and the center of those."""

    def __init__(self, order: list[int], rows: list[int], center: Matrix) -> None:
        self.order, self.rows, self.center = order, rows, center

    def distance(self, matrix: Table, other: Cluster) -> float:
        between = naive.distances(naive.at(matrix, [other.center]), self.center)[0]
        size, more = len(self.rows), len(other.rows)
        return float(between * (size * more / (size + more)))


class Clusters:
    """Each point alone at first; a point is all its records."""

    def __init__(self, matrix: Table, points: list[list[int]]) -> None:
        self.matrix, self.points = matrix, matrix[[rows[0] for rows in points]]
        self.left = [Cluster([number], rows, matrix[rows[0]]) for number, rows in enumerate(points)]

    def merge(self, one: Cluster, other: Cluster) -> None:
        """Put both together so that the ends that meet are the nearest; of several, the first ends."""
        here, there = sorted([self.left.index(one), self.left.index(other)])
        one, other = self.left[here], self.left[there]
        ways = [
            (apart(self.points, mine[-1], its[0]), mine + its)
            for mine in (one.order[::-1], one.order)
            for its in (other.order, other.order[::-1])
        ]
        order, rows = min(ways, key=lambda way: way[0])[1], one.rows + other.rows
        count = naive.numbers(self.matrix).shape[1]
        total = len(one.rows) * one.center[:count] + len(other.rows) * other.center[:count]
        self.left[here], self.left[there] = Cluster(order, rows, naive.center(self.matrix, total, rows)), self.left[-1]
        self.left.pop()


def ward(matrix: Table, points: list[list[int]]) -> list[int]:
    """The order of the tree in which always the nearest two of all clusters merge."""
    clusters = Clusters(matrix, points)
    while len(clusters.left) > 1:
        clusters.merge(*min(combinations(clusters.left, 2), key=lambda pair: pair[0].distance(matrix, pair[1])))
    return from_lower_end(clusters.left[0].order)


def chained_ward(matrix: Table, points: list[list[int]]) -> list[int]:
    """The same by a chain of nearest clusters; ties go to the one before, then to the lowest point."""
    clusters, chain = Clusters(matrix, points), []
    while len(clusters.left) > 1:
        chain = chain or clusters.left[:1]
        top, before = chain[-1], chain[-2] if len(chain) > 1 else None
        others = [other for other in clusters.left if other is not top]
        near = min(others, key=lambda other: (top.distance(matrix, other), other is not before, min(other.order)))
        if near is before:
            clusters.merge(top, near)
            chain = chain[:-2]
        else:
            chain = chain[: chain.index(near) + 1] if near in chain else [*chain, near]
    return from_lower_end(clusters.left[0].order)
