"""What no partition can go below, by trying all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def partitions(rows: list[int], k: int) -> Iterator[list[list[int]]]:
    """Every partition of the rows into groups of at least k."""
    if len(rows) < 2 * k:
        yield [rows]
        return
    first, rest = rows[0], rows[1:]
    for chosen in range(2 ** len(rest)):
        group = [first, *(row for i, row in enumerate(rest) if chosen >> i & 1)]
        others = [row for i, row in enumerate(rest) if not chosen >> i & 1]
        if len(group) >= k and len(others) >= k:
            yield from ([group, *more] for more in partitions(others, k))
    yield [rows]


def error(points: Matrix, group: Sequence[int]) -> float:
    """The SSE of a group."""
    of = points[list(group)]
    return float(((of - of.mean(axis=0)) ** 2).sum())


def least_cost(n: int, k: int, cost: Callable[[Sequence[int]], float]) -> float:
    """The least cost of a partition into groups of at least k."""
    known: dict[tuple[int, ...], float] = {}
    for size in range(k, n + 1):
        known.update({group: cost(group) for group in combinations(range(n), size)})
    return min(sum(known[tuple(group)] for group in groups) for groups in partitions(list(range(n)), k))


def savings(
    points: Matrix, prices: Matrix, sizes: range, triples: Sequence[Sequence[int]], fines: Sequence[float]
) -> Matrix:
    """For each record the most that a group with it pays beyond its cost and fines, by its size; at least 0."""
    best = np.zeros(len(points))
    for size in sizes:
        for group in combinations(range(len(points)), size):
            fined = sum(fine for triple, fine in zip(triples, fines, strict=True) if len({*triple} & {*group}) >= 2)
            over = float(prices[list(group)].sum()) - error(points, group) - fined
            best[list(group)] = np.maximum(best[list(group)], over / size)
    return best
