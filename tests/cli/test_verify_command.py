"""`shoal verify` with privacy models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROWS = "age,illness,job\n" + "30,flu,baker\n30,gout,cook\n30,flu,smith\n" + "40,flu,smith\n40,flu,cook\n40,flu,baker\n"
SECRETS = ("flu", "gout", "baker", "cook", "smith")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "jobs.csv").write_text("child,parent\nbaker,food\ncook,food\nsmith,metal\nfood,*\nmetal,*\n")
    (tmp_path / "order.txt").write_text("smith\nbaker\ncook\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_models_that_hold_and_models_that_do_not(shoal, people: Path) -> None:
    arguments = ["verify", "people.csv", "-k", 3, "-q", "age"]
    run = shoal(*arguments, "--model", "job=recursive-l(2,3),t-equal(0)", "--model", "job=entropy-l(3)")
    assert run.code == 0, run.err
    assert run.out.splitlines() == [
        "VERIFIED  k = 3 holds: the smallest of 2 classes has 3 records",
        "  holds   recursive-l(2,3) on job: l = 3 in the worst class",
        "  holds   t-equal(0) on job: t = 0 in the worst class",
        "  holds   entropy-l(3) on job: l = 3 in the worst class",
        "  counted on age of 6 records; a missing value counts as a value",
    ]
    run = shoal(*arguments, "--model", "illness=distinct-l(2)", "--model", "job=distinct-l(3)")
    assert run.code == 3
    lines = run.out.splitlines()
    assert lines[0].startswith("NOT VERIFIED  1 privacy model broken; k = 3 holds")
    assert lines[1] == (
        "  BROKEN  distinct-l(2) on illness: l = 1 in the worst class; 3 of 6 records are in classes that break it"
    )
    assert shoal(*arguments, "--model", "illness=t-equal(1)").code == 0
    run = shoal("verify", "people.csv", "-k", 4, "-q", "age", "--model", "job=distinct-l(3)")
    assert (run.code, run.out[:15]) == (3, "NOT k-ANONYMOUS")


def test_models_as_json(shoal, people: Path) -> None:
    run = shoal("verify", "people.csv", "-k", 3, "-q", "age", "--model", "illness=distinct-l(2)", "--json")
    assert json.loads(run.out)["models"] == [
        {"ok": False, "column": "illness", "model": "distinct-l(2)", "reached": 1.0, "violations": 3}
    ]


def test_hierarchies_and_levels_of_sensitive_columns(shoal, people: Path) -> None:
    arguments = ["verify", "people.csv", "-k", 3, "-q", "age", "--model"]
    assert shoal(*arguments, "job=t-hierarchical(0.1)", "--hierarchy", "job=jobs.csv").code == 0
    assert shoal(*arguments, "job=t-ordered(0.1)", "--levels", "job=order.txt").code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--model", "distinct-l(2)"], "equals sign"),
        (["--model", "illness=distinct(2)"], "There is no privacy model"),
        (["--model", "illness=distinct-l(2),"], "There is no privacy model"),
        (["--model", "age=distinct-l(2)"], "'age' has a privacy model and is a quasi-identifier"),
        (["--model", "illnes=distinct-l(2)"], "did you mean 'illness'"),
        (["--model", "job=t-ordered(0.1)"], "needs numbers, dates or an order"),
        (["--model", "job=t-hierarchical(0.1)"], "has no hierarchy"),
        (["--hierarchy", "job=jobs.csv"], "no quasi-identifier and not sensitive"),
        (
            ["--model", "illness=t-hierarchical(0.1)", "--hierarchy", "illness=jobs.csv"],
            "2 values (of 2, in 6 records)",
        ),
    ],
)
def test_models_that_do_not_fit(shoal, people: Path, options: list[str], words: str) -> None:
    run = shoal("verify", "people.csv", "-k", 3, "-q", "age", *options)
    assert (run.code, run.out) == (2, "")
    assert words in run.err
    assert run.err.count("\n") == 1
    assert not any(secret in run.err for secret in SECRETS)


def test_a_memory_limit_changes_nothing(shoal, people: Path) -> None:
    for more in ([], ["--json"], ["--model", "illness=distinct-l(2)", "--strata", "job"], ["-k", "4"]):
        arguments = ["verify", "people.csv", "-k", 3, "-q", "age", *more]
        whole, pieces = shoal(*arguments), shoal(*arguments, "--memory", "1GB")
        assert (pieces.code, pieces.out) == (whole.code, whole.out)
    run = shoal("verify", "people.csv", "-k", 3, "-q", "age", "--memory", "1GB", "--missing-values", "wildcard")
    assert run.code == 2
    assert "leave out --memory" in run.err
