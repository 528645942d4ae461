"""Agglomeration by looking at every pair before every merge, with the distances of clusters in a dictionary."""

from __future__ import annotations

from itertools import combinations

import numpy as np

import naive
from naive import Labels, Matrix, Table
from naive.mixed import Mixed

Clusters = dict[int, list[int]]
"""The rows of each cluster, which bears the number of its lowest row."""


def separation(matrix: Table, one: Matrix, other: Matrix, metric: str) -> float:
    if isinstance(matrix, Mixed):
        difference = np.sqrt([column[0] for column in matrix.at([one]).squares(other)])
    else:
        difference = np.abs(one - other)
    if metric == "manhattan":
        return float(sum(difference, start=0.0))
    if metric == "maximum":
        return float(max(difference))
    squared = float(sum(difference * difference, start=0.0))
    return squared if metric == "squared-euclidean" else float(np.sqrt(squared))


def rise(matrix: Mixed, one: list[int], other: list[int], numbers: float) -> float:
    """By how much the SSE rises if two clusters merge, with their numbers so far apart."""
    total = numbers * (len(one) * len(other) / (len(one) + len(other)))
    for error in matrix.errors(one + other):
        total += error
    return total - sum(matrix.errors(one)) - sum(matrix.errors(other))


def agglomerate(
    matrix: Table, clusters: Clusters, k: int, most: int, linkage: str, metric: str, by_size: bool
) -> tuple[Clusters, dict[int, int]]:
    """The clusters when no pair may merge any more, and when each was formed."""
    clusters = {name: list(rows) for name, rows in sorted(clusters.items())}
    born = {name: name for name in clusters}
    centers = {name: naive.mean(matrix, rows) for name, rows in clusters.items()}
    if linkage not in ("centroid", "ward"):
        centers = {name: matrix[name] for name in clusters}
    metric = "squared-euclidean" if linkage == "ward" else metric

    def between(a: int, b: int) -> float:
        one, other = clusters[a], clusters[b]
        if linkage == "ward" and isinstance(matrix, Mixed):
            count = matrix.numbers.shape[1]
            numbers = separation(matrix.numbers, centers[a][:count], centers[b][:count], metric)
            return rise(matrix, one, other, numbers)
        distance = separation(matrix, centers[a], centers[b], metric)
        return distance * (len(one) * len(other) / (len(one) + len(other))) if linkage == "ward" else distance

    apart = {(a, b): between(a, b) for a, b in combinations(clusters, 2)}

    def pair(a: int, b: int) -> tuple[int, int]:
        return min(a, b), max(a, b)

    def key(a: int, b: int) -> float:
        return apart[a, b] / (len(clusters[a]) + len(clusters[b])) if by_size else apart[a, b]

    for clock in range(len(matrix), 2 * len(matrix)):
        sizes = {name: len(rows) for name, rows in clusters.items()}
        allowed = [
            (a, b) for a, b in combinations(clusters, 2) if sizes[a] + sizes[b] <= most and min(sizes[a], sizes[b]) < k
        ]
        if not allowed:
            break
        a, b = min(allowed, key=lambda names: (key(*names), names))
        centers[a] = (sizes[a] * centers[a] + sizes[b] * centers[b]) / (sizes[a] + sizes[b])
        share = sizes[a] / (sizes[a] + sizes[b])
        clusters[a], born[a] = sorted(clusters[a] + clusters.pop(b)), clock
        if isinstance(matrix, Mixed):
            centers[a] = np.append(centers[a][: matrix.numbers.shape[1]], matrix.nodes(clusters[a]))
        for x in clusters.keys() - {a}:
            one, other = apart[pair(a, x)], apart[pair(b, x)]
            if linkage in ("centroid", "ward"):
                apart[pair(a, x)] = between(*pair(a, x))
            else:
                apart[pair(a, x)] = {
                    "single": min(one, other),
                    "complete": max(one, other),
                    "average": share * one + (1.0 - share) * other,
                }[linkage]
    return clusters, {name: born[name] for name in clusters}


def to_the_nearest(matrix: Table, clusters: Clusters, k: int) -> Labels:
    full = [rows for rows in clusters.values() if len(rows) >= k]
    if not full:
        return np.zeros(len(matrix), dtype=np.int64)
    labels = np.full(len(matrix), -1)
    for group, rows in enumerate(full):
        labels[rows] = group
    centers = naive.at(matrix, [naive.mean(matrix, rows) for rows in full])
    for row in np.flatnonzero(labels < 0):
        labels[row] = np.argmin(naive.distances(centers, matrix[row]))
    return labels


def to_the_smallest(n: int, clusters: Clusters, born: dict[int, int], k: int) -> Labels:
    clusters, born = {name: list(rows) for name, rows in clusters.items()}, dict(born)
    clock = 2 * n

    def smallest() -> int:
        return min(clusters, key=lambda name: (len(clusters[name]), born[name]))

    while len(clusters[smallest()]) < k:
        for row in sorted(clusters.pop(smallest())):
            name = smallest()
            clusters[name].append(row)
            born[name], clock = clock, clock + 1
    labels = np.empty(n, dtype=np.int64)
    for group, rows in enumerate(clusters.values()):
        labels[rows] = group
    return labels


def split(matrix: Table, labels: Labels, k: int) -> Labels:
    """Groups of 2k and more by the oracle of mdav-1."""
    out = labels.copy()
    for group in np.unique(labels):
        rows = np.flatnonzero(labels == group)
        if len(rows) >= 2 * k:
            out[rows] = out.max() + 1 + naive.mdav_1(matrix[rows], k)
    return out


def _hac(matrix: Table, k: int, most: int, by_size: bool, linkage: str, metric: str, leftovers: str) -> Labels:
    alone = {row: [row] for row in range(len(matrix))}
    clusters, born = agglomerate(matrix, alone, k, most, linkage, metric, by_size)
    if leftovers == "smallest":
        labels = to_the_smallest(len(matrix), clusters, born, k)
    else:
        labels = to_the_nearest(matrix, clusters, k)
    return split(matrix, labels, k)


def hac(
    matrix: Table, k: int, linkage: str = "single", metric: str = "euclidean", leftovers: str = "nearest"
) -> Labels:
    return _hac(matrix, k, 2 * k - 1, False, linkage, metric, leftovers)


def hac_max(
    matrix: Table, k: int, linkage: str = "single", metric: str = "euclidean", leftovers: str = "nearest"
) -> Labels:
    return _hac(matrix, k, k, False, linkage, metric, leftovers)


def hac_priority(
    matrix: Table, k: int, linkage: str = "single", metric: str = "euclidean", leftovers: str = "nearest"
) -> Labels:
    return _hac(matrix, k, k, True, linkage, metric, leftovers)


def k_ward(matrix: Table, k: int) -> Labels:
    n = len(matrix)
    if n < 2 * k or all((point == matrix[0]).all() for point in matrix):
        return np.minimum(np.arange(n) // k, n // k - 1)
    table = np.array([naive.distances(matrix, point) for point in matrix])
    table[np.tril_indices(n)] = -1.0
    r, s = divmod(int(np.argmax(table)), n)
    left = [row for row in range(n) if row not in (r, s)]
    clusters: Clusters = {}
    for end in (r, s):
        near = naive.distances(matrix, matrix[end])
        rows = sorted([end, *sorted(left, key=lambda row: (near[row], row))[: k - 1]])
        left = [row for row in left if row not in rows]
        clusters[rows[0]] = rows
    clusters |= {row: [row] for row in left}
    merged, _ = agglomerate(matrix, clusters, k, n, "ward", "squared-euclidean", by_size=False)
    labels = np.zeros(n, dtype=np.int64)
    for rows in merged.values():
        labels[rows] = labels.max() + 1 + k_ward(matrix[rows], k)
    return labels
