"""Warnings about the disclosures and losses of a release: sentences with counts, and without a value."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.data import dependencies
from shoal.release.warnings import _about_search


def people(n: int = 120, **columns: object) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    return pl.DataFrame({"age": rng.integers(0, 99, n), "wage": rng.normal(size=n), **columns})


def said(frame: pl.DataFrame, word: str, **options: object) -> list[str]:
    release = shoal.anonymize(frame, **{"k": 4, "quasi_identifiers": ["age", "wage"], "method": "mdav", **options})
    return [sentence for sentence in release.warnings if word in sentence]


def test_classes_that_share_a_sensitive_value() -> None:
    frame = people(ill=["Xsecret"] * 110 + ["other"] * 10)
    result = said(frame, "the same sensitive value", sensitive=["ill"])
    assert len(result) == 1
    release = shoal.anonymize(frame, k=4, quasi_identifiers=["age", "wage"], sensitive=["ill"], method="mdav")
    groups = release.table.group_by("age", "wage").agg(pl.col("ill").n_unique(), pl.len()).filter(pl.col("ill") == 1)
    assert f"'ill' in {len(groups)} classes with {groups['len'].sum()} records" in result[0]
    assert "-l 2" in result[0]
    assert "secret" not in result[0]


def test_none_where_l_keeps_values_apart_or_the_table_has_one() -> None:
    assert not said(people(ill=["a", "b"] * 60), "the same sensitive value", sensitive=["ill"], l=2)
    assert not said(people(ill=["a"] * 120), "the same sensitive value", sensitive=["ill"])


def test_columns_that_lost_most_of_their_information() -> None:
    rng = np.random.default_rng(0)
    frame = people(noise=rng.normal(size=120))
    lost = said(frame, "more than half", quasi_identifiers=["age", "wage", "noise"], k=60)
    assert len(lost) == 1
    assert "'noise'" in lost[0]
    assert not said(people(2000), "more than half", k=2)


def test_small_tables_and_few_classes() -> None:
    assert "The table has 40 records only" in said(people(40), "only: whoever")[0]
    assert not said(people(50), "only: whoever")
    assert "The release has 1 class only" in said(people(60), "only and tells", k=60)[0]
    assert not said(people(60), "only and tells", k=4)


def test_they_reach_warnings_and_report() -> None:
    with pytest.warns(shoal.ShoalWarning, match="40 records only"):
        release = shoal.anonymize(people(40), k=4, quasi_identifiers=["age", "wage"])
    assert "The table has 40 records only" in release.report()
    assert "The table has 40 records only" not in release.report(external=True)


@pytest.mark.parametrize(
    ("planned", "done", "said"),
    [
        (
            (2000, 500),
            (1500, 0),
            ["The search for better groups was stopped after 1,500 of 2,500 steps; the release is"],
        ),
        ((2000, 500), (2000, 500), []),
        ((0,), (0,), []),
    ],
)
def test_a_search_that_was_stopped_is_told(planned: tuple[int, ...], done: tuple[int, ...], said: list[str]) -> None:
    result = _about_search(SimpleNamespace(steps_planned=planned, steps_done=done))
    assert [sentence.removesuffix(" verified as any other.") for sentence in result] == said


def test_without_a_search_none_was_stopped() -> None:
    assert _about_search(None) == []


def test_dependencies_in_a_sample_are_counted_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    people = shoal.example_register(rows=600).select("age", "sex", "postcode", "region")
    options = {"k": 5, "quasi_identifiers": ["age", "sex", "postcode"], "method": "mdav"}
    for most, told in ((600, "of 600 released records"), (300, "of 300 sampled records")):
        monkeypatch.setattr(dependencies, "_MOST", most)
        (result,) = (one for one in shoal.anonymize(people, **options).warnings if one.startswith("Dependency"))
        assert told in result
