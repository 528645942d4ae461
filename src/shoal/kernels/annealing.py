"""Local search in a standing partition: down to where no turn pays, and up and down while it cools."""

from __future__ import annotations

import numpy as np

from shoal.kernels.chance import Chance, below, draw
from shoal.kernels.jit import kernel, part
from shoal.kernels.meanings import NOBODY, has_categories
from shoal.kernels.standing import Ground, leaving, may_pay
from shoal.kernels.turns import LOOK, Near, dissolve, found, move, swap
from shoal.values import BoolVector

RESHAPE, LARGE = 8, 4
"""One of so many looks within a group tries to dissolve it or to found another; groups of so many times k stay."""
_NO_UNITS = np.zeros(0, dtype=np.bool_)
_NO_CHANCE = Chance(np.ones(2, dtype=np.int64), np.zeros(1))


def descend(ground: Ground, near: Near, dirty: BoolVector, limit: float, start: int, stop: int) -> float:
    """Try every turn around the units from ``start`` to ``stop`` that are marked; the sum of the rises, at most 0.

    A unit is marked while something near it may have changed.
    """
    return float(search(*ground, near, dirty, limit, start, stop, _NO_CHANCE, 0.0, 0))


def anneal(ground: Ground, near: Near, chance: Chance, heat: float, steps: int) -> float:
    """So many turns at random at this heat; the sum of the rises.

    A turn that raises the error by x is done with probability exp(-x / heat).
    """
    return float(search(*ground, near, _NO_UNITS, 0.0, 0, 0, chance, heat, steps))


@kernel
def search(standing, meanings, asked, near, dirty, limit, start, stop, chance, heat, steps):
    """Both searches in one kernel: they share most of their code, which is compiled once this way."""
    return go_down(standing, meanings, asked, near, dirty, limit, start, stop) + go_at_random(
        standing, meanings, asked, near, chance, heat, steps
    )


@kernel
def go_down(standing, meanings, asked, near, dirty, limit, start, stop):
    """Try every turn around the marked units of a range."""
    total = 0.0
    for unit in range(start, stop):
        if dirty[unit]:
            dirty[unit] = False
            if leaving(standing, meanings, unit) <= 0.0:  # it is where its group is; others may still want its place
                continue
            rise = around(standing, meanings, asked, near, unit, limit)
            if rise == 0.0:
                rise = reshape(standing, meanings, asked, near, unit, limit)
            if rise != 0.0:
                total += rise
                mark(standing, near, unit, dirty)
    return total


@kernel
def around(standing, meanings, asked, near, unit, limit):
    """Try to move a unit to each near group, or to swap it with one of its units; the first that pays is done."""
    own, heads = standing.labels[unit], near.points[near.point[unit]]
    for place in range(len(heads)):
        if heads[place] == NOBODY:
            break
        group = standing.labels[near.units[near.first[heads[place]]]]
        if group != own and not seen(standing, near, heads, place, group):
            rise = move(standing, meanings, asked, unit, group, limit) if standing.sizes[own] > standing.k else 0.0
            other, looks = standing.head[group], 0
            while rise == 0.0 and other != NOBODY and looks < LOOK:
                after = standing.after[other]
                if has_categories(meanings) or may_pay(
                    standing, unit, other, limit
                ):  # first, since a call takes longer
                    rise = swap(standing, meanings, asked, unit, other, limit)
                other, looks = after, looks + 1
            if rise != 0.0:
                return rise
    return 0.0


@part
def seen(standing, near, points, place, group):
    """Whether one of the points before a place is in a group already, which so was tried."""
    found = False
    for earlier in range(place):
        found = found or standing.labels[near.units[near.first[points[earlier]]]] == group
    return found


@kernel
def reshape(standing, meanings, asked, near, unit, limit):
    """Try to found a group around a unit, or else to dissolve its group if it is the first there."""
    rise, group = found(standing, meanings, asked, near, unit, limit), standing.labels[unit]
    if rise == 0.0 and standing.head[group] == unit and standing.sizes[group] <= LARGE * standing.k:
        rise = dissolve(standing, meanings, asked, near, group, limit)
    return rise


@kernel
def mark(standing, near, unit, dirty):
    """Mark the units of the group of a unit, and those near it."""
    other, looks = standing.head[standing.labels[unit]], 0
    while other != NOBODY and looks < LOOK:
        dirty[other] = True
        other, looks = standing.after[other], looks + 1
    for place in range(near.points.shape[1]):
        point = near.points[near.point[unit], place]
        if point != NOBODY:
            dirty[near.units[near.first[point]]] = True
    dirty[unit] = True


@kernel
def go_at_random(standing, meanings, asked, near, chance, heat, steps):
    """Try turns at random."""
    total, places, middles = 0.0, near.points.shape[1], len(chance.waits)
    for _ in range(steps):
        unit, dice = some_unit(standing, near, chance), draw(chance.state)
        coin, dice = dice % (2 * RESHAPE), dice // (2 * RESHAPE)
        place, dice = dice % places, dice // places
        place, dice = min(place, dice % places), dice // places
        point = near.points[near.point[unit], place]
        if unit == NOBODY or point == NOBODY:
            continue
        other, limit = one_of(near, point, chance), heat * chance.waits[dice % middles]
        own, group = standing.labels[unit], standing.labels[other]
        if own != group:
            if standing.sizes[own] > standing.k and coin % 2 == 0:
                total += move(standing, meanings, asked, unit, group, limit)
            else:
                other = partner(standing, other, chance.state)
                if has_categories(meanings) or may_pay(standing, unit, other, limit):
                    total += swap(standing, meanings, asked, unit, other, limit)
        elif coin == 0:
            total += found(standing, meanings, asked, near, unit, limit)
        elif coin == 1 and standing.sizes[own] <= LARGE * standing.k:
            total += dissolve(standing, meanings, asked, near, own, limit)
    return total


@part
def some_unit(standing, near, chance):
    """A unit at random; where some are equal one time of any point, so that rare ones get their turn, and one time of
    any group.

    Of a large group it is one of those that joined last. Where most records are equal, some of these are in the groups
    of others to fill them up; among all records they would hardly ever be drawn.
    """
    if len(near.points) == len(near.units):
        return below(chance.state, len(near.units))
    number = below(chance.state, 2 * len(near.points))
    if number < len(near.points):
        return one_of(near, number, chance)
    unit = standing.head[below(chance.state, len(standing.head))]
    if unit != NOBODY:
        for _ in range(below(chance.state, min(standing.sizes[standing.labels[unit]], LOOK))):
            unit = standing.after[unit]
    return unit


@part
def one_of(near, point, chance):
    """A unit of a point at random."""
    first, count = near.first[point], near.first[point + 1] - near.first[point]
    return near.units[first + below(chance.state, count) if count > 1 else first]


@part
def partner(standing, unit, chance):
    """Another unit of the group of a unit at random, so that the group keeps that one; itself if it is alone."""
    group = standing.labels[unit]
    steps = below(chance, max(min(standing.sizes[group], LOOK) - 1, 1))
    other = standing.head[group]
    while other == unit or steps > 0:
        if other != unit:
            steps -= 1
        after = standing.after[other]
        if after == NOBODY:
            break
        other = after
    return other
