"""Prosecutor, journalist and marketer risk, compared with naive code and by hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive import outsiders
from shoal import data
from shoal.errors import ColumnError
from shoal.metrics import inputs

CELLS = st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from([1, 2, None]))
TABLES = st.lists(CELLS, min_size=1, max_size=40)
NAMES = ["x", "y"]


def frame_of(rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"x": pl.String, "y": pl.Int64}, orient="row")


def check(result, expected) -> None:
    assert {name: result[name] for name in expected} == pytest.approx({name: float(v) for name, v in expected.items()})


@given(TABLES)
def test_without_weights_and_population_the_table_is_the_population(rows) -> None:
    figures = shoal.evaluate(frame_of(rows), frame_of(rows), quasi_identifiers=NAMES)
    check(figures.after, outsiders.risks(rows, lambda row: Fraction(0)))
    assert figures.after == figures.before
    assert figures.after["journalist_average"] == pytest.approx(figures.after["prosecutor_average"], rel=1e-12)
    assert figures.after["journalist_highest"] == figures.after["prosecutor_highest"]
    assert figures.after["journalist_at_risk"] == figures.after["prosecutor_at_risk"]


@given(TABLES, st.data())
def test_sampling_weights_estimate_the_population(rows, examples) -> None:
    weights = examples.draw(st.lists(st.sampled_from([0.25, 1.0, 2.5, 40.0]), min_size=len(rows), max_size=len(rows)))
    frame = frame_of(rows).with_columns(weight=pl.Series(weights, dtype=pl.Float64))
    figures = shoal.evaluate(frame, frame_of(rows), quasi_identifiers=NAMES, sampling_weights="weight")
    sums: Counter = Counter()
    for row, weight in zip(rows, weights, strict=True):
        sums[row] += Fraction(weight)
    check(figures.after, outsiders.risks(rows, lambda row: sums[row]))


@given(TABLES, TABLES)
def test_a_population_is_counted_on_the_values_shown(rows, others) -> None:
    counts = Counter(others)
    figures = shoal.evaluate(frame_of(rows), frame_of(rows), quasi_identifiers=NAMES, population=frame_of(others))
    check(figures.after, outsiders.risks(rows, lambda row: Fraction(counts[row])))
    check(figures.before, outsiders.risks(rows, lambda row: Fraction(0)))
    f = Counter(rows)
    lacking = sum(counts[row] < f[row] for row in rows)
    assert figures.notes[0] == "the population is recoded as the release is: the risks before are those without it"
    assert len(figures.notes) == 1 + (lacking > 0)
    if lacking:
        assert f"fewer records like {lacking} record" in figures.notes[1]


def test_figures_by_hand() -> None:
    # two classes of 2 and 4 records, of which the population has 10 and 4
    rows, population = [("a", 1)] * 2 + [("b", 1)] * 4, [("a", 1)] * 10 + [("b", 1)] * 4 + [("c", 1)] * 9
    result = shoal.evaluate(
        frame_of(rows), frame_of(rows), quasi_identifiers=NAMES, population=frame_of(population)
    ).after
    check(result, {"prosecutor_highest": 1 / 2, "prosecutor_average": 2 / 6, "prosecutor_at_risk": 100})
    check(result, {"journalist_highest": 1 / 4, "journalist_at_risk": 100 * 4 / 6, "marketer": (2 / 10 + 1) / 6})
    assert result["journalist_average"] == pytest.approx(max(2 / 14, 1.2 / 6))
    # where small classes of the population are rare in the sample, looking up persons in the table finds more
    rows = [("a", 1)] * 9 + [("b", 1)]
    population = [("a", 1)] * 30 + [("b", 1)]
    result = shoal.evaluate(
        frame_of(rows), frame_of(rows), quasi_identifiers=NAMES, population=frame_of(population)
    ).after
    assert result["journalist_average"] == pytest.approx(max(2 / 31, (9 / 30 + 1) / 10))


def test_a_population_may_be_of_another_kind_and_must_have_the_columns(tmp_path) -> None:
    frame = pl.DataFrame({"x": ["a", "a", "*"], "y": [1.0, 1.0, None]})
    (tmp_path / "all.csv").write_text("y,x\n1,a\n1.0,a\n1,a\n,*\n")
    figures = shoal.evaluate(frame, frame, quasi_identifiers=NAMES, population=tmp_path / "all.csv")
    assert figures.after["journalist_highest"] == 1
    assert figures.after["marketer"] == pytest.approx((2 / 3 + 1) / 3)
    with pytest.raises(ColumnError, match="population has no column 'y'; give one that has all quasi-identifiers"):
        shoal.evaluate(frame, frame, quasi_identifiers=NAMES, population=frame.select("x"))


def test_population_counts_take_missing_for_a_value() -> None:
    mine = data.read_table(frame_of([("a", 1), (None, 1), (None, None), ("b", 2)]))
    theirs = data.read_table(frame_of([("a", 1), (None, 1), (None, 1), ("a", None)]))
    assert data.population_counts(mine, theirs, NAMES).tolist() == [1, 2, 0, 0]


def test_wildcards_of_the_vector() -> None:
    """f and F of the documented vector with alpha 1, 0.5 and 0, through the front door."""
    cells = [("A", "x"), ("A", "x"), ("A", None), ("B", "y"), ("B", "y"), (None, "y")]
    weights = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
    frame = pl.DataFrame(cells, schema=["a", "b"], orient="row").with_columns(weight=pl.Series(weights))
    expected = {
        1.0: ([3, 3, 4, 3, 3, 4], [60, 60, 120, 150, 150, 180]),
        0.5: ([2.5, 2.5, 3.5, 2.5, 2.5, 3.5], [45, 45, 90, 120, 120, 165]),
        0.0: ([2, 2, 3, 2, 2, 3], [30, 30, 60, 90, 90, 150]),
    }
    for alpha, (f, F) in expected.items():  # noqa: N806
        options = {"quasi_identifiers": ["a", "b"], "missing_values": "wildcard", "alpha": alpha}
        result = shoal.evaluate(frame, frame, sampling_weights="weight", **options).after
        check(result, {"prosecutor_highest": 1 / min(f), "prosecutor_average": sum(1 / size for size in f) / 6})
        check(result, {"prosecutor_at_risk": 100, "journalist_highest": 1 / min(F), "journalist_at_risk": 0})
        check(result, {"marketer": sum(1 / size for size in F) / 6})
        classes, persons = sum(1 / size for size in f), sum(b / a for a, b in zip(f, F, strict=True))
        check(result, {"journalist_average": max(classes / persons, sum(1 / size for size in F) / 6)})


def test_the_weighted_example() -> None:
    """The first five rows of the vector: f = 3 3 3 2 2 and F = 60 60 60 90 90."""
    cells = [("A", "x"), ("A", "x"), ("A", None), ("B", "y"), ("B", "y")]
    frame = pl.DataFrame(cells, schema=["a", "b"], orient="row").with_columns(weight=pl.Series([10.0, 20, 30, 40, 50]))
    result = shoal.evaluate(
        frame, frame, quasi_identifiers=["a", "b"], missing_values="wildcard", sampling_weights="weight"
    ).after
    assert result["expected_reidentifications"] == pytest.approx(3 * 0.02439024 + 2 * 0.02076102, abs=1e-7)
    assert result["highest_risk"] == pytest.approx(0.02439024, abs=1e-8)
    check(result, {"prosecutor_highest": 1 / 2, "prosecutor_average": 2 / 5})
    check(result, {"journalist_highest": 1 / 60, "marketer": (3 / 60 + 2 / 90) / 5, "journalist_at_risk": 0})
    assert result["journalist_average"] == pytest.approx(max(2 / 150, (3 / 60 + 2 / 90) / 5))


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"x": rng.choice(list("abcd"), 60), "y": rng.integers(0, 3, 60), "w": rng.random(60) + 0.5})
    people = pl.DataFrame({"x": rng.choice(list("abcd"), 500), "y": rng.integers(0, 3, 500)})
    options = {"quasi_identifiers": NAMES, "sampling_weights": "w", "population": people}
    whole = shoal.evaluate(frame, frame, **options)
    monkeypatch.setattr(inputs, "BLOCK_RECORDS", 7)
    blocks = shoal.evaluate(frame, frame, **options)
    for name in outsiders.risks([(1,)], lambda row: Fraction(1)):
        assert blocks.after[name] == pytest.approx(whole.after[name], rel=1e-12)
        assert blocks.before[name] == pytest.approx(whole.before[name], rel=1e-12)
