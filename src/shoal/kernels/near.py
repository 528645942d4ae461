"""Points near each other: cells of them, and for each point a short list of the nearest ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.kernels.jit import SLICE, kernel
from shoal.kernels.search import SORTED, nearest
from shoal.kernels.tree import Tree, halve, plant
from shoal.threads import share
from shoal.values import IntMatrix, IntVector, Progress, Space, silent

CELL = 20_000
"""Points at most among which the nearest are sought: in many columns a search takes longer the more there are."""


def cells(space: Space, most: int) -> list[IntVector]:
    """Rows that are near each other: all, or even parts of so many at most, by halving the widest column repeatedly."""
    n = len(space.points)
    count = max(1, -(-n // most))
    order = halve(space.points, np.arange(n), count)
    return [np.sort(rows) for rows in np.split(order, n * np.arange(1, count) // count)]


def nearest_others(space: Space, most: int, *, progress: Progress = silent) -> IntMatrix:
    """For each point the nearest others of its cell, in order of distance, then row: so many, or all that there are."""
    (n, p), parts, done = space.points.shape, cells(space, CELL), 0
    found = np.empty((n, min(most, len(parts[0]) - 1)), dtype=np.int64)
    step = max(1, SLICE // (len(parts[-1]) * p + SORTED * most))

    def look(piece: tuple[Tree, IntVector]) -> int:
        look_around(*piece, found)
        return len(piece[1])

    for looked in share(look, _pieces(space, parts, step)):
        done += looked
        progress(done, n)
    return found


def _pieces(space: Space, parts: list[IntVector], step: int) -> Iterator[tuple[Tree, IntVector]]:
    """So many points at a time, with the tree of their cell."""
    for rows in parts:
        tree = plant(space, rows)
        for start in range(0, len(rows), step):
            yield tree, rows[start : start + step]


@kernel
def look_around(tree, rows, found):
    """Write down the nearest others of these points."""
    most = found.shape[1]
    distance, near = np.empty(most + 1), np.empty(most + 1, dtype=np.int64)
    for row in rows:
        nearest(tree, tree.space.matrix[row], distance, near)
        place = 0
        for other in near:
            if other != row and place < most:  # of many points without a distance it may not be among the nearest
                found[row, place] = other
                place += 1
