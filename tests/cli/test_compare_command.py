"""`shoal compare` as users run it."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

import shoal as package
from fork_server import ForkServer

ROLES = ["-q", "age,income", "--identifiers", "person_id,name"]


@pytest.fixture(autouse=True)
def _in_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are kept in the current folder."""
    monkeypatch.chdir(tmp_path)


def figures(facts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: point[name] for name in point if name not in ("seconds", "compiled")} for point in facts["points"]]


def test_the_table_the_chart_and_the_recommendation_are_printed(shoal, register_csv: Path) -> None:
    run = shoal("compare", register_csv, "-k", "3,5,10", "--methods", "mdav,mondrian,hm", *ROLES)
    assert run.code == 0
    rows = [line.split() for line in run.out.splitlines() if re.match(r"^  [◆★ ] +\d+  (mdav|mondrian) ", line)]
    assert len(rows) == 6
    assert sum(row[0] == "★" for row in rows) == 1
    assert run.out.count("no release: hm at k = 3, 5, 10: Method 'hm' takes 1 quasi-identifier") == 1
    assert "global risk (%)" in run.out
    assert "\nRecommended: mdav at k = " in run.out
    assert run.out.endswith("Kept     register.compare.jsonl\n")
    assert max(map(len, run.out.splitlines())) <= 100
    assert os.listdir() == ["register.compare.jsonl"]


def test_json_is_the_plain_data(shoal, register_csv: Path) -> None:
    arguments = ["compare", register_csv, "-k", "3", "-k", "5", "--methods", "mdav", *ROLES, "--no-cache", "--json"]
    facts = json.loads(shoal(*arguments).out)
    comparison = package.compare(
        register_csv,
        k=[3, 5],
        methods="mdav",
        quasi_identifiers=["age", "income"],
        identifiers=["person_id", "name"],
    )
    assert figures(facts) == figures(comparison.to_dict())
    assert not os.listdir()
    assert shoal(*arguments[:-1]).out.endswith(f"{comparison.recommendation.reason.split()[-1]}\n")


def test_the_report_is_one_page_without_cells(shoal, register_csv: Path) -> None:
    arguments = ["compare", register_csv, "-k", "3,5", "--methods", "mdav,mondrian", *ROLES, "--report", "page.html"]
    assert shoal(*arguments).out.endswith("Kept     register.compare.jsonl\nReport   page.html\n")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert page.count("<polygon") == 1
    assert 'role="img" aria-label="Loss against risk of the compared methods. On the frontier: ' in page
    assert "://" not in page
    again = shoal(*arguments)
    assert (again.code, again.out) == (2, "")
    assert "exists" in again.err
    forced = shoal(*arguments, "--force")
    assert forced.code == 0
    assert "4 of 4 runs kept from before" in forced.out


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (["-k", "three"], "k is not a whole number"),
        (["-k", ","], "k is not given"),
        (["-k", "1"], "protects nobody"),
        (["-k", "5,100000"], "more than the 800 records"),
        (["-k", "5", "--methods", "mdva"], "did you mean 'mdav'"),
        (["-k", "5", "--methods", ","], "Option --methods"),
        (["-k", "5", "--time-limit", "soon"], "Option --time-limit"),
        (["-k", "5", "--time-limit", "-1"], "Option --time-limit"),
        (["-k", "5", "--workers", "many"], "Option --workers"),
        (["-k", "5", "--workers", "0"], "Option --workers"),
        (["-k", "5", "--cache", "no/kept.jsonl"], "does not exist"),
        (["-k", "5", "--report", "no/page.html"], "does not exist"),
        (["-k", "5", "--report", ""], "no name that a file can have"),
        (["-k", "5", "--cache", ""], "no name that a file can have"),
        (["-k", "5", "--option", "gamma=1", "--methods", "mdav"], "None of the compared methods"),
        (["-k", "5", "--option", "delta=1"], "No method has an option 'delta'"),
    ],
)
def test_bad_input_is_one_sentence(shoal, register_csv: Path, wrong: list[str], words: str) -> None:
    run = shoal("compare", register_csv, *ROLES, *wrong)
    assert (run.code, run.out) == (2, "")
    assert words in run.err
    assert run.err.count("\n") == 1
    assert not os.listdir()


def test_quasi_identifiers_must_be_named(shoal, register_csv: Path) -> None:
    run = shoal("compare", register_csv, "-k", 5)
    assert run.code == 2
    assert "quasi-identifier" in run.err


@pytest.mark.parametrize("more", [["--methods", "hm"], ["--methods", "mdav", "--time-limit", "1e-9"]])
def test_where_no_run_gives_a_release_the_exit_code_is_3(shoal, register_csv: Path, more: list[str]) -> None:
    run = shoal("compare", register_csv, "-k", "3,5", *ROLES, *more)
    assert (run.code, run.out) == (3, "")
    assert run.err.startswith("shoal: None of 2 runs gave a release (the first: ")
    assert run.err.count("\n") == 1


def test_a_comparison_that_was_killed_goes_on(shoal, fork_server: ForkServer, tmp_path: Path) -> None:
    data, keep = tmp_path / "people.csv", tmp_path / "people.compare.jsonl"
    package.example_register(rows=1000, seed=2).write_csv(data)
    levels = list(range(2, 16))
    arguments = ["compare", str(data), "-k", ",".join(map(str, levels)), "--methods", "mdav", *ROLES]
    arguments += ["--workers", "1", "--json"]
    killed = fork_server.start(arguments, tmp_path)
    end = time.monotonic() + 120
    while not (keep.exists() and keep.read_bytes().count(b"\n") >= 3) and time.monotonic() < end:
        time.sleep(0.002)
    os.kill(killed, signal.SIGKILL)
    assert fork_server.wait(killed).code == -signal.SIGKILL
    whole = keep.read_bytes().count(b"\n")
    assert 3 <= whole < len(levels)
    with keep.open("ab") as file:  # as if it had been killed while it wrote
        file.write(b'{"shoal-comparison": 1, "key": "0')
    facts = json.loads(shoal(*arguments).out)
    assert facts["kept"] == whole
    assert [point["k"] for point in facts["points"]] == levels
    roles = {"quasi_identifiers": ["age", "income"], "identifiers": ["person_id", "name"]}
    assert figures(facts) == figures(package.compare(data, k=levels, methods="mdav", **roles).to_dict())


def test_a_report_shows_what_was_compared(shoal, register_csv: Path, tmp_path: Path) -> None:
    comparison = shoal("compare", register_csv, "-k", "3,6", *ROLES, "--methods", "mdav,p-s", "--no-cache", "--json")
    compared, report = tmp_path / "compared.json", tmp_path / "report.html"
    compared.write_text(comparison.out, encoding="utf-8")
    arguments = ("anonymize", register_csv, "-k", 3, *ROLES, "-o", tmp_path / "out.csv", "--report", report)
    arguments += ("--method", "mdav")
    shoal(*arguments, "--compared", compared)
    assert json.loads(comparison.out)["recommendation"]["reason"].split(":")[0] in report.read_text(encoding="utf-8")
    for content in ("", "{}", "[1]", "nothing", comparison.out.replace('"k"', '"j"')):
        compared.write_text(content, encoding="utf-8")
        refused = shoal(*arguments, "--compared", compared, "--force")
        assert refused.code == 2
        assert "is not a readable comparison file" in refused.err
    refused = shoal(*arguments, "--compared", tmp_path / "gone.json", "--force")
    assert (refused.code, "does not exist" in refused.err) == (2, True)


def test_what_no_method_could_take_is_bad_input(shoal, register_csv: Path, tmp_path: Path) -> None:
    (tmp_path / "levels.txt").write_text("none\nprimary\n")
    arguments = ("compare", register_csv, "-k", 3, "-q", "age,education", "--drop-others", "--no-cache")
    refused = shoal(*arguments, "--levels", "education=levels.txt")
    assert (refused.code, "that its hierarchy lacks" in refused.err) == (2, True)
    refused = shoal(*arguments, "--cache", "kept.jsonl")
    assert (refused.code, "not both" in refused.err) == (2, True)
