"""A tree of boxes over the records, for exact nearest and farthest searches.

Searches (`neighbors`) compute a small part of all distances. Leaves hold up to ``WIDTH`` records; the median of the
widest column cuts them. A block is an inner node with the boxes of up to ``WIDTH`` children, blocks or leaves::

    nodes    0 .. B-1    blocks, root first           parents[node] = WIDTH * block + slot
             B .. B+L-1  leaves                       children[block, slot] = node
                                   +-- block 0 --+
                                   | box box ... |    low, high, max_norms, counts [block, .., slot]
                                   +--|---|------+
                    leaf B ...  <-----+   +---->  leaf B+1 ...
                    +-------------------+
                    | column 0: x x x . |    coords[leaf, column, position]
                    | column 1: x x x . |    the first leaf_sizes[leaf] positions are used
                    +-------------------+    rows, norms[leaf, position]

Leaves and blocks are stored column by column, so that the inner loops read contiguous memory and vectorize.

Coordinates are differences from an anchor, in single precision; each category has a few coordinates in place of its
code. They take half the memory and time, and only rule records out; `neighbors` bounds their error.

A record that joins a group is removed, and the boxes above it shrink at once.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.domain import FloatMatrix, FloatVector, IntVector, Space
from shoal.kernels.jit import inline, kernel

WIDTH = 32
"""Records in a leaf and children of a block: enough for the vector units, few enough for tight boxes."""
STACK_SIZE = 16 * WIDTH
"""Size of the stack of a depth-first search: a tree of WIDTH**16 leaves would fill it."""

Float32Array = NDArray[np.float32]


class BoxTree(NamedTuple):
    """The remaining records and the boxes around them; drawn in the docstring of this module.

    ``space`` has the exact records, and ``anchor`` the origin of the coordinates. By leaf and position: ``coords``,
    ``rows`` and ``norms`` (squared distance to the anchor); by leaf: ``leaf_sizes``. By block and slot: ``low``,
    ``high``, ``max_norms``, ``counts`` (records below) and ``children`` (node numbers). By node: ``parents`` (WIDTH *
    block + slot). By record: ``leaf_of``.
    """

    space: Space
    coords: Float32Array
    rows: IntVector
    norms: Float32Array
    leaf_sizes: IntVector
    low: Float32Array
    high: Float32Array
    max_norms: Float32Array
    counts: IntVector
    children: IntVector
    parents: IntVector
    leaf_of: IntVector
    anchor: FloatVector


def build_tree(space: Space, rows: IntVector) -> BoxTree:
    """Build the tree of these rows of the space."""
    matrix = space.sketched_points
    anchor = matrix[rows].mean(axis=0) if len(rows) else np.zeros(matrix.shape[1])
    leaves = max(1, -(-len(rows) // WIDTH))
    order = rows[median_order(_with_norm(matrix[rows], anchor), np.arange(len(rows)), leaves)]
    starts = len(rows) * np.arange(leaves + 1) // leaves
    leaf_sizes = np.diff(starts)
    used = np.arange(WIDTH) < leaf_sizes[:, None]
    places = np.zeros((leaves, WIDTH), dtype=np.int64)
    places[used] = order
    leaf_of = np.zeros(len(matrix), dtype=np.int64)
    leaf_of[order] = np.repeat(np.arange(leaves), leaf_sizes)
    coords = np.empty((leaves, matrix.shape[1], WIDTH), dtype=np.float32)
    norms = np.zeros((leaves, WIDTH))
    for j in range(matrix.shape[1]):
        differences = matrix[:, j][places] - anchor[j]
        coords[:, j] = differences
        norms += differences**2
    parents, children = _link_nodes(leaves)
    shape = (len(children), matrix.shape[1], WIDTH)
    tree = BoxTree(
        space=space,
        coords=coords,
        rows=places,
        norms=norms.astype(np.float32),
        leaf_sizes=leaf_sizes,
        low=np.full(shape, np.inf, dtype=np.float32),
        high=np.full(shape, -np.inf, dtype=np.float32),
        max_norms=np.zeros((len(children), WIDTH), dtype=np.float32),
        counts=np.zeros((len(children), WIDTH), dtype=np.int64),
        children=children,
        parents=parents,
        leaf_of=leaf_of,
        anchor=anchor,
    )
    _fill_boxes(tree)
    return tree


def _with_norm(matrix: FloatMatrix, anchor: FloatVector) -> FloatMatrix:
    """Append twice the distance to the anchor as one more column.

    Leaves are cut by it too: a search for the farthest record then skips whole leaves of inner records.
    """
    extended = np.empty((len(matrix), matrix.shape[1] + 1))
    extended[:, :-1] = matrix
    extended[:, -1] = 2.0 * np.sqrt(sum((matrix[:, j] - anchor[j]) ** 2 for j in range(matrix.shape[1])))
    return extended


def _fill_boxes(tree: BoxTree) -> None:
    """Compute all boxes, from the leaves up; in numpy, which compiles nothing."""
    used = (np.arange(WIDTH) < tree.leaf_sizes[:, None])[:, None, :]
    low = np.where(used, tree.coords, np.inf).min(axis=2)
    high = np.where(used, tree.coords, -np.inf).max(axis=2)
    max_norm, counts = np.where(used[:, 0], tree.norms, 0.0).max(axis=1), tree.leaf_sizes
    nodes = len(tree.children) + np.arange(len(tree.leaf_sizes))
    while len(nodes) and nodes[0] > 0:
        parent, slot = divmod(tree.parents[nodes], WIDTH)
        tree.low[parent, :, slot], tree.high[parent, :, slot] = low, high
        tree.max_norms[parent, slot], tree.counts[parent, slot] = max_norm, counts
        nodes = np.unique(parent)
        low, high = tree.low[nodes].min(axis=2), tree.high[nodes].max(axis=2)
        max_norm, counts = tree.max_norms[nodes].max(axis=1), tree.counts[nodes].sum(axis=1)


def _link_nodes(leaves: int) -> tuple[IntVector, IntVector]:
    """Parents of all blocks and leaves, and children of all slots."""
    level_sizes = [leaves]
    while level_sizes[0] > 1 or len(level_sizes) == 1:
        level_sizes.insert(0, -(-level_sizes[0] // WIDTH))
    parents = np.zeros(sum(level_sizes), dtype=np.int64)
    first = 0
    for n_upper, n_lower in pairwise(level_sizes):
        position = np.arange(n_lower)
        parents[first + n_upper + position] = WIDTH * first + position
        first += n_upper
    children = np.zeros((first, WIDTH), dtype=np.int64)
    children.flat[parents[1:]] = np.arange(1, len(parents))
    return parents, children


@kernel
def median_order(matrix, rows, leaves):
    """Order the rows for consecutive leaves: cut the widest column at the median, recursively.

    A cut falls between two blocks wherever there are several, so that blocks are compact too.
    """
    stack, top, widths = np.zeros((STACK_SIZE, 2), dtype=np.int64), 1, np.empty(matrix.shape[1])
    stack[0, 1] = leaves
    while top > 0:
        top -= 1
        first, last = stack[top]
        unit = 1
        while unit * WIDTH < last - first:
            unit *= WIDTH
        middle = first + unit * ((last - first + 2 * unit - 1) // (2 * unit))
        if middle < last:
            start, stop = len(rows) * first // leaves, len(rows) * last // leaves
            column_ranges(matrix, rows, start, stop, widths)
            quickselect(matrix, widest_column(widths), rows, start, stop, len(rows) * middle // leaves)
            stack[top, 0], stack[top, 1], stack[top + 1, 0], stack[top + 1, 1] = first, middle, middle, last
            top += 2
    return rows


@inline
def widest_column(widths):
    """The column of the largest range; the first of several."""
    column = 0
    for j in range(1, len(widths)):
        if widths[j] > widths[column]:
            column = j
    return column


@kernel
def column_ranges(matrix, rows, start, stop, out):
    for j in range(len(out)):
        low, high = np.inf, -np.inf
        for i in range(start, stop):
            low, high = min(low, matrix[rows[i], j]), max(high, matrix[rows[i], j])
        out[j] = high - low


@kernel
def quickselect(matrix, j, rows, start, stop, middle):
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
    """Remove a record and shrink the boxes above it."""
    leaf = tree.leaf_of[row]
    tree.leaf_sizes[leaf] -= 1
    last, position = tree.leaf_sizes[leaf], 0
    while tree.rows[leaf, position] != row:
        position += 1
    tree.rows[leaf, position] = tree.rows[leaf, last]
    norm = tree.norms[leaf, position]
    tree.norms[leaf, position] = tree.norms[leaf, last]
    shrink_norms(tree, leaf, norm)
    for j in range(tree.coords.shape[1]):
        value = tree.coords[leaf, j, position]
        tree.coords[leaf, j, position] = tree.coords[leaf, j, last]
        slot = tree.parents[len(tree.children) + leaf]
        if value <= tree.low[slot // WIDTH, j, slot % WIDTH] or value >= tree.high[slot // WIDTH, j, slot % WIDTH]:
            shrink_column(tree, leaf, j, value)


@kernel
def shrink_norms(tree, leaf, norm):
    """Count one record less in all boxes above a leaf; recompute their largest norm if it was that record's."""
    node, max_norm = len(tree.children) + leaf, 0.0
    for i in range(tree.leaf_sizes[leaf]):
        max_norm = max(max_norm, tree.norms[leaf, i])
    while node > 0:
        parent, slot = tree.parents[node] // WIDTH, tree.parents[node] % WIDTH
        tree.counts[parent, slot] -= 1
        if norm >= tree.max_norms[parent, slot]:
            tree.max_norms[parent, slot] = max_norm
            max_norm = 0.0
            for i in range(WIDTH):
                max_norm = max(max_norm, tree.max_norms[parent, i])
        node = parent


@kernel
def shrink_column(tree, leaf, j, value):
    """Recompute a column of the boxes above a leaf, up to the first box that the removed value was not an edge of."""
    low, high = np.inf, -np.inf
    for i in range(tree.leaf_sizes[leaf]):
        low, high = min(low, tree.coords[leaf, j, i]), max(high, tree.coords[leaf, j, i])
    node = len(tree.children) + leaf
    while node > 0:
        parent, slot = tree.parents[node] // WIDTH, tree.parents[node] % WIDTH
        if tree.low[parent, j, slot] < value < tree.high[parent, j, slot]:
            return
        tree.low[parent, j, slot], tree.high[parent, j, slot] = low, high
        low, high = np.inf, -np.inf
        for i in range(WIDTH):
            low, high = min(low, tree.low[parent, j, i]), max(high, tree.high[parent, j, i])
        node = parent
