"""The HTML report is self-contained and escaped; its summary contains no cell of the data."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.metrics import measures
from shoal.report import html_report, text
from shoal.report.format import applicable_measures, format_brief, format_value
from shoal.report.summary import report_facts, summarize
from shoal.report.svg_charts import bar_chart, histogram, paired_bar_chart

SECRET = "Xk7Zq31415"
NASTY = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "who": [f"{SECRET}{i}" for i in range(60)],
            NASTY: rng.normal(size=60),
            "income": rng.integers(31415000, 31416000, 60),
            "diagnosis": [SECRET] * 60,
        }
    )
    return shoal.anonymize(
        frame, k=4, quasi_identifiers=[NASTY, "income"], identifiers=["who"], sensitive=["diagnosis"]
    )


@pytest.fixture(scope="module")
def facts(release: shoal.Release) -> dict:
    return report_facts(release)


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
    page = html_report.page(facts)
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert not {tag for tag, _ in tags.seen} & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"https?://|url\(|@import", page)
    assert not any(name.startswith("on") or name == "src" for _, attrs in tags.seen for name in attrs)
    places = {attrs["id"] for _, attrs in tags.seen if "id" in attrs}
    assert {attrs["href"] for _, attrs in tags.seen if "href" in attrs} == {f"#{place}" for place in places}
    assert all(attrs.get("role") == "img" and attrs.get("aria-label") for tag, attrs in tags.seen if tag == "svg")


def test_names_are_escaped(facts) -> None:
    assert NASTY not in html_report.page(facts)
    assert "&lt;script&gt;" in html_report.page(facts)


def test_no_cell_stands_in_a_summary(release) -> None:
    known = summarize(release)
    for report in (text.release(known), text.evaluation(known["evaluation"]), str(known), repr(release)):
        assert SECRET not in report
        assert "31415" not in report


def test_no_identifier_stands_in_the_internal_report(facts) -> None:
    assert SECRET not in html_report.page(facts)


def test_a_report_is_written_whole_and_replaces_nothing(release, tmp_path) -> None:
    written = release.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == written
    with pytest.raises(shoal.ShoalError, match="exists"):
        release.report(tmp_path / "report.html")
    assert release.report(tmp_path / "report.html", force=True) == written
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert release.evaluate("all") is release.evaluate("all")


def test_every_figure_that_applies_stands_in_the_report(release) -> None:
    result = release.evaluate("all")
    page, reported = html_report.page(report_facts(release, evaluation=result)), text.evaluation(result.to_dict())
    for family, figures in (("risk", result.after), ("loss", result.loss), ("attack", result.attacks)):
        for measure in applicable_measures(family, figures):
            assert measure.label in reported
            assert measure.label.replace("'", "&#x27;") in page
            assert format_value(figures[measure.name]) in page
    assert {measure.name for measure in applicable_measures("loss", result.loss)} <= set(measures())


def test_measures_that_do_not_apply_are_left_out() -> None:
    known = [
        measure.name
        for measure in applicable_measures("loss", {"sse": 3.0, "semantic_loss": None, "information_loss": 1.0})
    ]
    assert known == ["information_loss", "sse"]


def test_text_is_short_and_says_verdict_and_figures(facts) -> None:
    printed = text.release(facts)
    assert printed.startswith("VERIFIED  k = 4 holds")
    assert re.search(r"unique records +60 +→ +0\n", printed)
    assert format_brief(facts["evaluation"]["loss"]["information_loss"], "%") in printed
    assert "█" in printed or "▏" in printed
    assert len(printed.splitlines()) < 25


def test_text_is_painted_where_that_is_asked(facts) -> None:
    assert "\x1b" not in text.release(facts)
    painted = text.release(facts, paint=lambda words, meaning: f"<{meaning}>{words}")
    assert painted.startswith("<good>VERIFIED")


@pytest.mark.parametrize(("share", "drawn"), [(0, ""), (1 / 24, "█"), (0.5 / 24, "▌"), (1, "█" * 24), (9.0, "█" * 24)])
def test_small_bars(share: float, drawn: str) -> None:
    assert text.bar(share) == drawn


@pytest.mark.parametrize(
    ("value", "unit", "message"),
    [(None, "", "–"), ("fewer than 10", "%", "fewer than 10"), (1234, "", "1,234"), (19.98, "%", "19.98 %"),
     (0.0123, "%", "0.012 %"), (-1e-17, "", "0"), (0.13599, "", "0.136"), (34875.0, "", "34,875"), (3e12, "", "3e+12")],
)  # fmt: skip
def test_brief_figures(value, unit: str, message: str) -> None:
    assert format_brief(value, unit) == message


def test_the_risk_of_households_is_shown_where_there_are_any(facts) -> None:
    assert "household risk" not in text.release(facts) + html_report.page(facts)
    risk = {moment: {**figures, "household_risk": 12.5} for moment, figures in facts["evaluation"]["risk"].items()}
    known = {**facts, "evaluation": {**facts["evaluation"], "risk": risk}}
    assert re.search(r"household risk \(%\) +12\.5000 +12\.5000", text.evaluation(known["evaluation"]))
    assert re.search(r"household risk +12\.50 % +→ +12\.50 %", text.release(known))
    assert "household risk (%)" in html_report.page(known)


def test_a_broken_promise_is_told(facts) -> None:
    check = {"ok": False, "column": "diagnosis", "model": "distinct-l(2)", "reached": 1.0, "violations": 4}
    known = {**facts, "verification": {**facts["verification"], "ok": False, "models": [check]}}
    assert "Not verified:" in html_report.page(known)
    assert text.release(known).startswith("NOT VERIFIED  1 privacy model broken;")


def test_columns_stand_side_by_side_for_each_bin() -> None:
    drawn = histogram(["0", "10", "20"], [("0 to 10", 4, 0), ("10 to 20", 2, 4)], "age")
    assert drawn.count('class="was"') == drawn.count('class="now"') == 2
    assert "age: 0 to 10: 4 before, 0 after; 10 to 20: 2 before, 4 after" in drawn
    assert "4 records" in drawn
    heights = re.findall(r'class="(?:was|now)"[^/]*height="([\d.]+)"', drawn)
    assert heights == ["96.0", "0.0", "48.0", "96.0"]


def test_pairs_share_one_scale() -> None:
    drawn = paired_bar_chart([("a", 5, 10), ("b", 0, 2)], "x")
    assert re.findall(r'class="(?:was|now)"[^/]*width="([\d.]+)%"', drawn) == ["50.00", "100.00", "0.00", "20.00"]


def test_many_bars_are_cut_and_counted() -> None:
    drawn = bar_chart([(f"c{i}", i, str(i)) for i in range(40)], "many")
    assert drawn.count('class="now"') == 30
    assert "10 more are not drawn" in drawn


def test_nothing_to_draw() -> None:
    assert "<svg" in bar_chart([("a", 0.0, "0")], "zero")


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
        "growth": None,
        "paper": "P",
    }
    drawn = text.methods([{**method, "name": "short"}, {**method, "name": "a-name-of-very-many-letters"}]).splitlines()
    first, second = (line for line in drawn if "Parts" in line)
    assert "a-name-of-very-many-letters  Parts cut once more." in second
    assert first.index("Parts") == second.index("Parts")


def test_one_other_is_one_other(release) -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4]})
    page = shoal.anonymize(frame, k=2, quasi_identifiers=["age"]).report()
    assert "as at least 1 other (k = 2 was asked)" in page
    assert "as at least 3 others (k = 4 was asked)" in release.report()
