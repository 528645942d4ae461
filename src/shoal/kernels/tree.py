"""A tree of boxes over the records: exact nearest and farthest in a fraction of the distances.

Records lie in leaves of at most ``WIDTH``, made by halving the widest column again and again. A block holds
the boxes of up to ``WIDTH`` leaves or blocks below it. Leaves and blocks are stored column by column, so that
the inner loops run over neighbors in memory and vectorize, while every sum still runs over the columns in
order: a distance has the same bits here as in the plain loop.

A record that joins a group is removed, and the boxes above it shrink at once. Blocks are numbered from the
root down, leaves after them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import kernel
from shoal.values import FloatMatrix, FloatVector, IntVector

WIDTH = 16
"""Places in a leaf and slots in a block: enough for the vector units, few enough for tight boxes."""


class Tree(NamedTuple):
    """The records that are left, and the boxes around them.

    ``columns``, ``rows`` and ``spread`` (squared distance to the anchor) are by leaf and place in the leaf,
    of which the first ``held`` are taken.
    ``low``, ``high``, ``reach`` (largest spread), ``filled`` (records) and ``below`` (number of the block or
    leaf) are by block and slot. ``above`` tells where a block or leaf hangs: WIDTH * block + slot.
    ``home`` tells the leaf of a record.
    """

    columns: FloatMatrix
    rows: IntVector
    spread: FloatMatrix
    held: IntVector
    low: FloatMatrix
    high: FloatMatrix
    reach: FloatMatrix
    filled: IntVector
    below: IntVector
    above: IntVector
    home: IntVector
    anchor: FloatVector


def plant(matrix: FloatMatrix, rows: IntVector, anchor: FloatVector) -> Tree:
    """A tree over these rows of the matrix; the anchor should lie near their middle."""
    count, p = len(rows), matrix.shape[1]
    leaves = 1
    while leaves * WIDTH < count:
        leaves *= 2
    above, below = _hang(leaves)
    blocks = len(below)
    tree = Tree(
        columns=np.zeros((leaves, p, WIDTH)),
        rows=np.zeros((leaves, WIDTH), dtype=np.int64),
        spread=np.zeros((leaves, WIDTH)),
        held=np.zeros(leaves, dtype=np.int64),
        low=np.full((blocks, p, WIDTH), np.inf),
        high=np.full((blocks, p, WIDTH), -np.inf),
        reach=np.zeros((blocks, WIDTH)),
        filled=np.zeros((blocks, WIDTH), dtype=np.int64),
        below=below,
        above=above,
        home=np.zeros(len(matrix), dtype=np.int64),
        anchor=anchor,
    )
    fill(tree, matrix, halve(matrix, rows.copy(), leaves))
    return tree


def _hang(leaves: int) -> tuple[IntVector, IntVector]:
    """Where each block and leaf hangs, and what hangs in each slot."""
    counts = [leaves]
    while counts[0] > 1 or len(counts) == 1:
        counts.insert(0, -(-counts[0] // WIDTH))
    above = np.zeros(sum(counts), dtype=np.int64)
    below = np.zeros((sum(counts[:-1]), WIDTH), dtype=np.int64)
    first = 0
    for upper, lower in pairwise(counts):
        place = np.arange(lower)
        above[first + upper + place] = WIDTH * first + place
        first += upper
    below.flat[above[1:]] = np.arange(1, len(above))
    return above, below


@kernel
def halve(matrix, rows, parts):
    """Order the rows so that cutting them into 1, 2, 4, ... parts cuts the widest column of each part."""
    count, p = len(rows), matrix.shape[1]
    cuts = 1
    while cuts < parts:
        for i in range(cuts):
            start, stop = count * i // cuts, count * (i + 1) // cuts
            widest, width = 0, -1.0
            for j in range(p):
                low, high = np.inf, -np.inf
                for z in range(start, stop):
                    low, high = min(low, matrix[rows[z], j]), max(high, matrix[rows[z], j])
                if high - low > width:
                    widest, width = j, high - low
            select(matrix, widest, rows, start, stop, count * (2 * i + 1) // (2 * cuts))
        cuts *= 2
    return rows


@kernel
def select(matrix, j, rows, start, stop, middle):
    """Order rows[start:stop] so that none before the middle is larger in column j than any after it."""
    left, right = start, stop - 1
    while left < right:
        pivot = matrix[rows[(left + right) // 2], j]
        up, down = left, right
        while up <= down:
            while matrix[rows[up], j] < pivot:
                up += 1
            while matrix[rows[down], j] > pivot:
                down -= 1
            if up <= down:
                rows[up], rows[down] = rows[down], rows[up]
                up, down = up + 1, down - 1
        if middle <= down:
            right = down
        elif middle >= up:
            left = up
        else:
            return


@kernel
def fill(tree, matrix, rows):
    """Lay the ordered rows into the leaves, then draw the boxes from the leaves up."""
    leaves, p, _ = tree.columns.shape
    for leaf in range(leaves):
        start, stop = len(rows) * leaf // leaves, len(rows) * (leaf + 1) // leaves
        for place in range(stop - start):
            row = rows[start + place]
            tree.rows[leaf, place] = row
            tree.home[row] = leaf
            for j in range(p):
                offset = matrix[row, j] - tree.anchor[j]
                tree.columns[leaf, j, place] = matrix[row, j]
                tree.spread[leaf, place] += offset * offset
        tree.held[leaf] = stop - start
        box_of_leaf(tree, leaf)
    for block in range(len(tree.below) - 1, 0, -1):
        box_of_block(tree, block)


@kernel
def box_of_leaf(tree, leaf):
    """Draw the box of a leaf from the records in it."""
    block, slot = divmod(tree.above[len(tree.below) + leaf], WIDTH)
    count = tree.held[leaf]
    tree.filled[block, slot] = count
    tree.reach[block, slot] = 0.0
    for place in range(count):
        tree.reach[block, slot] = max(tree.reach[block, slot], tree.spread[leaf, place])
    for j in range(tree.columns.shape[1]):
        low, high = np.inf, -np.inf
        for place in range(count):
            low, high = min(low, tree.columns[leaf, j, place]), max(high, tree.columns[leaf, j, place])
        tree.low[block, j, slot], tree.high[block, j, slot] = low, high


@kernel
def box_of_block(tree, inner):
    """Draw the box of a block from the boxes in it."""
    block, slot = divmod(tree.above[inner], WIDTH)
    tree.filled[block, slot] = 0
    tree.reach[block, slot] = 0.0
    for i in range(WIDTH):
        tree.filled[block, slot] += tree.filled[inner, i]
        tree.reach[block, slot] = max(tree.reach[block, slot], tree.reach[inner, i])
    for j in range(tree.columns.shape[1]):
        low, high = np.inf, -np.inf
        for i in range(WIDTH):
            low, high = min(low, tree.low[inner, j, i]), max(high, tree.high[inner, j, i])
        tree.low[block, j, slot], tree.high[block, j, slot] = low, high


@kernel
def remove(tree, row):
    """Take a record out and shrink the boxes above it."""
    leaf = tree.home[row]
    tree.held[leaf] -= 1
    last, place = tree.held[leaf], 0
    while tree.rows[leaf, place] != row:
        place += 1
    tree.rows[leaf, place] = tree.rows[leaf, last]
    tree.spread[leaf, place] = tree.spread[leaf, last]
    for j in range(tree.columns.shape[1]):
        tree.columns[leaf, j, place] = tree.columns[leaf, j, last]
    box_of_leaf(tree, leaf)
    block = tree.above[len(tree.below) + leaf] // WIDTH
    while block > 0:
        box_of_block(tree, block)
        block = tree.above[block] // WIDTH
