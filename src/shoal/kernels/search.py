"""Searches in the tree: the records nearest to a point, and the one farthest from it.

Ties go to the lowest row. A box is passed over only if its bound is strictly worse than what was found, so
that a lower row at the same distance can still win.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import kernel
from shoal.kernels.tree import DEEP, WIDTH

SLACK = 1e-12
"""Relative rounding allowed for in an upper bound, for each column; the true error is far smaller."""
TINY = 1e-300
"""Absolute rounding allowed for in an upper bound: squares near the smallest float lose their digits."""
NOBODY = np.iinfo(np.int64).max


@kernel
def nearest(tree, point, distance, rows):
    """Fill ``distance`` and ``rows`` with the records nearest to a point, in order of distance, then row.

    Where fewer are left, the lists end in infinity and ``NOBODY``.
    """
    for i in range(len(rows)):
        distance[i], rows[i] = np.inf, NOBODY
    nodes, keys, found = np.zeros(DEEP, dtype=np.int64), np.zeros(DEEP), np.empty(WIDTH)
    top, blocks = 1, len(tree.below)
    while top > 0:
        top -= 1
        node, base = nodes[top], top
        if keys[top] > distance[0]:
            continue
        if node < blocks:
            gaps(tree.low[node], tree.high[node], point, found)
            for i in range(WIDTH):
                if found[i] <= distance[0] and tree.filled[node, i] > 0:
                    push(nodes, keys, base, top, tree.below[node, i], found[i])
                    top += 1
        else:
            distances(tree.columns[node - blocks], point, found)
            for i in range(tree.held[node - blocks]):
                if found[i] <= distance[0]:
                    replace(distance, rows, found[i], tree.rows[node - blocks, i])
    arrange(distance, rows)


@kernel
def farthest(tree, point):
    """The record farthest from a point, and its squared distance."""
    best, who = -1.0, NOBODY
    nodes, keys, found = np.zeros(DEEP, dtype=np.int64), np.zeros(DEEP), np.empty(WIDTH)
    top, blocks = 1, len(tree.below)
    keys[0] = -np.inf
    while top > 0:
        top -= 1
        node, base = nodes[top], top
        if -keys[top] < best:
            continue
        if node < blocks:
            spans(tree.low[node], tree.high[node], tree.reach[node], tree.anchor, point, found)
            for i in range(WIDTH):
                if found[i] >= best and tree.filled[node, i] > 0:
                    push(nodes, keys, base, top, tree.below[node, i], -found[i])
                    top += 1
        else:
            distances(tree.columns[node - blocks], point, found)
            for i in range(tree.held[node - blocks]):
                row = tree.rows[node - blocks, i]
                if found[i] > best or (found[i] == best and row < who):
                    best, who = found[i], row
    return who, best


@kernel
def distances(columns, point, out):
    """Squared distances from a point to the records of a leaf.

    Four columns a turn, in order: the running sums then travel through memory a quarter as often.
    """
    p = len(point)
    for i in range(len(out)):
        out[i] = 0.0
    for four in range(p // 4):
        a, b, c, d = point[4 * four], point[4 * four + 1], point[4 * four + 2], point[4 * four + 3]
        for i in range(len(out)):
            e, f = columns[4 * four, i] - a, columns[4 * four + 1, i] - b
            g, h = columns[4 * four + 2, i] - c, columns[4 * four + 3, i] - d
            out[i] = (((out[i] + e * e) + f * f) + g * g) + h * h
    for j in range(p - p % 4, p):
        for i in range(len(out)):
            difference = columns[j, i] - point[j]
            out[i] += difference * difference


@kernel
def gaps(low, high, point, out):
    """Lower bounds of the squared distances from a point into the boxes of a block.

    Rounding is monotone and the columns are summed in the same order, so a bound holds to the last bit.
    """
    for i in range(len(out)):
        out[i] = 0.0
    for j in range(len(point)):
        for i in range(len(out)):
            gap = max(max(low[j, i] - point[j], point[j] - high[j, i]), 0.0)
            out[i] += gap * gap


@kernel
def spans(low, high, reach, anchor, point, out):
    """Upper bounds of the squared distances from a point into the boxes of a block.

    |x - q|² = |x - a|² + |q - a|² - 2 (x - a)·(q - a) with the anchor a: the first term is at most the reach,
    and the product is least in a corner of the box. In many columns this lies far below the distance to the
    farthest corner.
    """
    for i in range(len(out)):
        out[i] = 0.0
    norm = 0.0
    for j in range(len(point)):
        side = point[j] - anchor[j]
        norm += side * side
        for i in range(len(out)):
            out[i] += min((low[j, i] - anchor[j]) * side, (high[j, i] - anchor[j]) * side)
    for i in range(len(out)):
        out[i] = (reach[i] + norm) * (1.0 + SLACK * (len(point) + 4)) - 2.0 * out[i] + TINY


@kernel
def push(nodes, keys, base, top, node, key):
    """Put a node on the stack, above ``base``, so that the least key comes to lie on top."""
    nodes[top], keys[top] = node, key
    if top > base and keys[top - 1] < key:
        nodes[top], keys[top] = nodes[top - 1], keys[top - 1]
        nodes[top - 1], keys[top - 1] = node, key


@kernel
def replace(distance, rows, found, row):
    """Put a record in the place of the first one of the heap, if it comes before that one."""
    if found < distance[0] or row < rows[0]:
        distance[0], rows[0] = found, row
        settle(distance, rows, len(rows))


@kernel
def settle(keys, rows, size):
    """Let the first entry of a heap sink to its place; the largest key, then the largest row, is first."""
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
def arrange(keys, rows):
    """Turn a heap into a list in ascending order."""
    for last in range(len(rows) - 1, 0, -1):
        keys[0], keys[last] = keys[last], keys[0]
        rows[0], rows[last] = rows[last], rows[0]
        settle(keys, rows, last)
