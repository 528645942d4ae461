"""Values of which nothing is known but how often they occur.

The two rarest are pooled in a group, which then counts as often as both, and so on up to the root: Huffman's tree. What
is rare has few records that a coarser value could harm and lies deep, near to other rare values; what is frequent
stays apart from all else until the end. Groups are called ``group 1``, ``group 2`` in the order in which they are made:
their names tell nothing of how often a value occurs but its rank.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.ladders import texts
from shoal.hierarchy.tree import Hierarchy

_COUNTS = "how often each value occurs, as whole numbers from 0 up"


def from_frequencies(
    counts: Mapping[Any, int] | Iterable[object], *, groups: int | None = None, root: str = "*"
) -> Hierarchy:
    """The rarest two together, again and again; of equally frequent ones, first those that come first as texts.

    ``counts`` says how often each value occurs, or are the values themselves, each as often as it occurs. ``groups`` is
    how many groups and values may stand right below the root, 2 by default.
    """
    most = 2 if groups is None else groups
    if type(most) is not int or most < 2:
        raise OptionError.bad_option("groups", "a whole number from 2 up")
    if not isinstance(root, str) or not root.strip():
        raise OptionError.bad_option("root", "a name")
    found = _counted(counts)
    # a value may be the root itself
    found.pop(root, None)
    if not found:
        raise HierarchyError.one_node()
    word = "group"
    while any(name.startswith(f"{word} ") for name in (root, *found)):
        word += "_"
    # of equal counts, values come before groups and older groups before newer ones
    heap = [(count, place, text) for place, (text, count) in enumerate(sorted(found.items()))]
    heapq.heapify(heap)
    edges: list[tuple[str, str]] = []
    made = 0
    while len(heap) > most:
        rarest, next_rarest = heapq.heappop(heap), heapq.heappop(heap)
        made += 1
        edges += [(next_rarest[2], f"{word} {made}"), (rarest[2], f"{word} {made}")]
        heapq.heappush(heap, (rarest[0] + next_rarest[0], len(found) + made, f"{word} {made}"))
    edges += [(name, root) for _, _, name in sorted(heap, reverse=True)]
    return Hierarchy.from_edges(edges)


def _counted(counts: Any) -> dict[str, int]:
    if not isinstance(counts, Mapping):
        return Counter(texts(counts))
    found: Counter[str] = Counter()
    for text, count in zip(texts(counts), counts.values(), strict=True):
        try:
            found[text] += count.__index__()
        except AttributeError:
            raise OptionError.bad_option("counts", _COUNTS) from None
        if count < 0:
            raise OptionError.bad_option("counts", _COUNTS)
    return found
