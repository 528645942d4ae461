"""`shoal evaluate` with sensitive columns, privacy models and a population."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROWS = "age,illness\n" + "30,flu\n30,gout\n30,flu\n" + "40,flu\n40,flu\n40,flu\n"


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "all.csv").write_text("age\n" + "30\n" * 12 + "40\n" * 2)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_sensitive_columns_models_and_a_population(shoal, people: Path) -> None:
    arguments = ["evaluate", "people.csv", "people.csv", "-q", "age"]
    plain = json.loads(shoal(*arguments, "--json").out)
    assert (plain["disclosures"], plain["models"], plain["notes"]) == ({}, [], [])
    run = shoal(
        *arguments, "--sensitive", "illness", "--model", "illness=distinct-l(2)", "--population", "all.csv", "--json"
    )
    facts = json.loads(run.out)
    assert facts["disclosures"]["illness"]["homogeneous_records"] == 50
    assert facts["models"] == [
        {"ok": False, "column": "illness", "model": "distinct-l(2)", "reached": 1.0, "violations": 3}
    ]
    assert facts["risk"]["after"]["journalist_highest"] == pytest.approx(1 / 3)
    assert facts["risk"]["after"]["marketer"] == pytest.approx((3 / 12 + 1) / 6)
    assert len(facts["notes"]) == 2
    run = shoal(*arguments, "--population", "all.csv")
    assert "Privacy models" not in run.out
    assert "note: the table of the population has fewer records like 3 records than the release itself" in run.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--population", "none.csv"], "'none.csv' does not exist"),
        (["--sensitive", "ilness"], "There is no column 'ilness'"),
        (["--model", "illness=many"], "There is no privacy model 'many'"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(shoal, people: Path, options: list[str], words: str) -> None:
    run = shoal("evaluate", "people.csv", "people.csv", "-q", "age", *options)
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert words in run.err


def test_models_are_told_and_the_tables_fit_a_terminal(shoal, people: Path) -> None:
    arguments = ["evaluate", "people.csv", "people.csv", "-q", "age", "--sensitive", "illness"]
    run = shoal(*arguments, "--model", "illness=distinct-l(2)")
    assert "  BROKEN  distinct-l(2) on illness: l = 1 in the worst class; 3 of 6 records" in run.out
    assert run.out.count("Sensitive column") == run.out.count("Quasi-identifier") == 2
    assert max(len(line) for line in run.out.splitlines() if "distinct-l" not in line) <= 100


def test_a_memory_limit_leaves_out_attacks_only(shoal, people: Path) -> None:
    arguments = ["evaluate", "people.csv", "people.csv", "-q", "age", "-k", 3, "--sensitive", "illness", "--json"]
    whole, pieces = (json.loads(shoal(*arguments, *more).out) for more in ([], ["--memory", "1GB"]))
    assert pieces["disclosures"] == whole["disclosures"]
    assert pieces["attacks"] == {}
    assert pieces["loss"].items() <= whole["loss"].items()
    assert len(pieces["notes"]) == 1
    run = shoal(*arguments, "--memory", "1GB", "--measures", "all")
    assert (run.code, run.err.count("\n")) == (2, 1)
