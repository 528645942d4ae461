"""`Hierarchy`: the order of its nodes, its methods, and invalid trees."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given

from naive.hierarchies import subsumer, trees
from shoal.errors import FileError, HierarchyError
from shoal.hierarchy import Hierarchy

SYSTEMS = {
    "operating_system": {
        "console_os": {"playstation_os": ["playstation_vita_os", "playstation_4_os"], "xbox_os": {}},
        "mobile_ios": ["windows_phone_os", "tizen", "android", "blackberry_os", "ios", "linux_mobile_os"],
    }
}
POSTORDER = (
    "playstation_vita_os playstation_4_os playstation_os xbox_os console_os windows_phone_os tizen android"
    " blackberry_os ios linux_mobile_os mobile_ios operating_system"
)
"""As the thesis on categorical microaggregation prints it in its section 3.2.1.1."""

EDGES = [("bird", "animal"), ("fish", "animal"), ("pigeon", "bird"), ("cod", "fish"), ("owl", "bird")]


def test_nodes_are_in_the_printed_postorder() -> None:
    assert Hierarchy.from_dict(SYSTEMS).nodes == tuple(POSTORDER.split())


def test_a_tree_answers() -> None:
    tree = Hierarchy.from_edges(EDGES)
    assert tree.nodes == ("pigeon", "owl", "bird", "cod", "fish", "animal")
    assert tree.parents == (2, 2, 5, 4, 5, 5)
    assert (len(tree), tree.root, tree.levels, tree.leaves) == (6, "animal", 3, ("pigeon", "owl", "cod"))
    assert list(tree) == list(tree.nodes)
    assert tree.children("bird") == ("pigeon", "owl")
    assert tree.children("cod") == ()
    assert (tree.parent("cod"), tree.parent("animal")) == ("fish", None)
    assert tree.path("owl") == ("owl", "bird", "animal")
    assert (tree.depth("animal"), tree.depth("cod")) == (1, 3)
    assert "owl" in tree
    assert "cat" not in tree
    assert repr(tree) == "Hierarchy(nodes=6, leaves=3, levels=3)"


def test_the_least_common_subsumer() -> None:
    tree = Hierarchy.from_edges(EDGES)
    assert tree.lcs("pigeon", "owl") == "bird"
    assert tree.lcs("pigeon", "cod", "owl") == "animal"
    assert tree.lcs("pigeon", "bird") == "bird"
    assert tree.lcs("cod") == tree.lcs("cod", "cod") == "cod"


def test_france_and_italy_meet_in_europe() -> None:
    tree = Hierarchy.from_dict({"*": {"Europe": ["France", "Italy"], "Asia": ["Japan"]}})
    assert tree.lcs("France", "Italy", "Italy") == "Europe"


@given(trees())
def test_any_two_nodes_meet_where_their_ways_up_do(tree: Hierarchy) -> None:
    assert all(tree.lcs(a, b) == subsumer(tree, a, b) for a in tree for b in tree)


@given(trees())
def test_children_come_before_their_parent_and_edges_make_the_tree_again(tree: Hierarchy) -> None:
    assert all(parent > number for number, parent in enumerate(tree.parents[:-1]))
    again = Hierarchy.from_edges(tree.edges())
    assert again == tree
    assert again.fingerprint == tree.fingerprint


def test_the_fingerprint_tells_trees_apart() -> None:
    chain = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    fan = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    turned = Hierarchy.from_edges([("b", "c"), ("a", "c")])
    assert len({chain.fingerprint, fan.fingerprint, turned.fingerprint}) == 3


def test_the_same_edge_twice_is_one_edge_and_numbers_are_names() -> None:
    assert Hierarchy.from_edges([(17, "young"), (17, "young"), ("young", "*")]).nodes == ("17", "young", "*")


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([], "is empty"),
        ([("a", "a")], "1 node leads back to itself"),
        ([("a", "b"), ("b", "a")], "2 nodes lead"),
        ([("x", "*"), ("a", "b"), ("b", "c"), ("c", "a")], "3 nodes lead"),
        ([("a", "b"), ("x", "y"), ("a", "c")], r"two parents \(edge 1 and edge 3\)"),
        ([("a", "b"), ("c", "d")], "has 2 roots"),
        ([("a", "b"), (" ", "b")], r"no name \(edge 2\)"),
        ([("a", "")], r"no name \(edge 1\)"),
    ],
)
def test_what_is_no_tree(edges: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        Hierarchy.from_edges(edges)


def test_places_are_named_as_they_were_given() -> None:
    with pytest.raises(HierarchyError, match=r"\(line 3 and line 9\)"):
        Hierarchy.from_edges([("a", "b"), ("a", "c")], places=["line 3", "line 9"])


@pytest.mark.parametrize("ask", ["number", "path", "parent", "children", "depth", "lcs"])
@pytest.mark.parametrize("name", ["secret", None, []])
def test_a_name_that_no_node_has(ask: str, name: object) -> None:
    with pytest.raises(HierarchyError, match="no node of that name") as caught:
        getattr(Hierarchy.from_edges(EDGES), ask)(name)
    assert "secret" not in str(caught.value)


def test_nothing_has_no_common_subsumer() -> None:
    for ask in (lambda tree: tree.lcs(), lambda tree: tree.centroid([])):
        with pytest.raises(HierarchyError, match="No value is given"):
            ask(Hierarchy.from_edges(EDGES))


def test_a_deep_chain_and_a_wide_fan() -> None:
    chain = Hierarchy.from_edges([(str(number), str(number + 1)) for number in range(20_000)])
    assert (chain.levels, chain.root, len(chain.leaves)) == (20_001, "20000", 1)
    assert Hierarchy.from_edges([(number, "*") for number in range(20_000)]).levels == 2


def test_a_tree_cannot_be_changed() -> None:
    tree = Hierarchy.from_edges(EDGES)
    for mapping in (tree.numbers, tree._children):
        with pytest.raises(TypeError):
            mapping["cat"] = 0  # type: ignore[index]
    assert "cat" not in tree


def test_a_tree_is_copied_whole() -> None:
    tree = Hierarchy.from_edges(EDGES)
    assert tree.children("bird") == ("pigeon", "owl")  # what is kept for later is no part of a copy
    for again in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)):  # noqa: S301
        assert again == tree
        assert again.path("owl") == tree.path("owl")


@pytest.mark.parametrize(
    ("nodes", "parents", "why"),
    [
        ((), (), "not two tuples"),
        (["a", "b"], (1, 1), "not two tuples"),
        (("a", "b"), [1, 1], "not two tuples"),
        (("a", "b"), (1,), "not two tuples"),
        (None, None, "not two tuples"),
        ((1, "b"), (1, 1), "not texts"),
        (([], "b"), (1, 1), "not texts"),
        (("secret", "secret", "*"), (2, 2, 2), "1 of 3 names repeats another"),
        (("a", "b"), (1.0, 1), "not whole numbers"),
        (("a", "b"), (1, None), "not whole numbers"),
        (("a", "b", "c"), (1, 0, 2), "not those of a postorder"),
        (("a", "b", "c"), (0, 2, 2), "not those of a postorder"),
        (("a", "b", "c"), (2, 2, 1), "not those of a postorder"),
        (("a", "b", "c"), (2, 3, 2), "not those of a postorder"),
        (("a", "b", "c"), (2, -1, 2), "not those of a postorder"),
        (("a", "b", "c", "d"), (2, 3, 3, 3), "not those of a postorder"),
    ],
)
def test_nodes_and_parents_that_make_no_tree(nodes: Any, parents: Any, why: str) -> None:
    with pytest.raises(HierarchyError, match=why) as caught:
        Hierarchy(nodes, parents)
    assert "secret" not in str(caught.value)


def test_a_node_by_itself_is_a_tree() -> None:
    assert Hierarchy(("*",), (0,)).leaves == ("*",)


def test_messages_about_one() -> None:
    assert "1 of them differs only" in str(HierarchyError.uncovered("c", values=2, of=3, records=2, near=1))
    assert "2 of them differ only" in str(HierarchyError.uncovered("c", values=2, of=3, records=2, near=2))
    assert "1 of 3 values is not a finite number" in str(HierarchyError.not_numbers(1, of=3))
    assert "2 of 3 values are not finite numbers" in str(HierarchyError.not_numbers(2, of=3))
    one = FileError.ragged("x.csv", row=3, found=2, expected=4, rows=1)
    assert "1 record of 'x.csv' does not have 4 fields" in str(one)
