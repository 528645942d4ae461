"""Nested names, in Python and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from naive.hierarchies import trees
from shoal.errors import HierarchyError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.formats import nested_json

WARDS = {"hospital": {"surgery": {"ward 1": {}, "ward 2": {}}, "pediatrics": {"ward 3": {}}, "kitchen": {}}}


def test_lists_and_nothing_are_leaves_too() -> None:
    short: dict[str, Any] = {"hospital": {"surgery": ["ward 1", "ward 2"], "pediatrics": ("ward 3",), "kitchen": None}}
    tree = Hierarchy.from_dict(short)
    assert tree == Hierarchy.from_dict(WARDS)
    assert tree.leaves == ("ward 1", "ward 2", "ward 3", "kitchen")
    assert tree.to_dict() == WARDS
    assert Hierarchy.from_dict({"*": {"a": "", "b": []}}).leaves == ("a", "b")


def test_json() -> None:
    tree = nested_json.from_json('{"*": {"Europe": ["France", "Italy"], "Asia": {"Japan": null}}}')
    assert tree.nodes == ("France", "Italy", "Europe", "Japan", "Asia", "*")


@given(trees())
def test_dictionaries_make_the_tree_again(tree: Hierarchy) -> None:
    assert Hierarchy.from_dict(tree.to_dict()) == tree
    assert nested_json.from_json(nested_json.to_json(tree)) == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "is empty"),
        ("[]", r"something else than names \(at the top\)"),
        ('"secret"', r"something else than names \(at the top\)"),
        ('{"secret": {}}', "one node only"),
        ('{"a": {"secret": {}}, "b": {}}', "2 roots"),
        ('{"*": {"a": ["secret"], "b": ["secret"]}}', r"two parents \(node 3 and node 5\)"),
        ('{"*": {"secret": {"b": 1}, "secret": {}}}', r"something else than names \(node 3\)"),
        ('{"*": {"secret": {"b": {}}, "secret": {"c": {}}}}', r"named twice \(node 2 and node 4\)"),
        ('{"*": ["secret", "secret"]}', r"named twice \(node 2 and node 3\)"),
        ('{"secret": {"a": ["secret"]}}', r"named twice \(node 1 and node 3\)"),
        ('{"*": {"a": "secret"}}', r"something else than names \(node 2\)"),
        ('{"*": {"a": 17}}', r"something else than names \(node 2\)"),
        ('{"*": {"a": false}}', r"something else than names \(node 2\)"),
        ('{"*": ["a", 17]}', r"something else than names \(node 3\)"),
        ('{"*": ["a", {"secret": {}}]}', r"something else than names \(node 3\)"),
        ('{"*": {" ": {}}}', r"no name \(node 2\)"),
        ('{"*":\n {"secret": }}', r"not JSON \(line 2\)"),
        ('{"*": ' + "1" * 5000 + "}", r"something else than names \(node 1\)"),
        ('{"*": ' * 100_000 + "{}" + "}" * 100_000, "more levels than JSON"),
        ("[" * 100_000, "more levels than JSON"),
    ],
)
def test_bad_json(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HierarchyError, match=f"In '.*bad.json' .*{message}") as caught:
        Hierarchy.read(path)
    assert "secret" not in str(caught.value).replace(str(path), "")


def test_a_dictionary_inside_itself() -> None:
    ring: dict[str, Any] = {}
    ring["a"] = {"b": ring}
    with pytest.raises(HierarchyError, match="named twice"):
        Hierarchy.from_dict(ring)


@pytest.mark.parametrize("value", [None, 5, "secret", ["secret"], {1: {"secret": {}}}, {"*": {"secret"}}])
def test_what_is_not_nested(value: Any) -> None:
    with pytest.raises(HierarchyError, match="something else than names"):
        Hierarchy.from_dict(value)


def test_a_tree_too_deep_for_json() -> None:
    chain = Hierarchy.from_edges([(str(number), str(number + 1)) for number in range(5_000)])
    assert Hierarchy.from_dict(chain.to_dict()) == chain
    with pytest.raises(HierarchyError, match="more levels than JSON"):
        nested_json.to_json(chain)
