"""`shoal explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROWS = "age,sex,illness\n" + "4730,f,flu\n4731,f,gout\n4730,m,flu\n4731,m,flu\n4760,f,gout\n4761,f,gout\n"
SECRETS = ("473", "476", "flu", "gout")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "released.csv").write_text(ROWS.replace("4731", "4730").replace("4761", "4760"))
    (tmp_path / "short.csv").write_text(ROWS[:40])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_explanation_as_text(shoal, people: Path) -> None:
    run = shoal("explain", "people.csv", "--row", 2, "-q", "age,sex", "-k", 3, "--released", "released.csv",
                "--sensitive", "illness")  # fmt: skip
    assert run.code == 0, run.err
    assert run.out.splitlines() == [
        "Internal use only: this names values of one record.",
        "",
        "Record 2 of 6",
        "  before: no other record shares all its quasi-identifiers; its risk is 1, it is found at once",
        "  after:  2 records share all its quasi-identifiers, itself among them; its risk is 0.5, 1 of 2 tries",
        "",
        "  Column  sharing its value  alike without it  value  released",
        "  age                     2                 4  4731   4730",
        "  sex                     4                 2  f      the same",
        "",
        "Alone by:",
        "  age + sex (1 record)",
        "Below k = 3 by:",
        "  age (2 records)",
        "",
        "Its class in the release: records 1, 2",
        "  illness: 2 different values in the class",
        "    flu: 1 record",
        "    gout: 1 record",
    ]


def test_without_values_and_without_a_release(shoal, people: Path) -> None:
    arguments = ["explain", "people.csv", "--row", 6, "-q", "age,sex", "--sensitive", "illness", "--no-values"]
    run = shoal(*arguments)
    assert run.code == 0, run.err
    assert run.out.startswith("Internal use only: this is about one record.\n")
    assert "released" not in run.out
    for more in (["--released", "released.csv"], ["--released", "released.csv", "--json"]):
        run = shoal(*arguments, *more)
        assert not any(secret in run.out for secret in SECRETS), run.out
    facts = json.loads(run.out)
    assert facts["release"]["sensitive"] == [{"name": "illness", "distinct": 1, "homogeneous": True, "values": None}]
    assert [column["changed"] for column in facts["columns"]] == [True, False]
    run = shoal(*arguments, "--released", "released.csv")
    assert "illness: all records of the class share one value: who finds the class learns it" in run.out


def test_a_policy_finds_its_release(shoal, people: Path) -> None:
    anonymized = shoal("anonymize", "people.csv", "-k", 2, "-q", "age,sex", "--sensitive", "illness", "-o", "made.csv")
    assert anonymized.code == 0, anonymized.err
    run = shoal("explain", "people.csv", "--row", 1, "--policy", "made.csv.policy.toml", "--json")
    facts = json.loads(run.out)
    assert (facts["k"], facts["release"]["alike"] >= 2) == (2, True)
    other = shoal("explain", "people.csv", "--row", 1, "--policy", "made.csv.policy.toml", "--released", "made.csv",
                  "--json")  # fmt: skip
    assert other.out == run.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--row", 7, "-q", "age"], "no such record among the 6 records of the table; give --row"),
        (["--row", "two", "-q", "age"], "row is not a whole number"),
        (["--row", 1, "-q", "height"], "There is no column 'height'"),
        (["--row", 1], "No quasi-identifier is named"),
        (["-q", "age"], "Missing option '--row'"),
        (["--row", 1, "-q", "age", "-k", "many"], "k is not a whole number"),
        (["--row", 1, "-q", "age", "-k", 1], "k = 1 protects nobody"),
        (["--row", 1, "-q", "age", "--released", "short.csv"], "record"),
        (["--row", 1, "-q", "age", "--released", "none.csv"], "'none.csv' does not exist"),
        (["--row", 1, "--policy", "people.csv"], "is not a Shoal policy"),
        (["--row", 1, "-q", "age", "--sensitive", "age"], "'age' is named as quasi-identifier and as sensitive"),
    ],
)
def test_bad_questions_are_one_sentence_and_exit_code_2(shoal, people: Path, options, words: str) -> None:
    run = shoal("explain", "people.csv", *options)
    assert (run.code, run.out) == (2, "")
    assert words in run.err
    assert run.err.count("\n") == 1
    assert not any(secret in run.err for secret in SECRETS)
