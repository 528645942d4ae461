"""l-diversity and t-closeness of a group, from the counts of its sensitive values.

A group is described by its value counts, so records can be added and removed one by one. Verification shares none of
this code: it counts the released values in another way.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.domain.constraints import DISTINCT, ENTROPY, EQUAL, ORDERED, RECURSIVE, TOLERANCE
from shoal.kernels.jit import inline, kernel


@kernel
def zero_counts(constraints):
    """Return the value counts of an empty group."""
    return np.zeros(constraints.value_offsets[-1], dtype=np.int64)


@inline
def add(constraints, counts, record, count):
    """Add a record ``count`` times to the value counts; a negative number removes it."""
    for s in range(constraints.codes.shape[1]):
        counts[constraints.value_offsets[s] + constraints.codes[record, s]] += count


@kernel
def satisfied(constraints, counts):
    """Whether a group with these value counts satisfies every constraint; an empty group satisfies none."""
    return shortfall(constraints, counts) == 0.0


@kernel
def shortfall(constraints, counts):
    """Return how far these value counts are from satisfying all constraints: relative for l, absolute for t."""
    total = 0.0
    for d in range(len(constraints.rule)):
        value, limit = reached_value(constraints, counts, d), constraints.threshold[d]
        if constraints.rule[d] >= EQUAL:
            total += 0.0 if value <= limit + TOLERANCE else value - limit
        else:
            total += 0.0 if value >= limit * (1.0 - TOLERANCE) else 1.0 - value / limit
    return total


@kernel
def reached_value(constraints, counts, d):
    """Return the l or t that the value counts reach under constraint d (see `recursive_l` for its fraction)."""
    rule, s = constraints.rule[d], constraints.column[d]
    group_counts = counts[constraints.value_offsets[s] : constraints.value_offsets[s + 1]]
    if rule == DISTINCT:
        return distinct_l(group_counts)
    if rule == ENTROPY:
        return entropy_l(group_counts)
    if rule == RECURSIVE:
        return recursive_l(group_counts, constraints.factor[d])
    fractions = constraints.frequencies[constraints.value_offsets[s] : constraints.value_offsets[s + 1]]
    if rule == EQUAL:
        return equal_emd(group_counts, fractions)
    if rule == ORDERED:
        return ordered_emd(group_counts, fractions)
    nodes = slice(constraints.node_offsets[s], constraints.node_offsets[s + 1])
    return hierarchical_emd(group_counts, fractions, constraints.parent[nodes], constraints.height[nodes])


@kernel
def distinct_l(counts):
    values = 0.0
    for count in counts:
        if count > 0:
            values += 1.0
    return values


@kernel
def entropy_l(counts):
    """Return exp(entropy): the number of equally frequent values with the same entropy."""
    size, weighted = 0, 0.0
    for count in counts:
        if count > 0:
            size += count
            weighted += count * math.log(count)
    return math.exp(math.log(size) - weighted / size) if size > 0 else 0.0


@inline
def total_of(counts):
    total = 0
    for count in counts:
        total += count
    return total


@kernel
def recursive_l(counts, factor):
    """Return the largest l with fewer records at the most frequent value than c times all from the l-th on, or 0.

    Half of the progress towards the next l is added, so that small steps towards it count. The search goes from the
    rarest values up, because numbers of records are few where values are many.
    """
    rank, largest, rest, progress, previous = distinct_l(counts), counts[0], 0, 0.0, 0
    for count in counts:
        largest = max(largest, count)
    while previous < largest:
        current = largest
        for count in counts:
            if previous < count < current:
                current = count
        for count in counts:
            if count == current:
                rest += count
                if largest < factor * rest * (1.0 - TOLERANCE):
                    return rank + progress / 2.0
                rank, progress = rank - 1.0, factor * rest / largest
        previous = current
    return progress / 2.0


@kernel
def equal_emd(counts, fractions):
    """Return the earth mover's distance to the whole table where all values are equally far apart."""
    size, total = total_of(counts), 0.0
    for i in range(len(counts)):
        total += abs(counts[i] / size - fractions[i])
    return total / 2.0


@kernel
def ordered_emd(counts, fractions):
    """Return the earth mover's distance for ordered values: what flows from each place to the next."""
    size, total, passing = total_of(counts), 0.0, 0.0
    for i in range(len(counts)):
        passing += counts[i] / size - fractions[i]
        total += abs(passing)
    return total / max(len(counts) - 1, 1)


@kernel
def hierarchical_emd(counts, fractions, above, height):
    """Return the earth mover's distance where two values are as far apart as their lowest common node is high.

    Li, Li and Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", ICDE 2007, section 5:
    below each node the surplus of some children covers the deficit of others; the rest goes to the parent.
    """
    size, total = total_of(counts), 0.0
    surplus, deficit = np.zeros(len(above)), np.zeros(len(above))
    for node in range(len(above)):
        difference = surplus[node] - deficit[node]
        if node < len(counts):
            difference = counts[node] / size - fractions[node]
        total += height[node] * min(surplus[node], deficit[node])
        if difference > 0.0:
            surplus[above[node]] += difference
        else:
            deficit[above[node]] -= difference
    return total
