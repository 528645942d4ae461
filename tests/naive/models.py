"""Naive privacy models in integers and fractions: no rounding, no arrays.

An earth mover's distance is what its name says: the cheapest way to carry one heap to another, found by carrying along
the cheapest path that is left again and again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cache

from naive.hierarchies import subsumer
from shoal.domain.privacy_models import PrivacyModel
from shoal.hierarchy import Hierarchy

Distance = Callable[[int, int], Fraction]


def exactly(number: float) -> Fraction:
    """The number that a user wrote."""
    return Fraction(repr(number))


def holds(
    model: PrivacyModel, group: Sequence[Hashable], table: Iterable[Hashable], distance: Distance, values: list
) -> bool:
    """Whether a model holds in a group; ``table`` may be counted already, and ``values`` are its own in their order."""
    counts, n, least = sorted(Counter(group).values(), reverse=True), len(group), exactly(model.threshold)
    if model.name == "distinct-l":
        return len(counts) >= least
    if model.name == "entropy-l":
        # entropy >= log l, both sides times n and as powers
        product = Fraction(1)
        for count in counts:
            product *= count**count
        return n**n >= least**n * product
    if model.name == "recursive-l":
        return len(counts) >= least and counts[0] < exactly(model.factor) * sum(counts[int(least) - 1 :])
    return earth_movers(group, table, distance, values) <= least


def equal(a: int, b: int) -> Fraction:
    return Fraction(a != b)


def ordered(values: Sequence) -> Distance:
    return lambda a, b: Fraction(abs(a - b), max(len(values) - 1, 1))


def hierarchical(tree: Hierarchy, values: Sequence[str | None]) -> Distance:
    """The height of the lowest node above both as a share of that of the root; what is missing is below the root."""

    @cache
    def height(node: str) -> int:
        return max((height(child) + 1 for child in tree.children(node)), default=0)

    def distance(a: int, b: int) -> Fraction:
        one, other = values[a], values[b]
        if one == other:
            return Fraction(0)
        if one is None or other is None:
            return Fraction(1)
        return Fraction(height(subsumer(tree, one, other)), height(tree.root))

    return distance


def earth_movers(group: Sequence, table: Iterable, distance: Distance, values: list) -> Fraction:
    """The cheapest transport from the frequencies of a group to those of the table."""
    mine, all_of, distance = Counter(group), Counter(table), cache(distance)
    records = sum(all_of.values())
    have = [mine[value] * records for value in values]
    want = [all_of[value] * len(group) for value in values]
    carried = [[0] * len(values) for _ in values]
    while any(have):
        path, most = _cheapest(have, want, carried, distance)
        for a, b, back in path:
            carried[a][b] += -most if back else most
        have[path[0][0]] -= most
        want[path[-1][1]] -= most
    cost = sum(carried[a][b] * distance(a, b) for a in range(len(values)) for b in range(len(values)))
    return Fraction(cost) / (len(group) * records)


def _cheapest(have, want, carried, distance: Distance) -> tuple[list[tuple[int, int, bool]], int]:
    """The cheapest path from a heap with something left to one that wants something, by Bellman and Ford."""
    m = len(have)
    cost: dict[tuple[str, int], Fraction] = {("from", a): Fraction(0) for a in range(m) if have[a]}
    last: dict[tuple[str, int], tuple[int, int, bool]] = {}
    changed = True
    while changed:
        changed = False
        for a in range(m):
            for b in range(m):
                there, here = ("to", b), ("from", a)
                if here in cost and cost[here] + distance(a, b) < cost.get(there, Fraction(10**9)):
                    cost[there], last[there], changed = cost[here] + distance(a, b), (a, b, False), True
                if carried[a][b] and there in cost and cost[there] - distance(a, b) < cost.get(here, Fraction(10**9)):
                    cost[here], last[here], changed = cost[there] - distance(a, b), (a, b, True), True
    end = min((cost["to", b], b) for b in range(m) if want[b] and ("to", b) in cost)[1]
    path: list[tuple[int, int, bool]] = []
    place = ("to", end)
    while place in last:
        a, b, back = last[place]
        path.insert(0, (a, b, back))
        place = ("to", b) if back else ("from", a)
    most = min([have[path[0][0]], want[end], *(carried[a][b] for a, b, back in path if back)])
    return path, most
