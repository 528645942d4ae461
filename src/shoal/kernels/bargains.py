"""Bargains: groups that cost less than their records pay.

Every record has a price. A group S of s records costs its SSE, P(S) / s, where P(S) is the sum of the squared distances
of its pairs; and a fine for each triple of records of which it has two or more. It is a bargain if that is less than
the sum of its prices, by more than a slack.

All bargains are found by a walk over sets that grow. A set T of m records, with candidates for r = s - m more, R, has

    P(T + R) = P(T) + Σ over j in R of D_j + P(R),    D_j the sum of the squared distances from j to T.

P(R) is at least Σ over j in R of any numbers of which is known that they bound it, such as half of the sum of the
r - 1 smallest squared distances of j to other candidates. Then the cost of T + R less its prices is at least a sum of
one term for each j in R, and so at least that of the r smallest terms. Where this is no bargain no set that
holds T is one. Where it is none with j in the place of the last of the r smallest, none holds T and j. Fines count
as soon as T has two of a triple; until then they are left out, which only lowers the bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.space import copy
from shoal.values import BoolVector, FloatMatrix, FloatVector, IntMatrix, IntVector

WIDEST = 3_000
"""Candidates around one record: the distances between more of them would fill the memory."""


class Offer(NamedTuple):
    """What records pay, and what groups of ``low`` to ``high`` records cost.

    ``near[r, j]`` and ``inside[r, j]``, added up over any r records, are at most the sum of the squared distances of
    their pairs; ``inside`` may be empty. ``fines`` are those of the triples; those of record j are the
    ``triples[begin[j] : begin[j + 1]]``.
    """

    points: FloatMatrix
    prices: FloatVector
    near: FloatMatrix
    inside: FloatMatrix
    fines: FloatVector
    triples: IntVector
    begin: IntVector
    low: int
    high: int
    slack: float


class Found(NamedTuple):
    """For each record the most that a bargain with it saves, by the size of the group, and that group.

    ``every`` has the first bargains that were met, as many as it has room for, and ``total`` counts all of them.
    """

    saving: FloatVector
    groups: IntMatrix
    sizes: IntVector
    every: IntMatrix
    total: IntVector


class Field(NamedTuple):
    """The candidates around one record: what they pay, and how far they are apart."""

    rows: IntVector
    prices: FloatVector
    near: FloatMatrix
    inside: FloatMatrix
    apart: FloatMatrix
    slack: float


class Walk(NamedTuple):
    """The sets on the way: at depth m one of m records.

    By depth and candidate: ``who`` is left, and ``sums`` of squared distances from the set. By depth: how many are
    left, whose ``turn`` it is, the sum over ``pairs``, what is ``paid`` less fines, and the last ``member``.
    ``hits`` counts the records of each triple; the others are room to work in.
    """

    who: IntMatrix
    sums: FloatMatrix
    held: IntVector
    turn: IntVector
    pairs: FloatVector
    paid: FloatVector
    member: IntVector
    hits: IntVector
    value: FloatVector
    least: FloatVector
    fits: BoolVector
    keep: BoolVector


def all_bargains(offer: Offer, effort: int, *, room: int = 0) -> tuple[Found | None, int]:
    """All bargains, with a list of so many of them; None where that takes more than the effort. And what is left of it.

    The records that pay most go first: their bargains are many as long as others may still join them.
    """
    n, found, walk = len(offer.prices), _nothing(offer, room), _room(offer)
    left, order = np.ones(n, dtype=np.bool_), np.argsort(-offer.prices, kind="stable")
    step = max(1, SLICE // (n * max(offer.points.shape[1], 1)))
    for start in range(0, n, step):
        effort = int(explore(offer, walk, found, left, order[start : start + step], effort))
        if effort < 0:
            return None, 0
    return found, effort


def some_bargains(offer: Offer, near: IntMatrix, starts: int) -> Found:
    """Bargains of ``low`` records among the neighbors of each record: not all there are, but quickly."""
    found = _nothing(offer, 0)
    grab(offer, _room(offer), found, near, min(starts, near.shape[1]))
    return found


def _nothing(offer: Offer, room: int) -> Found:
    n, high = len(offer.prices), offer.high
    return Found(
        saving=np.zeros(n),
        groups=np.full((n, high), -1, dtype=np.int64),
        sizes=np.zeros(n, dtype=np.int64),
        every=np.full((room, high), -1, dtype=np.int64),
        total=np.zeros(1, dtype=np.int64),
    )


def _room(offer: Offer) -> Walk:
    n, depth = len(offer.prices), offer.high + 1
    return Walk(
        who=np.empty((depth, n), dtype=np.int64),
        sums=np.empty((depth, n)),
        held=np.zeros(depth, dtype=np.int64),
        turn=np.zeros(depth, dtype=np.int64),
        pairs=np.zeros(depth),
        paid=np.zeros(depth),
        member=np.zeros(depth, dtype=np.int64),
        hits=np.zeros(len(offer.fines), dtype=np.int64),
        value=np.empty(n),
        least=np.empty(depth),
        fits=np.empty(n, dtype=np.bool_),
        keep=np.empty(n, dtype=np.bool_),
    )


@kernel
def explore(offer, walk, found, left, order, budget):
    """Find the bargains of the records in this order, each with those that are ``left``; what is left of the budget.

    A record is done once all bargains with it are found. A budget below zero says that the search was given up.
    """
    for i in order:
        left[i] = False
        budget -= look_around(offer, walk, left, i)
        count = sift(whole(offer), walk, 1, offer.low, offer.high)
        if count < offer.low - 1:
            continue
        if count > WIDEST:
            return -1
        while True:
            field = settle(offer, walk)
            budget -= count * count
            before, count = count, sift(field, walk, 1, offer.low, offer.high)
            if count < offer.low - 1 or 5 * count > 4 * before:
                break
            for a in range(count):
                walk.who[1, a] = field.rows[walk.who[1, a]]
        if count >= offer.low - 1:
            enter(offer, walk, i, 1)
            budget = descend(offer, walk, field, found, budget)
            enter(offer, walk, i, -1)
        if budget < 0:
            return budget
    return budget


@kernel
def look_around(offer, walk, left, i):
    """Begin a walk at a record, with all records that are left as candidates; how many records were looked at."""
    count = 0
    for j in range(len(left)):
        if left[j]:
            walk.who[1, count], walk.sums[1, count] = j, squared(offer.points, i, j)
            count += 1
    walk.held[1], walk.turn[1], walk.member[1] = count, 0, i
    walk.pairs[1], walk.paid[1] = 0.0, offer.prices[i]
    return len(left)


@part
def squared(points, i, j):
    """The squared distance of two records."""
    total = 0.0
    for a in range(points.shape[1]):
        difference = points[i, a] - points[j, a]
        total += difference * difference
    return total


@kernel
def whole(offer):
    """All records as a field, without their distances."""
    none = np.empty((0, 0))
    return Field(np.empty(0, np.int64), offer.prices, offer.near, offer.inside, none, offer.slack)


@kernel
def settle(offer, walk):
    """The field of the candidates at depth 1, which are numbered anew: 0, 1, 2, …"""
    count = walk.held[1]
    rows = walk.who[1, :count].copy()
    apart, inside = np.zeros((count, count)), np.empty((len(offer.inside), count))
    for a in range(count):
        walk.who[1, a] = a
        for b in range(a):
            apart[a, b] = apart[b, a] = squared(offer.points, rows[a], rows[b])
        for r in range(len(inside)):
            inside[r, a] = offer.inside[r, rows[a]]
    return Field(rows, offer.prices[rows], halves(apart, offer.high), inside, apart, offer.slack)


@kernel
def halves(apart, high):
    """For r = 0 .. high - 1 and each candidate, half of the sum of its r - 1 smallest distances to others."""
    count, least = len(apart), np.empty(high)
    near = np.zeros((high, count))
    for a in range(count):
        least[:] = np.inf
        for b in range(count):
            if b != a:
                insert(least, high - 1, apart[a, b])
        for r in range(2, high):
            near[r, a] = near[r - 1, a] + 0.5 * least[r - 2]
    return near


@part
def insert(least, size, value):
    """Put a value into the list of the smallest, in ascending order."""
    if size > 0 and value < least[size - 1]:
        b = size - 1
        while b > 0 and least[b - 1] > value:
            least[b] = least[b - 1]
            b -= 1
        least[b] = value


@kernel
def sift(field, walk, m, low, high):
    """Keep the candidates at this depth that can still be in a bargain; their number."""
    count, left = walk.held[m], 0
    walk.keep[:count] = False
    for size in range(max(low, m + 1), min(high, m + count) + 1):
        walk.fits[:count] = True
        if not fit(field, walk, m, size, field.near):
            continue
        if len(field.inside) > 0 and not fit(field, walk, m, size, field.inside):
            continue
        for a in range(count):
            walk.keep[a] |= walk.fits[a]
    for a in range(count):
        if walk.keep[a]:
            walk.who[m, left], walk.sums[m, left] = walk.who[m, a], walk.sums[m, a]
            left += 1
    walk.held[m] = left
    return left


@kernel
def fit(field, walk, m, size, within):
    """Whether there can be a bargain of this size; strike off the candidates that cannot be in one."""
    more, value, least = size - m, walk.value, walk.least
    least[:more] = np.inf
    for a in range(walk.held[m]):
        who = walk.who[m, a]
        value[a] = (walk.sums[m, a] + within[more, who]) / size - field.prices[who]
        insert(least, more, value[a])
    total = walk.pairs[m] / size - walk.paid[m]
    for b in range(more):
        total += least[b]
    if total >= -field.slack:
        return False
    limit = least[more - 1] - total - field.slack
    for a in range(walk.held[m]):
        if value[a] >= limit:
            walk.fits[a] = False
    return True


@kernel
def descend(offer, walk, field, found, budget):
    """Grow sets from the record at depth 1, each with the candidates after its last one; what is left of the budget."""
    m = 1
    while m > 0 and budget >= 0:
        if walk.turn[m] >= walk.held[m]:
            if m > 1:
                enter(offer, walk, walk.member[m], -1)
            m -= 1
            continue
        a = walk.turn[m]
        walk.turn[m] += 1
        budget -= grow(offer, walk, field, m, a)
        m += 1
        if m >= offer.low:
            note(offer, walk, found, m)
        if m == offer.high or sift(field, walk, m, offer.low, offer.high) == 0:
            enter(offer, walk, walk.member[m], -1)
            m -= 1
    for depth in range(2, m + 1):  # the search was given up
        enter(offer, walk, walk.member[depth], -1)
    return budget


@kernel
def grow(offer, walk, field, m, a):
    """Add a candidate to the set at depth m; the candidates after it are those of the new set. How many there are."""
    chosen, count = walk.who[m, a], 0
    walk.member[m + 1], walk.turn[m + 1] = field.rows[chosen], 0
    walk.pairs[m + 1] = walk.pairs[m] + walk.sums[m, a]
    walk.paid[m + 1] = walk.paid[m] + field.prices[chosen] - enter(offer, walk, field.rows[chosen], 1)
    for b in range(a + 1, walk.held[m]):
        who = walk.who[m, b]
        walk.who[m + 1, count], walk.sums[m + 1, count] = who, walk.sums[m, b] + field.apart[chosen, who]
        count += 1
    walk.held[m + 1] = count
    return count + 1


@kernel
def enter(offer, walk, i, step):
    """A record enters the set, or leaves it (step -1): count its triples; the fines of those that now have two."""
    fines = 0.0
    for place in range(offer.begin[i], offer.begin[i + 1]):
        triple = offer.triples[place]
        walk.hits[triple] += step
        if step > 0 and walk.hits[triple] == 2:
            fines += offer.fines[triple]
    return fines


@kernel
def note(offer, walk, found, m):
    """Keep the set at depth m for those of its records for which it is the best bargain so far."""
    over = walk.paid[m] - walk.pairs[m] / m
    if over <= offer.slack:
        return
    if found.total[0] < len(found.every):
        copy(walk.member[1 : m + 1], found.every[found.total[0]])
    found.total[0] += 1
    for a in range(1, m + 1):
        i = walk.member[a]
        if over / m > found.saving[i]:
            found.saving[i], found.sizes[i] = over / m, m
            copy(walk.member[1 : m + 1], found.groups[i])
            found.groups[i, m:] = -1


@kernel
def grab(offer, walk, found, near, starts):
    """From each record and each of its first neighbors on, let the record join that comes cheapest."""
    for i in range(len(near)):
        count = near.shape[1]
        copy(near[i], walk.who[1])
        walk.held[1] = count
        field = settle(offer, walk)
        for first in range(starts):
            walk.member[1], walk.pairs[1], walk.paid[1] = i, 0.0, offer.prices[i]
            for a in range(count):
                walk.value[a], walk.keep[a] = squared(offer.points, i, field.rows[a]), True
            gather(walk, field, offer.low, first)
            note(offer, walk, found, offer.low)


@kernel
def gather(walk, field, size, chosen):
    """Let records join the set at depth 1, the chosen one first, until it has this size."""
    for m in range(1, size):
        walk.member[m + 1], walk.keep[chosen] = field.rows[chosen], False
        walk.pairs[m + 1] = walk.pairs[m] + walk.value[chosen]
        walk.paid[m + 1] = walk.paid[m] + field.prices[chosen]
        last, best = chosen, np.inf
        for a in range(len(field.rows)):
            walk.value[a] += field.apart[last, a]
            price = walk.value[a] / (m + 2) - field.prices[a]
            if walk.keep[a] and price < best:
                chosen, best = a, price
