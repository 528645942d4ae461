"""The external report: counts of many records only; no file, seed, rare value or extreme."""

from __future__ import annotations

import json
from itertools import accumulate

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.report import html_report, svg_charts
from shoal.report.external import SmallCounts, external_facts
from shoal.report.summary import report_facts

SECRETS = (
    "Secretname",
    "Vatican sailor",
    "987654321",
    "987,654,321",
    "rareillness",
    "hush_hush",
    "secret_id",
    "424242",
)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> shoal.Release:
    rng, n = np.random.default_rng(7), 400
    wage = rng.lognormal(10, 0.5, n).round()
    wage[17] = 987654321
    frame = pl.DataFrame(
        {
            "secret_id": [f"Secretname{i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "wage": wage,
            "job": [*rng.choice(["nurse", "cook", "clerk", "driver"], n - 2), "Vatican sailor", "Vatican sailor"],
            "ill": [*rng.choice(["flu", "cold", "none"], n - 1), "rareillness"],
        }
    ).with_columns(pl.when(pl.int_range(n) < 3).then(None).otherwise(pl.col("age")).alias("age"))
    path = tmp_path_factory.mktemp("external") / "hush_hush.csv"
    frame.write_csv(path)
    return shoal.anonymize(
        path, k=5, quasi_identifiers=["age", "wage", "job"], identifiers=["secret_id"], sensitive=["ill"], seed=424242
    )


@pytest.fixture(scope="module")
def facts(release: shoal.Release) -> dict:
    return report_facts(release, evaluation=release.evaluate("all"), comparison={"points": ["Secretname"]})


def test_secrets_stay_inside(release, facts) -> None:
    inside, outside = release.report(), release.report(external=True)
    assert "External version" in outside
    assert "do not publish" not in outside
    assert "do not publish" in inside
    known = json.dumps(external_facts(facts))
    for secret in SECRETS:
        assert secret not in outside, secret
        assert secret not in known, secret
    for reported in ("Vatican sailor", "hush_hush", "secret_id", "424242"):
        assert reported in inside, reported
    assert release.policy.input["sha256"] not in outside
    assert not release.policy.to_dict()["input"].items() & external_facts(facts)["policy"]["input"].items()


def test_it_is_a_list_of_what_is_let_through(facts) -> None:
    added = {**facts, "new": SECRETS[0], "data": {**facts["data"], "new": SECRETS[0]}}
    added["policy"] = {**facts["policy"], "new": SECRETS[0], "release": {**facts["policy"]["release"], "new": 1}}
    added["verification"] = {**facts["verification"], "new": SECRETS[0]}
    figures = {
        **facts["evaluation"],
        "new": SECRETS[0],
        "loss": {**facts["evaluation"]["loss"], "no_measure": 424242.0},
    }
    assert external_facts({**added, "evaluation": figures}) == external_facts(facts)
    assert set(external_facts(facts)) - {"least"} == set(facts) - {"comparison"}


def test_small_counts_of_the_original_are_hidden(facts) -> None:
    seen = external_facts(facts)
    assert seen["evaluation"]["risk"]["before"]["min_class"] == "fewer than 10"
    assert seen["evaluation"]["risk"]["after"]["min_class"] == facts["evaluation"]["risk"]["after"]["min_class"]
    assert seen["evaluation"]["risk"]["before"]["highest_risk"] is None
    assert facts["data"]["missing"]["age"] == 3
    assert seen["data"]["missing"]["age"] == "fewer than 10"
    assert "fewer than 10" in html_report.page(seen)


def test_k_beyond_ten_is_the_limit(facts) -> None:
    seen = external_facts({**facts, "verification": {**facts["verification"], "k": 25}})
    assert seen["least"] == 25
    assert seen["data"]["missing"]["age"] == "fewer than 25"


def test_sums_of_raw_columns_stay_inside(facts) -> None:
    seen = external_facts({**facts, "evaluation": {**facts["evaluation"], "base": "raw"}})
    assert seen["evaluation"]["loss"]["sst"] is None
    assert seen["evaluation"]["loss"]["information_loss"] is not None


@pytest.mark.parametrize(
    ("count", "reported"),
    [(0, 0), (1, "fewer than 10"), (9, "fewer than 10"), (10, 10), (90, 90), (91, "all but fewer than 10"), (100, 100)],
)
def test_few(count: int, reported: int | str) -> None:
    assert SmallCounts(10, 100).count(count) == reported


@pytest.mark.parametrize(
    ("percent", "reported"), [(0.0, 0.0), (9.9, "below 10 %"), (10.0, 10.0), (90.5, "above 90 %"), (100.0, 100.0)]
)
def test_few_in_percent(percent: float, reported: float | str) -> None:
    assert SmallCounts(10, 100).percent(percent) == reported


def outside(facts: dict, result: dict, records: int) -> dict | None:
    """A column as outsiders see it, in a table of so many records; None where they do not."""
    proof = {**facts["verification"], "records": records}
    seen = external_facts({**facts, "verification": proof, "distributions": [result]})["distributions"]
    return seen[0] if seen else None


COUNTS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=15)


@given(COUNTS)
def test_bins_hold_enough_records_and_are_open_at_the_ends(facts, counts: list[tuple[int, int]]) -> None:
    before, after = (tuple(count[i] for count in counts) for i in (0, 1))
    edges = tuple(float(10 * i) for i in range(len(counts) + 1))
    plain = {"name": "age", "kind": "numbers", "labels": (), "edges": edges, "before": before, "after": after}
    seen = outside(facts, {**plain, "blank_before": 0, "blank_after": 0, "depths": ()}, sum(before) or 1)
    if seen is None:
        return
    assert sum(seen["before"]) == sum(before)
    assert sum(seen["after"]) == sum(after)
    assert all(count >= 10 for count in seen["before"])
    assert all(count == 0 or count >= 10 for count in seen["after"])
    assert len(seen["edges"]) == len(seen["before"]) - 1
    assert set(seen["edges"]) <= set(edges[1:-1])
    starts = [0, *(edges.index(edge) for edge in seen["edges"])]
    cumulated = [0, *accumulate(before)]
    assert [cumulated[start] for start in starts] == [0, *accumulate(seen["before"])][:-1]
    ticks = svg_charts.edge_labels(seen["edges"], dates=False)
    names = svg_charts.bin_labels(ticks, len(seen["before"]))
    assert names[0] == f"under {ticks[0]}"
    assert names[-1] == f"{ticks[-1]} and over"


@given(COUNTS)
def test_categories_are_named_where_many_have_them_before_and_after(facts, counts: list[tuple[int, int]]) -> None:
    before, after = (tuple(count[i] for count in counts) for i in (0, 1))
    labels = (*(f"v{i}" for i in range(len(counts) - 1)), "all others")
    plain = {"name": "job", "kind": "categories", "labels": labels, "edges": (), "before": before, "after": after}
    more = {"blank_before": 0, "blank_after": 0, "others": 9, "depths": ((1, 4), (2, 50))}
    seen = outside(facts, {**plain, **more}, 1000)
    if seen is None:
        return
    assert sum(seen["before"]) == sum(before)
    assert sum(seen["after"]) == sum(after)
    for label, was, now in zip(seen["labels"], seen["before"], seen["after"], strict=True):
        assert was == 0 or was >= 10
        assert now == 0 or now >= 10
        if label != "all others":
            assert (was, now) == counts[labels.index(label)]
            assert was >= 10 <= now
    assert seen["depths"] == [(1, "fewer than 10"), (2, 50)]
    assert "others" not in seen


def test_what_is_not_blank_does_not_tell_what_is(facts) -> None:
    result = {
        "name": "age",
        "kind": "numbers",
        "labels": (),
        "edges": (0.0, 1.0, 2.0),
        "before": (43, 54),
        "after": (50, 50),
    }
    seen = outside(facts, {**result, "blank_before": 3, "blank_after": 0, "depths": ()}, 100)
    assert seen["blank_before"] == "fewer than 10"
    assert seen["before"] == (40, 50)


def test_two_counts_together_do_not_tell_few(facts) -> None:
    before = {"unique_records": 370, "k_violations": 373, "k_violations_percent": 93.25, "classes": 300}
    proof = {**facts["verification"], "records": 400}
    risk = {**facts["evaluation"]["risk"], "before": before}
    seen = external_facts({**facts, "verification": proof, "evaluation": {**facts["evaluation"], "risk": risk}})
    assert seen["evaluation"]["risk"]["before"] == {
        "unique_records": 370,
        "k_violations": "nearly 370",
        "k_violations_percent": "nearly 92.5 %",
        "classes": 300,
    }


def test_dates_are_written_as_dates() -> None:
    assert svg_charts.edge_labels([0.0, 365.0], dates=True) == ["1970-01-01", "1971-01-01"]
    assert svg_charts.edge_labels([1e9], dates=True) == ["day 1e+09"]
    assert svg_charts.bin_labels(["a", "b", "c"], 2) == ["a to b", "b to c"]


def test_a_column_that_shows_nothing_is_no_chart() -> None:
    nothing = {"name": "age", "kind": "numbers", "labels": (), "edges": (), "before": (), "after": ()}
    drawn = svg_charts.distribution_chart({**nothing, "blank_before": 5, "blank_after": 5, "depths": ()})
    assert "<svg" not in drawn
    assert "nothing shown: 5 → 5" in drawn


@pytest.mark.parametrize(
    "frame",
    [
        {"a": [5.0] * 12, "b": [8e307, -8e307] * 6},
        {"a": [None] * 11 + [1.0], "b": [5e-324] * 12},
        {"a": ["x"] * 12, "b": [None] * 12},
    ],
)
@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_odd_tables_have_both_reports(frame: dict, missing: str) -> None:
    released = shoal.anonymize(pl.DataFrame(frame), k=3, quasi_identifiers=["a", "b"], missing_values=missing)
    for external in (False, True):
        assert "Verified" in released.report(external=external)


def test_columns_that_are_dropped_are_not_named(release) -> None:
    page = release.report(external=True)
    assert "secret_id" not in page
    assert "1 identifier" in page
