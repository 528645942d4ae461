"""Naive hierarchies: random trees, and distances by their definitions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from os import PathLike

from hypothesis import strategies as st

from shoal.hierarchy import Hierarchy
from shoal.hierarchy.wordnet.database import WordNet

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6).filter(str.strip)


@st.composite
def trees(draw: st.DrawFn, names: st.SearchStrategy[str] = NAMES, most: int = 12) -> Hierarchy:
    """A tree of at least two nodes, of any shape and with any names."""
    nodes = draw(st.lists(names, min_size=2, max_size=most, unique=True))
    above = [draw(st.integers(0, number - 1)) for number in range(1, len(nodes))]
    return Hierarchy.from_edges([(nodes[number + 1], nodes[parent]) for number, parent in enumerate(above)])


def subsumer(tree: Hierarchy, a: str, b: str) -> str:
    """The first node on the way up from a that is also on the way up from b."""
    return next(node for node in tree.path(a) if node in tree.path(b))


def distance(tree: Hierarchy, a: str, b: str, *, kind: str, counts: Mapping[str, int]) -> float:
    """One distance between two nodes, from its formula."""
    common = subsumer(tree, a, b)
    edges = tree.path(a).index(common) + tree.path(b).index(common)
    levels = max(len(tree.path(node)) for node in tree)
    if kind == "wu-palmer":
        return 1 - 2 * len(tree.path(common)) / (len(tree.path(a)) + len(tree.path(b)))
    if kind == "path":
        return edges / (2 * (levels - 1))
    if kind == "leacock-chodorow":
        return 1 - math.log((edges + 1) / (2 * levels)) / math.log(1 / (2 * levels))
    both = information(tree, a, counts) + information(tree, b, counts)
    return 1 - 2 * information(tree, common, counts) / both if both else 0.0


def information(tree: Hierarchy, node: str, counts: Mapping[str, int]) -> float:
    below = sum(count for name, count in counts.items() if node in tree.path(name))
    return -math.log(max(below, 1) / sum(counts.values()))


def hypernym_edges(synsets: Iterable[str], folder: str | PathLike[str]) -> list[tuple[str, str]]:
    """Every edge of WordNet from these synsets up to the roots, before any choice of a parent."""
    files = WordNet.open(folder)
    offsets = {files.offset_of(name) for name in synsets}
    edges: set[tuple[str, str]] = set()
    while offsets:
        above = {(low, high) for low in offsets for high in files.synset(low).hypernyms}
        edges |= {(files.name(low), files.name(high)) for low, high in above}
        offsets = {high for _, high in above}
    return sorted(edges)
