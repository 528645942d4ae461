"""The report: self-contained, escaped, and without a cell of the data."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.report import html, text
from shoal.report.charts import bars
from shoal.report.summary import summarize

SECRET = "Xk7Zq31415"
NASTY = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def facts() -> dict:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "who": [f"{SECRET}{i}" for i in range(60)],
            NASTY: rng.normal(size=60),
            "income": rng.integers(31415000, 31416000, 60),
            "diagnosis": [SECRET] * 60,
        }
    )
    release = shoal.anonymize(
        frame, k=4, quasi_identifiers=[NASTY, "income"], identifiers=["who"], sensitive=["diagnosis"]
    )
    return summarize(release)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_reaches_nowhere(facts) -> None:
    page = html.page(facts)
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert not {tag for tag, _ in tags.seen} & {"script", "link", "img", "iframe", "object", "a"}
    assert not re.search(r"https?://|url\(|@import", page)
    assert not any(name.startswith("on") or name in ("src", "href") for _, attrs in tags.seen for name in attrs)
    assert any(attrs.get("role") == "img" and attrs.get("aria-label") for tag, attrs in tags.seen if tag == "svg")


def test_names_are_escaped(facts) -> None:
    assert NASTY not in html.page(facts)
    assert "&lt;script&gt;" in html.page(facts)


def test_no_cell_stands_in_a_report(facts) -> None:
    for report in (html.page(facts), text.release(facts), str(facts)):
        assert SECRET not in report
        assert "31415" not in report


def test_text_says_the_verdict_and_the_figures(facts) -> None:
    printed = text.release(facts)
    assert printed.startswith("VERIFIED  k = 4 holds")
    assert f"{facts['evaluation']['loss']['information_loss']:,.4f}" in printed


def test_the_risk_of_households_is_shown_where_there_are_any(facts) -> None:
    assert "household risk" not in text.release(facts) + html.page(facts)
    risk = {moment: {**figures, "household_risk": 12.5} for moment, figures in facts["evaluation"]["risk"].items()}
    known = {**facts, "evaluation": {**facts["evaluation"], "risk": risk}}
    assert re.search(r"household risk \(%\) +12\.5000 +12\.5000", text.release(known))
    assert "household risk (%)" in html.page(known)


def test_many_bars_are_cut_and_counted() -> None:
    drawn = bars([(f"c{i}", i, str(i)) for i in range(40)], "many")
    assert drawn.count("<rect") == 30
    assert "10 more are not drawn" in drawn


def test_nothing_to_draw() -> None:
    assert "<svg" in bars([("a", 0.0, "0")], "zero")


def test_names_of_methods_do_not_run_into_their_summaries() -> None:
    method = {
        "family": "f",
        "about_family": "F.",
        "summary": "Parts ``cut`` once more.",
        "options": {},
        "enforces": False,
        "kinds": ["numeric"],
        "most_columns": None,
        "most_records": None,
        "largest_group": "2k-1",
        "cost": "O(n)",
        "paper": "P",
    }
    drawn = text.methods([{**method, "name": "short"}, {**method, "name": "a-name-of-very-many-letters"}]).splitlines()
    first, second = (line for line in drawn if "Parts" in line)
    assert "a-name-of-very-many-letters  Parts cut once more." in second
    assert first.index("Parts") == second.index("Parts")
