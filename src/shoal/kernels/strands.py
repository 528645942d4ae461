"""Strands: points tied one to the next, each to two others at most, until all are one strand.

``links`` has the one or two points that a point is tied to, and ``NONE`` in the place of those not there.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.forest import root_of
from shoal.kernels.jit import kernel, part
from shoal.kernels.near import nearest_others
from shoal.kernels.space import exact
from shoal.kernels.tree import halve
from shoal.values import IntMatrix, IntVector, Space

NONE = -1
"""In the place of a link that is not there."""
TIED = 5
"""Nearest points that an end may be tied to at a time."""


def loose(n: int) -> IntMatrix:
    """The links of so many points, none of which is tied."""
    return np.full((n, 2), NONE)


def greedy(space: Space, near: IntMatrix) -> IntVector:
    """An order of all points: the shortest of all pairs is tied, then the next that leaves strands, and so on.

    Pairs are near ones: first of all points, then of the ends of the strands that are left, and so on. Points that
    follow each other where the widest column is halved again and again are pairs too, so that there are enough of them
    where all have the same few ones near.
    """
    n = len(space.matrix)
    links, head, ends, left = loose(n), np.arange(n), np.arange(n), n - 1
    near = near[:, :TIED]
    while left > 0:
        along = halve(space.points, ends.copy(), -(-len(ends) // 2))
        pairs = np.column_stack(
            [np.append(np.repeat(ends, near.shape[1]), along[:-1]), np.append(near.ravel(), along[1:])]
        )
        left -= tie(links, head, pairs[np.argsort(lengths(space, pairs), kind="stable")])
        if left > 0:
            ends = np.flatnonzero(links[:, 1] == NONE)
            near = ends[nearest_others(space.some(ends), TIED)]
    order: IntVector = walk(links)
    return order


@kernel
def lengths(space, pairs):
    """The distances of pairs of points."""
    found = np.empty(len(pairs))
    for i in range(len(pairs)):
        found[i] = apart(space, pairs[i, 0], pairs[i, 1])
    return found


@kernel
def apart(space, one, other):
    """The distance of two points."""
    return math.sqrt(exact(space, space.matrix[one], space.matrix[other]))


@kernel
def tie(links, head, pairs):
    """Tie pairs in this order, if both are ends, and of two strands; how many were tied."""
    tied = 0
    for one, other in pairs:
        if links[one, 1] == NONE and links[other, 1] == NONE:
            strand, another = root_of(head, one), root_of(head, other)
            if strand != another:
                head[max(strand, another)] = min(strand, another)
                join(links, one, other)
                tied += 1
    return tied


@part
def join(links, one, other):
    """Tie two ends."""
    links[one, 0 if links[one, 0] == NONE else 1] = other
    links[other, 0 if links[other, 0] == NONE else 1] = one


@kernel
def walk(links):
    """The points of the one strand, from its lower end on."""
    order, before, here = np.empty(len(links), dtype=np.int64), NONE, 0
    while links[here, 1] != NONE:
        here += 1
    for i in range(len(links)):
        order[i] = here
        before, here = here, links[here, 1] if links[here, 0] == before else links[here, 0]
    return order
