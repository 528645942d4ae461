"""Demands on groups: what a tally of sensitive values reaches, and whether that is enough.

A group is told by its tally, so that records can join and leave it one by one. Nothing here is shared with the
verification, which counts the same on released values in another way.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.jit import kernel, part
from shoal.values.demands import DISTINCT, ENTROPY, EQUAL, ORDERED, RECURSIVE, TOLERANCE


@kernel
def no_tally(demands):
    """The tally of a group without records."""
    return np.zeros(demands.first[-1], dtype=np.int64)


@part
def add(demands, tally, record, count):
    """Add a record so many times to a tally, or take it away where the number is negative."""
    for s in range(demands.codes.shape[1]):
        tally[demands.first[s] + demands.codes[record, s]] += count


@kernel
def holds(demands, tally):
    """Whether a group with this tally meets every rule; one without records meets none."""
    return lack(demands, tally) == 0.0


@kernel
def lack(demands, tally):
    """How far a group with this tally is from meeting every rule: the sum of the shares of l and of the t too much."""
    total = 0.0
    for d in range(len(demands.rule)):
        found, asked = figure(demands, tally, d), demands.least[d]
        if demands.rule[d] >= EQUAL:
            total += 0.0 if found <= asked + TOLERANCE else found - asked
        else:
            total += 0.0 if found >= asked * (1.0 - TOLERANCE) else 1.0 - found / asked
    return total


@kernel
def figure(demands, tally, d):
    """The l or the t that a group with this tally reaches by rule d; of a recursive l the whole part."""
    rule, s = demands.rule[d], demands.column[d]
    counts = tally[demands.first[s] : demands.first[s + 1]]
    if rule == DISTINCT:
        return distinct(counts)
    if rule == ENTROPY:
        return entropy(counts)
    if rule == RECURSIVE:
        return recursive(counts, demands.factor[d])
    shares = demands.shares[demands.first[s] : demands.first[s + 1]]
    if rule == EQUAL:
        return equal(counts, shares)
    if rule == ORDERED:
        return ordered(counts, shares)
    nodes = slice(demands.nodes[s], demands.nodes[s + 1])
    return hierarchical(counts, shares, demands.above[nodes], demands.height[nodes])


@kernel
def distinct(counts):
    """The number of different values."""
    found = 0.0
    for count in counts:
        if count > 0:
            found += 1.0
    return found


@kernel
def entropy(counts):
    """The number of values that would have this entropy if all were equally frequent."""
    size, weighted = 0, 0.0
    for count in counts:
        if count > 0:
            size += count
            weighted += count * math.log(count)
    return math.exp(math.log(size) - weighted / size) if size > 0 else 0.0


@part
def total_of(counts):
    """The sum of these counts."""
    total = 0
    for count in counts:
        total += count
    return total


@part
def largest_of(counts):
    """The largest of these counts."""
    largest = counts[0]
    for count in counts:
        largest = max(largest, count)
    return largest


@kernel
def recursive(counts, factor):
    """The largest l for which the most frequent value has fewer records than c times all from the l-th on; or 0.

    To this is added half of how near the next l is, so that small steps towards it count. It looks for the rarest
    values, then for the next rarest, and so on: numbers of records are few where values are many.
    """
    rank, most, rest, near, rare = distinct(counts), largest_of(counts), 0, 0.0, 0
    while rare < most:
        least = most
        for count in counts:
            if rare < count < least:
                least = count
        for count in counts:
            if count == least:
                rest += count
                if most < factor * rest * (1.0 - TOLERANCE):
                    return rank + near / 2.0
                rank, near = rank - 1.0, factor * rest / most
        rare = least
    return near / 2.0


@kernel
def equal(counts, shares):
    """The earth mover's distance to the whole table where all values are equally far apart."""
    size, total = total_of(counts), 0.0
    for i in range(len(counts)):
        total += abs(counts[i] / size - shares[i])
    return total / 2.0


@kernel
def ordered(counts, shares):
    """The same where values are as far apart as their places: what has to pass from each place to the next."""
    size, total, passing = total_of(counts), 0.0, 0.0
    for i in range(len(counts)):
        passing += counts[i] / size - shares[i]
        total += abs(passing)
    return total / max(len(counts) - 1, 1)


@kernel
def hierarchical(counts, shares, above, height):
    """The same where two values are as far apart as the lowest node above both is high.

    Li, Li and Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", ICDE 2007, section 5:
    below each node what some children have too much fills up what others lack, and the rest goes to the node above.
    """
    size, total = total_of(counts), 0.0
    more, less = np.zeros(len(above)), np.zeros(len(above))
    for node in range(len(above)):
        extra = more[node] - less[node]
        if node < len(counts):
            extra = counts[node] / size - shares[node]
        total += height[node] * min(more[node], less[node])
        if extra > 0.0:
            more[above[node]] += extra
        else:
            less[above[node]] -= extra
    return total
