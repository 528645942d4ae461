"""How groups were formed, in text, reports and notebooks; external reports contain little of it."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.domain import summarize_search
from shoal.errors.messages import join_names
from shoal.report import html_report, text
from shoal.report.external import external_facts
from shoal.report.summary import report_facts, summarize


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    frame = shoal.example_register(rows=300).select("age", "income", "sex")
    # records that are equal: the steps of the search would tell how many are different
    return shoal.anonymize(pl.concat([frame, frame.head(3)]), k=5, quasi_identifiers=["age", "income", "sex"])


def section(page: str) -> str:
    """The words of the section about groups."""
    result = re.search(r'<section id="groups">(.*?)</section>', page, re.DOTALL)
    return "" if result is None else re.sub(r"<[^>]+>", " ", result[1])


def test_the_summary_tells_starts_and_search(release: shoal.Release) -> None:
    facts, search = summarize(release), release.partition.search
    assert search is not None
    assert facts["account"] == list(release.partition.account)
    assert facts["search"] == search.to_dict()
    reported = " ".join(text.release(facts).split())
    assert "auto tried tour-mhm, ward-mhm and mdav for 303 records with 2 numbers and 1 category, and kept" in reported
    assert search.sentence in reported


def test_the_internal_report_tells_errors_and_steps(release: shoal.Release) -> None:
    search = release.partition.search
    assert search is not None
    reported = section(html_report.page(report_facts(release)))
    assert all(sentence in reported for sentence in release.partition.notes)
    assert f"{search.before:,.4f}" in reported
    assert f"{search.after:,.4f}" in reported
    assert f"{sum(search.steps_done):,} of {sum(search.steps_planned):,}" in reported


def test_outsiders_see_no_count_of_different_records(release: shoal.Release) -> None:
    search = release.partition.search
    assert search is not None
    facts = external_facts(report_facts(release))
    assert facts["account"] == []
    assert facts["search"] == {"effort": "balanced", "gained": float(f"{search.improvement:.2g}")}
    assert facts["policy"]["refine"] == {"effort": "balanced"}
    page = html_report.page(facts)
    assert f"lowered the squared error by {search.improvement:.2g} %." in section(page)
    assert f"{sum(search.steps_planned):,}" not in page
    assert "tour-mhm" not in page


def test_groups_of_a_plain_method_need_no_section() -> None:
    frame = shoal.example_register(rows=60).select("age", "income")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.ShoalWarning)
        released = shoal.anonymize(frame, k=3, quasi_identifiers=["age", "income"], method="mdav")
    facts = report_facts(released)
    assert facts["account"] == []
    assert facts["search"] is None
    assert "How the groups were made" not in html_report.page(facts)
    assert external_facts(facts)["search"] is None


def test_notebooks_and_plain_python_tell_it(release: shoal.Release) -> None:
    for displayed in (release, release.partition):
        assert all(sentence in displayed._repr_html_() for sentence in release.partition.notes)
        assert "refined='balanced'" in repr(displayed)
    assert "refined" not in repr(shoal.partition(np.arange(4.0)[:, None], k=2, method="mdav"))


@pytest.mark.parametrize(
    ("gained", "planned", "done", "message"),
    [
        (50.0, 0, 0, "lowered the squared error by 50 %: downhill."),
        (0.0, 0, 0, "found nothing better: downhill."),
        (25.0, 2500, 2500, "lowered the squared error by 25 %: downhill, then annealing in 2,500 steps."),
        (
            *(0.25, 2500, 9),
            "lowered the squared error by 0.25 %: downhill, then annealing in 9 steps of 2,500, where it was stopped.",
        ),
    ],
)
def test_a_search_in_words(gained: float, planned: int, done: int, message: str) -> None:
    search = {"effort": "best", "gained": gained, "planned": planned, "done": done}
    assert summarize_search(search) == f"Local search (best) {message}"


def test_what_gains_nothing_gains_zero(release: shoal.Release) -> None:
    search = release.partition.search
    assert search is not None
    assert search.improvement == pytest.approx(100 * (1 - search.after / search.before))
    assert replace(search, after=search.before).improvement == 0.0
    assert replace(search, before=0.0, after=0.0).improvement == 0.0


def test_what_is_not_told_is_not_said() -> None:
    assert (
        summarize_search({"effort": "fast", "gained": 3.2}) == "Local search (fast) lowered the squared error by 3.2 %."
    )


@pytest.mark.parametrize(
    ("names", "message"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_joined(names: list[str], message: str) -> None:
    assert join_names(names) == message
