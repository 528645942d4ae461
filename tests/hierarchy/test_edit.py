"""Edits of a hierarchy, compared with their meaning node by node."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.edit import add, dissolve, group, move, rename

PLACES = Hierarchy.from_dict(
    {"*": {"Europe": {"France": ["Lyon", "Paris"], "Italy": ["Rome"]}, "Asia": ["Osaka", "Kyoto"]}}
)


@st.composite
def trees(draw: st.DrawFn) -> Hierarchy:
    above = draw(st.lists(st.integers(0, 10), min_size=1, max_size=12))
    return Hierarchy.from_edges((f"n{child}", f"n{parent % child}") for child, parent in enumerate(above, 1))


def parents(hierarchy: Hierarchy) -> dict[str, str]:
    return dict(hierarchy.edges())


def preorder(hierarchy: Hierarchy, node: str | None = None) -> list[str]:
    node = node or hierarchy.root
    return [node, *(name for child in hierarchy.children(node) for name in preorder(hierarchy, child))]


def check(hierarchy: Hierarchy) -> None:
    """It is a tree that its edges make again."""
    assert Hierarchy.from_edges(hierarchy.edges()) == hierarchy


@given(trees(), st.data())
def test_a_renamed_node_stays_where_it_is(tree: Hierarchy, data: st.DataObject) -> None:
    node = data.draw(st.sampled_from(tree.nodes))
    edited = rename(tree, node, "new")
    check(edited)
    assert edited.parents == tree.parents
    assert [name if name != "new" else node for name in edited.nodes] == list(tree.nodes)
    assert rename(edited, "new", node) == tree


@given(trees(), st.data())
def test_moved_nodes_stand_under_the_other_and_all_else_stays(tree: Hierarchy, data: st.DataObject) -> None:
    selected = data.draw(st.sets(st.sampled_from(tree.nodes[:-1]), min_size=1))
    under = data.draw(st.sampled_from(tree.nodes))
    if any(node in selected for node in tree.path(under)):
        with pytest.raises(HierarchyError, match="its own parent"):
            move(tree, selected, under)
        return
    edited = move(tree, selected, under)
    check(edited)
    tops = {node for node in selected if not any(above in selected for above in tree.path(node)[1:])}
    assert parents(edited) == {child: under if child in tops else above for child, above in parents(tree).items()}
    still = [name for name in tree.children(under) if name not in tops or tree.parent(name) == under]
    assert list(edited.children(under))[: len(still)] == still
    rest = [name for node in tops for name in preorder(tree, node)]
    assert [name for name in preorder(edited) if name not in rest] == [n for n in preorder(tree) if n not in rest]


@given(trees(), st.data())
def test_grouped_siblings_stand_under_a_new_node(tree: Hierarchy, data: st.DataObject) -> None:
    parent = data.draw(st.sampled_from([name for name in tree.nodes if tree.children(name)]))
    selected = data.draw(st.sets(st.sampled_from(tree.children(parent)), min_size=1))
    edited = group(tree, selected, "new")
    check(edited)
    expected = {child: "new" if child in selected else above for child, above in parents(tree).items()}
    assert parents(edited) == {**expected, "new": parent}
    first = next(name for name in tree.children(parent) if name in selected)
    siblings = [
        "new" if name == first else name for name in tree.children(parent) if name == first or name not in selected
    ]
    assert list(edited.children(parent)) == siblings
    assert list(edited.children("new")) == [name for name in tree.children(parent) if name in selected]
    if selected == set(tree.children(parent)):
        assert dissolve(edited, ["new"]) == tree


@given(trees(), st.data())
def test_what_is_below_a_dissolved_node_goes_up_in_its_order(tree: Hierarchy, data: st.DataObject) -> None:
    selected = data.draw(st.sets(st.sampled_from(tree.nodes[:-1]), min_size=1))
    remaining = [name for name in preorder(tree) if name not in selected]
    if len(remaining) == 1:
        with pytest.raises(HierarchyError, match="one node only"):
            dissolve(tree, selected)
        return
    edited = dissolve(tree, selected)
    check(edited)
    assert preorder(edited) == remaining
    for name in remaining[1:]:
        assert edited.parent(name) == next(above for above in tree.path(name)[1:] if above not in selected)


@given(trees(), st.data())
def test_any_edits_of_inner_nodes_keep_every_value_and_its_records(tree: Hierarchy, data: st.DataObject) -> None:
    counts = {name: number for number, name in enumerate(tree.leaves, 1)}
    edited = tree
    for step in range(data.draw(st.integers(1, 8))):
        inner = [name for name in edited.nodes[:-1] if name not in counts]
        node = data.draw(st.sampled_from(edited.nodes[:-1]))
        other = data.draw(st.sampled_from(edited.nodes))
        edit = data.draw(st.sampled_from(["rename", "move", "group", "dissolve", "add"]))
        if edit == "rename" and inner:
            edited = rename(edited, data.draw(st.sampled_from(inner)), f"renamed {step}")
        elif edit == "move" and node not in edited.path(other):
            edited = move(edited, [node], other)
        elif edit == "group":
            edited = group(edited, [node], f"group {step}")
        elif edit == "dissolve" and inner:
            edited = dissolve(edited, [data.draw(st.sampled_from(inner))])
        elif edit == "add":
            edited = add(edited, [f"added {step}"], other)
        check(edited)
        assert edited.root == tree.root
        assert edited.coverage(counts).ok
        assert sum(counts.get(name, 0) for name in preorder(edited)) == sum(counts.values())


def test_new_leaves_come_last() -> None:
    edited = add(PLACES, ["Nice", "Lille", "Nice"], "France")
    assert edited.children("France") == ("Lyon", "Paris", "Nice", "Lille")
    assert add(PLACES, [], "France") == PLACES


def test_a_leaf_can_become_a_parent_and_goes_when_it_is_dissolved() -> None:
    edited = move(PLACES, ["Paris"], "Lyon")
    assert edited.path("Paris") == ("Paris", "Lyon", "France", "Europe", "*")
    assert "Rome" not in dissolve(PLACES, ["Rome"])


def test_what_goes_with_its_parent_stays_below_it() -> None:
    edited = move(PLACES, ["France", "Lyon"], "Asia")
    assert edited.path("Lyon") == ("Lyon", "France", "Asia", "*")


@pytest.mark.parametrize(
    ("edit", "fact"),
    [
        (lambda: rename(PLACES, "Lyon", "Rome"), "already in use"),
        (lambda: rename(PLACES, "Lyon", "  "), "name is empty"),
        (lambda: rename(PLACES, "Atlantis", "x"), "no node of that name"),
        (lambda: move(PLACES, ["*"], "Asia"), "root is above all"),
        (lambda: move(PLACES, ["Europe"], "Lyon"), "its own parent"),
        (lambda: move(PLACES, ["Lyon"], "Atlantis"), "no node of that name"),
        (lambda: move(PLACES, [], "Asia"), "No value is given"),
        (lambda: group(PLACES, ["Lyon", "Rome"], "x"), "have 2 parents, and only siblings"),
        (lambda: group(PLACES, ["Lyon", "Paris"], "France"), "already in use"),
        (lambda: group(PLACES, ["Lyon"], ""), "name is empty"),
        (lambda: dissolve(PLACES, ["*"]), "root is above all"),
        (lambda: dissolve(PLACES, ["Atlantis"]), "no node of that name"),
        (lambda: add(PLACES, ["Rome", "Oslo", "Lyon"], "Asia"), "2 of the new names are already in use"),
        (lambda: add(PLACES, ["Oslo"], "Atlantis"), "no node of that name"),
        (lambda: add(PLACES, [" "], "Asia"), "no name"),
    ],
)
def test_what_makes_no_tree_is_refused_without_naming_a_value(edit: object, fact: str) -> None:
    with pytest.raises(HierarchyError, match=fact) as caught:
        edit()  # type: ignore[operator]
    assert not any(name in str(caught.value) for name in ("Rome", "Lyon", "Atlantis", "France", "Oslo"))
