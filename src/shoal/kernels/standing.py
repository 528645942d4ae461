"""A partition that stands and can change: units leave groups and join others, and what that costs is known before.

A unit is a record, or a household with all of its records. The error of a group is the sum of the squared distances
of its records to its center, as everywhere. For numbers the rise of the error follows from the center alone; for
categories see `meanings`. A table without categories has `meanings` of no columns, and one without privacy models has
`asked` of no records: so each kernel is compiled once for all tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels import demands as sensitive
from shoal.kernels.jit import kernel, part
from shoal.kernels.meanings import (
    NOBODY,
    Meanings,
    category_rise,
    count_categories,
    has_categories,
    no_meanings,
    two_cheapest,
)
from shoal.values import Demands, FloatMatrix, FloatVector, IntVector, Space

DOUBT = 1e-9
"""How far a quick look at a swap may be off, as a part of what it adds up."""
FREE = 0
"""What ``counts`` counts: the empty groups, the first so many of ``free``."""


class Standing(NamedTuple):
    """Groups by number, of which some may be empty, and units by number.

    ``mass`` is the number of records of a unit, and ``means`` has the means of their numbers. A group has ``sizes``
    units that make up ``weights`` records, and ``centers`` has the means of its numbers. The units of a group are a
    chain from ``head`` along ``after`` and back along ``before``.
    """

    labels: IntVector
    mass: FloatVector
    means: FloatMatrix
    sizes: IntVector
    weights: FloatVector
    centers: FloatMatrix
    head: IntVector
    after: IntVector
    before: IntVector
    free: IntVector
    counts: IntVector
    k: int


class Asked(NamedTuple):
    """The demands on every group, about the records ``members[first[u] : first[u + 1]]`` of its units.

    Without any demand there are no ``members``.
    """

    demands: Demands
    first: IntVector
    members: IntVector


class Ground(NamedTuple):
    """All that local search stands on."""

    standing: Standing
    meanings: Meanings
    asked: Asked


def begin(space: Space, labels: IntVector, k: int, *, unit_of: IntVector, demands: Demands | None) -> Ground:
    """The groups of these labels of units, numbered without gaps; ``unit_of`` tells the unit of each record."""
    n = len(labels)
    groups = max(int(labels.max()) + 1, n // k)
    mass = np.bincount(unit_of, minlength=n)
    members = np.argsort(unit_of, kind="stable")
    first = np.concatenate([[0], np.cumsum(mass)])
    numbers = space.matrix[members, : space.numbers]
    standing = Standing(
        labels=labels.astype(np.int64),
        mass=mass.astype(np.float64),
        means=np.ascontiguousarray(
            numbers if n == len(unit_of) else np.add.reduceat(numbers, first[:-1]) / mass[:, None]
        ),
        sizes=np.zeros(groups, dtype=np.int64),
        weights=np.zeros(groups),
        centers=np.zeros((groups, space.numbers)),
        head=np.full(groups, NOBODY),
        after=np.full(n, NOBODY),
        before=np.full(n, NOBODY),
        free=np.zeros(groups, dtype=np.int64),
        counts=np.zeros(1, dtype=np.int64),
        k=k,
    )
    ground = Ground(
        standing,
        no_meanings(space, first, members, groups),
        Asked(Demands.none(0), first, members[:0]) if demands is None else Asked(demands, first, members),
    )
    settle(ground.standing, ground.meanings)
    return ground


def error(ground: Ground, space: Space, unit_of: IntVector) -> float:
    """The squared distances of all records to the centers of their groups, from scratch."""
    centers = ground.standing.centers[ground.standing.labels[unit_of]]
    total = float(((space.matrix[:, : space.numbers] - centers) ** 2).sum())
    return total + float(ground.meanings.errors.sum())


@kernel
def settle(standing, meanings):
    """Count and measure all groups anew from the labels."""
    standing.head[:], standing.counts[FREE] = NOBODY, 0
    for group in range(len(standing.sizes)):
        clear(standing, meanings, group)
    for unit in range(len(standing.labels)):
        fill(standing, meanings, unit, standing.labels[unit])
    for group in range(len(standing.sizes)):
        measure(standing, meanings, group)
        if standing.sizes[group] == 0:
            standing.free[standing.counts[FREE]] = group
            standing.counts[FREE] += 1


@kernel
def clear(standing, meanings, group):
    """A group without units is without the rests of rounding too."""
    standing.sizes[group], standing.weights[group] = 0, 0.0
    for j in range(standing.centers.shape[1]):
        standing.centers[group, j] = 0.0
    for node in range(meanings.costs.shape[1]):
        meanings.costs[group, node], meanings.squares[group, node] = 0.0, 0.0


@kernel
def fill(standing, meanings, unit, group):
    """Put a unit into a group, all but the error of its categories."""
    mass = standing.mass[unit]
    standing.labels[unit] = group
    standing.sizes[group] += 1
    standing.weights[group] += mass
    share = mass / standing.weights[group]
    for j in range(standing.centers.shape[1]):
        standing.centers[group, j] += (standing.means[unit, j] - standing.centers[group, j]) * share
    if has_categories(meanings):
        count_categories(meanings, unit, group, 1.0)
    other = standing.head[group]
    standing.before[unit], standing.after[unit], standing.head[group] = NOBODY, other, unit
    if other != NOBODY:
        standing.before[other] = unit


@kernel
def measure(standing, meanings, group):
    """Note the nodes of least cost of a group, and the squared distances of its categories to them."""
    space, total = meanings.space, 0.0
    for j in range(len(space.widths)):
        first, width = space.first[j], space.widths[j]
        if meanings.apart[j] > 0.0 and standing.weights[group] < width:
            best, other = two_most_frequent(standing, meanings, group, j)
        else:
            best, other = two_cheapest(meanings.costs[group], first, first + width)
        meanings.best[group, j], meanings.other[group, j] = best, other
        total += meanings.squares[group, best]
    meanings.errors[group] = total


@kernel
def two_most_frequent(standing, meanings, group, j):
    """The two nodes of least cost of a category whose nodes are equally far apart, by a look at the records.

    Of several, the first. Nodes without a record are the last.
    """
    space, costs, first = meanings.space, meanings.costs[group], meanings.space.first[j]
    best, other, unit = NOBODY, NOBODY, standing.head[group]
    while unit != NOBODY:
        for place in range(meanings.first[unit], meanings.first[unit + 1]):
            node = first + int(space.matrix[meanings.members[place], space.numbers + j])
            if node not in (best, other):
                if best == NOBODY or comes_before(costs, node, best):
                    best, other = node, best
                elif other == NOBODY or comes_before(costs, node, other):
                    other = node
        unit = standing.after[unit]
    if best == NOBODY:
        best = first
    if other == NOBODY:
        other = first + 1 if best == first else first
    return best, other


@part
def comes_before(costs, node, other):
    """Whether a node costs less than another one, or as much and is the first."""
    return costs[node] < costs[other] or (costs[node] == costs[other] and node < other)


@kernel
def put(standing, meanings, unit, group):
    """A unit without a group joins one."""
    fill(standing, meanings, unit, group)
    measure(standing, meanings, group)


@kernel
def take(standing, meanings, unit):
    """A unit leaves its group."""
    group, mass = standing.labels[unit], standing.mass[unit]
    before, after = standing.before[unit], standing.after[unit]
    if before == NOBODY:
        standing.head[group] = after
    else:
        standing.after[before] = after
    if after != NOBODY:
        standing.before[after] = before
    standing.sizes[group] -= 1
    standing.weights[group] -= mass
    if standing.sizes[group] == 0:
        clear(standing, meanings, group)
    else:
        share = mass / standing.weights[group]
        for j in range(standing.centers.shape[1]):
            center = standing.centers[group, j]
            standing.centers[group, j] = center - (standing.means[unit, j] - center) * share
        if has_categories(meanings):
            count_categories(meanings, unit, group, -1.0)
    measure(standing, meanings, group)


@part
def joining(standing, meanings, unit, group):
    """How much the error of a group rises if a unit joins it."""
    mass, weight, far = standing.mass[unit], standing.weights[group], 0.0
    for j in range(standing.centers.shape[1]):
        difference = standing.means[unit, j] - standing.centers[group, j]
        far += difference * difference
    rise = far * mass * weight / (mass + weight)
    if has_categories(meanings):
        rise += category_rise(meanings, group, NOBODY, unit)
    return rise


@part
def leaving(standing, meanings, unit):
    """How much the error of its group falls if a unit leaves it; 0 if nobody else is there."""
    group, far = standing.labels[unit], 0.0
    mass, weight = standing.mass[unit], standing.weights[group]
    for j in range(standing.centers.shape[1]):
        difference = standing.means[unit, j] - standing.centers[group, j]
        far += difference * difference
    fall = far * mass * weight / (weight - mass) if standing.sizes[group] > 1 else 0.0
    if has_categories(meanings):
        fall -= category_rise(meanings, group, unit, NOBODY)
    return fall


@part
def trading(standing, meanings, unit, other):
    """How much the error of the group of ``unit`` rises if that leaves and ``other`` comes in its place."""
    group = standing.labels[unit]
    rest = standing.weights[group] - standing.mass[unit]
    share, out, into = standing.mass[unit] / rest, 0.0, 0.0
    for j in range(standing.centers.shape[1]):
        gone = standing.means[unit, j] - standing.centers[group, j]
        come = standing.means[other, j] - standing.centers[group, j] + share * gone
        out += gone * gone
        into += come * come
    mass = standing.mass[other]
    rise = into * mass * rest / (mass + rest) - out * share * standing.weights[group]
    if has_categories(meanings):
        rise += category_rise(meanings, group, unit, other)
    return rise


@part
def may_pay(standing, unit, other, limit):
    """Whether the error may rise by less than a limit if two units change places; False only beyond any doubt.

    With d from one unit to the other and w from center to center it rises by m · 2 d·w - m² d² (1/a + 1/b), where both
    have m records and the groups a and b: one look at the columns instead of two, and no division.
    """
    mass, here, there = standing.mass[unit], standing.labels[unit], standing.labels[other]
    along, far, size = 0.0, 0.0, 0.0
    for j in range(standing.centers.shape[1]):
        d = standing.means[other, j] - standing.means[unit, j]
        w = standing.centers[there, j] - standing.centers[here, j]
        along += d * w
        far += d * d
        size += abs(d * w)
    shrink = mass * far * (1.0 / standing.weights[here] + 1.0 / standing.weights[there])
    rise = mass * (2.0 * along - shrink)
    return standing.mass[other] != mass or rise < limit + DOUBT * mass * (size + shrink)


@kernel
def allowed(standing, asked, group, gone, come):
    """Whether a group meets all demands if one unit leaves and another comes, or nobody does."""
    if len(asked.members) == 0:
        return True
    tally, unit = sensitive.no_tally(asked.demands), standing.head[group]
    while unit != NOBODY:
        count(asked, tally, unit, 1)
        unit = standing.after[unit]
    count(asked, tally, gone, -1)
    count(asked, tally, come, 1)
    return sensitive.holds(asked.demands, tally)


@kernel
def count(asked, tally, unit, times):
    """Add the records of a unit to a tally, or take them away."""
    if unit != NOBODY:
        for place in range(asked.first[unit], asked.first[unit + 1]):
            sensitive.add(asked.demands, tally, asked.members[place], times)


@kernel
def shares(standing, meanings):
    """What each unit adds to the error: how much that would fall without it."""
    found = np.empty(len(standing.labels))
    for unit in range(len(found)):
        found[unit] = leaving(standing, meanings, unit)
    return found
