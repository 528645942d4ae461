"""Records of numbers and categories that hypothesis draws: every kind of column, weights, ties and constants."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from shoal.data.encode.category_codes import flat_hierarchy, rank_distances
from shoal.domain import CategoricalColumn, Records, Scale
from shoal.domain.columns import Kind
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.distances import distances

Draw = st.DrawFn
QUARTERS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@st.composite
def trees(draw: Draw, nodes: int) -> Hierarchy:
    above = [draw(st.integers(0, number - 1)) for number in range(1, nodes)]
    return Hierarchy.from_edges((f"n{number}", f"n{parent}") for number, parent in enumerate(above, start=1))


def even(branches: int) -> Hierarchy:
    """A tree of three levels, each node with so many below it: a path is a quarter, a half or all of the longest."""
    inner = [(f"i{i}", "root") for i in range(branches)]
    return Hierarchy.from_edges([*inner, *((f"l{i}{j}", f"i{i}") for i in range(branches) for j in range(branches))])


@st.composite
def quarters(draw: Draw, nodes: int) -> np.ndarray:
    """Distances without any sense: no triangle holds, and different nodes may have none between them."""
    table = np.zeros((nodes, nodes))
    for one in range(nodes):
        for other in range(one):
            table[one, other] = table[other, one] = draw(QUARTERS)
    return table


@st.composite
def exact_columns(draw: Draw, name: str) -> CategoricalColumn:
    """Distances of whole quarters, so that no sum of them or of their squares is ever rounded."""
    kind = draw(st.sampled_from([Kind.NOMINAL, Kind.ORDINAL, Kind.HIERARCHICAL]))
    if kind is Kind.NOMINAL:
        tree = flat_hierarchy([f"v{number}" for number in range(draw(st.integers(1, 4)))])
        return CategoricalColumn(name, kind, tree, 1.0 - np.eye(len(tree)), n_steps=1)
    if kind is Kind.ORDINAL:
        levels = draw(st.sampled_from([2, 3, 5]))
        tree = flat_hierarchy([f"v{number}" for number in range(levels)])
        return CategoricalColumn(name, kind, tree, rank_distances(tree), n_steps=2 * (levels - 1))
    if draw(st.booleans()):
        tree = even(draw(st.integers(2, 3)))
        return CategoricalColumn(name, kind, tree, distances(tree, distance="path"), n_steps=4)
    tree = draw(trees(draw(st.integers(2, 6))))
    return CategoricalColumn(name, kind, tree, draw(quarters(len(tree))))


@st.composite
def any_columns(draw: Draw, name: str) -> CategoricalColumn:
    """Distances as they are in practice."""
    kind = draw(st.sampled_from([Kind.NOMINAL, Kind.ORDINAL, Kind.HIERARCHICAL, Kind.HIERARCHICAL]))
    if kind is Kind.HIERARCHICAL:
        tree = draw(trees(draw(st.integers(2, 12))))
        by = draw(st.sampled_from(["wu-palmer", "path", "leacock-chodorow"]))
        return CategoricalColumn(name, kind, tree, distances(tree, distance=by))
    tree = flat_hierarchy([f"v{number}" for number in range(draw(st.integers(1, 7)))])
    if kind is Kind.ORDINAL:
        return CategoricalColumn(name, kind, tree, rank_distances(tree), n_steps=2 * max(len(tree) - 2, 1))
    return CategoricalColumn(name, kind, tree, 1.0 - np.eye(len(tree)), n_steps=1)


@st.composite
def mixed_records(draw: Draw, *, exact: bool = True, least_numbers: int = 0, most: int = 40) -> Records:
    """Up to three numbers and one to three categories, in either order.

    Where they are ``exact``, numbers come from a small grid and weights are powers of four: sums have no rounding, and
    what is equally far is so to the last bit. Where not, numbers are standardized, and weights are what they may be.
    """
    columns, weights = (exact_columns, [1.0, 4.0]) if exact else (any_columns, [1.0, 0.3, 5.0])
    numbers = [f"x{j}" for j in range(draw(st.integers(least_numbers, 3)))]
    categories = tuple(draw(columns(f"c{j}")) for j in range(draw(st.integers(1, 3))))
    others = [column.name for column in categories]
    names = tuple(numbers + others if draw(st.booleans()) else others + numbers)
    n, noise = draw(st.integers(2, most)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    steps = draw(st.sampled_from([1, 2, 5, 9] if exact else [1, 3, 10**6]))
    values = noise.integers(1 - steps, steps, (n, len(numbers))).astype(np.float64)
    skewed = noise.random((n, len(others))) ** draw(st.sampled_from([1.0, 3.0]))
    return Records(
        names=names,
        values=values,
        scale=Scale.raw(values) if exact else Scale.standardized(values),
        weights=np.array(draw(st.lists(st.sampled_from(weights), min_size=len(names), max_size=len(names)))),
        categories=categories,
        codes=(skewed * [len(column.hierarchy) for column in categories]).astype(np.int64),
    )
