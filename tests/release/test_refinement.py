"""Releases with local search: all options hold, the search reports what it did, and a policy replays them."""

from __future__ import annotations

import signal
import warnings
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given

import shoal
from naive import promise
from naive.local_search import errors, whole
from naive.surveys import JOBS, SIZES, Survey, frame, surveys
from shoal import data
from shoal.domain import Policy, Refinement
from shoal.engines.memory import MemoryPlan
from shoal.errors import OptionError, PolicyError, PromiseError, ShoalError, ShoalWarning
from shoal.search import budget, local_search

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
KEYS = ["age", "day", "size", "job"]
OPTIONS: dict[str, Any] = {
    "k": 3,
    "quasi_identifiers": KEYS,
    "identifiers": "name",
    "sensitive": ["ill", "score"],
    "hierarchies": {"job": shoal.Hierarchy.from_dict(JOBS)},
    "levels": {"size": SIZES},
    "method": "mdav",
}


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some thousand steps are enough for so few records."""
    monkeypatch.setattr(budget, "_STEPS", {"fast": (0, 0), "balanced": (100, 3000), "best": (200, 6000)})


def people(**more: Any) -> pl.DataFrame:
    return frame(4, 90, **{"gaps": 0.0, "strata": 2, "members": 2, **more})


def check_search(table: pl.DataFrame, release: shoal.Release) -> None:
    """The error after the search is that of the groups, from the definition."""
    result, groups = release.partition.search, release.partition
    assert result is not None
    assert result.after <= result.before
    records = MemoryPlan.build(data.read_table(table), release.policy).records
    shown = np.ones(len(groups.labels), dtype=np.bool_) if groups.suppressed is None else ~groups.suppressed
    expected = errors(whole(records)[np.flatnonzero(shown)], groups.labels[shown]) if shown.any() else 0.0
    assert result.after == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(surveys())
def test_a_refined_release_keeps_all_that_was_asked(survey: Survey) -> None:
    """Models, strata, households, suppression, gaps in every way, dates, intervals and all other recodings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        try:
            release = shoal.anonymize(survey.frame, **{**survey.asked, "effort": "balanced"})
        except PromiseError:
            raise
        except ShoalError:
            return
    promise.check(survey, release)
    assert release.verification.ok
    check_search(survey.frame, release)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"models": {"ill": ["entropy-l(2)", "recursive-l(3,2)", "t-equal(0.5)"], "score": "t-ordered(0.4)"}},
        {"strata": "region", "households": "home"},
        {"max_suppression": 0.2},
        {"missing_values": "wildcard", "alpha": 0.5},
        {"missing_values": "suppress"},
        {"missing_values": "impute"},
        {"recode": "generalize"},
        {"weights": {"age": 5.0, "job": 0.2}, "standardize": False},
    ],
    ids=lambda more: "-".join(more) or "plain",
)
def test_it_lowers_the_error_whatever_else_is_asked(more: dict[str, Any]) -> None:
    table = people(gaps=0.1 if "missing_values" in more else 0.0)
    release = shoal.anonymize(table, effort="best", **OPTIONS, **more)
    assert release.verification.ok
    check_search(table, release)
    assert release.partition.search.after < release.partition.search.before


def test_the_loss_of_numbers_is_the_error_after_the_search() -> None:
    values = np.random.default_rng(1).normal(size=(80, 3))
    release = shoal.anonymize(values, k=4, quasi_identifiers=[0, 1, 2], method="mdav", refine=True)
    total = (len(values) - 1) * 3  # columns of variance 1
    loss = pytest.approx(100 * release.partition.search.after / total, rel=1e-9)
    assert release.evaluation.information_loss == loss
    assert release.partition.information_loss == loss


def test_what_is_not_refined_is_as_the_method_made_it() -> None:
    table = people()
    plain, as_ever, refined = (shoal.anonymize(table, **OPTIONS, refine=refine) for refine in (False, None, True))
    assert plain.partition.search is as_ever.partition.search is None
    assert plain.policy.refinement is as_ever.policy.refinement is None
    assert plain.table.equals(as_ever.table)
    assert not plain.table.equals(refined.table)
    auto = shoal.anonymize(table, **OPTIONS | {"method": None})
    assert auto.policy.method == "auto"
    assert auto.policy.refinement == Refinement("balanced")
    assert auto.partition.search is not None
    assert auto.partition.account
    start = shoal.anonymize(table, **OPTIONS | {"method": None}, refine=False)
    assert start.partition.search is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"effort": "utmost"}, "effort"),
        ({"effort": 3}, "effort"),
        ({"time_limit": 0}, "'time_limit'.*a number above 0"),
        ({"time_limit": -1}, "'time_limit'.*a number above 0"),
        ({"time_limit": float("nan")}, "'time_limit'.*a number above 0"),
        ({"time_limit": float("inf")}, "'time_limit'.*a number above 0"),
        ({"time_limit": "soon"}, "'time_limit'.*a number above 0"),
        ({"time_limit": True}, "'time_limit'.*a number above 0"),
        ({"refine": "yes"}, "'refine'"),
        ({"refine": False, "effort": "best"}, "refinement is off"),
        ({"refine": False, "time_limit": 3}, "refinement is off"),
    ],
    ids=repr,
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], words: str) -> None:
    numbers = np.arange(20.0).reshape(10, 2)
    with pytest.raises(OptionError, match=words):
        shoal.anonymize(numbers, k=2, quasi_identifiers=[0, 1], **given)
    with pytest.raises(OptionError, match=words):
        shoal.partition(numbers, k=2, **given)


def replayed(folder: Path, release: shoal.Release) -> shoal.Release:
    """The release that its written policy makes; the policy is the same to the last letter."""
    release.save(folder / "out.csv")
    written = folder / "out.csv.policy.toml"
    assert Policy.read(written).refinement == release.policy.refinement
    again = shoal.replay(
        folder / "in.csv", policy=written, hierarchies=OPTIONS["hierarchies"], levels=OPTIONS["levels"]
    )
    again.save(folder / "again.csv")
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()
    assert (folder / "again.csv.policy.toml").read_text().replace("again.csv", "out.csv") == written.read_text()
    return again


@pytest.mark.parametrize("tick", [1e-6, 0.005, 0.02, 0.1, 0.3, 5.0])
@pytest.mark.parametrize("effort", ["fast", "balanced"])
def test_a_timed_release_comes_out_the_same_again(
    tmp_path: Path, tick: float, effort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock goes on by a tick whenever it is looked at: it stops the search anywhere, and also on its way down."""
    people().write_csv(tmp_path / "in.csv")
    looked = count()
    monkeypatch.setattr(budget.time, "monotonic", lambda: 100 + tick * next(looked))
    monkeypatch.setattr(local_search, "_SLICE", 20)
    affordable = local_search._LocalSearch.affordable
    monkeypatch.setattr(local_search._LocalSearch, "affordable", lambda *given: min(affordable(*given), 40_000))
    release = shoal.anonymize(
        tmp_path / "in.csv", **OPTIONS, strata="region", kinds={"day": "date"}, effort=effort, time_limit=1.0
    )
    kept = release.policy.refinement
    assert release.partition.search.timed
    assert (kept.effort, kept.time_limit, len(kept.steps_planned), len(kept.descent_passes)) == (effort, 1.0, 2, 2)
    monkeypatch.setattr(budget.time, "monotonic", lambda: 0.0)
    again = replayed(tmp_path, release)
    assert again.partition.search.after == release.partition.search.after


@pytest.mark.parametrize("at", [0, 40, 89])
def test_an_interrupted_release_comes_out_the_same_again(tmp_path: Path, at: int) -> None:
    people().write_csv(tmp_path / "in.csv")
    sent: list[int] = []

    def progress(done: int, total: int) -> None:
        if done > max(at, 0.41 * total) and not sent:
            sent.append(done)
            signal.raise_signal(signal.SIGINT)

    release = shoal.anonymize(
        tmp_path / "in.csv", **OPTIONS, kinds={"day": "date"}, effort="balanced", progress=progress
    )
    assert sent
    assert release.verification.ok
    assert release.policy.refinement.steps_planned == release.partition.search.steps_planned
    replayed(tmp_path, release)


REFINE = '[refine]\neffort = "balanced"\nseconds = 2.5\nplanned = [10, 20]\ndone = [10, 5]\nlooks = [3, 4]\n'


def test_a_refinement_is_written_and_read_again() -> None:
    plain = shoal.anonymize(people(), **OPTIONS).policy
    assert "[refine]" not in plain.to_toml()
    options = Refinement("balanced", 2.5, (10, 20), (10, 5), (3, 4))
    text = plain.to_toml().replace("[[columns]]", f"{REFINE}\n[[columns]]", 1)
    read = Policy.from_toml(text.encode(), path="p.toml")
    assert read.refinement == options
    assert REFINE in read.to_toml()
    assert Policy.from_toml(read.to_toml().encode(), path="p.toml") == read


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('effort = "balanced"\n', "", "it has no 'effort'"),
        ('effort = "balanced"', 'effort = "utmost"', "no effort 'utmost'"),
        ('effort = "balanced"', "effort = 3", "no effort '3'"),
        ("seconds = 2.5", "seconds = 0", "a number above 0"),
        ("seconds = 2.5", "seconds = nan", "a number above 0"),
        ("seconds = 2.5", "seconds = inf", "a number above 0"),
        ("seconds = 2.5", 'seconds = "soon"', "a number above 0"),
        ("planned = [10, 20]", "planned = [10]", "steps of its search do not fit"),
        ("planned = [10, 20]", "planned = [10, 4]", "steps of its search do not fit"),
        ("planned = [10, 20]", "planned = 10", "wrong type"),
        ("planned = [10, 20]", "planned = [10, 2.5]", "wrong type"),
        ("planned = [10, 20]", f"planned = [10, {2**62}]", "steps of its search do not fit"),
        ("done = [10, 5]", "done = [10, -5]", "steps of its search do not fit"),
        ("looks = [3, 4]", "looks = [3, -4]", "steps of its search do not fit"),
        ("looks = [3, 4]", "looks = [3]", "steps of its search do not fit"),
        ("looks = [3, 4]\n", "", "steps of its search do not fit"),
        (REFINE, "refine = 3\n", "wrong type|not TOML"),
    ],
)
def test_a_refinement_that_was_spoilt_is_refused(old: str, new: str, words: str) -> None:
    text = shoal.anonymize(people(), **OPTIONS).policy.to_toml()
    text = text.replace("[[columns]]", f"{REFINE}\n[[columns]]", 1)
    assert old in text
    if new.startswith("refine"):
        text, old, new = text.replace(REFINE, ""), "format = 4\n", f"format = 4\n{new}"
    with pytest.raises(PolicyError, match=words):
        Policy.from_toml(text.replace(old, new, 1).encode(), path="p.toml")


def test_a_stratum_of_suppressed_records_is_left_alone() -> None:
    """In one stratum every household lacks something; the other one is searched as ever."""
    frame = pl.DataFrame(
        {
            "age": [None if i < 6 else float(i * i % 17) for i in range(18)],
            "region": ["a" if i < 6 else "b" for i in range(18)],
            "home": [f"h{i}" for i in range(18)],
        }
    )
    options = {"k": 3, "quasi_identifiers": ["age"], "identifiers": "home", "strata": "region", "households": "home"}
    release = shoal.anonymize(frame, missing_values="suppress", effort="fast", **options)
    assert release.verification.ok
    assert release.partition.suppressed.tolist() == [True] * 6 + [False] * 12
    assert release.partition.search.steps_planned == (0, 0)
    again = shoal.anonymize(frame, missing_values="suppress", method="mdav", **options)
    assert again.partition.suppressed.tolist() == release.partition.suppressed.tolist()
