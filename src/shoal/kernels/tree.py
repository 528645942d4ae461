"""A tree of boxes over the records: exact nearest and farthest in a fraction of the distances.

Records lie in leaves of at most ``WIDTH``, made by halving the widest column again and again. A block holds
the boxes of up to ``WIDTH`` leaves or blocks below it. Leaves and blocks are stored column by column, so that
the inner loops run over neighbors in memory and vectorize.

The leaves hold a sketch of the records: their differences from an anchor, in single precision, with a few coordinates
in the place of each category. It needs half the memory and half the time, and serves only to pass records over;
``search`` knows how far it may be off.

A record that joins a group is removed, and the boxes above it shrink at once. Blocks are numbered from the
root down, leaves after them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel, part
from shoal.values import FloatMatrix, FloatVector, IntVector, Space

WIDTH = 32
"""Places in a leaf and slots in a block: enough for the vector units, few enough for tight boxes."""
DEEP = 16 * WIDTH
"""Room for what is still to be visited on a walk through the tree: one of WIDTH**16 leaves would fill it."""

Sketch = NDArray[np.float32]


class Tree(NamedTuple):
    """The records that are left, and the boxes around them; ``space`` has the exact records.

    ``columns``, ``rows`` and ``spread`` (squared distance to the anchor) are by leaf and place in the leaf,
    of which the first ``held`` are taken.
    ``low``, ``high``, ``reach`` (largest spread), ``filled`` (records) and ``below`` (number of the block or
    leaf) are by block and slot. ``above`` tells where a block or leaf hangs: WIDTH * block + slot.
    ``home`` tells the leaf of a record.
    """

    space: Space
    columns: Sketch
    rows: IntVector
    spread: Sketch
    held: IntVector
    low: Sketch
    high: Sketch
    reach: Sketch
    filled: IntVector
    below: IntVector
    above: IntVector
    home: IntVector
    anchor: FloatVector


def plant(space: Space, rows: IntVector) -> Tree:
    """A tree over these points of the space."""
    matrix = space.points
    anchor = matrix[rows].mean(axis=0) if len(rows) else np.zeros(matrix.shape[1])
    leaves = max(1, -(-len(rows) // WIDTH))
    order = rows[halve(_with_spread(matrix[rows], anchor), np.arange(len(rows)), leaves)]
    start = len(rows) * np.arange(leaves + 1) // leaves
    held = np.diff(start)
    taken = np.arange(WIDTH) < held[:, None]
    places = np.zeros((leaves, WIDTH), dtype=np.int64)
    places[taken] = order
    home = np.zeros(len(matrix), dtype=np.int64)
    home[order] = np.repeat(np.arange(leaves), held)
    columns = np.empty((leaves, matrix.shape[1], WIDTH), dtype=np.float32)
    spread = np.zeros((leaves, WIDTH))
    for j in range(matrix.shape[1]):
        differences = matrix[:, j][places] - anchor[j]
        columns[:, j] = differences
        spread += differences**2
    above, below = _hang(leaves)
    shape = (len(below), matrix.shape[1], WIDTH)
    tree = Tree(
        space=space,
        columns=columns,
        rows=places,
        spread=spread.astype(np.float32),
        held=held,
        low=np.full(shape, np.inf, dtype=np.float32),
        high=np.full(shape, -np.inf, dtype=np.float32),
        reach=np.zeros((len(below), WIDTH), dtype=np.float32),
        filled=np.zeros((len(below), WIDTH), dtype=np.int64),
        below=below,
        above=above,
        home=home,
        anchor=anchor,
    )
    _draw(tree)
    return tree


def _with_spread(matrix: FloatMatrix, anchor: FloatVector) -> FloatMatrix:
    """These points, with twice their distance to the anchor as one more column.

    Leaves are cut by it too: a search for the farthest then passes over whole leaves of inner records.
    """
    wide = np.empty((len(matrix), matrix.shape[1] + 1))
    wide[:, :-1] = matrix
    wide[:, -1] = 2.0 * np.sqrt(sum((matrix[:, j] - anchor[j]) ** 2 for j in range(matrix.shape[1])))
    return wide


def _draw(tree: Tree) -> None:
    """Draw all boxes, from the leaves up; in numpy, which has nothing to compile."""
    taken = (np.arange(WIDTH) < tree.held[:, None])[:, None, :]
    low = np.where(taken, tree.columns, np.inf).min(axis=2)
    high = np.where(taken, tree.columns, -np.inf).max(axis=2)
    reach, count = np.where(taken[:, 0], tree.spread, 0.0).max(axis=1), tree.held
    nodes = len(tree.below) + np.arange(len(tree.held))
    while len(nodes) and nodes[0] > 0:
        block, slot = divmod(tree.above[nodes], WIDTH)
        tree.low[block, :, slot], tree.high[block, :, slot] = low, high
        tree.reach[block, slot], tree.filled[block, slot] = reach, count
        nodes = np.unique(block)
        low, high = tree.low[nodes].min(axis=2), tree.high[nodes].max(axis=2)
        reach, count = tree.reach[nodes].max(axis=1), tree.filled[nodes].sum(axis=1)


def _hang(leaves: int) -> tuple[IntVector, IntVector]:
    """Where each block and leaf hangs, and what hangs in each slot."""
    counts = [leaves]
    while counts[0] > 1 or len(counts) == 1:
        counts.insert(0, -(-counts[0] // WIDTH))
    above = np.zeros(sum(counts), dtype=np.int64)
    first = 0
    for upper, lower in pairwise(counts):
        place = np.arange(lower)
        above[first + upper + place] = WIDTH * first + place
        first += upper
    below = np.zeros((first, WIDTH), dtype=np.int64)
    below.flat[above[1:]] = np.arange(1, len(above))
    return above, below


@kernel
def halve(matrix, rows, leaves):
    """Order the rows so that each leaf takes the next ones: cut the widest column in the middle, again and again.

    A cut falls between two blocks wherever there are several, so that blocks are compact too.
    """
    ends, top, wide = np.zeros((DEEP, 2), dtype=np.int64), 1, np.empty(matrix.shape[1])
    ends[0, 1] = leaves
    while top > 0:
        top -= 1
        first, last = ends[top]
        unit = 1
        while unit * WIDTH < last - first:
            unit *= WIDTH
        middle = first + unit * ((last - first + 2 * unit - 1) // (2 * unit))
        if middle < last:
            start, stop = len(rows) * first // leaves, len(rows) * last // leaves
            ranges(matrix, rows, start, stop, wide)
            select(matrix, widest(wide), rows, start, stop, len(rows) * middle // leaves)
            ends[top, 0], ends[top, 1], ends[top + 1, 0], ends[top + 1, 1] = first, middle, middle, last
            top += 2
    return rows


@part
def widest(wide):
    """The first of the columns with the largest range."""
    column = 0
    for j in range(1, len(wide)):
        if wide[j] > wide[column]:
            column = j
    return column


@kernel
def ranges(matrix, rows, start, stop, out):
    """The range of every column over rows[start:stop]."""
    for j in range(len(out)):
        low, high = np.inf, -np.inf
        for i in range(start, stop):
            low, high = min(low, matrix[rows[i], j]), max(high, matrix[rows[i], j])
        out[j] = high - low


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
def remove(tree, row):
    """Take a record out and shrink the boxes above it."""
    leaf = tree.home[row]
    tree.held[leaf] -= 1
    last, place = tree.held[leaf], 0
    while tree.rows[leaf, place] != row:
        place += 1
    tree.rows[leaf, place] = tree.rows[leaf, last]
    far = tree.spread[leaf, place]
    tree.spread[leaf, place] = tree.spread[leaf, last]
    draw_in(tree, leaf, far)
    for j in range(tree.columns.shape[1]):
        side = tree.columns[leaf, j, place]
        tree.columns[leaf, j, place] = tree.columns[leaf, j, last]
        slot = tree.above[len(tree.below) + leaf]
        if side <= tree.low[slot // WIDTH, j, slot % WIDTH] or side >= tree.high[slot // WIDTH, j, slot % WIDTH]:
            narrow(tree, leaf, j, side)


@kernel
def draw_in(tree, leaf, far):
    """Count one record less in all boxes above a leaf, and find their reach anew where the record was the farthest."""
    node, reach = len(tree.below) + leaf, 0.0
    for i in range(tree.held[leaf]):
        reach = max(reach, tree.spread[leaf, i])
    while node > 0:
        block, slot = tree.above[node] // WIDTH, tree.above[node] % WIDTH
        tree.filled[block, slot] -= 1
        if far >= tree.reach[block, slot]:
            tree.reach[block, slot] = reach
            reach = 0.0
            for i in range(WIDTH):
                reach = max(reach, tree.reach[block, i])
        node = block


@kernel
def narrow(tree, leaf, j, side):
    """Draw a column of the boxes above a leaf anew as far up as the record that left stood at a side of them."""
    low, high = np.inf, -np.inf
    for i in range(tree.held[leaf]):
        low, high = min(low, tree.columns[leaf, j, i]), max(high, tree.columns[leaf, j, i])
    node = len(tree.below) + leaf
    while node > 0:
        block, slot = tree.above[node] // WIDTH, tree.above[node] % WIDTH
        if tree.low[block, j, slot] < side < tree.high[block, j, slot]:
            return
        tree.low[block, j, slot], tree.high[block, j, slot] = low, high
        low, high = np.inf, -np.inf
        for i in range(WIDTH):
            low, high = min(low, tree.low[block, j, i]), max(high, tree.high[block, j, i])
        node = block
