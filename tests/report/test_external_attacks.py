"""Attacks on the external report and the release: they disclose neither a few records nor an extreme value."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.metrics import measures
from shoal.report import external
from shoal.report.external import EXTERNAL_MEASURES, SmallCounts, external_facts
from shoal.report.summary import report_facts

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def seen(frame: pl.DataFrame, **options) -> tuple[dict, dict]:
    """The facts inside and outside."""
    release = shoal.anonymize(frame, **options)
    facts = report_facts(release, evaluation=release.evaluate("all"))
    reported = external_facts(facts)
    json.dumps(reported, allow_nan=False)
    return facts, reported


def numbers(n: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n)


@pytest.mark.parametrize("missing", ["impute", "category"])
def test_filled_cells_cannot_be_counted(missing: str) -> None:
    frame = pl.DataFrame({"a": [None, *numbers(199)], "b": numbers(200, 4)})
    facts, reported = seen(frame, k=5, quasi_identifiers=["a", "b"], missing_values=missing)
    inside = facts["distributions"][0]
    assert sum(inside["after"]) + inside["blank_after"] == 199  # what would tell the one that is filled
    assert [result["name"] for result in reported["distributions"]] == ["b"]
    assert reported["data"]["missing"]["a"] == "fewer than 10"
    assert facts["evaluation"]["loss"]["sst"] == pytest.approx(198 + 199)  # a sum that would tell it too
    assert all(reported["evaluation"]["loss"][name] is None for name in ("sse", "sst", "il1s", "ncp"))
    share = reported["evaluation"]["changes"]["a"]["interval_disclosure"]
    assert share % 5 == pytest.approx(0)  # and no share of 199 records


def test_one_record_with_another_value_cannot_be_counted() -> None:
    frame = pl.DataFrame({"job": ["nurse"] * 299 + ["spy"], "age": np.arange(300) // 10})
    facts, reported = seen(frame, k=5, quasi_identifiers=["job", "age"])
    inside, outside = facts["evaluation"], reported["evaluation"]
    assert inside["changes"]["job"]["distribution"] == pytest.approx(1 / 300)
    assert inside["loss"]["semantic_sst"] == 1
    assert set(outside["changes"]["job"].values()) == {None}
    assert "job" not in outside["columns"]
    assert all(outside["loss"][name] is None for name in ("semantic_sse", "semantic_sst", "semantic_loss"))
    assert outside["loss"]["mixed_loss"] is None  # less the squared error of age it is that of the one record
    assert outside["loss"]["pmse"] == "below 0.0083"
    assert outside["loss"]["pmse_ratio"] is None
    assert inside["loss"]["query_tables"] > 0
    assert isinstance(outside["loss"]["query_tables"], str)


@pytest.mark.parametrize("way", ["median", "mean"])
def test_an_extreme_cannot_be_told_from_the_spread(way: str) -> None:
    wage = np.random.default_rng(1).lognormal(10, 0.3, 200)
    wage[7] = 9.87e8
    facts, reported = seen(pl.DataFrame({"wage": wage}), k=5, quasi_identifiers=["wage"], recode=way)
    assert facts["evaluation"]["changes"]["wage"]["spread_kept"] is not None
    assert set(reported["evaluation"]["changes"]["wage"].values()) == {None}


def test_the_moments_are_hidden_where_medians_hide_who_is_far_off() -> None:
    _, reported = seen(pl.DataFrame({"a": numbers(200)}), k=5, quasi_identifiers=["a"], recode="median")
    changes = reported["evaluation"]["changes"]["a"]
    assert changes["mean_shift"] is changes["spread_kept"] is None
    assert changes["loss"] is not None


def test_ranges_are_hidden_where_records_are_suppressed() -> None:
    """The widths of the intervals are in the release: their share of the range would tell the range."""
    a, b = numbers(200), [None if i < 6 else i % 7 for i in range(200)]
    a[0] = 30.0
    frame = pl.DataFrame({"a": a, "b": b})
    options = {"k": 5, "quasi_identifiers": ["a", "b"], "recode": "interval"}
    facts, reported = seen(frame, **options, missing_values="suppress")
    assert facts["data"]["suppressed"] == 6
    assert facts["evaluation"]["loss"]["gcp"] > 0
    assert all(reported["evaluation"]["loss"][name] is None for name in ("gcp", "extent"))
    hidden = ("certainty_penalty", "mean_shift", "spread_kept")
    assert all(reported["evaluation"]["changes"]["a"][name] is None for name in hidden)
    _, whole = seen(pl.DataFrame({"a": numbers(200), "b": numbers(200, 9)}), **options)
    assert whole["evaluation"]["loss"]["gcp"] > 0


def test_means_and_spreads_are_no_finer_than_few_records() -> None:
    facts, reported = seen(pl.DataFrame({"a": numbers(200)}), k=5, quasi_identifiers=["a"], recode="interval")
    inside, outside = facts["evaluation"]["changes"]["a"], reported["evaluation"]["changes"]["a"]
    assert outside["spread_kept"] % 5 == pytest.approx(0)
    assert abs(outside["spread_kept"] - inside["spread_kept"]) <= 2.5
    assert outside["loss"] == float(f"{inside['loss']:.3g}")


def test_bands_and_risks_together_do_not_tell_one_class() -> None:
    """With k = 2 the bands end at 3 and the prosecutor looks below 5: their difference are classes of 4."""
    ages = [*range(100), *(100 + i // 3 for i in range(60)), *[200] * 4, *(300 + i // 20 for i in range(200))]
    facts, reported = seen(pl.DataFrame({"age": [float(age) for age in ages]}), k=2, quasi_identifiers=["age"])
    before = reported["evaluation"]["risk"]["before"]
    assert facts["evaluation"]["risk"]["before"]["prosecutor_at_risk"] * len(ages) / 100 == pytest.approx(164)
    assert sum(band["before"] for band in reported["class_bands"] if (band["to"] or 9) < 4) == 160
    assert before["unique_records"] == 100
    assert before["prosecutor_at_risk"] == f"nearly {100 * 160 / len(ages):.3f} %"


def test_a_share_of_the_few_that_are_known_is_hidden() -> None:
    """A twentieth of all records are known: what is a small share of them is of a few."""
    a = [float(i) if i < 100 else None for i in range(2000)]
    facts, reported = seen(pl.DataFrame({"a": a}), k=25, quasi_identifiers=["a"])
    assert 2 < facts["evaluation"]["changes"]["a"]["interval_disclosure"] < 25
    assert reported["data"]["missing"]["a"] == 1900
    assert reported["evaluation"]["changes"]["a"]["interval_disclosure"] == "not shown"


@pytest.mark.parametrize("n", [2, 4, 9])
def test_tiny_tables_tell_nothing_and_no_nonsense(n: int) -> None:
    frame = pl.DataFrame({"a": [float(i) for i in range(n)], "b": ["x", "y"] * (n // 2) + ["x"] * (n % 2)})
    _, reported = seen(frame, k=2, quasi_identifiers=["a", "b"])
    before = reported["evaluation"]["risk"]["before"]
    assert before["global_risk"] == "not shown"
    assert before["unique_records"] == "fewer than 10"
    assert reported["data"]["suppressed"] == 0
    assert not [sentence for sentence in reported["sentences"] if "lost all" in sentence]
    assert all(set(result.values()) == {None} for result in reported["evaluation"]["changes"].values())


def test_coarse() -> None:
    few = SmallCounts(10, 1000)
    assert few.round_coarsely(0.0) == 0
    assert few.round_coarsely(1e-17) == 0
    assert few.round_coarsely(0.004) == "below 0.01"
    assert few.round_coarsely(0.123) == 0.12
    assert few.round_coarsely(-0.123) == -0.12
    assert few.round_coarsely(98.74, 100.0) == 99
    assert SmallCounts(10, 4).round_coarsely(0.5) == "not shown"


def test_a_measure_that_nobody_thought_about_stays_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of what is let through knows every measure but the sums over cells."""
    assert measures().keys() - EXTERNAL_MEASURES == {"sse", "sst", "semantic_sse", "semantic_sst", "il1s", "ncp"}
    assert measures().keys() >= EXTERNAL_MEASURES
    release = shoal.anonymize(pl.DataFrame({"a": [float(i % 50) for i in range(200)]}), k=5, quasi_identifiers="a")
    facts = report_facts(release, evaluation=release.evaluate("all"))
    assert facts["evaluation"]["loss"]["il1s_mean"] is not None
    monkeypatch.setattr(external, "EXTERNAL_MEASURES", EXTERNAL_MEASURES - {"il1s_mean"})
    assert external.external_facts(facts)["evaluation"]["loss"]["il1s_mean"] is None
