"""Frequency hierarchies: Huffman trees, for values with no known relation.

The two rarest nodes are merged into a group with the sum of their counts, up to the root. Rare values are deep, close
to other rare ones, where generalization affects few records; frequent values are merged last. Groups are named ``group
1``, ``group 2`` in order of creation, so names disclose only the rank of a value's frequency.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.builders.paths import value_texts
from shoal.hierarchy.tree import Hierarchy

_COUNTS = "how often each value occurs, as whole numbers from 0 up"


def from_frequencies(
    counts: Mapping[Any, int] | Iterable[object], *, groups: int | None = None, root: str = "*"
) -> Hierarchy:
    """Build a Huffman tree; ties are broken by the text of the values.

    ``counts`` maps values to their counts, or is the values with repeats. ``groups`` is the maximum number of children
    of the root, 2 by default.
    """
    max_children = 2 if groups is None else groups
    if type(max_children) is not int or max_children < 2:
        raise OptionError.invalid_value("groups", "a whole number from 2 up")
    if not isinstance(root, str) or not root.strip():
        raise OptionError.invalid_value("root", "a name")
    totals = _count(counts)
    # a value may be the root itself
    totals.pop(root, None)
    if not totals:
        raise HierarchyError.one_node()
    word = "group"
    while any(name.startswith(f"{word} ") for name in (root, *totals)):
        word += "_"
    # at equal counts, values come before groups and older groups before newer ones
    heap = [(count, place, text) for place, (text, count) in enumerate(sorted(totals.items()))]
    heapq.heapify(heap)
    edges: list[tuple[str, str]] = []
    n_groups = 0
    while len(heap) > max_children:
        rarest, next_rarest = heapq.heappop(heap), heapq.heappop(heap)
        n_groups += 1
        group = f"{word} {n_groups}"
        edges += [(next_rarest[2], group), (rarest[2], group)]
        heapq.heappush(heap, (rarest[0] + next_rarest[0], len(totals) + n_groups, group))
    edges += [(name, root) for _, _, name in sorted(heap, reverse=True)]
    return Hierarchy.from_edges(edges)


def _count(counts: Any) -> dict[str, int]:
    if not isinstance(counts, Mapping):
        return Counter(value_texts(counts))
    totals: Counter[str] = Counter()
    for text, count in zip(value_texts(counts), counts.values(), strict=True):
        try:
            totals[text] += count.__index__()
        except AttributeError:
            raise OptionError.invalid_value("counts", _COUNTS) from None
        if count < 0:
            raise OptionError.invalid_value("counts", _COUNTS)
    return totals
