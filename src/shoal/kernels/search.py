"""Searches in the tree: the records nearest to a point, and the one farthest from it.

Ties go to the lowest row. The tree holds a sketch of the records in single precision. A box or record is passed
over only if its sketched distance says so beyond any doubt; the exact distance decides about all others, so the
answer is that of the plain loop to the last bit.

Why there is no doubt: rounding to single precision moves a record by at most ``UNIT`` times its distance to the
anchor, and the point likewise, so a sketched distance is off by at most ``blur``, and its computed square by a
factor of 1 ± (p + 3) ``UNIT``; both are taken twice and more. Boxes are those of the sketched records, and rounding
is monotone, so no record in a box has a sketched distance below that of the box. Coordinates that stand for categories
are never farther apart than the categories, so that a sketched distance may fall short of the true one, by at most
``beyond``, but not exceed it.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.jit import kernel, part
from shoal.kernels.space import exact
from shoal.kernels.tree import DEEP, WIDTH

UNIT = 2.0**-24
"""The relative rounding of single precision."""
TINY = 1e-18
"""A distance whose square single precision cannot hold."""
NOBODY = np.iinfo(np.int64).max
SORTED = 64
"""Cells that could be looked at in the time that one of the nearest records takes to be put into order."""


@kernel
def nearest(tree, point, distance, rows):
    """Fill ``distance`` and ``rows`` with the records nearest to a point, in order of distance, then row.

    Where fewer are left, the lists end in infinity and ``NOBODY``.
    """
    for i in range(len(rows)):
        distance[i], rows[i] = np.inf, NOBODY
    sketch, blur, _ = sketched(tree, point)
    nodes, keys, found = np.zeros(DEEP, dtype=np.int64), np.zeros(DEEP, dtype=np.float32), np.empty_like(tree.reach[0])
    top, blocks, limit = 1, len(tree.below), np.float32(np.inf)
    while top > 0:
        top -= 1
        node, leaf, base = nodes[top], nodes[top] - blocks, top
        if keys[top] > limit:
            continue
        if leaf < 0:
            gaps(tree.low[node], tree.high[node], sketch, found)
            if any_below(found, limit):
                for i in range(WIDTH):
                    if found[i] <= limit and tree.filled[node, i] > 0:
                        push(nodes, keys, base, top, tree.below[node, i], found[i])
                        top += 1
        else:
            distances(tree.columns[leaf], sketch, found)
            if any_below(found, limit):
                for i in range(tree.held[leaf]):
                    if found[i] <= limit:
                        row = tree.rows[leaf, i]
                        replace(distance, rows, exact(tree.space, tree.space.matrix[row], point), row)
                        limit = above(distance[0], blur, len(sketch))
    arrange(distance, rows)


@kernel
def farthest(tree, point, distance, rows):
    """Fill ``distance`` and ``rows`` with the records farthest from a point, in order of distance, then row.

    Where fewer are left, the lists end in minus infinity and ``NOBODY``.
    """
    for i in range(len(rows)):
        distance[i], rows[i] = np.inf, NOBODY
    sketch, blur, norm = sketched(tree, point)
    nodes, keys, found = np.zeros(DEEP, dtype=np.int64), np.zeros(DEEP, dtype=np.float32), np.empty_like(tree.reach[0])
    top, blocks, limit = 1, len(tree.below), np.float32(-np.inf)
    keys[0] = -np.inf
    while top > 0:
        top -= 1
        node, leaf, base = nodes[top], nodes[top] - blocks, top
        if -keys[top] < limit:
            continue
        if leaf < 0:
            spans(tree.low[node], tree.high[node], tree.reach[node], sketch, norm, found)
            if any_above(found, limit):
                for i in range(WIDTH):
                    if found[i] >= limit and tree.filled[node, i] > 0:
                        push(nodes, keys, base, top, tree.below[node, i], -found[i])
                        top += 1
        else:
            distances(tree.columns[leaf], sketch, found)
            if any_above(found, limit):
                for i in range(tree.held[leaf]):
                    if found[i] >= limit:
                        row = tree.rows[leaf, i]
                        replace(distance, rows, -exact(tree.space, tree.space.matrix[row], point), row)
                        if rows[0] != NOBODY:
                            limit = below(-distance[0] - tree.space.beyond, blur, len(sketch))
    arrange(distance, rows)
    for i in range(len(rows)):
        distance[i] = -distance[i]


@part
def above(distance, blur, columns):
    """A sketched squared distance that no record at most so far away exceeds."""
    return np.float32((math.sqrt(distance) + blur) ** 2 * (1.0 + 4.0 * UNIT * (columns + 4)))


@part
def below(distance, blur, columns):
    """A sketched squared distance that every record at least so far away reaches."""
    near = max(math.sqrt(max(distance, 0.0)) - blur, 0.0)
    return np.float32(near**2 * (1.0 - 4.0 * UNIT * (columns + 4)) - TINY**2)


@kernel
def sketched(tree, point):
    """The sketch of a point, by how much a sketched distance may be off, and the squared distance to the anchor."""
    space, place, few = tree.space, tree.space.numbers, tree.space.sketch.shape[1]
    sketch, norm, reach = np.empty(len(tree.anchor), dtype=np.float32), 0.0, 0.0
    for j in range(space.numbers):
        sketch[j] = point[j] - tree.anchor[j]
        norm += (point[j] - tree.anchor[j]) ** 2
    for j in range(len(space.widths)):
        node = space.first[j] + int(point[space.numbers + j])
        for i in range(few):
            side = space.sketch[node, i] - tree.anchor[place]
            sketch[place] = side
            norm += side * side
            place += 1
    for i in range(WIDTH):
        reach = max(reach, tree.reach[0, i])
    return sketch, 4.0 * UNIT * (math.sqrt(norm) + math.sqrt(reach)) + TINY, norm


@kernel
def distances(columns, sketch, out):
    """Sketched squared distances from a point to the records of a leaf.

    Four columns a turn, in order: the running sums then travel through memory a quarter as often.
    """
    p = len(sketch)
    for i in range(len(out)):
        out[i] = 0.0
    for four in range(p // 4):
        a, b, c, d = sketch[4 * four], sketch[4 * four + 1], sketch[4 * four + 2], sketch[4 * four + 3]
        for i in range(len(out)):
            e, f = columns[4 * four, i] - a, columns[4 * four + 1, i] - b
            g, h = columns[4 * four + 2, i] - c, columns[4 * four + 3, i] - d
            out[i] = (((out[i] + e * e) + f * f) + g * g) + h * h
    for j in range(p - p % 4, p):
        for i in range(len(out)):
            difference = columns[j, i] - sketch[j]
            out[i] += difference * difference


@kernel
def gaps(low, high, sketch, out):
    """Lower bounds of the sketched squared distances from a point into the boxes of a block."""
    nothing = np.float32(0.0)
    for i in range(len(out)):
        out[i] = nothing
    for j in range(len(sketch)):
        for i in range(len(out)):
            gap = max(max(low[j, i] - sketch[j], sketch[j] - high[j, i]), nothing)
            out[i] += gap * gap


@kernel
def spans(low, high, reach, sketch, norm, out):
    """Upper bounds of the sketched squared distances from a point into the boxes of a block.

    |x - q|² = |x|² + |q|² - 2 x·q, all as seen from the anchor: the first term is at most the reach, and the
    product is least in a corner of the box. In many columns this lies far below the distance to the farthest
    corner. The slack allows for the rounding of the product, whose terms add up to at most √p (|x|² + |q|²).
    """
    p = len(sketch)
    for i in range(len(out)):
        out[i] = 0.0
    for j in range(p):
        for i in range(len(out)):
            out[i] += min(low[j, i] * sketch[j], high[j, i] * sketch[j])
    slack = 8.0 * UNIT * (p + 4) * math.sqrt(p)
    for i in range(len(out)):
        out[i] = (reach[i] + norm) * (1.0 + slack) - 2.0 * out[i] + TINY**2


@part
def any_below(found, limit):
    """Whether any number is at most the limit; counted, which vectorizes."""
    count = 0
    for i in range(len(found)):
        count += found[i] <= limit
    return count > 0


@part
def any_above(found, limit):
    """Whether any number is at least the limit."""
    count = 0
    for i in range(len(found)):
        count += found[i] >= limit
    return count > 0


@part
def push(nodes, keys, base, top, node, key):
    """Put a node on the stack, above ``base``, so that the least key comes to lie on top."""
    nodes[top], keys[top] = node, key
    if top > base and keys[top - 1] < key:
        nodes[top], keys[top] = nodes[top - 1], keys[top - 1]
        nodes[top - 1], keys[top - 1] = node, key


@part
def replace(distance, rows, found, row):
    """Put a record in the place of the first one of the heap, if it comes before that one."""
    if found < distance[0] or (found == distance[0] and row < rows[0]):
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
