"""Naive enforcement of constraints: groups as lists of records, no stored distances, sorted lists instead of heaps."""

from __future__ import annotations

import numpy as np

from shoal.domain import Records
from shoal.kernels import constraint_counts as kernels


def enforce(records: Records, labels: list[int], k: int) -> list[int]:
    """The labels after every group that does not stand merged with others, in the order of their first records."""
    members = {group: [row for row, label in enumerate(labels) if label == group] for group in dict.fromkeys(labels)}
    for group in list(members):
        while group in members and len(members) > 1 and not stands(records, members[group], k):
            other = partner(records, members, group, k)
            members[group] += members.pop(other)
    return [next(group for group, rows in members.items() if row in rows) for row in range(len(labels))]


def partner(records: Records, members: dict, group: int, k: int) -> int:
    """The first by rise of the error that makes the group stand, else the one with the most help for its rise."""
    mine = members[group]
    rise = {
        other: gap(records, members[group], members[other]) * len(mine) * len(rows) / (len(mine) + len(rows))
        for other, rows in members.items()
        if other != group
    }
    order = sorted(rise, key=lambda other: (rise[other], list(members).index(other)))
    for other in order:
        if stands(records, mine + members[other], k):
            return other
    before, best, gain, price = lack(records, mine), order[0], 0.0, 1.0
    for other in order:
        help_of = before - lack(records, mine + members[other])
        if help_of * price > gain * rise[other]:
            best, gain, price = other, help_of, rise[other]
    return best


def gap(records: Records, one: list[int], other: list[int]) -> float:
    """The squared distance of the centers: means of the scaled numbers, nodes with the least sum of distances."""
    total = 0.0
    for j in range(len(records.numeric)):
        sides = [sum((float(records.matrix[row, j]) for row in rows), start=0.0) / len(rows) for rows in (one, other)]
        total += (sides[0] - sides[1]) ** 2
    for j, column in enumerate(records.categories):
        table, codes = column.exact_distance(), records.codes[:, j]
        nodes = [int(np.argmin(sum(table[codes[row]] for row in rows))) for rows in (one, other)]
        weight = float(records.weights_of([column.name])[0] / records.weights.max())
        total += weight * table[nodes[0], nodes[1]] ** 2
    return total


def lack(records: Records, rows: list[int]) -> float:
    assert records.constraints is not None
    tally = kernels.zero_counts(records.constraints)
    for row in rows:
        kernels.add(records.constraints, tally, row, 1)
    return kernels.shortfall(records.constraints, tally)


def stands(records: Records, rows: list[int], k: int) -> bool:
    return len(rows) >= k and lack(records, rows) == 0
