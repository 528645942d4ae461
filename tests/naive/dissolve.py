"""Oracles of the methods that dissolve groups, and of those that they start from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import naive
from naive import Flock, Labels, Matrix, Table, at, distances, mean
from naive.mixed import Mixed


def tfrp_1(matrix: Table, k: int) -> Labels:
    return _between(matrix, k).labels


def _between(matrix: Table, k: int) -> Flock:
    flock = Flock(matrix)
    low, high = corner(matrix, np.min), corner(matrix, np.max)
    while len(flock.left) >= k:
        flock.grow(flock.farthest(low), k)
        if len(flock.left) >= k:
            flock.grow(flock.farthest(high), k)
    flock.nearest_groups()
    return flock


def corner(matrix: Table, extreme: Callable[..., Matrix]) -> Matrix:
    """The extreme number of the whole table in every column, and the extreme code of each category."""
    if isinstance(matrix, Mixed):
        whole = [extreme(matrix.numbers)] * matrix.numbers.shape[1] if matrix.numbers.size else []
        return np.append(whole, extreme(matrix.codes, axis=0))
    return np.full(matrix.shape[1], extreme(matrix))


def dba_1(matrix: Table, k: int) -> Labels:
    flock, points = Flock(matrix), np.array(list(matrix))
    for row in range(len(matrix)):
        alike = [other for other in np.flatnonzero((points == points[row]).all(axis=1)) if other in flock.left]
        if row in flock.left and len(alike) >= k:
            for other in alike[:k]:
                flock.take(other, flock.groups)
            flock.groups += 1
    while len(flock.left) >= k:
        around = {row: flock.nearest(row)[:k] for row in flock.left}
        center = min(flock.left, key=lambda row: (spread(matrix, around[row]), row))
        for row in around[center]:
            flock.take(row, flock.groups)
        flock.groups += 1
    flock.nearest_groups()
    return flock.labels


def spread(matrix: Table, rows: list[int]) -> float:
    total = 0.0
    for distance in distances(matrix[rows], mean(matrix, rows)):
        total += distance
    return total


def tfrp_2(matrix: Table, k: int) -> Labels:
    return second_stage(matrix, k, tfrp_1, by_loss=True, most=4 * k, split=tfrp_1)


def dba_2(matrix: Table, k: int) -> Labels:
    return second_stage(matrix, k, dba_1, by_loss=False, most=len(matrix), split=naive.mdav_1)


def mdav_2(matrix: Table, k: int) -> Labels:
    return second_stage(matrix, k, naive.mdav_1, by_loss=True, most=len(matrix), split=naive.mdav_1)


Method = Callable[[Table, int], Labels]


def second_stage(matrix: Table, k: int, first: Method, *, by_loss: bool, most: int, split: Method) -> Labels:
    labels = first(matrix, k)
    groups = labels.max() + 1
    members = [list(np.flatnonzero(labels == group)) for group in range(groups)]
    order = sorted(range(groups), key=lambda g: (-spread(matrix, members[g]), g)) if by_loss else range(groups)[::-1]
    for group in order:
        others = [g for g in range(groups) if g != group and members[g]]
        if not others:
            continue
        centers = {g: mean(matrix, members[g]) for g in others}
        tried = {g: list(members[g]) for g in others}
        for row in members[group]:
            room = [g for g in others if len(tried[g]) < most]
            if not room:
                break
            near = distances(at(matrix, [centers[g] for g in room]), matrix[row])
            tried[room[int(np.argmin(near))]].append(row)
        else:
            receivers = dict.fromkeys(g for row in members[group] for g in others if row in tried[g])
            price = 0.0
            for g in receivers:
                price += spread(matrix, tried[g]) - spread(matrix, members[g])
            if price < spread(matrix, members[group]):
                for g in others:
                    members[g] = tried[g]
                members[group] = []
    for group, rows in enumerate(map(sorted, members)):
        labels[rows] = group
        if len(rows) >= 2 * k:
            labels[rows] = labels.max() + 1 + split(matrix[rows], k)
    return labels
