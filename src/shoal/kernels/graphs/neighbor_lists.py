"""Neighbor lists: cells of nearby points, and the nearest points of each point in its cell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.domain import IntMatrix, IntVector, Progress, Space, no_progress
from shoal.kernels.box_tree.box_tree import BoxTree, build_tree, median_order
from shoal.kernels.box_tree.neighbors import HEAP_COST, nearest
from shoal.kernels.jit import SLICE, kernel
from shoal.system.threads import parallel_map

CELL_SIZE = 20_000
"""Largest cell in which neighbors are searched: with many columns a search slows down as points increase."""


def median_cells(space: Space, max_size: int) -> list[IntVector]:
    """Split the points into equal cells of at most this size, by median cuts of the widest column."""
    n = len(space.sketched_points)
    n_cells = max(1, -(-n // max_size))
    order = median_order(space.sketched_points, np.arange(n), n_cells)
    return [np.sort(rows) for rows in np.split(order, n * np.arange(1, n_cells) // n_cells)]


def nearest_neighbors(space: Space, count: int, *, progress: Progress = no_progress) -> IntMatrix:
    """The nearest other points of each point in its cell, by distance, then row; at most this many."""
    (n, p), cells, done = space.sketched_points.shape, median_cells(space, CELL_SIZE), 0
    neighbors = np.empty((n, min(count, len(cells[0]) - 1)), dtype=np.int64)
    step = max(1, SLICE // (len(cells[-1]) * p + HEAP_COST * count))

    def search(batch: tuple[BoxTree, IntVector]) -> int:
        fill_neighbors(*batch, neighbors)
        return len(batch[1])

    for searched in parallel_map(search, _batches(space, cells, step)):
        done += searched
        progress(done, n)
    return neighbors


def _batches(space: Space, cells: list[IntVector], step: int) -> Iterator[tuple[BoxTree, IntVector]]:
    """Batches of points, each with the tree of its cell."""
    for rows in cells:
        tree = build_tree(space, rows)
        for start in range(0, len(rows), step):
            yield tree, rows[start : start + step]


@kernel
def fill_neighbors(tree, rows, neighbors):
    count = neighbors.shape[1]
    distance, found = np.empty(count + 1), np.empty(count + 1, dtype=np.int64)
    for row in rows:
        nearest(tree, tree.space.matrix[row], distance, found)
        position = 0
        for other in found:
            if other != row and position < count:  # a point with many equal ones may be missing from its own list
                neighbors[row, position] = other
                position += 1
