"""ARX format: one row per value with its generalizations, level by level, and the root last.

::

    pigeon;bird;animal
    cod;fish;animal
    sponge;sponge;animal

All rows have the same number of levels. Shorter branches repeat a name from one level to the next; the repeats are one
node. The first name of a row may be an inner node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.tree import Hierarchy


def from_rows(rows: Iterable[Iterable[object]], *, places: Sequence[str] | None = None) -> Hierarchy:
    """Build the tree from ARX rows; ``places`` locates each row in messages, such as ``line 7``."""
    parents: dict[str, str] = {}
    edges: list[tuple[str, str]] = []
    lines: list[str] = []
    roots: dict[str, int] = {}
    levels = 0
    for number, row in enumerate(_check_iterable(rows)):
        place = f"row {number + 1:,}" if places is None else places[number]
        names = ["" if name is None else str(name) for name in _check_iterable(row)]
        levels = levels or len(names)
        if len(names) != levels:
            raise HierarchyError.ragged(place, found=len(names), expected=levels)
        if not all(name.strip() for name in names):
            raise HierarchyError.empty_level(place)
        if levels < 2:
            raise HierarchyError.invalid_line(place, expected="a value and at least one level above it")
        roots[names[-1]] = roots.get(names[-1], 0) + 1
        for below, above in pairwise(names):
            # most edges repeat in many rows; `from_edges` checks the new and the conflicting ones
            if below != above and parents.get(below) != above:
                parents[below] = above
                edges.append((below, above))
                lines.append(place)
    if len(roots) > 1:
        first, *others = roots.values()
        raise HierarchyError.two_roots(len(roots), header=first == 1 and len(others) == 1 and others[0] > 1)
    if roots and not edges:
        raise HierarchyError.one_node()
    return Hierarchy.from_edges(edges, places=lines)


def _check_iterable(rows: Any) -> Iterable[Any]:
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise OptionError.invalid_value("rows", "a list of rows, each a list of names from a value up to the root")
    return rows


def to_rows(hierarchy: Hierarchy, *, values: Iterable[str] | None = None) -> list[list[str]]:
    """Return one row for each leaf and for each inner node in ``values``.

    Shorter branches repeat their first name, so each column has one depth of the tree and the last one the root. Each
    column is then a generalization of all values, as ARX expects.
    """
    numbers = {hierarchy.number(name) for name in (*hierarchy.leaves, *(() if values is None else values))}
    paths = [hierarchy.path(hierarchy.nodes[number]) for number in sorted(numbers)]
    levels = hierarchy.levels
    return [[path[0]] * (levels - len(path)) + list(path) for path in paths]
