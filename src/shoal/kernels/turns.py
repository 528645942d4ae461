"""Turns: the changes of a standing partition that local search tries, each done only if it pays.

Every turn weighs the rise of the error against a limit: below 0 for a search that only goes down, above it for one
that may also go up. It gives back the rise if the turn was done, and 0 if not. No group falls below k units, and every
group that changes meets the demands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import kernel
from shoal.kernels.meanings import NOBODY
from shoal.kernels.standing import FREE, allowed, joining, leaving, put, take, trading
from shoal.values import IntMatrix, IntVector

LOOK = 32
"""Units of a large group that are looked at, those that joined it last first."""


class Near(NamedTuple):
    """Which units are near: equal units are one point, ``point`` is that of each unit, and the units of point q are
    ``units[first[q] : first[q + 1]]``. ``points`` has the nearest points of each point, nearest first, itself among
    them where it has several units."""

    points: IntMatrix
    point: IntVector
    first: IntVector
    units: IntVector


@kernel
def move(standing, meanings, asked, unit, group, limit):
    """A unit leaves its group, which can spare it, for another."""
    own = standing.labels[unit]
    if standing.sizes[own] <= standing.k:
        return 0.0
    rise = joining(standing, meanings, unit, group) - leaving(standing, meanings, unit)
    if rise < limit and allowed(standing, asked, own, unit, NOBODY) and allowed(standing, asked, group, NOBODY, unit):
        take(standing, meanings, unit)
        put(standing, meanings, unit, group)
        return rise
    return 0.0


@kernel
def swap(standing, meanings, asked, unit, other, limit):
    """Two units of different groups change places."""
    own, group = standing.labels[unit], standing.labels[other]
    rise = trading(standing, meanings, other, unit)
    rise += trading(standing, meanings, unit, other)
    if rise < limit and allowed(standing, asked, own, unit, other) and allowed(standing, asked, group, other, unit):
        take(standing, meanings, unit)
        take(standing, meanings, other)
        put(standing, meanings, unit, group)
        put(standing, meanings, other, own)
        return rise
    return 0.0


@kernel
def found(standing, meanings, asked, near, unit, limit):
    """A new group of a unit and the nearest ones that their groups can spare: a split, if one group gives them all."""
    k, rise, taken = standing.k, 0.0, 0
    if standing.counts[FREE] == 0 or standing.sizes[standing.labels[unit]] <= k:
        return 0.0
    if leaving(standing, meanings, unit) <= 0.0:  # it is where its group is
        return 0.0
    group = standing.free[standing.counts[FREE] - 1]
    gathered, origin = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    own = near.point[unit]
    for place in range(-1, near.points.shape[1]):
        point = own if place < 0 else near.points[own, place]
        if point == NOBODY or (place >= 0 and point == own):
            continue
        for at in range(near.first[point], min(near.first[point + 1], near.first[point] + LOOK)):
            one = unit if place < 0 and at == near.first[point] else near.units[at]
            if taken < k and standing.labels[one] != group and standing.sizes[standing.labels[one]] > k:
                gathered[taken], origin[taken] = one, standing.labels[one]
                rise -= leaving(standing, meanings, one)
                rise += joining(standing, meanings, one, group)
                take(standing, meanings, one)
                put(standing, meanings, one, group)
                taken += 1
    if taken == k and rise < limit and all_allowed(standing, asked, origin, group):
        standing.counts[FREE] -= 1
        return rise
    put_back(standing, meanings, gathered, origin, taken)
    return 0.0


@kernel
def dissolve(standing, meanings, asked, near, group, limit):
    """A group gives each of its units to the near group that suits it best: a merger, if one group takes them all."""
    size, rise, taken = standing.sizes[group], 0.0, 0
    gathered, origin = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    aims = np.empty(size, dtype=np.int64)
    while taken < size:
        unit, aim, least, last = standing.head[group], NOBODY, np.inf, group
        for place in range(min(near.points.shape[1], LOOK)):
            point = near.points[near.point[unit], place]
            if point != NOBODY:
                other = standing.labels[near.units[near.first[point]]]
                if other != group and other != last:
                    last = other
                    price = joining(standing, meanings, unit, other)
                    if price < least:
                        least, aim = price, other
        if aim == NOBODY:
            break
        rise += least - leaving(standing, meanings, unit)
        gathered[taken], origin[taken], aims[taken] = unit, group, aim
        take(standing, meanings, unit)
        put(standing, meanings, unit, aim)
        taken += 1
    if taken == size and rise < limit and all_allowed(standing, asked, aims, NOBODY):
        standing.free[standing.counts[FREE]] = group
        standing.counts[FREE] += 1
        return rise
    put_back(standing, meanings, gathered, origin, taken)
    return 0.0


@kernel
def all_allowed(standing, asked, groups, group):
    """Whether all these groups meet the demands, and one more if it is not nobody."""
    if len(asked.members) == 0:
        return True
    for place in range(len(groups)):
        if not allowed(standing, asked, groups[place], NOBODY, NOBODY):
            return False
    return group == NOBODY or allowed(standing, asked, group, NOBODY, NOBODY)


@kernel
def put_back(standing, meanings, units, groups, taken):
    """Return units to the groups that they came from, the last one first."""
    for place in range(taken - 1, -1, -1):
        take(standing, meanings, units[place])
        put(standing, meanings, units[place], groups[place])
