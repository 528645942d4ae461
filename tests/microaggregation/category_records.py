"""Records of categories that hypothesis draws: trees of any shape, values at any node, ranks, plain values, weights."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from shoal.data.encode.category_codes import flat_hierarchy, rank_distances
from shoal.domain import CategoricalColumn, Records, Scale
from shoal.domain.columns import Kind
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.distances import distances

CATEGORIES = (Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL)


@st.composite
def columns(draw: st.DrawFn, name: str, kinds: tuple[Kind, ...]) -> CategoricalColumn:
    kind, nodes = draw(st.sampled_from(kinds)), draw(st.integers(2, 9))
    if kind is not Kind.HIERARCHICAL:
        tree = flat_hierarchy([f"v{number}" for number in range(nodes - 1)])
        return CategoricalColumn(
            name, kind, tree, rank_distances(tree) if kind is Kind.ORDINAL else 1.0 - np.eye(nodes)
        )
    above = [draw(st.integers(0, number - 1)) for number in range(1, nodes)]
    tree = Hierarchy.from_edges((f"n{number}", f"n{parent}") for number, parent in enumerate(above, start=1))
    return CategoricalColumn(name, kind, tree, distances(tree, distance=draw(st.sampled_from(["wu-palmer", "path"]))))


@st.composite
def category_records(draw: st.DrawFn, *, kinds: tuple[Kind, ...] = CATEGORIES, most: int = 60) -> Records:
    """From a few values that repeat to combinations that are all different."""
    names = tuple(f"c{j}" for j in range(draw(st.integers(1, 3))))
    categories = tuple(draw(columns(name, kinds)) for name in names)
    n, skew = draw(st.integers(2, most)), draw(st.sampled_from([1.0, 3.0]))
    drawn = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).random((n, len(names))) ** skew
    codes = (drawn * [len(column.hierarchy) for column in categories]).astype(np.int64)
    weights = np.array(draw(st.lists(st.sampled_from([1.0, 0.3, 5.0]), min_size=len(names), max_size=len(names))))
    return Records(names, np.empty((n, 0)), Scale.raw(np.empty((n, 0))), weights, categories, codes)
