"""Exact searches in the box tree: the records nearest to a point and farthest from it.

Ties go to the lowest row. The tree holds approximate coordinates in single precision. A search skips a box or record
only if its approximate distance rules it out with certainty, and computes the exact distance of all others. The result
therefore equals that of the plain loop to the last bit.

Error bound: rounding to single precision moves a record by at most ``ROUNDOFF`` times its distance to the anchor, and
the point likewise. So an approximate distance is off by at most ``blur``, and its computed square by a factor of
1 ± (p + 3) ``ROUNDOFF``; both are taken at least twice. Boxes enclose the approximate coordinates, and rounding is
monotone, so no record in a box has an approximate distance below that of the box. Coordinates of categories are never
farther apart than the categories: an approximate distance may fall short of the true one, by at most
``space.sketch_error``, but not exceed it.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.box_tree.box_tree import STACK_SIZE, WIDTH
from shoal.kernels.distance import squared_distance
from shoal.kernels.jit import inline, kernel

ROUNDOFF = 2.0**-24
"""Unit roundoff of single precision."""
TINY = 1e-18
"""A distance whose square underflows in single precision."""
NO_RECORD = np.iinfo(np.int64).max
HEAP_COST = 64
"""The time to insert a record into the heap, in cells of distance computation."""


@kernel
def nearest(tree, point, distance, rows):
    """Fill ``distance`` and ``rows`` with the records nearest to a point, ordered by distance, then row.

    If fewer records are left, the lists end in infinity and ``NO_RECORD``.
    """
    for i in range(len(rows)):
        distance[i], rows[i] = np.inf, NO_RECORD
    approx, blur, _ = approximate(tree, point)
    nodes, keys = np.zeros(STACK_SIZE, dtype=np.int64), np.zeros(STACK_SIZE, dtype=np.float32)
    bounds = np.empty_like(tree.max_norms[0])
    top, n_blocks, limit = 1, len(tree.children), np.float32(np.inf)
    while top > 0:
        top -= 1
        node, leaf, base = nodes[top], nodes[top] - n_blocks, top
        if keys[top] > limit:
            continue
        if leaf < 0:
            box_lower_bounds(tree.low[node], tree.high[node], approx, bounds)
            if any_below(bounds, limit):
                for i in range(WIDTH):
                    if bounds[i] <= limit and tree.counts[node, i] > 0:
                        push(nodes, keys, base, top, tree.children[node, i], bounds[i])
                        top += 1
        else:
            leaf_distances(tree.coords[leaf], approx, bounds)
            if any_below(bounds, limit):
                for i in range(tree.leaf_sizes[leaf]):
                    if bounds[i] <= limit:
                        row = tree.rows[leaf, i]
                        replace_top(distance, rows, squared_distance(tree.space, tree.space.matrix[row], point), row)
                        limit = upper_limit(distance[0], blur, len(approx))
    heap_sort(distance, rows)


@kernel
def farthest(tree, point, distance, rows):
    """Fill ``distance`` and ``rows`` with the records farthest from a point, ordered by distance, then row.

    If fewer records are left, the lists end in minus infinity and ``NO_RECORD``.
    """
    for i in range(len(rows)):
        distance[i], rows[i] = np.inf, NO_RECORD
    approx, blur, norm = approximate(tree, point)
    nodes, keys = np.zeros(STACK_SIZE, dtype=np.int64), np.zeros(STACK_SIZE, dtype=np.float32)
    bounds = np.empty_like(tree.max_norms[0])
    top, n_blocks, limit = 1, len(tree.children), np.float32(-np.inf)
    keys[0] = -np.inf
    while top > 0:
        top -= 1
        node, leaf, base = nodes[top], nodes[top] - n_blocks, top
        if -keys[top] < limit:
            continue
        if leaf < 0:
            box_upper_bounds(tree.low[node], tree.high[node], tree.max_norms[node], approx, norm, bounds)
            if any_above(bounds, limit):
                for i in range(WIDTH):
                    if bounds[i] >= limit and tree.counts[node, i] > 0:
                        push(nodes, keys, base, top, tree.children[node, i], -bounds[i])
                        top += 1
        else:
            leaf_distances(tree.coords[leaf], approx, bounds)
            if any_above(bounds, limit):
                for i in range(tree.leaf_sizes[leaf]):
                    if bounds[i] >= limit:
                        row = tree.rows[leaf, i]
                        replace_top(distance, rows, -squared_distance(tree.space, tree.space.matrix[row], point), row)
                        if rows[0] != NO_RECORD:
                            limit = lower_limit(-distance[0] - tree.space.sketch_error, blur, len(approx))
    heap_sort(distance, rows)
    for i in range(len(rows)):
        distance[i] = -distance[i]


@inline
def upper_limit(distance, blur, columns):
    """An upper bound of the approximate squared distance of any record within this squared distance."""
    return np.float32((math.sqrt(distance) + blur) ** 2 * (1.0 + 4.0 * ROUNDOFF * (columns + 4)))


@inline
def lower_limit(distance, blur, columns):
    """A lower bound of the approximate squared distance of any record at least this squared distance away."""
    near = max(math.sqrt(max(distance, 0.0)) - blur, 0.0)
    return np.float32(near**2 * (1.0 - 4.0 * ROUNDOFF * (columns + 4)) - TINY**2)


@kernel
def approximate(tree, point):
    """Approximate coordinates of a point, the error of their distances, and the squared distance to the anchor."""
    space, column, coordinates = tree.space, tree.space.n_numeric, tree.space.sketch.shape[1]
    approx, norm, max_norm = np.empty(len(tree.anchor), dtype=np.float32), 0.0, 0.0
    for j in range(space.n_numeric):
        approx[j] = point[j] - tree.anchor[j]
        norm += (point[j] - tree.anchor[j]) ** 2
    for j in range(len(space.widths)):
        node = space.node_offsets[j] + int(point[space.n_numeric + j])
        for i in range(coordinates):
            value = space.sketch[node, i] - tree.anchor[column]
            approx[column] = value
            norm += value * value
            column += 1
    for i in range(WIDTH):
        max_norm = max(max_norm, tree.max_norms[0, i])
    return approx, 4.0 * ROUNDOFF * (math.sqrt(norm) + math.sqrt(max_norm)) + TINY, norm


@kernel
def leaf_distances(coords, approx, out):
    """Approximate squared distances from a point to the records of a leaf.

    Four columns per pass, in order: the running sums are then read and written a quarter as often. Measured: MDAV on 13
    columns 4-9 % (register) to 13-23 % (independent) faster than one column per pass.
    """
    p = len(approx)
    for i in range(len(out)):
        out[i] = 0.0
    for block in range(p // 4):
        a, b, c, d = approx[4 * block], approx[4 * block + 1], approx[4 * block + 2], approx[4 * block + 3]
        for i in range(len(out)):
            e, f = coords[4 * block, i] - a, coords[4 * block + 1, i] - b
            g, h = coords[4 * block + 2, i] - c, coords[4 * block + 3, i] - d
            out[i] = (((out[i] + e * e) + f * f) + g * g) + h * h
    for j in range(p - p % 4, p):
        for i in range(len(out)):
            difference = coords[j, i] - approx[j]
            out[i] += difference * difference


@kernel
def box_lower_bounds(low, high, approx, out):
    """Lower bounds of the approximate squared distances from a point to the boxes of a block."""
    zero = np.float32(0.0)
    for i in range(len(out)):
        out[i] = zero
    for j in range(len(approx)):
        for i in range(len(out)):
            gap = max(max(low[j, i] - approx[j], approx[j] - high[j, i]), zero)
            out[i] += gap * gap


@kernel
def box_upper_bounds(low, high, max_norms, approx, norm, out):
    """Upper bounds of the approximate squared distances from a point to the boxes of a block.

    |x - q|² = |x|² + |q|² - 2 x·q, relative to the anchor: the first term is at most the largest norm, and the product
    is least in a corner of the box. With many columns this is far below the distance to the farthest corner. The slack
    allows for the rounding of the product, whose terms add up to at most √p (|x|² + |q|²).
    """
    p = len(approx)
    for i in range(len(out)):
        out[i] = 0.0
    for j in range(p):
        for i in range(len(out)):
            out[i] += min(low[j, i] * approx[j], high[j, i] * approx[j])
    slack = 8.0 * ROUNDOFF * (p + 4) * math.sqrt(p)
    for i in range(len(out)):
        out[i] = (max_norms[i] + norm) * (1.0 + slack) - 2.0 * out[i] + TINY**2


@inline
def any_below(values, limit):
    """Whether any number is at most the limit; counts, so that it vectorizes."""
    count = 0
    for i in range(len(values)):
        count += values[i] <= limit
    return count > 0


@inline
def any_above(values, limit):
    count = 0
    for i in range(len(values)):
        count += values[i] >= limit
    return count > 0


@inline
def push(nodes, keys, base, top, node, key):
    """Push a node on the stack above ``base``, so that the least key is on top."""
    nodes[top], keys[top] = node, key
    if top > base and keys[top - 1] < key:
        nodes[top], keys[top] = nodes[top - 1], keys[top - 1]
        nodes[top - 1], keys[top - 1] = node, key


@inline
def replace_top(distance, rows, new, row):
    """Replace the top of the heap by a record that comes before it."""
    if new < distance[0] or (new == distance[0] and row < rows[0]):
        distance[0], rows[0] = new, row
        sift_down(distance, rows, len(rows))


@kernel
def sift_down(keys, rows, size):
    """Restore a heap after its top changed; the largest key, then the largest row, is on top."""
    parent, child = 0, 1
    while child < size:
        other = child + 1
        if other < size and (keys[other] > keys[child] or (keys[other] == keys[child] and rows[other] > rows[child])):
            child = other
        if keys[parent] > keys[child] or (keys[parent] == keys[child] and rows[parent] > rows[child]):
            return
        keys[parent], keys[child] = keys[child], keys[parent]
        rows[parent], rows[child] = rows[child], rows[parent]
        parent, child = child, 2 * child + 1


@kernel
def heap_sort(keys, rows):
    """Sort a heap in ascending order."""
    for last in range(len(rows) - 1, 0, -1):
        keys[0], keys[last] = keys[last], keys[0]
        rows[0], rows[last] = rows[last], rows[0]
        sift_down(keys, rows, last)
