"""Interpretations are true and complete sentences, for any table."""

from __future__ import annotations

import re
import warnings

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ShoalWarning
from shoal.metrics import measures
from shoal.metrics.registry import format_value
from shoal.release.compare.frontier import recommend
from shoal.release.compare.points import ComparisonPoint
from shoal.report import text
from shoal.report.summary import summarize

ODD = re.compile(
    r"\b1 (?:records|classes|others|times|values)\b|\bnan\b|\binf\b|infinitely|e-\d|\b0 times\b", re.IGNORECASE
)


@pytest.mark.parametrize(
    ("frame", "options"),
    [
        ({"a": [1.0, 5.0], "b": ["x", "y"]}, {"k": 2}),
        ({"a": [1.0] * 12, "b": ["x"] * 12}, {"k": 3}),
        ({"a": list(range(12)), "b": ["x", "y", "z"] * 4}, {"k": 4, "sensitive": ["s"]}),
        ({"a": [None] * 6, "b": [None] * 6}, {"k": 2, "missing_values": "wildcard"}),
        ({"a": [1.0, 2.0, 9.0] * 4, "b": ["x", None, "y"] * 4}, {"k": 3, "missing_values": "wildcard", "alpha": 0.5}),
    ],
)
@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_no_sentence_is_odd(frame: dict, options: dict) -> None:
    table = pl.DataFrame({**frame, "s": ["q"] * len(frame["a"])}, schema_overrides={"b": pl.String})
    released = shoal.anonymize(table, quasi_identifiers=["a", "b"], **options)
    figures = released.evaluate("all")
    result = [figures.after, figures.loss, figures.attacks, *figures.changes.values(), *figures.disclosures.values()]
    message = [
        measures()[name].interpret(value, column="b")
        for group in result
        for name, value in group.items()
        if not (name == "pmse" and value)  # may be small
    ]
    for sentence in [*summarize(released, evaluation=figures)["sentences"], *filter(None, message)]:
        assert not ODD.search(sentence), sentence


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        (3, "3"),
        (1234, "1,234"),
        (2210.5, "2,210"),
        (1e-17, "0"),
        (-4e-17, "0"),
        (0.08684, "0.0868"),
        (3.2e7, "3.2e+07"),
    ],
)
def test_digits(figure: float, message: str) -> None:
    assert format_value(figure) == message


@pytest.mark.parametrize(("percent", "tries"), [(40.0, "2.5"), (66.7, "1.5"), (20.0, "5"), (2.7, "37"), (100.0, "1")])
def test_tries_are_not_rounded_to_something_else(percent: float, tries: str) -> None:
    assert measures()["global_risk"].interpret(percent).startswith(f"On average 1 of {tries} records")


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_a_column_of_one_value_that_is_suppressed_has_a_report() -> None:
    """Its loss is infinite, which is no figure to compare others with."""
    frame = pl.DataFrame({"a": ["x"] * 60, "b": [None] * 6 + list(range(54))})
    released = shoal.anonymize(frame, k=3, quasi_identifiers=["a", "b"], missing_values="suppress")
    assert released.evaluation.columns["a"] == np.inf
    assert list(released.evaluation.to_dict()["columns"]) == ["b"]
    facts = summarize(released)
    assert any("lost most is 'b'" in sentence for sentence in facts["sentences"])
    assert "VERIFIED" in text.release(facts)
    for external in (False, True):
        assert "Verified" in released.report(external=external)
    assert "Verified" in released._repr_html_()


def test_whole_numbers_next_to_the_end_of_all_numbers_do_not_warn() -> None:
    frame = pl.DataFrame({"a": [1e308, -1e308] * 6})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ShoalWarning)
        assert shoal.anonymize(frame, k=3, quasi_identifiers=["a"]).verification.ok
        assert shoal.describe(frame)


def test_records_that_were_emptied_are_noted_where_they_count_as_wildcards() -> None:
    was = pl.DataFrame({"a": ["x", "x", "y", "y"]})
    now = pl.DataFrame({"a": ["x", "x", None, None]})
    options = {"quasi_identifiers": ["a"]}
    (note,) = shoal.evaluate(was, now, **options, missing_values="wildcard").notes
    assert note.startswith("2 records of which nothing is shown any more")
    assert shoal.evaluate(was, now, **options).notes == ()
    assert shoal.evaluate(now, now, **options, missing_values="wildcard").notes == ()


def test_a_loss_that_hardly_differs_is_practically_the_same() -> None:
    points = [
        ComparisonPoint("mdav", k, loss=loss, risk=100 / k, verified=True)
        for k, loss in ((2, 10.0), (4, 10.01), (8, 20.0))
    ]
    assert recommend(points, default_method="mdav").reason == (
        "mdav at k = 4: going up to k = 8 would bring the risk from 25 to 12.5 of 100 for 2 times the loss; going down"
        " to k = 2 would bring the risk from 25 to 50 of 100 for practically the same loss."
    )
