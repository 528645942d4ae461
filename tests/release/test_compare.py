"""Comparing methods and levels of k."""

from __future__ import annotations

import json
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive import frontiers
from shoal.errors import ColumnError, DataError, OptionError, OutputError
from shoal.microaggregation import registry
from shoal.release.compare import runner
from shoal.release.compare.comparison import Comparison
from shoal.release.compare.frontier import best, frontier, knee, recommend
from shoal.release.compare.points import ComparisonPoint

OPTIONS: dict[str, Any] = {"quasi_identifiers": ["age", "income"], "identifiers": ["person_id", "name"]}
METHODS = ["mdav", "mondrian", "hm"]


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return shoal.example_register(rows=300, seed=1)


def figures(comparison: Comparison) -> list[ComparisonPoint]:
    """The points without what a clock tells."""
    return [replace(point, seconds=None, compiled=False) for point in comparison.points]


def make_point(method: str, k: int, loss: float, risk: float, seconds: float = 0.1) -> ComparisonPoint:
    return ComparisonPoint(
        method, k, loss, risk, 1 / k, classes=9, c_avg=1.1, min_class=k, suppressed=0, seconds=seconds, verified=True
    )


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The releases that are made while the test runs."""
    seen: list[tuple[str, int]] = []
    release = runner.run_in_memory

    def count(table: Any, policy: Any, **more: Any) -> Any:
        seen.append((policy.method, policy.k))
        return release(table, policy, **more)

    monkeypatch.setattr(runner, "run_in_memory", count)
    return seen


def test_every_point_has_the_figures_of_a_release(people: pl.DataFrame) -> None:
    compared = shoal.compare(people, k=[3, 5], methods=METHODS, **OPTIONS)
    assert [(point.k, point.method) for point in compared.points] == [(k, name) for k in (3, 5) for name in METHODS]
    for point in compared.points:
        if point.method == "hm":
            assert point.error is not None
            assert "takes 1 quasi-identifier and 2 are named" in point.error
            assert not point.verified
            continue
        release = shoal.anonymize(people, k=point.k, method=point.method, **OPTIONS)
        assert point.loss == release.evaluation.loss[compared.loss]
        assert point.risk == release.evaluation.global_risk
        assert point.highest_risk == release.evaluation.highest_risk
        assert point.c_avg == release.evaluation.c_avg
        assert (point.classes, point.min_class) == (release.verification.classes, release.verification.min_class)
        assert (point.suppressed, point.verified, point.error) == (0, True, None)
    assert compared.default_method == "auto"
    assert compared.recommendation is not None


def test_the_number_of_workers_changes_nothing_but_the_time(people: pl.DataFrame) -> None:
    alone, together = (
        shoal.compare(people, k=(2, 4, 8), methods=METHODS, workers=workers, **OPTIONS) for workers in (1, 2)
    )
    assert figures(alone) == figures(together)
    assert alone.frontier
    assert [(p.method, p.k) for p in alone.frontier] == [(p.method, p.k) for p in together.frontier]
    assert alone.recommendation == together.recommendation


KINDS = {"age": shoal.Kind.NUMERIC, "sex": shoal.Kind.NOMINAL}


def schema(*names: str) -> shoal.Schema:
    return shoal.Schema.assign([(name, KINDS[name]) for name in names], quasi_identifiers=names)


@pytest.mark.parametrize("records", [1000, 1_000_000])
@pytest.mark.parametrize("names", [["age"], ["sex"], ["age", "sex"]])
def test_the_usual_method_and_a_few_others_are_compared_by_kind(names: list[str], records: int) -> None:
    columns = schema(*names)
    actual = registry.recommended_methods(columns, records)
    assert actual[0] == "auto"
    assert 3 <= len(set(actual)) == len(actual) <= 8
    assert set(actual) <= set(registry.supported_methods(columns, records)) <= set(registry.methods())
    assert ("hm" in actual) == (names == ["age"])


def test_only_methods_that_take_the_table_are_taken() -> None:
    words, mixed = registry.supported_methods(schema("sex"), 100), registry.supported_methods(schema("age", "sex"), 100)
    assert "hm" not in words
    assert "k-modes" in words
    assert "k-modes" not in mixed
    assert "mdav" in mixed
    assert "hac" in registry.supported_methods(schema("age"), 20_000)
    assert "hac" not in registry.supported_methods(schema("age"), 20_001)


def test_the_loss_is_that_of_all_columns(people: pl.DataFrame) -> None:
    compared = shoal.compare(people, k=4, methods="mdav", **OPTIONS)
    result = shoal.anonymize(people, k=4, method="mdav", **OPTIONS)
    assert compared.points[0].loss == result.evaluation.mixed_loss
    assert compared.to_dict()["loss"]["name"] == "mixed_loss"


def test_an_option_goes_to_the_methods_that_have_it(people: pl.DataFrame) -> None:
    compared = shoal.compare(people, k=4, methods=["mdav", "v-mdav"], gamma=1.1, **OPTIONS)
    release = shoal.anonymize(people, k=4, method="v-mdav", gamma=1.1, **OPTIONS)
    assert [point.error for point in compared.points] == [None, None]
    assert compared.points[1].loss == release.evaluation.loss[compared.loss]
    with pytest.raises(OptionError, match="None of the compared methods has an option 'gamma'"):
        shoal.compare(people, k=4, methods=["mdav"], gamma=1.1, **OPTIONS)


@pytest.mark.parametrize("said", [{}, {"effort": "fast"}, {"refine": False}], ids=str)
def test_a_method_is_refined_as_it_would_be_alone(people: pl.DataFrame, said: dict[str, Any]) -> None:
    compared = shoal.compare(people, k=4, methods=["auto", "mdav"], **said, **OPTIONS)
    for point in compared.points:
        release = shoal.anonymize(people, k=4, method=point.method, **said, **OPTIONS)
        assert point.loss == release.evaluation.loss[compared.loss]
        searched = said.get("refine", point.method == "auto" or "effort" in said)
        assert (release.partition.search is not None) == searched


def test_results_of_another_effort_are_run_anew(people: pl.DataFrame, tmp_path: Path) -> None:
    said: dict[str, Any] = {"k": 4, "methods": ["mdav"], "cache": tmp_path / "kept.jsonl", **OPTIONS}
    assert [shoal.compare(people, **said, **more).n_cached for more in ({}, {"effort": "fast"}, {})] == [0, 0, 1]


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"k": []}, OptionError, "k is not given"),
        ({"k": [3, "x"]}, OptionError, "k is not a whole number"),
        ({"k": "35"}, OptionError, "k is not a whole number"),
        ({"k": [1]}, OptionError, "k = 1 protects nobody"),
        ({"k": [3, 301]}, OptionError, "more than the 300 records"),
        ({"methods": ["mdva"]}, OptionError, "no method 'mdva'"),
        ({"methods": []}, OptionError, "'methods'"),
        ({"methods": 7}, OptionError, "'methods'"),
        ({"method": "mdav"}, OptionError, "'method'"),
        ({"effort": "much"}, OptionError, "no effort 'much'"),
        ({"refine": False, "effort": "fast"}, OptionError, "effort"),
        ({"time_limit": 0}, OptionError, "'time_limit'"),
        ({"time_limit": float("nan")}, OptionError, "'time_limit'"),
        ({"workers": 0}, OptionError, "'workers'"),
        ({"workers": 1.5}, OptionError, "'workers'"),
        ({"quasi_identifiers": ["wage"]}, ColumnError, "wage"),
    ],
)
def test_what_is_asked_wrongly_is_refused(people: pl.DataFrame, wrong: dict[str, Any], error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        shoal.compare(people, **{"k": 3, "methods": ["mdav"], **OPTIONS, **wrong})


def test_after_the_budget_no_run_starts(people: pl.DataFrame, counted: list[Any]) -> None:
    compared = shoal.compare(people, k=[3, 5], methods=["mdav"], time_limit=1e-9, **OPTIONS)
    assert [point.error for point in compared.points] == ["not run: the budget of 0 s was over"] * 2
    assert not counted
    assert compared.recommendation is None
    assert compared.frontier == ()
    assert "no release" in repr(compared)


def test_the_budget_stops_runs_under_way(people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    release = shoal.anonymize(people, k=3, method="mdav", **OPTIONS)

    def endless(table: Any, policy: Any, *, progress: Any) -> Any:
        while policy.k == 5:
            progress(1, 2)
        return release

    monkeypatch.setattr(runner, "run_in_memory", endless)
    compared = shoal.compare(people, k=[3, 5, 8], methods=["mdav"], time_limit=0.3, workers=1, **OPTIONS)
    assert [point.error for point in compared.points] == [
        None, "stopped: the budget of 0.3 s was over", "not run: the budget of 0.3 s was over",
    ]  # fmt: skip
    assert compared.recommendation is not None
    assert compared.recommendation.k == 3


def test_a_budget_leaves_what_can_be_compared(people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[tuple[str, int]] = []

    def refused(table: Any, policy: Any, *, progress: Any) -> Any:
        begun.append((policy.method, policy.k))
        raise DataError.record_counts_differ(1, 2)

    monkeypatch.setattr(runner, "run_in_memory", refused)
    compared = shoal.compare(people, k=[3, 5], methods=["v-mdav", "mdav"], workers=1, **OPTIONS)
    assert begun == [("v-mdav", 3), ("v-mdav", 5), ("mdav", 3), ("mdav", 5)]
    assert [(point.method, point.k) for point in compared.points] == [begun[i] for i in (0, 2, 1, 3)]
    begun.clear()
    every = {point.method for point in shoal.compare(people, k=3, methods="all", workers=1, **OPTIONS).points}
    tried = [point.method for point in shoal.compare(people, k=3, workers=1, **OPTIONS).points]
    assert [method for method, _ in begun[: len(tried)]] == tried
    assert len(every) > len(tried)


def test_an_interrupt_ends_all_runs(people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(table: Any, policy: Any, *, progress: Any) -> Any:
        if policy.k == 3:
            signal.raise_signal(signal.SIGINT)  # it reaches this thread, and the one that waits has to hear of it
        while True:
            progress(0, 1)

    monkeypatch.setattr(runner, "run_in_memory", endless)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        shoal.compare(people, k=[3, 5, 8], methods=["mdav"], workers=2, **OPTIONS)
    end = time.monotonic() + 30
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.01)  # one that was just starting ends by itself
    assert threading.active_count() == before


def test_an_error_of_the_caller_ends_all_runs(people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(table: Any, policy: Any, *, progress: Any) -> Any:
        while True:
            progress(0, 1)

    def fail(done: float, total: int) -> None:
        raise LookupError

    monkeypatch.setattr(runner, "run_in_memory", endless)
    with pytest.raises(LookupError):
        shoal.compare(people, k=[3, 5, 8], methods=["mdav"], workers=2, progress=fail, **OPTIONS)


def test_progress_counts_runs_and_parts_of_them(people: pl.DataFrame) -> None:
    seen: list[tuple[float, int]] = []
    shoal.compare(
        people, k=[3, 5], methods=["mdav"], progress=lambda done, total: seen.append((done, total)), **OPTIONS
    )
    assert {total for _, total in seen} == {2}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (2, 2)


def test_finished_points_are_taken_from_before(people: pl.DataFrame, tmp_path: Path, counted: list[Any]) -> None:
    keep = tmp_path / "kept.jsonl"
    first = shoal.compare(people, k=[3, 5], methods=METHODS, cache=keep, **OPTIONS)
    assert first.n_cached == 0
    assert len(keep.read_text().splitlines()) == 4  # what was refused is tried again
    counted.clear()
    again = shoal.compare(people, k=[3, 5, 8], methods=METHODS, cache=keep, **OPTIONS)
    assert again.n_cached == 4
    assert sorted(counted) == [("hm", 3), ("hm", 5), ("hm", 8), ("mdav", 8), ("mondrian", 8)]
    assert again.points[:6] == first.points
    assert "4 of 9 runs kept from before" in repr(again)


def test_kept_points_are_not_those_of_other_data_or_decisions(
    people: pl.DataFrame, tmp_path: Path, counted: list[Any]
) -> None:
    said: dict[str, Any] = {"k": 3, "methods": ["mdav"], "cache": tmp_path / "kept.jsonl", **OPTIONS}
    other = people.with_columns(age=pl.when(pl.int_range(pl.len()) == 7).then(pl.col("age") + 1).otherwise("age"))
    assert [shoal.compare(data, **said).n_cached for data in (people, other, people.reverse(), people)] == [0, 0, 0, 1]
    for more in ({"standardize": False}, {"seed": 1}, {"weights": {"age": 2}}, {"recode": "median"}):
        assert shoal.compare(people, **said, **more).n_cached == 0
        assert shoal.compare(people, **said, **more).n_cached == 1
    assert len(counted) == 7
    # a column that nothing is decided by may change
    assert shoal.compare(people.with_columns(diagnosis=pl.lit("none")), **said).n_cached == 1


def test_files_are_known_again_by_their_bytes_and_how_they_are_read(people: pl.DataFrame, tmp_path: Path) -> None:
    path, keep = tmp_path / "people.csv", tmp_path / "kept.jsonl"
    people.write_csv(path)
    said: dict[str, Any] = {"k": 3, "methods": ["mdav"], "cache": keep, **OPTIONS}
    assert [shoal.compare(path, **said).n_cached for _ in range(2)] == [0, 1]
    path.write_text(path.read_text().replace("Highmoor", "Lowmoor"))
    assert shoal.compare(path, **said).n_cached == 0


def test_a_release_is_not_taken_for_its_original(people: pl.DataFrame, tmp_path: Path) -> None:
    path, keep = tmp_path / "people.csv", tmp_path / "kept.jsonl"
    people.drop("person_id", "name").write_csv(path)
    said: dict[str, Any] = {"k": 3, "methods": ["mdav"], "cache": keep, "quasi_identifiers": ["age", "income"]}
    shoal.compare(path, **said)
    released = shoal.anonymize(path, k=2, method="mdav", quasi_identifiers=["age", "income"]).released
    assert released.sha256 == shoal.read(path).sha256
    assert shoal.compare(released, **said).n_cached == 0


def test_broken_and_foreign_lines_do_no_harm(people: pl.DataFrame, tmp_path: Path, counted: list[Any]) -> None:
    keep = tmp_path / "kept.jsonl"
    said: dict[str, Any] = {"k": [3, 5], "methods": ["mdav"], "cache": keep, "workers": 1, **OPTIONS}
    first = shoal.compare(people, **said)
    one, two = keep.read_bytes().splitlines(keepends=True)
    wrong = json.loads(two)
    wrong["point"]["loss"] = "much"
    lines = [b"\xff\xfe\n", b"[1]\n", b'{"a": 1}\n', one, json.dumps(wrong).encode() + b"\n", two[:-9]]
    keep.write_bytes(b"".join(lines))
    counted.clear()
    again = shoal.compare(people, **said)
    assert counted == [("mdav", 5)]
    assert figures(again) == figures(first)
    assert shoal.compare(people, **said).n_cached == 2  # the half line stayed a line of its own


def test_results_are_not_kept_in_a_file_that_holds_something_else(people: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    people.write_csv(path)
    before = path.read_bytes()
    said: dict[str, Any] = {"k": 3, "methods": ["mdav"], **OPTIONS}
    with pytest.raises(OutputError, match="is the input itself"):
        shoal.compare(path, cache=path, **said)
    with pytest.raises(OutputError, match="is no cache of a comparison"):
        shoal.compare(people, cache=path, **said)
    with pytest.raises(OutputError, match="does not exist"):
        shoal.compare(people, cache=tmp_path / "no" / "kept.jsonl", **said)
    with pytest.raises(OutputError, match="is a directory"):
        shoal.compare(people, cache=tmp_path, **said)
    assert path.read_bytes() == before


def test_no_cell_is_kept_or_shown(tmp_path: Path) -> None:
    rows = [{"age": 900_000_001 + 1000 * i, "word": f"secret{i}", "pay": 77_000_001 + i * i} for i in range(20)]
    keep = tmp_path / "kept.jsonl"
    compared = shoal.compare(
        pl.DataFrame(rows), k=[2, 3], methods=["mdav", "hm"], quasi_identifiers=["age", "pay"], keep="word", cache=keep
    )
    shown = keep.read_text() + repr(compared) + compared._repr_html_() + json.dumps(compared.to_dict())
    for text in ("secret", "900000", "900,000", "770000", "77,000"):
        assert text not in shown


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"a": [1.0] * 6, "b": ["x"] * 6}),
        pl.DataFrame({"a": [8e307, -8e307, 0.0, 1e-308, 5.0, None], "b": ["x", "y", None, "x", "y", "x"]}),
        pl.DataFrame({"a": [None] * 6, "b": ["x", "y"] * 3}, schema={"a": pl.Float64, "b": pl.String}),
    ],
)
def test_odd_tables_are_compared_too(frame: pl.DataFrame) -> None:
    compared = shoal.compare(frame, k=[2, 3, 6], methods=["mdav", "mondrian-extent"], quasi_identifiers=["a", "b"])
    assert all(point.verified or point.error for point in compared.points)
    assert json.loads(json.dumps(compared.to_dict(), allow_nan=False))["points"]
    assert repr(compared)
    assert compared._repr_html_()


def test_plain_data_has_stable_keys(people: pl.DataFrame) -> None:
    facts = shoal.compare(people, k=3, methods=["mdav"], **OPTIONS).to_dict()
    assert list(facts) == [
        "shoal", "records", "quasi_identifiers", "loss", "usual", "points", "best", "recommendation", "kept",
    ]  # fmt: skip
    assert list(facts["points"][0]) == [
        "method", "k", "loss", "risk", "highest_risk", "gap", "classes", "c_avg", "min_class", "suppressed", "seconds",
        "compiled", "verified", "error", "frontier", "recommended",
    ]  # fmt: skip
    assert facts["best"] == {"3": "mdav"}
    assert facts["recommendation"]["reason"] == "mdav at k = 3 is the only one measured."


places = st.tuples(st.integers(0, 12).map(float), st.integers(0, 12).map(float))


@given(st.lists(places, max_size=25))
def test_the_frontier_is_what_no_other_point_beats(actual: list[tuple[float, float]]) -> None:
    points = [make_point(f"m{i}", 2, *place) for i, place in enumerate(actual)]
    points.append(ComparisonPoint("refused", 2, error="no"))
    assert [point.coordinates for point in frontier(points)] == frontiers.frontier(actual)


@given(st.lists(places, min_size=1, max_size=12))
def test_the_knee_is_the_point_farthest_below_the_line(actual: list[tuple[float, float]]) -> None:
    curve = [make_point("m", k, *place) for k, place in enumerate(actual, 2)]
    chosen = knee(curve)
    first, last = actual[0], actual[-1]
    if last[0] > first[0] and last[1] < first[1]:
        depths = [frontiers.below_line(place, first, last) for place in actual]
        if max(depths) > 1e-6:
            assert frontiers.below_line(chosen.coordinates, first, last) == pytest.approx(max(depths))
            return
    assert chosen.coordinates[0] * chosen.coordinates[1] == min(loss * risk for loss, risk in actual)


def test_the_knee_of_a_bent_curve() -> None:
    curve = [
        make_point("m", 2, 1, 50),
        make_point("m", 5, 2, 20),
        make_point("m", 10, 9, 10),
        make_point("m", 20, 30, 5),
    ]
    assert knee(curve).k == 5
    assert knee([make_point("m", 2, 1, 50), make_point("m", 5, 12, 20), make_point("m", 10, 14, 10), curve[-1]]).k == 10
    assert knee(curve[:2]).k == 5  # twice the loss for less than half of the risk
    assert knee([make_point("m", 2, 1, 50), make_point("m", 3, 4, 33)]).k == 2
    assert knee(curve[:1]).k == 2


def test_of_practically_equal_losses_a_much_quicker_one_is_taken_else_the_least_risk() -> None:
    slow, quick = make_point("slow", 3, 1.0, 30, seconds=9), make_point("quick", 3, 1.004, 30, seconds=1)
    assert best([slow, quick])[3] is quick
    assert best([slow, replace(quick, loss=1.006)])[3] is slow
    assert best([replace(slow, seconds=1.5), quick])[3].method == "slow"
    assert best([replace(slow, compiled=True), quick])[3].method == "slow"
    assert best([slow, replace(quick, seconds=9, risk=29)])[3].method == "quick"
    said = recommend([slow, quick], default_method="slow")
    assert said is not None
    assert said.reason == "quick at k = 3: at the same k practically the same loss as slow in less time."


def test_the_reason_is_told_with_its_figures() -> None:
    points = [
        *(make_point("mdav", 3, 1.0, 33), make_point("md", 3, 0.9, 33)),
        *(make_point("mdav", 5, 1.5, 20), make_point("md", 5, 1.2, 20), make_point("v-mdav", 5, 1.25, 19)),
        *(make_point("mdav", 10, 4.0, 10), make_point("md", 10, 3.6, 10)),
    ]
    said = recommend(points, default_method="mdav")
    assert said is not None
    assert (said.method, said.k) == ("md", 5)
    assert said.reason == (
        "md at k = 5: at the same k 4.0 % less loss than v-mdav and 20 % less loss than mdav; going up to k = 10 would"
        " bring the risk from 20 to 10 of 100 for 3 times the loss; going down to k = 3 would bring the risk from 20 to"
        " 33 of 100 for 0.75 times the loss."
    )
    equal = recommend([make_point("mdav", 3, 1.0, 33), make_point("md", 3, 1.0, 30)], default_method="mdav")
    assert equal is not None
    assert equal.reason == "md at k = 3: at the same k the same loss as mdav with a risk of 30 instead of 33 of 100."
    lossless = recommend(
        [make_point("md", 2, 0.0, 50), make_point("md", 3, 0.0, 33), make_point("md", 4, 2.0, 25)], default_method="md"
    )
    assert lossless is not None
    assert "for a loss of 2 instead of 0" in lossless.reason
    assert recommend([ComparisonPoint("md", 3, error="no")], default_method="md") is None


def test_a_run_counts_by_its_k(people: pl.DataFrame) -> None:
    """Larger groups take longer: half of the runs are not half of the time."""
    seen: list[float] = []
    shoal.compare(
        people,
        k=[2, 8],
        methods=["mdav"],
        workers=1,
        progress=lambda done, _: seen.append(done),
        refine=False,
        **OPTIONS,
    )
    assert 2 * 2 / 10 in seen
    assert 1.0 not in seen
    assert seen[-1] == 2
