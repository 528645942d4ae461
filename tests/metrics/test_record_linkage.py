"""Record linkage, compared with a loop over all pairs of records."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive import outsiders
from shoal.metrics import record_linkage

NAMES = ["x", "y", "job"]
NUMBERS = st.sampled_from([0.0, 1.0, 2.5, 7.0, None])
ORIGINALS = st.tuples(NUMBERS, NUMBERS, st.sampled_from(["baker", "cook", "smith", None]))
ASKED = {"quasi_identifiers": NAMES, "measures": ["record_linkage", "record_linkage_tried"]}


def frame_of(rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"x": pl.Float64, "y": pl.Float64, "job": pl.String}, orient="row")


def expected(before, after, weights=(1.0, 1.0, 1.0)) -> float:
    """As documented: on z-scores and equality; blanks at the mean, what was missing not compared."""
    known = [[row[j] for row in before if row[j] is not None] for j in (0, 1)]
    means = [math.fsum(column) / len(column) if column else 0.0 for column in known]
    spreads = [outsiders.spread(column) or 1.0 for column in known]
    # what is released for numbers of which no record of the class had one is not known to the measure
    classes: dict = {}
    for row, displayed in zip(before, after, strict=True):
        classes.setdefault(displayed, []).append(row)

    def reported(displayed, j):
        return means[j] if displayed[j] is None or all(row[j] is None for row in classes[displayed]) else displayed[j]

    points = [(reported(displayed, 0), reported(displayed, 1), displayed[2]) for displayed in after]

    def distance(row, point) -> float:
        numbers = math.fsum(weights[j] * ((row[j] - point[j]) / spreads[j]) ** 2 for j in (0, 1) if row[j] is not None)
        return numbers + weights[2] * (row[2] != point[2])

    return outsiders.linked(before, points, distance)


@given(st.lists(ORIGINALS, min_size=1, max_size=16), st.data())
def test_linkage_is_that_of_the_plain_loop(before, data) -> None:
    points = data.draw(st.lists(ORIGINALS, min_size=1, max_size=4))
    after = [points[data.draw(st.integers(0, len(points) - 1))] for _ in before]
    result = shoal.evaluate(frame_of(before), frame_of(after), **ASKED)
    assert result.record_linkage == pytest.approx(expected(before, after), abs=1e-9)
    assert result.record_linkage_tried == len(before)
    weights = {"x": 4.0, "job": 0.25}
    result = shoal.evaluate(frame_of(before), frame_of(after), weights=weights, **ASKED)
    assert result.record_linkage == pytest.approx(expected(before, after, (4.0, 1.0, 0.25)), abs=1e-9)


def test_linkage_by_hand() -> None:
    original = np.array([[0.0], [1.0], [10.0], [11.0]])
    options = {"quasi_identifiers": [0], "measures": "record_linkage"}
    assert shoal.evaluate(original, original, **options).record_linkage == 100
    groups = np.array([[0.5], [0.5], [10.5], [10.5]])
    assert shoal.evaluate(original, groups, **options).record_linkage == 50
    swapped = np.array([[10.5], [0.5], [10.5], [0.5]])  # the first and the last are nearer to the other pair
    assert shoal.evaluate(original, swapped, **options).record_linkage == 25
    assert shoal.evaluate(original, np.full((4, 1), 5.0), **options).record_linkage == 25
    # both are as near: a tie counts for all records at that distance
    assert shoal.evaluate(np.full((4, 1), 5.0), np.array([[4.0], [6.0], [4.0], [6.0]]), **options).record_linkage == 25


def test_intervals_count_for_their_middle_and_stars_for_the_root() -> None:
    original = pl.DataFrame({"x": [0.0, 2.0, 8.0, 10.0], "job": ["a", "b", "c", "c"]})
    released = pl.DataFrame({"x": ["[0-2]", "[0-2]", "[8-10]", "[8-10]"], "job": ["*", "*", "c", "c"]})
    result = shoal.evaluate(original, released, quasi_identifiers=["x", "job"], measures="record_linkage")
    assert result.record_linkage == 50


def test_beyond_the_work_allowed_evenly_spaced_records_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    before = rng.normal(size=(90, 2))
    after = before + rng.normal(scale=0.3, size=before.shape)
    options = {"quasi_identifiers": [0, 1], "measures": ["record_linkage", "record_linkage_tried"]}
    all_tried = shoal.evaluate(before, after, **options)
    assert all_tried.record_linkage_tried == 90
    monkeypatch.setattr(record_linkage, "MAX_COMPARISONS", 90 * 2 * 30)
    some = shoal.evaluate(before, after, **options)
    assert some.record_linkage_tried == 30
    z = before.std(axis=0, ddof=1)
    nearest = [int(np.argmin((((before[row] - after) / z) ** 2).sum(axis=1)) == row) for row in range(0, 90, 3)]
    assert some.record_linkage == pytest.approx(100 * sum(nearest) / 30)
    monkeypatch.setattr(record_linkage, "MAX_COMPARISONS", 0)
    assert shoal.evaluate(before, after, **options).record_linkage_tried == 1


def test_releases_of_groups_are_linked_at_most_as_often_as_k_allows() -> None:
    table = np.random.default_rng(6).normal(size=(200, 3))
    for k in (2, 5):
        release = shoal.anonymize(table, k=k, quasi_identifiers=[0, 1, 2])
        assert "record_linkage" not in release.evaluation.attacks
        assert 0 < release.evaluate("record_linkage").record_linkage <= 100 / k


def test_columns_that_cannot_be_compared_leave_no_figure() -> None:
    result = shoal.evaluate(
        pl.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]}),
        pl.DataFrame({"x": ["low", "high"], "y": ["a", "b"]}),
        quasi_identifiers=["x", "y"],
        measures="all",
    )
    figures = ("record_linkage", "record_linkage_tried", "minimal_uniques", "minimal_uniques_before", "d_risk")
    assert [result.attacks[name] for name in figures] == [None] * 5


@pytest.mark.parametrize("size", [1e-308, 1e308])
def test_huge_tiny_constant_and_missing_columns_are_attacked_too(size: float) -> None:
    before = pl.DataFrame({"a": [size, -size, 0.0], "b": [5.0] * 3, "c": [None] * 3, "d": [None, "x", "x"]})
    before = before.with_columns(pl.col("c").cast(pl.Float64))
    after = pl.DataFrame({"a": [-size, size, size], "b": [1e308, None, -1e308], "c": [1.0] * 3, "d": ["x"] * 3})
    for one, other in ((before, after), (before, before), (after, before), (before[:1], after[:1])):
        result = shoal.evaluate(one, other, quasi_identifiers=list("abcd"), measures="all").attacks
        assert all(0 <= result[name] <= 100 for name in result)
