"""`shoal init`, and the release by the policy that it writes."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import polars as pl
import pytest

import shoal as package

CELLS = ("Qanna", "Qbaker", "Qclerk", "Zflu", "Zgout")
FLAGS = ("-q", "age,job", "--identifiers", "name", "--sensitive", "diagnosis")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pl.DataFrame(
        {
            "name": [f"Qanna {i}" for i in range(24)],
            "age": [20 + 3 * (i % 8) for i in range(24)],
            "job": ["Qbaker", "Qclerk"] * 12,
            "diagnosis": ["Zflu", "Zgout", "Zflu"] * 8,
        }
    ).write_csv(tmp_path / "people.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def edit(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text)


def test_from_a_file_to_its_verified_release(shoal, people: Path) -> None:
    run = shoal("init", "people.csv")
    assert (run.code, run.err) == (0, "")
    policy, command = people / "people.policy.toml", run.out.splitlines()[-1].strip()
    assert command == "shoal anonymize people.csv --policy people.policy.toml -o people.released.csv"
    assert "decide k (release.k)" in run.out
    for text in (run.out, policy.read_text()):
        assert not any(cell in text for cell in CELLS)

    refused = shoal(*shlex.split(command)[1:])
    assert (refused.code, refused.out) == (2, "")
    assert "'people.policy.toml' leaves k open" in refused.err
    assert not (people / "people.released.csv").exists()

    edit(policy, ("#release.k = 5", "release.k = 3"), ('#release.method = "auto"', 'release.method = "mdav"'))
    done = shoal(*shlex.split(command)[1:], "--quiet")
    assert done.code == 0, done.err
    assert shoal("anonymize", "people.csv", "-k", 3, "--method", "mdav", *FLAGS, "-o", "flags.csv", "--quiet").code == 0
    for name in ("{}", "{}.policy.toml"):
        by_policy, by_flags = (people / name.format(file) for file in ("people.released.csv", "flags.csv"))
        assert by_policy.read_text().replace("people.released.csv", "flags.csv") == by_flags.read_text()

    verified = shoal("verify", "people.released.csv")
    assert (verified.code, verified.err) == (0, "")
    assert "by the policy 'people.released.csv.policy.toml'" in verified.out


def test_the_file_has_a_role_and_a_reason_for_every_column(shoal, people: Path) -> None:
    assert shoal("init", "people.csv", "-o", "p.toml").code == 0
    lines = (people / "p.toml").read_text().splitlines()
    for column in json.loads(shoal("describe", "people.csv", "--json").out)["columns"]:
        (line,) = (line for line in lines if f'name = "{column["name"]}"' in line)
        assert f'role = "{column["role"]}"' in line
        assert f'kind = "{column["kind"]}"' in line
        assert line.endswith(f"# {column['reason']}")
    for role in package.Role:
        assert any(line.startswith(f"#   {role} ") for line in lines)


def test_every_option_in_a_comment_is_a_valid_entry(shoal, people: Path) -> None:
    """Each option can be decided by removing the mark of its comment; so can all of them together."""
    assert shoal("init", "people.csv", "-k", 3, "-o", "p.toml").code == 0
    text = (people / "p.toml").read_text().replace("COLUMN", "age")
    marked = [line for line in text.splitlines() if line.startswith("#") and line[1:2].isalpha()]
    assert len(marked) >= 12
    for line in marked:
        (people / "one.toml").write_text(text.replace(line, line[1:]))
        package.plan("people.csv", policy="one.toml")
    (people / "all.toml").write_text("\n".join(line[line in marked :] for line in text.splitlines()))
    assert package.plan("people.csv", policy="all.toml").options["time_limit"] == 60


def test_k_is_written_where_it_is_given(shoal, people: Path) -> None:
    run = shoal("init", "people.csv", "-k", 4)
    assert "decide k" not in run.out
    assert tomllib.loads((people / "people.policy.toml").read_text())["release"] == {"k": 4}
    refused = shoal("anonymize", "people.csv", "--policy", "people.policy.toml", "-k", 3, "-o", "out.csv")
    assert (refused.code, "already" in refused.err) == (2, True)


def test_k_beside_a_policy_that_leaves_it_open(shoal, people: Path) -> None:
    assert shoal("init", "people.csv").code == 0
    arguments = ["anonymize", "people.csv", "--policy", "people.policy.toml", "-o", "out.csv", "--quiet"]
    for option in (["--method", "mdav"], ["-q", "age"], ["--seed", 3], ["--shuffle"]):
        run = shoal(*arguments, "-k", 3, *option)
        assert (run.code, "The policy decides" in run.err) == (2, True)
    assert shoal(*arguments, "-k", 1).code == 2
    assert shoal(*arguments, "-k", 3, "--memory", "2GB").code == 0
    assert shoal(*arguments, "-k", 3, "--force").code == 0
    assert package.Policy.read("out.csv.policy.toml").k == 3


def test_no_file_is_replaced_without_force(shoal, people: Path) -> None:
    (people / "people.policy.toml").write_text("mine")
    run = shoal("init", "people.csv")
    assert (run.code, run.out) == (2, "")
    assert "exists; give another name, or replace it with --force" in run.err
    assert (people / "people.policy.toml").read_text() == "mine"
    assert shoal("init", "people.csv", "--force").code == 0
    assert shoal("init", "people.csv", "-o", "people.csv", "--force").code == 2
    assert sorted(path.name for path in people.iterdir()) == ["people.csv", "people.policy.toml"]


def test_the_policy_of_a_release_is_another_file(shoal, people: Path) -> None:
    """A release is never written to the name of a draft, so neither replaces the other."""
    assert shoal("init", "people.csv", "-k", 3).code == 0
    draft = (people / "people.policy.toml").read_bytes()
    (people / "more").mkdir()
    for output in ("people.released.csv", "more/people.csv"):
        assert shoal("anonymize", "people.csv", "--policy", "people.policy.toml", "-o", output, "--quiet").code == 0
        assert (people / f"{output}.policy.toml").exists()
    assert (people / "people.policy.toml").read_bytes() == draft


def test_reading_options_are_kept(shoal, people: Path) -> None:
    rows = "".join(f"{20 + i % 4};{i % 3},5;n.a.\n" for i in range(11))
    (people / "odd.csv").write_text(f"age;height;job\n{rows}20;n.a.;x\n")
    options = ["--delimiter", ";", "--decimal", ",", "--missing-in", "height=n.a.", "--missing-in", "job=n.a."]
    run = shoal("init", "odd.csv", "-k", 3, *options)
    assert run.code == 0, run.err
    read = tomllib.loads((people / "odd.policy.toml").read_text())["input"]["settings"]
    assert (read["delimiter"], read["decimal"], read["missing_in"]["height"]) == (";", ",", ["n.a."])
    assert shoal("anonymize", "odd.csv", "--policy", "odd.policy.toml", "-o", "out.csv", "--quiet").code == 0
    assert package.plan("odd.csv", policy="odd.policy.toml").table.settings == read


def test_an_ambiguous_column_is_asked_about(shoal, people: Path) -> None:
    rows = "".join(f"{20 + i % 4},0{1 + i % 4}/0{1 + i % 3}/2020\n" for i in range(24))
    (people / "days.csv").write_text(f"age,admission date\n{rows}")
    run = shoal("init", "days.csv", "-k", 3)
    assert run.code == 0
    assert "'admission date'" in run.err
    (column,) = tomllib.loads((people / "days.policy.toml").read_text())["columns"][1:]
    assert "kind" not in column
    asked = shoal("anonymize", "days.csv", "--policy", "days.policy.toml", "-o", "out.csv")
    assert (asked.code, "day and the month" in asked.err) == (2, True)
    run = shoal("init", "days.csv", "-k", 3, "--force", "--column-format", "admission date=DD/MM/YYYY")
    assert (run.code, run.err) == (0, "")
    assert shoal("anonymize", "days.csv", "--policy", "days.policy.toml", "-o", "out.csv", "--quiet").code == 0
    assert package.Policy.read("out.csv.policy.toml").schema.columns[1].kind == "date"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.csv"], "'none.csv' does not exist"),
        (["people.csv", "-k", 1], "k = 1 protects nobody"),
        (["people.csv", "-k", "many"], "k is not a whole number"),
        (["people.csv", "-o", "nowhere/p.toml"], "nowhere"),
        (["people.csv", "-o", "."], "."),
        (["noise.csv"], "noise.csv"),
        (["people.csv", "--sheet", "x", "--format", "excel"], "people.csv"),
    ],
)
def test_bad_input_is_one_sentence(shoal, people: Path, arguments: list[str], words: str) -> None:
    (people / "noise.csv").write_bytes(bytes(range(256)) * 8)
    before = sorted(people.iterdir())
    run = shoal("init", *arguments)
    assert (run.code, run.out) == (2, "")
    assert run.err.count("\n") == 1
    assert words in run.err
    assert not any(cell in run.err for cell in CELLS)
    assert sorted(people.iterdir()) == before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"quasi-identifier"', '"quasi-identifer"', "did you mean 'quasi-identifier'"),
        ('name = "job"', 'name = "age"', "decides about a column twice"),
        ('name = "job"', 'name = "jobs"', "There is no column 'jobs'; did you mean 'job'"),
        ('role = "identifier"', 'role = "insensitive"', "looks like an identifier: 'name'"),
        ("release.k = 3", 'release.k = "3"', "k is not a whole number"),
        ("release.k = 3", "release.k = 25", "k = 25"),
        ("release.k = 3", "release.kk = 3", "unknown key in 'release'"),
        ("columns = [", "columns = [,", "it is not TOML: line"),
        ("#release.method", "release.metod", "did you mean 'method'"),
    ],
)
def test_a_mistake_in_the_file_is_one_sentence(shoal, people: Path, old: str, new: str, words: str) -> None:
    assert shoal("init", "people.csv", "-k", 3).code == 0
    edit(people / "people.policy.toml", (old, new))
    run = shoal("anonymize", "people.csv", "--policy", "people.policy.toml", "-o", "out.csv")
    assert (run.code, run.out) == (2, "")
    assert run.err.count("\n") == 1
    assert words in run.err
    assert not any(cell in run.err for cell in CELLS)
    assert not (people / "out.csv").exists()
