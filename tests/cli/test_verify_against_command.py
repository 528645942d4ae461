"""`shoal verify --against`: two releases together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SECRETS = ("flu", "gout", "burn")


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "one.csv").write_text("age,sex,ill,cost\n30,*,flu,1\n30,*,gout,2\n40,*,burn,3\n40,*,flu,4\n")
    (tmp_path / "other.csv").write_text("age;sex;ill;cost\n*;f;burn;3.0\n*;f;flu;1.0\n*;m;flu;4.0\n*;m;gout;2.0\n")
    (tmp_path / "few.csv").write_text("job,ill\ncook,flu\ncook,gout\nsmith,flu\nsmith,burn\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_releases_that_hold_alone_and_not_together(shoal, releases: Path) -> None:
    for file in ("one.csv", "other.csv"):
        assert shoal("verify", file, "-k", 2, "-q", "age,sex").code == 0
    run = shoal("verify", "one.csv", "-k", 2, "-q", "age,sex", "--against", "other.csv", "--sensitive", "ill")
    assert run.code == 3
    assert run.out.splitlines() == [
        "VERIFIED  k = 2 holds: the smallest of 2 classes has 2 records",
        "  counted on age, sex of 4 records; a missing value counts as a value",
        (
            "TOGETHER NOT k-ANONYMOUS  4 of 4 records of the release (4 alone) and 4 of 4 records of the other"
            " (4 alone) are in joint classes below k = 2; the smallest of 4 joint classes has 1 record"
        ),
        "  TOLD    ill: one value is left of 4 records that no class alone gave away",
        "  linked by ill, cost: 4 of 4 records to one class of the other; that is counted on age, sex of 4 records",
        "  what to do: Release once, or give both releases the same groups: the same policy, with other",
        "    ways to recode.",
        "  what to do: Leave the shared columns out of one release, or protect them as quasi-identifiers:",
        "    they link it.",
    ]


def test_what_cannot_be_told_is_not_called_safe(shoal, releases: Path) -> None:
    arguments = ["verify", "one.csv", "-k", 2, "-q", "age,sex", "--against", "few.csv"]
    run = shoal(*arguments)
    assert (run.code, run.out) == (2, "")
    assert "--against-quasi-identifiers" in run.err
    run = shoal(*arguments, "--against-quasi-identifiers", "job", "--order", "unknown")
    assert run.code == 3
    assert "TOGETHER NOT SHOWN" in run.out
    assert "records may be in joint classes below k = 2" in run.out
    assert not any(word in run.out for word in SECRETS)


def test_the_same_release_again_holds(shoal, releases: Path) -> None:
    run = shoal("verify", "one.csv", "-k", 2, "-q", "age,sex", "--against", "one.csv", "--model", "ill=distinct-l(2)")
    assert run.code == 0, run.out
    assert run.out.splitlines()[-3:] == [
        "TOGETHER VERIFIED  k = 2 holds; the smallest of 2 joint classes has 2 records",
        "  hidden  ill: no value is left that a class alone did not give away",
        (
            "  linked by the order of the records: 4 of 4 records to one class of the other; that is counted on"
            " age, sex of 4 records"
        ),
    ]


def test_the_policy_beside_the_other_tells_its_quasi_identifiers(shoal, releases: Path) -> None:
    (releases / "people.csv").write_text("age,job,ill\n30,a,flu\n31,a,gout\n40,b,flu\n41,b,burn\n")
    arguments = ["anonymize", "people.csv", "-k", 2, "-q", "age,job", "--sensitive", "ill", "-o", "made.csv", "--quiet"]
    assert shoal(*arguments).code == 0
    run = shoal("verify", "one.csv", "-k", 2, "-q", "age,sex", "--against", "made.csv", "--json")
    facts = json.loads(run.out)
    assert run.code == (0 if facts["ok"] else 3)
    assert facts["together"]["other"]["quasi_identifiers"] == ["age", "job"]
    assert facts["together"]["shared_columns"] == ["ill"]
    assert not any(word in run.out for word in SECRETS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--order", "kept"], "is about another release"),
        (["--against", "one.csv", "--order", "keep"], "There is no order"),
        (["--against", "nowhere.csv"], "nowhere.csv"),
        (["--against", "one.csv", "--against-quasi-identifiers", "agee"], "did you mean 'age'"),
        (["--against", "one.csv", "--households", "cost"], "record by record"),
    ],
)
def test_what_does_not_fit(shoal, releases: Path, options: list[str], words: str) -> None:
    run = shoal("verify", "one.csv", "-k", 2, "-q", "age,sex", *options)
    assert (run.code, run.out) == (2, "")
    assert words in run.err
    assert run.err.count("\n") == 1
