"""Distances between nodes: formulas, bounds, and pruning."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.hierarchies import distance, trees
from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.distances import DISTANCES, centroid, distances, lcs_depths, prune, subtree_sizes

COUNTRIES = Hierarchy.from_dict({"*": {"Europe": ["France", "Italy"], "Asia": ["Japan"]}})


@st.composite
def counted_trees(draw: st.DrawFn) -> tuple[Hierarchy, dict[str, int]]:
    tree = draw(trees())
    some = draw(st.lists(st.sampled_from(tree.nodes), min_size=1, max_size=5, unique=True))
    return tree, {name: draw(st.integers(1, 9)) for name in some}


@pytest.mark.parametrize("kind", DISTANCES)
@given(counted_trees())
def test_distances_are_their_formulas(kind: str, drawn: tuple[Hierarchy, Mapping[str, int]]) -> None:
    tree, counts = drawn
    slow = [[distance(tree, a, b, kind=kind, counts=counts) for b in tree] for a in tree]
    np.testing.assert_allclose(distances(tree, distance=kind, counts=counts), slow, atol=1e-12)


@pytest.mark.parametrize("kind", DISTANCES)
@given(counted_trees())
def test_distances_are_symmetric_and_within_their_bounds(kind: str, drawn: tuple[Hierarchy, Mapping[str, int]]) -> None:
    table = distances(drawn[0], distance=kind, counts=drawn[1])
    assert (table == table.T).all()
    assert (np.diag(table) == 0).all()
    assert table.min() >= 0
    assert table.max() <= 1


@given(trees())
def test_sizes_and_common_depths(tree: Hierarchy) -> None:
    assert subtree_sizes(tree) == [sum(node in tree.path(other) for other in tree) for node in tree]
    assert lcs_depths(tree).tolist() == [[tree.depth(tree.lcs(a, b)) for b in tree] for a in tree]


@pytest.mark.parametrize("kind", DISTANCES)
@given(counted_trees())
def test_the_pruned_tree_has_a_centroid_as_near_as_the_whole(
    kind: str, drawn: tuple[Hierarchy, Mapping[str, int]]
) -> None:
    tree, counts = drawn
    part = prune(tree, {tree.number(name) for name in counts})
    assert set(part) == {node for name in counts for node in tree.path(name)}
    assert all(part.path(node) == tree.path(node) for node in part)

    def cost(hierarchy: Hierarchy) -> float:
        table = distances(hierarchy, distance=kind, counts=counts, levels=tree.levels)
        return float(min(sum(n * table[hierarchy.number(v)] for v, n in counts.items())))

    assert cost(part) == pytest.approx(cost(tree), abs=1e-12)
    best = centroid(part, counts, distance=kind)
    table = distances(tree, distance=kind, counts=counts)
    assert sum(n * table[tree.number(v), tree.number(best)] for v, n in counts.items()) <= cost(tree) + 1e-12


@pytest.mark.parametrize("kind", DISTANCES)
def test_the_centroid_of_france_italy_italy_is_italy(kind: str) -> None:
    assert centroid(COUNTRIES, {"France": 1, "Italy": 2}, distance=kind) == "Italy"


def test_the_centroid_may_be_an_inner_node() -> None:
    tree = Hierarchy.from_dict({"*": {"a": {"b": ["1", "2", "3", "4"]}, "z": {}}})
    assert centroid(tree, {"1": 1, "2": 1, "3": 1, "4": 1}) == "b"


def test_printed_distances_of_a_small_tree() -> None:
    table = distances(COUNTRIES)
    france, italy, japan = (COUNTRIES.number(name) for name in ("France", "Italy", "Japan"))
    assert table[france, italy] == pytest.approx(1 - 2 * 2 / (3 + 3))
    assert table[france, japan] == pytest.approx(1 - 2 * 1 / (3 + 3))
    assert distances(COUNTRIES, distance="path")[france, japan] == 1.0


def test_bad_choices() -> None:
    with pytest.raises(OptionError, match="'wu-palmer'"):
        distances(COUNTRIES, distance="wupalmer")
    with pytest.raises(OptionError, match="number of records"):
        distances(COUNTRIES, distance="information")
    with pytest.raises(HierarchyError):
        centroid(COUNTRIES, {})
    with pytest.raises(HierarchyError):
        centroid(COUNTRIES, {"secret": 1})


def test_similarity_distance_and_centroid_of_a_tree() -> None:
    assert COUNTRIES.similarity("France", "Italy") == pytest.approx(2 * 2 / 6)
    assert COUNTRIES.similarity("France", "Japan") == pytest.approx(2 * 1 / 6)
    assert COUNTRIES.distance("France", "Japan") == pytest.approx(1 - 2 * 1 / 6)
    assert COUNTRIES.distance("France", "Europe", by="path") == pytest.approx(1 / 4)
    assert COUNTRIES.distance("France", "Italy", by="information", counts={"France": 1, "Italy": 1, "Japan": 2}) == 0.5
    assert COUNTRIES.centroid(["France", "Italy", "Italy"]) == "Italy"
    assert COUNTRIES.centroid({"France": 3, "Italy": 2}) == "France"
