"""Slow oracles of the methods that go along an order of the records: the MHM family, P-S and Multi-DSort."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import naive
from naive import Flock, Labels, Matrix, Table
from naive.mixed import Mixed


def tour(matrix: Table, groups: Labels, start: int) -> list[int]:
    """Nearest record next; a group once entered is finished first."""
    left, order, here = set(range(len(matrix))), [], start
    while left:
        far = naive.distances(matrix, matrix[here])
        same = [row for row in left if order and groups[row] == groups[here]]
        here = min(same or left, key=lambda row: (far[row], row))
        order.append(here)
        left.remove(here)
    return order


def shortest_path(matrix: Table, order: list[int], k: int) -> Labels:
    """The cut of an order into runs of k to 2k - 1 records with the least SSE; of equal ones the shorter last run."""
    cost, last = [0.0] + [np.inf] * len(order), [0] * (len(order) + 1)
    for end in range(1, len(order) + 1):
        mean, sse = np.zeros(naive.numbers(matrix).shape[1]), 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            value = naive.numbers(matrix)[order[end - size]]
            difference = value - mean
            mean = mean + difference / size
            for term in difference * (value - mean):
                sse += term
            whole = cost[end - size] + sse
            if isinstance(matrix, Mixed) and size >= k:
                whole += np.cumsum(matrix.errors(order[end - size : end][::-1]))[-1]
            if size >= k and whole < cost[end]:
                cost[end], last[end] = whole, size
    labels, end = np.empty(len(order), dtype=np.int64), len(order)
    while end > 0:
        labels[order[end - last[end] : end]] = end
        end -= last[end]
    return labels


def ends(matrix: Table, rows: list[int]) -> tuple[int, int]:
    """The two of these records that are most distant from each other, the lower row first."""
    pairs = np.array([naive.distances(matrix[rows], matrix[row]) for row in rows])
    pairs[np.tril_indices(len(pairs))] = -1.0
    first, second = divmod(int(np.argmax(pairs)), len(pairs))
    return rows[first], rows[second]


def npn_mhm(matrix: Table, k: int) -> Labels:
    start, _ = ends(matrix, list(range(len(matrix))))
    return shortest_path(matrix, tour(matrix, np.arange(len(matrix)), start), k)


def md_mhm(matrix: Table, k: int) -> Labels:
    flock = Flock(matrix)
    while len(flock.left) >= 2 * k:
        second, first = ends(matrix, flock.left)
        flock.take(second, flock.groups + 1)
        flock.grow(first, k)
        flock.gather(second, k - 1, flock.groups)
        flock.groups += 1
    if len(flock.left) >= k:
        flock.one_group()
    else:
        flock.nearest_groups()
    _, start = ends(matrix, list(range(len(matrix))))
    return shortest_path(matrix, tour(matrix, flock.labels, start), k)


def _outward(matrix: Table, groups: Labels, k: int) -> Labels:
    flock = Flock(matrix)
    return shortest_path(matrix, tour(matrix, groups, flock.farthest(flock.centroid())), k)


def mdav_mhm(matrix: Table, k: int) -> Labels:
    return _outward(matrix, naive.mdav(matrix, k), k)


def cbfs_mhm(matrix: Table, k: int) -> Labels:
    return _outward(matrix, naive.cbfs(matrix, k), k)


def _compact(flock: Flock, seed: int, k: int, group: int) -> None:
    """A group that takes in the record nearest to its centroid, k - 1 times."""
    if seed in flock.left:
        flock.take(seed, group)
    members = [seed]
    while len(members) < k:
        near = naive.distances(flock.matrix, naive.mean(flock.matrix, members))
        members.append(min(flock.left, key=lambda row: (near[row], row)))
        flock.take(members[-1], group)
    flock.groups += 1


Keys = Callable[[list[int]], dict[int, float]]


def _from_both_ends(matrix: Table, keys_of: Keys, k: int, *, anew: bool = False) -> Labels:
    flock = Flock(matrix)
    keys = keys_of(flock.left)
    while len(flock.left) >= 3 * k:
        line = sorted(flock.left, key=lambda row: (keys[row], row))
        group = flock.groups
        flock.take(line[-1], group + 1)
        _compact(flock, line[0], k, group)
        _compact(flock, line[-1], k, group + 1)
        keys = keys_of(flock.left) if anew else keys
    if len(flock.left) >= 2 * k:
        _compact(flock, min(flock.left, key=lambda row: (keys[row], row)), k, flock.groups)
    flock.one_group()
    return flock.labels


def places(matrix: Table) -> Matrix:
    """The columns that records are sorted by."""
    return matrix.places() if isinstance(matrix, Mixed) else matrix


def p_s(matrix: Table, k: int) -> Labels:
    columns = places(matrix)
    return _from_both_ends(matrix, lambda rows: {row: np.cumsum(columns[row])[-1] for row in rows}, k)


def multi_dsort(matrix: Table, k: int, ranks: str = "kept") -> Labels:
    columns = places(matrix)

    def keys_of(rows: list[int]) -> dict[int, float]:
        keys = dict.fromkeys(rows, 0)
        for j in range(columns.shape[1]):
            for rank, row in enumerate(sorted(rows, key=lambda row: (columns[row, j], row))):
                keys[row] += rank
        return keys

    return _from_both_ends(matrix, keys_of, k, anew=ranks == "anew")
