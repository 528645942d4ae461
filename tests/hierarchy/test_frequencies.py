"""Frequency hierarchies."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy import Hierarchy


def test_what_is_rare_is_pooled_first() -> None:
    tree = Hierarchy.from_frequencies({"often": 90, "rare": 2, "rarer": 1, "some": 9})
    assert tree.children("group 1") == ("rare", "rarer")
    assert tree.children("group 2") == ("some", "group 1")
    assert tree.children("*") == ("often", "group 2")


def test_equal_counts_halve() -> None:
    tree = Hierarchy.from_frequencies(list("abcdefgh"))
    assert tree.levels == 4
    assert [tree.depth(name) for name in "abcdefgh"] == [4] * 8
    assert tree.lcs("a", "b") == "group 1"


def test_more_groups_below_the_root() -> None:
    counts = {"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}
    assert Hierarchy.from_frequencies(counts, groups=4).children("*") == ("a", "b", "group 1", "c")
    assert Hierarchy.from_frequencies(counts, groups=9).children("*") == ("a", "b", "c", "d", "e")


def test_names_of_groups_are_no_values() -> None:
    tree = Hierarchy.from_frequencies(["group 1", "group_ 7", "b", "c"], root="any")
    assert "group__ 1" in tree
    assert set(tree.leaves) == {"group 1", "group_ 7", "b", "c"}
    assert tree.root == "any"


def test_a_value_may_be_the_root() -> None:
    assert Hierarchy.from_frequencies(["*", "a", "b"]).nodes == ("b", "a", "*")
    with pytest.raises(HierarchyError, match="one node only"):
        Hierarchy.from_frequencies(["*"])


def test_one_value_and_values_that_are_numbers() -> None:
    assert Hierarchy.from_frequencies(["x", "x"]).nodes == ("x", "*")
    assert Hierarchy.from_frequencies({1: 5, "1": 2, 2: 0}).nodes == ("1", "2", "*")


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(0, 50), min_size=1), st.integers(2, 5))
def test_no_tree_pools_fewer_records_less_often(counts: dict[str, int], groups: int) -> None:
    tree = Hierarchy.from_frequencies(counts)
    assert set(tree.leaves) == set(counts)
    assert tree == Hierarchy.from_frequencies(dict(reversed(counts.items())))
    # where one value is rarer than another, it lies at least as deep
    for a, b in ((a, b) for a in counts for b in counts if counts[a] < counts[b]):
        assert tree.depth(a) >= tree.depth(b)
    assert len(Hierarchy.from_frequencies(counts, groups=groups).children("*")) == min(groups, len(counts))
    repeated = list(Counter(counts).elements())
    if all(counts.values()):
        assert Hierarchy.from_frequencies(repeated) == tree


@pytest.mark.parametrize("counts", [{"a": -1}, {"a": 1.5}, {"a": "secret"}, {"a": None}])
def test_bad_counts(counts: Any) -> None:
    with pytest.raises(OptionError, match="'counts'"):
        Hierarchy.from_frequencies(counts)


def test_bad_values_and_options() -> None:
    for nothing in ([], {}):
        with pytest.raises(HierarchyError, match="no value"):
            Hierarchy.from_frequencies(nothing)
    with pytest.raises(HierarchyError, match="1 of 1 value is empty"):
        Hierarchy.from_frequencies({"": 5})
    for groups in (1, 2.0, "3", True):
        with pytest.raises(OptionError, match="'groups'"):
            Hierarchy.from_frequencies(["a"], groups=groups)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="'root'"):
        Hierarchy.from_frequencies(["a"], root="")
