"""The loss of groups of combinations, and the best groups there are: every partition is tried."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np
from numpy.typing import NDArray

from shoal.domain import Tuples

Labels = NDArray[np.int64]


def loss(tuples: Tuples, labels: Labels) -> float:
    """The sum over groups of the squared distances to their centers, recomputed."""
    return sum(group_loss(tuples, np.flatnonzero(labels == group).tolist()) for group in np.unique(labels))


def group_loss(tuples: Tuples, members: list[int]) -> float:
    away = np.zeros(len(members))
    for j, (start, width) in enumerate(zip(tuples.table_offsets, tuples.widths, strict=True)):
        table = tuples.distance[start : start + width * width].reshape(width, width)[tuples.codes[members, j]]
        away += table[:, np.argmin(tuples.counts[members] @ table)]
    return float(tuples.counts[members] @ away**2)


def partitions(members: list[int]) -> Iterator[list[list[int]]]:
    """Every way to divide some things into groups."""
    if not members:
        yield []
        return
    for rest in partitions(members[1:]):
        yield [[members[0]], *rest]
        for i, group in enumerate(rest):
            yield [*rest[:i], [members[0], *group], *rest[i + 1 :]]


def least_loss(tuples: Tuples, k: int) -> float:
    """The least loss of any partition into groups of at least k records."""
    known: dict[tuple[int, ...], float] = {}

    def of(group: list[int]) -> float:
        key = tuple(group)
        if key not in known:
            known[key] = inf if tuples.counts[group].sum() < k else group_loss(tuples, group)
        return known[key]

    return min(sum(of(group) for group in groups) for groups in partitions(list(range(len(tuples.counts)))))
