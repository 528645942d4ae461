"""The page of the benchmarks, from made-up figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from measuring.charts import losses, times
from measuring.plots import ChartLine, plot, ticks
from measuring.results import read_results, write_results
from measuring.results_page import page, pages, plain_tables, table

LADDER = [[1_000, 0.02], [2_000, 0.05], [4_000, 0.11]]
GROWTH = [
    {
        "method": "mdav",
        "by": "records",
        "exponent": 1.23,
        "from": 1_000,
        "to": 4_000,
        "seconds": 0.11,
        "data": "numbers",
        "ladder": LADDER,
    },
    {"method": "mdav", "by": "k", "records": 2_000, "exponent": -0.5, "ladder": [[3, 0.2], [6, 0.1]]},
]
PEERS = [
    {
        "comparison": "mondrian",
        "data": "Adult",
        "records": 30_162,
        "k": 5,
        "tool": "other",
        "failed": "stopped after 9 s",
    },
    {
        "comparison": "mondrian",
        "data": "Adult",
        "records": 30_162,
        "k": 5,
        "tool": "shoal mondrian",
        "seconds": 0.25,
        "version": "0.1.0",
        "classes": 4_049,
        "extent": 0.0352,
    },
    {
        "comparison": "checks",
        "data": "register",
        "records": 10,
        "k": 5,
        "tool": "pycanon",
        "seconds": 1.5,
        "version": "1",
    },
    {
        "comparison": "checks",
        "data": "register",
        "records": 99,
        "k": 5,
        "tool": "pycanon",
        "seconds": 9.5,
        "version": "1",
    },
]
METHODS = [
    {"method": "quick", "columns": 5, "seconds": 0.01, "loss": 9.0},
    {"method": "good", "columns": 5, "seconds": 1.0, "loss": 5.0},
    {"method": "beaten", "columns": 5, "seconds": 2.0, "loss": 6.0},
    {"method": "one column", "columns": 1, "seconds": 0.001, "loss": 0.1},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, figures in {"growth": GROWTH, "against_peers": PEERS, "methods": METHODS}.items():
        write_results(name, figures, tmp_path)
    return tmp_path


def test_figures_are_kept_as_they_were_printed(folder: Path) -> None:
    found = read_results(folder)
    assert list(found) == ["against_peers", "growth", "methods"]
    assert found["growth"]["figures"] == GROWTH
    assert found["growth"]["machine"]["cores"] >= 1
    write_results("growth", [], folder)
    assert read_results(folder)["growth"]["figures"] == []


def test_the_page_tells_growth_and_peers(folder: Path) -> None:
    text = page(read_results(folder))
    assert "| [`mdav`](methods/mdav.md) | 1.23 | 1,000 | 4,000 | 0.11 |" in text
    assert "| [`mdav`](methods/mdav.md) | -0.50 | 0.2 | 0.1 |" in text
    assert "| Adult | 30,162 | other | stopped after 9 s | – | – |" in text
    assert "| Adult | 30,162 | shoal mondrian | 0.25 | 4,049 | 0.0352 |" in text
    assert "Peers: pycanon 1." in text
    assert "another machine" in text
    assert "138" in text


def test_every_figure_of_the_page_is_drawn_and_no_other(folder: Path) -> None:
    written = pages(read_results(folder), folder)
    drawn = {path.stem for path in written if path.suffix == ".svg"}
    assert drawn == {"growth", "peers", "peers-loss", "loss"}
    assert all(f"](figures/{name}.svg)" in written[folder / "benchmarks.md"] for name in drawn)


def test_a_page_of_nothing_and_of_little_is_made() -> None:
    assert page({}).startswith("# Benchmarks")
    facts = {"machine": results_machine(), "figures": [{"rows": 5, "seconds": 1.0}]}
    text = page({"unknown": facts})
    assert "## unknown" in text
    assert "| 5 | 1 |" in text


def results_machine() -> dict[str, Any]:
    return {"cores": 2, "processor": "p", "memory_gb": 4, "system": "s", "python": "3", "versions": {"shoal": "0"}}


def test_figures_that_tell_the_same_things_share_a_table() -> None:
    found = list(plain_tables([{"a": 1, "b": 2.5}, {"a": 1_000, "b": None}, {"c_d": "x|y", "ladder": [1, 2]}]))
    assert found == ["| a | b |\n| --- | --- |\n| 1 | 2.5 |\n| 1,000 | – |\n", "| c d |\n| --- |\n| x\\|y |\n"]


def test_large_figures_need_no_exponent() -> None:
    assert table(["n"], [[1234567.0], [1234567]]).splitlines()[2:] == ["| 1,234,567 |"] * 2


def test_methods_that_another_beats_in_both_have_no_name() -> None:
    assert losses(METHODS) == {"quick": [(0.01, 9.0)], "good": [(1.0, 5.0)], "": [(2.0, 6.0)]}


def test_tools_that_were_stopped_are_not_drawn() -> None:
    assert times(PEERS) == {"pycanon": [(10, 1.5), (99, 9.5)]}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 700], [1, 10, 100, 1000]),
        ([0.3, 0.4], [0.2, 0.5]),
        ([20], [20, 50]),
        ([1, 1e6], [10.0**i for i in range(7)]),
    ],
)
def test_ticks_enclose_the_values(values: list[float], expected: list[float]) -> None:
    assert ticks(values) == pytest.approx(expected)


def test_a_plot_is_a_drawing_by_itself_with_every_point_inside() -> None:
    series = [
        ChartLine("a < b", [(1_000, 0.02), (4_000, 0.5)], 0),
        ChartLine("", [(2_000, 0.1)], 1),
        ChartLine("one", [(3_000, 0.3)], 9),
    ]
    drawn = plot(series, "seconds by records", across="records", up="seconds")
    root = ET.fromstring(drawn)  # noqa: S314 - our own drawing
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    dots = [each.attrib for each in root.iter("{http://www.w3.org/2000/svg}circle")]
    assert len(dots) == 4
    assert all(0 < float(dot["cx"]) < width and 0 < float(dot["cy"]) < height for dot in dots)
    words = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a < b", "one", "records", "seconds", "1,000"} <= set(words)
    assert "prefers-color-scheme: dark" in drawn
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
