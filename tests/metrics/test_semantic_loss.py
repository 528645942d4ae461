"""Semantic loss against the obvious definition."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.hierarchy import Hierarchy
from shoal.testing import hierarchies

TREE = Hierarchy.from_edges([("b", "a"), ("c", "a"), ("d", "b"), ("e", "b"), ("f", "c")])


def wu_palmer(tree: Hierarchy, one: str, other: str) -> float:
    return 1 - 2 * tree.depth(tree.lcs(one, other)) / (tree.depth(one) + tree.depth(other))


def rounded(distance: float) -> int:
    """Centers are found by distances in parts of 2**32, whose sums are exact."""
    return round(distance * 2**32)


def naive(trees: list[Hierarchy], was: list[tuple[str, ...]], now: list[tuple[str, ...]]) -> tuple[float, float]:
    def apart(one: tuple[str, ...], other: tuple[str, ...]) -> float:
        return sum(wu_palmer(*triple) for triple in zip(trees, one, other, strict=True)) / len(trees)

    middle = tuple(
        min(tree.nodes, key=lambda node: sum(rounded(wu_palmer(tree, row[j], node)) for row in was))
        for j, tree in enumerate(trees)
    )
    return (
        sum(apart(one, other) ** 2 for one, other in zip(was, now, strict=True)),
        sum(apart(one, middle) ** 2 for one in was),
    )


@given(data=st.data())
def test_semantic_loss_is_that_of_the_definition(data) -> None:
    trees = [data.draw(hierarchies()), data.draw(hierarchies())]
    rows = data.draw(st.integers(2, 12))
    nodes = st.tuples(*(st.sampled_from(tree.nodes) for tree in trees))
    was, now = (data.draw(st.lists(nodes, min_size=rows, max_size=rows)) for _ in range(2))
    tables = [pl.DataFrame({"a": [row[0] for row in part], "b": [row[1] for row in part]}) for part in (was, now)]
    result = shoal.evaluate(*tables, quasi_identifiers=["a", "b"], hierarchies=dict(zip("ab", trees, strict=True)))
    error, total = naive(trees, was, now)
    assert result.semantic_sse == pytest.approx(error, abs=1e-12)
    assert result.semantic_sst == pytest.approx(total, abs=1e-12)
    if total > 1e-12:
        assert result.semantic_loss == pytest.approx(100 * error / total)
    assert result.distance == "wu-palmer"
    assert result.information_loss is None


def test_nothing_lost_and_everything() -> None:
    was = pl.DataFrame({"x": ["d", "d", "f", "e"]})
    same = shoal.evaluate(was, was, quasi_identifiers="x", hierarchies={"x": TREE})
    assert (same.semantic_sse, same.semantic_loss) == (0.0, 0.0)
    missing = shoal.evaluate(was, pl.DataFrame({"x": ["*"] * 4}), quasi_identifiers="x", hierarchies={"x": TREE})
    root = shoal.evaluate(was, pl.DataFrame({"x": ["a"] * 4}), quasi_identifiers="x", hierarchies={"x": TREE})
    assert missing.semantic_loss == root.semantic_loss > 100  # * is the root, and another node is nearer to all
    equal = pl.DataFrame({"x": ["d", "d"]})
    changed = shoal.evaluate(equal, pl.DataFrame({"x": ["e", "e"]}), quasi_identifiers="x", hierarchies={"x": TREE})
    assert changed.semantic_loss == math.inf


def test_without_a_hierarchy_only_equality_counts() -> None:
    was, now = pl.DataFrame({"sex": ["m", "f", "m", "m"]}), pl.DataFrame({"sex": ["m", "*", "m", "*"]})
    result = shoal.evaluate(was, now, quasi_identifiers="sex")
    assert (result.semantic_sse, result.semantic_sst, result.distance) == (2.0, 1.0, "rank or equality")


def test_levels_count_by_rank() -> None:
    was, now = pl.DataFrame({"x": ["low", "mid", "high"]}), pl.DataFrame({"x": ["mid", "mid", "mid"]})
    result = shoal.evaluate(was, now, quasi_identifiers="x", levels={"x": ["low", "mid", "high"]})
    assert result.semantic_sse == pytest.approx(0.5)
    assert result.semantic_loss == pytest.approx(100.0)


def test_mixed_tables_have_both_losses() -> None:
    was = pl.DataFrame({"n": [1.0, 2.0, 3.0, 4.0], "x": ["d", "e", "f", "f"]})
    now = pl.DataFrame({"n": [1.5, 1.5, 3.5, 3.5], "x": ["b", "b", "f", "f"]})
    result = shoal.evaluate(was, now, quasi_identifiers=["n", "x"], hierarchies={"x": TREE}, k=2)
    assert result.information_loss == pytest.approx(20.0)
    assert result.semantic_loss is not None
    assert result.semantic_loss > 0
    assert list(result.columns) == ["n", "x"]


def test_what_cannot_be_measured_is_told() -> None:
    was = pl.DataFrame({"n": [1, 2], "x": ["d", None]})
    now = pl.DataFrame({"n": ["[1, 2]", "[1, 2]"], "x": ["d", "d"]})
    result = shoal.evaluate(was, now, quasi_identifiers=["n", "x"])
    assert result.information_loss is None
    assert len(result.notes) == 1
    assert result.semantic_loss == 100.0  # a gap was a value of its own
    assert shoal.evaluate(was, now, quasi_identifiers=["n", "x"], missing_values="impute").semantic_loss == 0.0
    assert np.isfinite(result.global_risk)
