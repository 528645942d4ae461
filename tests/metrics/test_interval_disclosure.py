"""Interval disclosure, compared with naive code and with dRisk of sdcMicro."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive import outsiders
from shoal.metrics import inputs
from shoal.metrics.interval_disclosure import DISCLOSURE_WINDOW

CELLS = st.sampled_from([0.0, 1.0, 1.125, 4.0, 100.0, None])
TABLES = st.integers(1, 3).flatmap(
    lambda p: st.lists(st.tuples(*[st.tuples(CELLS, CELLS)] * p), min_size=1, max_size=20)
)


@given(TABLES)
def test_numbers_told_follow_their_definition(cells) -> None:
    before, after = [tuple(cell[0] for cell in row) for row in cells], [tuple(cell[1] for cell in row) for row in cells]
    names = list("abc")[: len(before[0])]
    frames = [pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Float64), orient="row") for rows in (before, after)]
    figures = shoal.evaluate(*frames, quasi_identifiers=names)
    records, columns = outsiders.told(before, after, DISCLOSURE_WINDOW)
    assert figures.d_risk == pytest.approx(records)
    result = [figures.changes[name]["interval_disclosure"] for name in names]
    assert result == [None if share is None else pytest.approx(share) for share in columns]


def test_two_or_more_numbers_are_counted_as_in_sdc_micro() -> None:
    """By the standard deviations of the released numbers; at most one may lie outside."""
    before = np.array([[0.0, 0.0, 0.0], [10.0, 10.0, 10.0], [20.0, 20.0, 20.0], [30.0, 30.0, 30.0]])
    after = np.array([[0.1, 0.5, 9.0], [10.0, 5.0, 9.0], [20.7, 20.0, 20.0], [30.0, 30.5, 30.0]])
    sds = after.std(axis=0, ddof=1)
    outside = ((before < after - 0.05 * sds) | (before > after + 0.05 * sds)).sum(axis=1)
    assert outside.tolist() == [1, 2, 1, 0]
    assert shoal.evaluate(before, after, quasi_identifiers=[0, 1, 2]).d_risk == 75


def test_a_single_number_must_be_near_to_be_told() -> None:
    before, after = np.array([[0.0], [5.0], [100.0]]), np.array([[0.0], [40.0], [102.0]])
    assert shoal.evaluate(before, after, quasi_identifiers=[0]).d_risk == pytest.approx(200 / 3)
    assert shoal.evaluate(before, np.full((3, 1), 5.0), quasi_identifiers=[0]).d_risk == pytest.approx(100 / 3)


def test_of_categories_alone_no_number_is_told() -> None:
    frame = pl.DataFrame({"job": ["a", "b"]})
    figures = shoal.evaluate(frame, frame, quasi_identifiers="job")
    assert figures.d_risk is None
    assert "interval_disclosure" not in figures.changes["job"]


def test_blocks_make_no_difference_to_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    before = np.random.default_rng(8).normal(size=(50, 3))
    after = before + np.random.default_rng(9).normal(scale=0.1, size=before.shape)
    whole = shoal.evaluate(before, after, quasi_identifiers=[0, 1, 2])
    monkeypatch.setattr(inputs, "BLOCK_RECORDS", 7)
    blocks = shoal.evaluate(before, after, quasi_identifiers=[0, 1, 2])
    assert 0 < blocks.d_risk == whole.d_risk < 100
    for name in "012":
        assert blocks.changes[name]["interval_disclosure"] == whole.changes[name]["interval_disclosure"]
