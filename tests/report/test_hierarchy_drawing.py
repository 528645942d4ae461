"""Drawings of hierarchies: in the terminal and as SVG."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy import Hierarchy
from shoal.report.hierarchy_drawing import draw_svg, draw_tree, facts, node_list, page, summary

SVG = "{http://www.w3.org/2000/svg}"
NASTY = "<script>alert('x')</script>"
JOBS = Hierarchy.from_edges(
    [("worker", "person"), ("leader", "person"), ("clerk", "worker"), ("mover", "worker"), ("chief", "leader")]
)
COUNTS = {"worker": 20, "clerk": 1200, "mover": 35, "chief": 4}


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    above = draw(st.lists(st.integers(0, 10**6), min_size=1, max_size=60))
    return Hierarchy.from_edges([(f"n{i}", f"n{parent % i}") for i, parent in enumerate(above, 1)])


def drawing(hierarchy: Hierarchy, counts: dict[str, int] | None = None, **options) -> ET.Element:
    return ET.fromstring(draw_svg(hierarchy, counts, title="Jobs", **options))  # noqa: S314 - our own text


def labels(root: ET.Element) -> dict[str, tuple[float, float]]:
    return {
        str(text.text).strip(): (float(text.attrib["x"]), float(text.attrib["y"]))
        for text in root.iterfind(f".//{SVG}g/{SVG}text")
    }


def test_a_tree_with_records() -> None:
    assert draw_tree(JOBS, COUNTS) == (
        "             records  own\n"
        "person         1,259\n"
        "├─ worker      1,255   20\n"
        "│  ├─ clerk    1,200\n"
        "│  └─ mover       35\n"
        "└─ leader          4\n"
        "   └─ chief        4\n"
        "\n"
        "6 nodes on 3 levels, 3 of them leaves; 1,259 records on 4 values"
    )


def test_a_tree_without_records() -> None:
    assert draw_tree(JOBS).splitlines()[:3] == ["person", "├─ worker", "│  ├─ clerk"]
    assert draw_tree(JOBS).endswith("\n\n6 nodes on 3 levels, 3 of them leaves")


def test_values_outside_the_hierarchy_are_counted_and_not_named() -> None:
    message = draw_tree(JOBS, {**COUNTS, "pilot": 7, "nurse": 2})
    assert message.endswith("; 9 records on 2 values not in the hierarchy")
    assert "pilot" not in message
    assert "pilot" not in page(JOBS, {**COUNTS, "pilot": 7}, title="Jobs")


def test_a_cut_says_what_is_left_out() -> None:
    lines = draw_tree(JOBS, COUNTS, depth=2).splitlines()
    assert lines[2:5] == [
        "├─ worker … 2 more below    1,255   20",
        "└─ leader … 1 more below        4",
        "",
    ]
    assert draw_tree(JOBS, depth=1).startswith("person … 5 more below\n\n")
    assert set(labels(drawing(JOBS, depth=2))) == {"person", "worker", "leader"}
    assert "1,255 (20 own) … 2 more below" in draw_svg(JOBS, COUNTS, title="Jobs", depth=2)


def test_many_children_are_shortened() -> None:
    many = Hierarchy.from_edges([(f"v{i}", "all") for i in range(237)])
    lines = draw_tree(many, {f"v{i}": 2 for i in range(237)}).splitlines()
    assert lines[-3].split() == ["└─", "…", "37", "more", "74"]
    assert len(lines) == 1 + 1 + 200 + 1 + 2


@pytest.mark.parametrize("width", [40, 60, 100])
def test_lines_keep_the_width(width: int) -> None:
    long = Hierarchy.from_edges([("x" * 300, "middle"), ("日本" * 90, "middle"), ("middle", "top")])
    lines = draw_tree(long, {"x" * 300: 5}, width=width).splitlines()[:-1]
    assert max(len(line) + sum(sign in "日本" for sign in line) for line in lines) <= width
    assert sum("…" in line for line in lines) == 2


def test_names_cannot_move_the_cursor() -> None:
    odd = Hierarchy.from_edges([("a\x1b[2J\nb", "top"), ("\ud800", "top"), ("\0", "top")])
    assert "\x1b" not in draw_tree(odd)
    assert len(draw_tree(odd).splitlines()) == 6
    assert len(labels(drawing(odd))) >= 2


@given(hierarchies())
def test_every_node_is_drawn_once(hierarchy: Hierarchy) -> None:
    names = [re.sub(r"^[│├└─ ]*", "", line) for line in draw_tree(hierarchy).splitlines()[:-2]]
    assert sorted(names) == sorted(hierarchy)
    assert set(labels(drawing(hierarchy))) == set(hierarchy)


@given(hierarchies())
def test_no_two_names_share_a_place(hierarchy: Hierarchy) -> None:
    places = labels(drawing(hierarchy))
    by_column: dict[float, list[float]] = {}
    for x, y in places.values():
        by_column.setdefault(x, []).append(y)
    for heights in by_column.values():
        ordered = sorted(heights)
        assert all(below - above >= 20 for above, below in pairwise(ordered))


def test_parents_stand_in_the_middle_of_their_children() -> None:
    places = labels(drawing(JOBS, COUNTS))
    assert places["worker"][1] == (places["clerk"][1] + places["mover"][1]) / 2
    assert places["person"][1] == (places["worker"][1] + places["leader"][1]) / 2
    assert places["person"][0] < places["worker"][0] < places["clerk"][0]


def test_what_is_too_deep_for_a_page_is_indented() -> None:
    deep = Hierarchy.from_edges([(f"a rather long name {i}", f"a rather long name {i - 1}") for i in range(1, 30)])
    root, places = drawing(deep), labels(drawing(deep))
    assert float(root.attrib["viewBox"].split()[2]) < 1100
    heights = [places[f"a rather long name {i}"][1] for i in range(30)]
    assert heights == sorted(set(heights))


def test_areas_are_records() -> None:
    root = drawing(JOBS, COUNTS)
    radii = {
        str(node.findtext(f"{SVG}text")).strip(): [
            (circle.attrib["class"], float(circle.attrib["r"])) for circle in node.iterfind(f"{SVG}circle")
        ]
        for node in root.iterfind(f"{SVG}g")
    }
    assert radii["person"] == [("all", 11.0)]
    assert [kind for kind, _ in radii["worker"]] == ["all", "own"]
    assert [kind for kind, _ in radii["clerk"]] == ["own"]
    assert radii["clerk"][0][1] ** 2 / 11**2 == pytest.approx(1200 / 1259, abs=0.02)


def test_a_node_without_records_is_a_small_ring() -> None:
    root = drawing(JOBS, {"clerk": 3})
    kinds = {str(node.findtext(f"{SVG}text")).strip(): node.find(f"{SVG}circle") for node in root.iterfind(f"{SVG}g")}
    assert kinds["chief"].attrib["class"] == "none"
    assert kinds["leader"].attrib["class"] == "none"


def test_the_page_is_escaped_and_reaches_nowhere() -> None:
    nasty = Hierarchy.from_edges([(NASTY, "all & more"), ('"' * 60, "all & more")])
    release = page(nasty, {NASTY: 3}, title=NASTY)
    assert "<script" not in release
    assert "&lt;script&gt;" in release
    assert not re.search(r"(?:href|src)\s*=|url\(|@import", release)
    assert re.findall(r"https?://[^\"']+", release) == ["http://www.w3.org/2000/svg"]
    assert "prefers-color-scheme: dark" in draw_svg(nasty, title="x")


def test_facts_name_no_node() -> None:
    assert facts(JOBS) == {"nodes": 6, "leaves": 3, "levels": 3, "fingerprint": JOBS.fingerprint}
    assert summary(Hierarchy.from_edges([("a", "b")])) == "2 nodes on 2 levels, 1 of them a leaf"


def test_the_listing_has_parents_first() -> None:
    rows = node_list(JOBS, COUNTS)
    assert rows[0] == {"name": "person", "parent": None, "depth": 1, "records": 1259, "own": 0}
    assert rows[1] == {"name": "worker", "parent": "person", "depth": 2, "records": 1255, "own": 20}
    assert [row["records"] for row in node_list(JOBS)] == [None] * 6
    assert Hierarchy.from_edges([(row["name"], row["parent"]) for row in rows[1:]]) == JOBS


def test_joiners_stay_and_other_marks_do_not() -> None:
    drawing = draw_tree(Hierarchy.from_edges([("a\u200cb\u200dc", "*"), ("d\u202ee\x1b", "*")]))
    assert "a\u200cb\u200dc" in drawing
    assert "d\ufffde\ufffd" in drawing
