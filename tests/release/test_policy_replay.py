"""Policies of releases: every option is written, read again, and gives the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from naive.surveys import ILLS, JOBS, SIZES, frame
from shoal.domain import Policy
from shoal.errors import DataError, PolicyError

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")


def everything(folder: Path) -> dict[str, Any]:
    """An option of every kind, with the files that some of them name."""
    (folder / "jobs.json").write_text(json.dumps(JOBS))
    (folder / "ills.json").write_text(json.dumps(ILLS))
    (folder / "sizes.txt").write_text("\n".join(SIZES))
    return {
        "k": 3,
        "quasi_identifiers": ["age", "pay", "day", "size", "job"],
        "identifiers": "name",
        "sensitive": ["ill", "score"],
        "models": {"ill": ["recursive-l(3,2)", "t-hierarchical(0.6)"], "score": "t-ordered(0.5)"},
        "l": 2,
        "hierarchies": {"job": folder / "jobs.json", "ill": folder / "ills.json"},
        "levels": {"size": folder / "sizes.txt"},
        "kinds": {"score": "ordinal"},
        "missing_values": "wildcard",
        "alpha": 0.5,
        "max_suppression": 0.3,
        "method": "mdav",
        "seed": 5,
        "weights": {"age": 2.0, "job": 0.5},
        "recode": {"pay": "median", "job": "lcs", "*": "mean"},
        "exact_means": False,
        "keep_totals": True,
        "bounds": {"age": (0, 999), "pay": (0.0, 99_999.5)},
        "sampling_weights": "weight",
        "strata": ["region"],
        "households": "home",
        "largest_household": 7,
    }


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_policy_with_everything_replays_to_the_same_bytes(tmp_path: Path, ending: str) -> None:
    source, target, again = (tmp_path / f"{name}{ending}" for name in ("in", "out", "again"))
    table = frame(4, 90, gaps=0.1, strata=2, members=2)
    table.write_csv(source) if ending == ".csv" else table.write_parquet(source)
    kept = source.read_bytes()
    options = everything(tmp_path)
    if ending == ".csv":
        options["kinds"] |= {"day": "date"}
    release = shoal.anonymize(source, **options)
    policy = release.save(target)
    assert release.verification.ok
    written = target.with_name(target.name + ".policy.toml").read_text()
    assert Policy.read(f"{target}.policy.toml").to_toml() == policy.to_toml() == written
    replayed = shoal.replay(source, policy=f"{target}.policy.toml")
    assert replayed.evaluation == release.evaluation
    assert replayed.warnings == release.warnings
    replayed.save(again)
    assert again.read_bytes() == target.read_bytes()
    assert again.with_name(again.name + ".policy.toml").read_text().replace("again.", "out.") == written
    assert source.read_bytes() == kept
    cells = {text for name in ("name", "size", "job", "ill", "home") for text in table[name].drop_nulls()}
    assert not any(text in written for text in cells)


def test_a_policy_holds_what_was_asked(tmp_path: Path) -> None:
    table = frame(4, 90, gaps=0.1, strata=2, members=2)
    release = shoal.anonymize(table, **everything(tmp_path))
    facts = Policy.read(release.save(tmp_path / "out.csv") and tmp_path / "out.csv.policy.toml").to_dict()
    assert facts["release"] == {"k": 3, "method": "mdav", "seed": 5, "suppression": 0.3}
    assert facts["missing"] == {"policy": "wildcard", "alpha": 0.5}
    assert facts["bounds"] == {"age": [0.0, 999.0], "pay": [0.0, 99_999.5]}
    assert facts["survey"] == {
        "sampling_weights": "weight", "strata": ["region"], "households": "home", "largest_household": 7,
    }  # fmt: skip
    assert [(entry["column"], entry["model"]) for entry in facts["models"]] == [
        ("ill", "recursive-l(3,2)"), ("ill", "t-hierarchical(0.6)"), ("score", "t-ordered(0.5)"),
        ("ill", "distinct-l(2)"), ("score", "distinct-l(2)"),
    ]  # fmt: skip


HEAD = '[release]\nk = 2\nmethod = "mdav"\nseed = 0\n[options]\nstandardize = true\nround_integers = false\n'
COLUMN = '[weights]\n[[columns]]\nname = "x"\nrole = "quasi-identifier"\nkind = "numeric"\n'
OLD = {
    1: f'format = 1\n{HEAD}recode = "mean"\n{COLUMN}',
    2: f'format = 2\n{HEAD}distance = "wu-palmer"\n{COLUMN}recode = "mean"\n',
}


@pytest.mark.parametrize("number", OLD)
def test_policies_of_the_past_replay_and_refuse_missing_values_as_then(tmp_path: Path, number: int) -> None:
    path = tmp_path / "old.toml"
    path.write_text(OLD[number])
    release = shoal.replay(pl.DataFrame({"x": [1.0, 2.0, 10.0, 11.0]}), policy=path)
    assert release.table["x"].to_list() == [1.5, 1.5, 10.5, 10.5]
    assert release.policy.missing == "refuse"
    with pytest.raises(DataError, match="missing values in 1 of 4 records"):
        shoal.replay(pl.DataFrame({"x": [1.0, None, 10.0, 11.0]}), policy=path)


BUDGET = '[release]\nk = 2\nmethod = "mdav"\nseed = 0\nsuppression = 0.4\n'
OPTIONS = '[missing]\npolicy = "category"\n[options]\nstandardize = true\ndistance = "wu-palmer"\n'
VERSIONS = '[versions]\nshoal = "0.1"\n'
STEPS = '[refine]\neffort = "balanced"\nseconds = 2.5\nplanned = [3]\ndone = [3]\nlooks = [1]\n'
WITH_A_BUDGET = {
    3: f'format = 3\n{BUDGET}{OPTIONS}round_integers = false\n{COLUMN}recode = "mean"\n',
    4: f'format = 4\nkeep = []\n{BUDGET}{OPTIONS}exact_means = true\n{STEPS}{COLUMN}recode = "mean"\n{VERSIONS}',
    5: f'format = 5\nkeep = []\n{BUDGET}blocks = 6\n{OPTIONS}exact_means = true\n{COLUMN}recode = "mean"\n{VERSIONS}',
}


@pytest.mark.parametrize("number", WITH_A_BUDGET)
def test_a_budget_and_a_time_limit_of_older_policies_are_replayed(tmp_path: Path, number: int) -> None:
    """The keys ``suppression`` and ``seconds`` are older than the names of the arguments."""
    path = tmp_path / "old.toml"
    path.write_text(WITH_A_BUDGET[number])
    table = pl.DataFrame({"x": [1.0, 2.0, 10.0, 11.0, 5_000.0, 5_100.0]})
    release = shoal.replay(table, policy=path)
    assert release.verification.ok
    written = release.policy.to_toml()
    assert "\nsuppression = 0.4\n" in written
    assert ("\nseconds = 2.5\n" in written) == (number == 4)
    assert shoal.replay(table, policy=Policy.from_toml(written.encode(), path="p.toml")).table.equals(release.table)


@pytest.mark.parametrize(("old", "new", "words"), [
    ("alpha = 0.5", "alpha = 1.5", "a number from 0 to 1"),
    ("alpha = 0.5", "alpha = nan", "a number from 0 to 1"),
    ("suppression = 0.3", "suppression = -0.1", "a number from 0 to 1"),
    ("suppression = 0.3", "suppression = nan", "a number from 0 to 1"),
    ("suppression = 0.3", "suppression = inf", "a number from 0 to 1"),
    ("age = [0.0, 999.0]", "age = [999.0, 0.0]", "the least and the largest"),
    ("age = [0.0, 999.0]", "age = [nan, nan]", "the least and the largest"),
    ("age = [0.0, 999.0]", "age = [0.0]", "the least and the largest"),
    ("largest_household = 7", "largest_household = 0", "at least 1"),
    ('policy = "wildcard"', 'policy = "joker"', "no missing_values 'joker'"),
    ('model = "recursive-l(3,2)"', 'model = "recursive-l(3)"', "no privacy model"),
    ('strata = ["region"]', 'strata = "region"', "wrong type"),
])  # fmt: skip
def test_a_policy_that_was_spoilt_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    release = shoal.anonymize(frame(4, 90, gaps=0.1, strata=2, members=2), **everything(tmp_path))
    text = release.policy.to_toml()
    assert old in text
    path = tmp_path / "p.toml"
    path.write_text(text.replace(old, new))
    with pytest.raises(PolicyError, match=words):
        Policy.read(path)
