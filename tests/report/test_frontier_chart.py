"""The chart of a comparison, and its text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import pytest

from shoal.release.compare.comparison import Comparison
from shoal.release.compare.points import ComparisonPoint
from shoal.report import comparison_page, frontier_chart
from shoal.report.svg_charts import LABEL_HEIGHT


def compared(losses: dict[str, dict[int, float]], **more: Any) -> dict[str, Any]:
    """The plain data of a comparison with these losses, by method and k."""
    points = [
        ComparisonPoint(name, k, loss, 100 / k, 1 / k, 12.5, 9, 1.1, k, 0, seconds=0.25, verified=True)
        for name, result in losses.items()
        for k, loss in result.items()
    ]
    released = Comparison((*points, *more.get("refused", ())), 99, ("age", "<b>"), "m0")
    return released.to_dict()


def chart_of(facts: dict[str, Any]) -> ET.Element:
    svg = re.search(r"<svg.*</svg>", frontier_chart.chart(facts), re.DOTALL)
    assert svg
    return ET.fromstring(svg[0])  # noqa: S314 - our own chart


MANY = {f"m{i}": {k: (1 + i / 100) * k / 4 for k in (2, 3, 5, 10, 11, 20)} for i in range(20)}
ONE = {"m0": {3: 0.0}}
FAR = {"m0": {2: 1e-9, 50: 3.0}, "m1": {2: 0.01, 50: 90.0}}


@pytest.mark.parametrize("losses", [MANY, ONE, FAR, {"m0": {2: 1.0, 3: 1.0}}, {"m0": {2: 2e-5, 100: 5.0}}])
def test_everything_lies_inside_the_chart_and_no_name_on_another(losses: dict[str, dict[int, float]]) -> None:
    svg = chart_of(compared(losses))
    width, height = map(float, svg.attrib["viewBox"].split()[2:])
    texts = [(float(t.attrib["x"]), float(t.attrib["y"]), t.text or "") for t in svg.iter("text") if "x" in t.attrib]
    assert all(0 <= x <= width and 0 <= y <= height for x, y, _ in texts)
    names = sorted(y for _, y, text in texts if text in losses)
    assert len(names) == len(losses)
    assert all(below - above >= LABEL_HEIGHT - 0.1 for above, below in pairwise(names))
    levels = [(x, y) for x, y, text in texts if text.startswith("k = ")]
    assert levels
    assert all(abs(x - a) > 40 or abs(y - b) > 14 for i, (x, y) in enumerate(levels) for a, b in levels[:i])
    assert all(0 <= float(c.attrib["cx"]) <= width and 0 <= float(c.attrib["cy"]) <= height for c in svg.iter("circle"))
    assert len(list(svg.iter("polygon"))) == 1
    titles = [title.text for title in svg.iter("title")]
    assert len(titles) == sum(map(len, losses.values()))


def test_the_chart_can_be_heard() -> None:
    svg = chart_of(compared({"m0": {2: 1.0, 5: 3.0}, "m1": {2: 2.0}}))
    assert svg.attrib["role"] == "img"
    assert svg.attrib["aria-label"] == (
        "Loss against risk of the compared methods. On the frontier: m0 at k = 2, loss 1, risk 50 percent; m0 at k = 5,"
        " loss 3, risk 20 percent."
    )


def test_names_are_escaped() -> None:
    facts = compared({"<i>&": {2: 1.0, 3: 2.0}}, refused=[ComparisonPoint("<u>", 3, error="Too <small>; ask.")])
    page = comparison_page.page(facts) + comparison_page.fragment(facts)
    for word in ("<i>", "<b>", "<u>", "<small>"):
        assert word not in page
    assert "&lt;u&gt; at k = 3: Too &lt;small&gt;; ask." in page


def test_where_nothing_was_measured_there_is_no_chart() -> None:
    facts = compared({}, refused=[ComparisonPoint("m0", k, error="No.") for k in (2, 3)])
    assert frontier_chart.chart(facts) == ""
    assert "m0 at k = 2, 3: No." in frontier_chart.section(facts)
    assert comparison_page.text(facts).splitlines()[-1] == "  no release: m0 at k = 2, 3: No."


def test_points_without_a_release_for_the_same_reason_are_told_together() -> None:
    refused = [ComparisonPoint(name, k, error="Over.") for name in ("m1", "m2") for k in (2, 3)]
    facts = compared({"m0": {2: 1.0}}, refused=[*refused, ComparisonPoint("m3", 2, error="No.")])
    assert frontier_chart.failures(facts) == ["m1 at k = 2, 3; m2 at k = 2, 3: Over.", "m3 at k = 2: No."]


def test_seconds_with_compiling_are_marked() -> None:
    facts = compared({"m0": {2: 1.0}})
    assert "Kernels were compiled" not in comparison_page.text(facts)
    facts["points"][0]["compiled"] = True
    assert "0.25*" in comparison_page.text(facts)
    assert "Kernels were compiled" in comparison_page.text(facts)


def test_the_text_is_a_table_a_chart_and_a_reason() -> None:
    facts = compared({"m0": {2: 1.0, 5: 3.0, 10: 10.0}, "m1": {5: 4.0}})
    assert comparison_page.text(facts).splitlines() == [
        "99 records; quasi-identifiers: age, <b>",
        "",
        "      k  method  loss (%)  risk (%)  gap (%)  classes  seconds",
        "  ◆   2  m0             1        50     12.5        9     0.25",
        "  ★   5  m0             3        20     12.5        9     0.25",
        "      5  m1             4        20     12.5        9     0.25",
        "  ◆  10  m0            10        10     12.5        9     0.25",
        "  ◆ no other has less of loss or risk and no more of the other   ★ recommended",
        "",
        "  mixed loss (%), up",
        "  12 │",
        "     │",
        "     │          ◆",
        "     │",
        "     │",
        "     │",
        "     │",
        "     │                    ·",
        "     │                    ★",
        "     │",
        "     │                                                 ◆",
        "   0 │",
        "     └────────────────────────────────────────────────────────────",
        "      0                                                         60",
        "                                                   global risk (%)",
        "",
        "Recommended: m0 at k = 5: at the same k 25 % less loss than m1; going up to k = 10 would bring the",
        "risk from 20 to 10 of 100 for 3.3 times the loss; going down to k = 2 would bring the risk from 20",
        "to 50 of 100 for 0.33 times the loss.",
    ]


def test_points_can_be_links_with_a_name_and_room_for_a_finger() -> None:
    facts = compared({"m0": {2: 1.0, 5: 3.0}, "<i>": {2: 2.0}})
    numbers = {id(point): number for number, point in enumerate(facts["points"])}
    chart = frontier_chart.chart(facts, link=lambda point: f'#p"{numbers[id(point)]}', chosen=("m0", 5))
    svg = ET.fromstring(re.search(r"<svg.*</svg>", chart, re.DOTALL)[0])  # type: ignore[index]  # noqa: S314
    links = {link.attrib["href"]: link for link in svg.iter("a")}
    assert sorted(links) == ['#p"0', '#p"1', '#p"2']
    assert links['#p"2'].attrib["aria-label"] == "<i>, k = 2: loss 2, risk 50 %"
    assert all(float(link.find("circle").attrib["r"]) * 2 * 0.7 > 23.5 for link in links.values())  # type: ignore[union-attr]
    assert svg.attrib["role"] == "group"  # what is in an image cannot be reached
    [ring] = [circle for circle in svg.iter("circle") if circle.attrib["class"] == "ring"]
    hit = links[f'#p"{[p["k"] for p in facts["points"]].index(5)}'].find("circle")
    assert hit is not None
    assert (ring.attrib["cx"], ring.attrib["cy"]) == (hit.attrib["cx"], hit.attrib["cy"])
    assert 'class="ring"' not in frontier_chart.chart(facts, chosen=("m0", 7))


def test_nothing_is_styled_where_it_is_drawn() -> None:
    facts = compared(MANY)
    assert " style=" not in frontier_chart.section(facts) + frontier_chart.chart(
        facts, link=lambda _: "#", chosen=("m0", 2)
    )
