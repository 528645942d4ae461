"""The ARX format: rows in and out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.hierarchies import trees
from shoal.errors import HierarchyError, OptionError, ShoalError
from shoal.hierarchy import Hierarchy

ROWS = [
    ["pigeon", "bird", "animal"],
    ["owl", "bird", "animal"],
    ["cod", "fish", "animal"],
    ["sponge", "sponge", "animal"],
]
ANIMALS = Hierarchy.from_dict({"animal": {"bird": ["pigeon", "owl"], "fish": ["cod"], "sponge": None}})


def test_rows_are_a_tree() -> None:
    assert Hierarchy.from_rows(ROWS) == ANIMALS


def test_repeats_are_one_node_wherever_they_stand() -> None:
    right = [["a", "x", "*", "*"], ["b", "y", "x", "*"], ["a", "x", "*", "*"]]
    left = [["a", "a", "x", "*"], ["b", "y", "x", "*"], ["x", "x", "x", "*"], ["*", "*", "*", "*"]]
    assert Hierarchy.from_rows(right) == Hierarchy.from_rows(left)


def test_the_first_name_of_a_row_may_be_an_inner_node() -> None:
    rows = [["worker", "person", "*"], ["clerk", "worker", "person"]]
    with pytest.raises(HierarchyError, match="2 roots"):
        Hierarchy.from_rows(rows)
    tree = Hierarchy.from_rows([["worker", "person", "*", "*"], ["clerk", "worker", "person", "*"]])
    assert tree.path("clerk") == ("clerk", "worker", "person", "*")


def test_numbers_are_names() -> None:
    assert Hierarchy.from_rows([(17, "young", "*"), (70, "old", "*")]).leaves == ("17", "70")


def test_written_rows_hold_one_depth_in_each_column() -> None:
    assert ANIMALS.to_rows() == ROWS
    assert ANIMALS.to_rows(values=["bird", "cod", "animal"]) == [
        *ROWS[:2],
        ["bird", "bird", "animal"],
        *ROWS[2:],
        ["animal", "animal", "animal"],
    ]


def test_no_row_for_what_is_no_node() -> None:
    with pytest.raises(HierarchyError, match="no node of that name"):
        ANIMALS.to_rows(values=["secret"])


@given(trees(), st.data())
def test_rows_read_back_as_the_same_tree(tree: Hierarchy, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.sampled_from(tree.nodes)))
    rows = tree.to_rows(values=values)
    assert Hierarchy.from_rows(rows) == tree
    assert {row[0] for row in rows} == {*tree.leaves, *values}
    assert {len(row) for row in rows} == {tree.levels}
    # what is one node at some level is one node at every level above it
    for level in range(tree.levels - 1):
        assert len({(row[level], row[level + 1]) for row in rows}) == len({row[level] for row in rows})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "is empty"),
        ([["secret", "b", "*"], ["c", "*"]], r"has 2 levels, and the first line 3 \(row 2\)"),
        ([["secret", "b", "*"], ["c", "d", "e", "*"]], r"has 4 levels, .* \(row 2\)"),
        ([["secret", "b", "*"], ["c", "", "*"]], r"has an empty level \(row 2\)"),
        ([["secret", None, "*"]], r"has an empty level \(row 1\)"),
        ([["secret"], ["b"]], r"not a value and at least one level above it \(row 1\)"),
        ([["secret", "b", "*"], ["x", "y", "*"], ["secret", "c", "*"]], r"two parents \(row 1 and row 3\)"),
        ([["secret", "b", "c", "*"], ["x", "b", "d", "*"]], r"two parents \(row 1 and row 2\)"),
        ([["secret", "b", "*"], ["c", "b", "all"]], "2 roots"),
        ([["secret", "b", "*"], ["lone", "lone", "lone"]], "2 roots"),
        ([["secret", "b", "secret"]], "has a cycle: 2 nodes"),
        ([["secret", "secret"]], "one node only"),
    ],
)
def test_what_is_no_tree(rows: list[list[str | None]], message: str) -> None:
    with pytest.raises(HierarchyError, match=message) as caught:
        Hierarchy.from_rows(rows)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("rows", [5, "secret", None, [1], ["secret"]])
def test_what_are_no_rows(rows: object) -> None:
    with pytest.raises(OptionError, match="'rows'"):
        Hierarchy.from_rows(rows)  # type: ignore[arg-type]


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "*", ""]), max_size=4), max_size=6))
def test_any_rows_are_a_tree_or_an_error_of_ours(rows: list[list[str]]) -> None:
    try:
        tree = Hierarchy.from_rows(rows)
    except ShoalError:
        return
    assert {name for row in rows for name in row} == set(tree)
    for row in rows:
        assert tuple(dict.fromkeys(row)) == tree.path(row[0])


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ([["value", "level1", "level2"], ["a", "b", "*"], ["c", "b", "*"]], True),
        ([["a", "b", "*"], ["c", "b", "*"], ["d", "e", "f"]], False),
        ([["a", "b", "*"], ["d", "e", "f"]], False),
        ([["a", "b", "x"], ["c", "b", "y"], ["d", "e", "z"]], False),
    ],
)
def test_a_header_that_is_taken_for_a_value(rows: list[list[str]], header: bool) -> None:
    with pytest.raises(HierarchyError, match="roots") as caught:
        Hierarchy.from_rows(rows)
    assert ("a header line is taken for a value: remove it" in str(caught.value)) == header
