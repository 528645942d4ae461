"""Minimal uniques, compared with brute force; and all attacks on releases of every kind."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive import outsiders
from naive.surveys import Survey, surveys
from shoal.errors import ShoalError, ShoalWarning
from shoal.metrics.minimal_uniques import max_combined, minimal_uniques

TABLES = st.integers(1, 5).flatmap(lambda p: st.lists(st.tuples(*[st.integers(0, 3)] * p), min_size=1, max_size=25))


@given(TABLES, st.integers(1, 4))
def test_the_fewest_columns_are_those_of_brute_force(rows, most) -> None:
    result = minimal_uniques(np.array(rows), most)
    assert result.tolist() == outsiders.fewest(rows, most)


def test_uniques_by_hand() -> None:
    # the first by its first column, the second by the last two, the third and the fourth never: they are equal
    rows = np.array([[9, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1]])
    assert minimal_uniques(rows).tolist() == [1, 2, 0, 0, 0, 0]
    # every pair of values twice, every triple once
    cube = np.array([[a, b, (a + b) % 2] for a in (0, 1) for b in (0, 1)] * 2)
    cube = np.column_stack([cube, np.repeat([0, 1], 4)])
    assert minimal_uniques(cube, 2).tolist() == [0] * 8
    assert minimal_uniques(cube, 3).tolist() == [3] * 8


def test_of_many_columns_only_pairs_are_combined() -> None:
    assert [max_combined(p) for p in (1, 2, 3, 12, 13, 40)] == [1, 2, 3, 3, 2, 2]


def test_figures_count_records_before_and_after() -> None:
    was = pl.DataFrame({"age": [1, 1, 2, 2, None, 3], "job": ["a", "b", "a", "b", "a", "a"]})
    now = pl.DataFrame({"age": ["[1-2]"] * 4 + ["[0-3]"] * 2, "job": ["a", "*", "a", "*", "a", "a"]})
    options = {"quasi_identifiers": ["age", "job"], "measures": ["minimal_uniques", "minimal_uniques_before"]}
    figures = shoal.evaluate(was, now, **options)
    assert (figures.minimal_uniques_before, figures.minimal_uniques) == (6, 0)
    now = now.with_columns(age=pl.Series(["[1-2]"] * 4 + ["[0-3]", "[1.25-1.75]"]))  # the middle of all is the same
    assert shoal.evaluate(was, now, **options).minimal_uniques == 2


@given(surveys())
def test_no_attack_on_a_release_gets_beyond_k(survey: Survey) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        try:
            release = shoal.anonymize(survey.frame, **survey.asked)
        except ShoalError:
            return
    figures = release.evaluate("all")
    assert all(figure is None or np.isfinite(figure) for figure in figures.attacks.values())
    if release.policy.missing != "wildcard":  # else records of one group may look different, and are only compatible
        least = figures.after["min_class"]
        assert figures.minimal_uniques == 0
        assert figures.record_linkage <= 100 / least + 1e-9
        assert figures.after["prosecutor_highest"] == pytest.approx(1 / least)
        assert set(figures.disclosures) == {"ill", "score"}
        for name, result in figures.disclosures.items():
            assert result["guessed"] >= result["guessed_before"] - 1e-9
            for check in figures.models:
                if check.column == name and check.model.startswith("distinct") and not survey.asked.get("strata"):
                    assert result["distinct_l"] == check.reached


def test_who_is_alone_by_three_columns_is_found() -> None:
    codes = np.random.default_rng(7).integers(0, 50, size=(20_000, 6))
    result = minimal_uniques(codes)
    key = codes[:, :3] @ np.array([2500, 50, 1])
    alone = np.bincount(key)[key] == 1
    assert (result[alone] > 0).all()
