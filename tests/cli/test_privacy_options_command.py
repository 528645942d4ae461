"""Options beyond k on the command line: they do what the functions do, and invalid ones are one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal as package
from naive.surveys import ILLS, JOBS, SIZES, frame
from shoal.errors import ShoalWarning

QUASI = "age,pay,day,size,job"
MEANING = ["--hierarchy", "job=jobs.json", "--levels", "size=sizes.txt", "--kind", "day=date"]
ARGUMENTS = [
    *("-k", 3, "-q", QUASI, "--identifiers", "name", "--sensitive", "ill,score", "--method", "mdav"),
    *(*MEANING, "--hierarchy", "ill=ills.json"),
    *("-l", 2, "--model", "ill=recursive-l(3,2),t-hierarchical(0.6)", "--model", "score=t-ordered(0.5)"),
    *("--missing-values", "wildcard", "--alpha", 0.5, "--max-suppression", 0.3),
    *("--sampling-weights", "weight", "--strata", "region", "--households", "home", "--largest-household", 7),
    *("--keep-totals", "--bounds", "age=0:999", "--bounds", "pay=0:99999.5"),
]
SURVEY = ["--missing-values", "wildcard", "--alpha", 0.5, "--households", "home"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    frame(4, 90, gaps=0.1, strata=2, members=2).write_csv(tmp_path / "in.csv")
    (tmp_path / "jobs.json").write_text(json.dumps(JOBS))
    (tmp_path / "ills.json").write_text(json.dumps(ILLS))
    (tmp_path / "sizes.txt").write_text("\n".join(SIZES))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arguments() -> dict[str, Any]:
    """The same as `ARGUMENTS`, as Python says it."""
    return {
        "k": 3,
        "quasi_identifiers": QUASI.split(","),
        "identifiers": "name",
        "sensitive": ["ill", "score"],
        "method": "mdav",
        "hierarchies": {"job": "jobs.json", "ill": "ills.json"},
        "levels": {"size": "sizes.txt"},
        "kinds": {"day": "date"},
        "l": 2,
        "models": {"ill": ["recursive-l(3,2)", "t-hierarchical(0.6)"], "score": "t-ordered(0.5)"},
        "missing_values": "wildcard",
        "alpha": 0.5,
        "max_suppression": 0.3,
        "sampling_weights": "weight",
        "strata": "region",
        "households": "home",
        "largest_household": 7,
        "keep_totals": True,
        "bounds": {"age": (0, 999), "pay": (0, 99_999.5)},
    }


def test_all_options_do_what_the_function_does(shoal, folder: Path) -> None:
    run = shoal("anonymize", "in.csv", *ARGUMENTS, "-o", "out.csv", "--report", "report.html")
    assert run.code == 0, run.err
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        release = package.anonymize("in.csv", **arguments())
    release.save("function.csv")
    assert (folder / "out.csv").read_bytes() == (folder / "function.csv").read_bytes()
    again = shoal("anonymize", "in.csv", "--policy", "out.csv.policy.toml", "-o", "again.csv")
    assert again.code == 0, again.err
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()


def test_the_same_bytes_in_every_process(shoal, folder: Path) -> None:
    """With one thread and another order of sets than here."""
    assert shoal("anonymize", "in.csv", *ARGUMENTS, "-o", "here.csv").code == 0
    env = {**os.environ, "POLARS_MAX_THREADS": "1", "NUMBA_NUM_THREADS": "1", "PYTHONHASHSEED": "77"}
    command = [sys.executable, "-m", "shoal", "anonymize", "in.csv", *map(str, ARGUMENTS), "-o", "there.csv"]
    subprocess.run(command, env=env, capture_output=True, check=True)
    assert (folder / "there.csv").read_bytes() == (folder / "here.csv").read_bytes()


def test_text_and_report_tell_what_was_asked(shoal, folder: Path) -> None:
    run = shoal("anonymize", "in.csv", *ARGUMENTS, "-o", "out.csv", "--report", "report.html")
    text, page = " ".join(run.out.split()), (folder / "report.html").read_text()
    for words in (
        "k = 3 holds: the smallest of",
        "households",
        "holds recursive-l(3,2) on ill: l = 2",
        "holds t-ordered(0.5) on score: t = 0.",
        "missing values: wildcard, alpha 0.5; suppressed records: at most 30 %;",
        "sampling weights: weight; strata: region; households: home; largest household: 7",
        "household risk",
    ):
        assert words in text, words
    for words in (
        "Every household of the 90 released records", "in its stratum by 'region'",
        "Means, centroids and risks are weighed by 'weight'", "No group crosses the strata by region.",
        "Privacy models on sensitive columns", "<td>recursive-l(3,2)</td>", "<td>wildcard, alpha 0.5</td>",
        "<td>30 %</td>", ">strata</th><td>region</td>", ">households</th><td>home</td>",
        ">sampling weights</th><td>weight</td>", ">bounds of age</th><td>0.0, 999.0</td>",
    ):  # fmt: skip
        assert words in unescape(page), words
    assert "32 quasi-identifier cells of 90 records are missing" in run.err
    cells = {text for name in ("name", "ill", "home") for text in pl.read_csv("in.csv")[name]}
    assert not any(cell in run.out + run.err + page for cell in cells)


def test_suppressed_records_and_parts_of_records_read_well(shoal, tmp_path: Path) -> None:
    points = [(0, 0), (0, 1000), (1000, 0), (1000, 1000)] + [(500 + place // 3, 500) for place in range(21)]
    (tmp_path / "in.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in points) + ",500\n")
    options = [tmp_path / "in.csv", "-k", 3, "-q", "x,y", "--method", "mdav", "--max-suppression", 0.2]
    options += ["--missing-values", "wildcard", "--alpha", 0.1]
    run = shoal("anonymize", *options, "-o", tmp_path / "out.csv", "--json")
    assert "4 records lost all quasi-identifiers and hide among each other." in json.loads(run.out)["sentences"]
    assert "of 4 of 26 records (15.4 %) are suppressed; their other columns are released." in run.err
    (tmp_path / "few.csv").write_text("x,y\n1,1\n1,\n1,\n1,\n")
    run = shoal("verify", tmp_path / "few.csv", "-k", 2, "-q", "x,y", "--missing-values", "wildcard", "--alpha", 0.1)
    assert "the smallest class has 1.3 records\n" in run.out
    run = shoal("verify", tmp_path / "few.csv", "-k", 2, "-q", "x,y")
    assert "the smallest class has 1 record\n" in run.out


def test_verify_and_evaluate_find_what_was_told(shoal, folder: Path) -> None:
    facts = json.loads(shoal("anonymize", "in.csv", *ARGUMENTS, "-o", "out.csv", "--json").out)
    models = ["--model", "ill=recursive-l(3,2),t-hierarchical(0.6),distinct-l(2)"]
    models += ["--model", "score=t-ordered(0.5),distinct-l(2)", "--hierarchy", "ill=ills.json"]
    run = shoal("verify", "out.csv", "-k", 3, "-q", QUASI, *SURVEY, *models, "--strata", "region", "--json")
    proof = json.loads(run.out)
    assert run.code == 0
    assert proof | {"models": []} == facts["verification"] | {"models": []}
    assert len(proof["models"]) == 5
    options = ["in.csv", "out.csv", "-k", 3, "-q", QUASI, *SURVEY, *MEANING, "--sampling-weights", "weight"]
    run = shoal("evaluate", *options, "--sensitive", "ill,score", "--json")
    assert run.code == 0, run.err
    evaluation = json.loads(run.out)
    assert evaluation["risk"] == facts["evaluation"]["risk"]
    assert evaluation["loss"] == pytest.approx(facts["evaluation"]["loss"])


def test_verify_counts_as_it_is_told(shoal, tmp_path: Path) -> None:
    rows = ["1,n,a", "1,n,a", "1,s,b", ",s,c", "2,s,d", "2,s,e"]
    (tmp_path / "t.csv").write_text("\n".join(["x,region,home", *rows]) + "\n")

    def smallest(*options: object) -> tuple[float, str, int]:
        run = shoal("verify", tmp_path / "t.csv", "-k", 2, "-q", "x", *options, "--json")
        facts = json.loads(run.out)
        assert run.code == (0 if facts["ok"] else 3)
        return facts["min_class"], facts["unit"], facts["k_violations"]

    assert smallest() == (1, "records", 1)
    assert smallest("--missing-values", "wildcard") == (3, "records", 0)
    assert smallest("--missing-values", "wildcard", "--alpha", "0.5") == (2.5, "records", 0)
    assert smallest("--missing-values", "wildcard", "--alpha", "0") == (2, "records", 0)
    assert smallest("--strata", "region") == (1, "records", 2)
    assert smallest("--households", "home") == (1, "households", 1)
    assert smallest("--strata", "region", "--households", "home") == (1, "households", 4)


ROLES = ["-k", 3, "-q", "age,pay", "--sensitive", "ill", "--identifiers", "name"]
BAD = {
    "two roles": (["-k", 3, "-q", "age", "--sensitive", "age"], "quasi-identifier and as sensitive"),
    "l above what there is": ([*ROLES, "-l", 9], "ask for l = 4 or less"),
    "l a word": ([*ROLES, "-l", "two"], "Option -l has a value"),
    "t out of range": ([*ROLES, "-t", 2], "t from 0 to 1"),
    "t below what a stratum has": ([*ROLES, "-t", 0, "--strata", "region"], "A stratum of"),
    "unknown model": ([*ROLES, "--model", "ill=p-sensitive(2)"], "no privacy model"),
    "model without a column": ([*ROLES, "--model", "distinct-l(2)"], "equals sign"),
    "model on a quasi-identifier": ([*ROLES, "--model", "age=distinct-l(2)"], "is a quasi-identifier"),
    "unknown way with gaps": ([*ROLES, "--missing-values", "ignore"], "known are 'category'"),
    "refused gaps": ([*ROLES, "--missing-values", "refuse"], "missing values in"),
    "alpha out of range": ([*ROLES, "--alpha", 2], "Option --alpha"),
    "alpha a word": ([*ROLES, "--alpha", "half"], "Option --alpha"),
    "suppression out of range": ([*ROLES, "--max-suppression", 1.5], "Option --max-suppression"),
    "suppression a word": ([*ROLES, "--max-suppression", "some"], "Option --max-suppression"),
    "budget below k": ([*ROLES, "--max-suppression", 0.01], "allows 0 of 90 records"),
    "one bound": ([*ROLES, "--bounds", "age=5"], "age=0:120"),
    "bounds the wrong way round": ([*ROLES, "--bounds", "age=90:0"], "Option --bounds"),
    "bounds that the data break": ([*ROLES, "--bounds", "age=0:17"], "outside its bounds"),
    "bounds of no column": ([*ROLES, "--bounds", "agee=0:120"], "did you mean 'age'"),
    "unknown stratum": ([*ROLES, "--strata", "regoin"], "did you mean 'region'"),
    "stratum below k": ([*ROLES, "--strata", "name"], "strata have fewer than k = 3 records"),
    "unknown household": ([*ROLES, "--households", "hom"], "did you mean 'home'"),
    "large household": ([*ROLES, "--households", "region"], "more than the 20 that are allowed"),
    "largest household a word": (
        [*ROLES, "--households", "home", "--largest-household", "x"],
        "Option --largest-household",
    ),
    "unknown weights": ([*ROLES, "--sampling-weights", "wieght"], "did you mean 'weight'"),
    "weights of text": ([*ROLES, "--sampling-weights", "region"], "where numbers are needed"),
    "weights of a quasi-identifier": ([*ROLES, "--sampling-weights", "pay"], "the sampling weight at once"),
    "dates that are none": (
        ["-k", 3, "-q", "age,sex", "--drop-others", "--kind", "sex=date"],
        "no date where dates are needed",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_options_beyond_k(shoal, folder: Path, case: str) -> None:
    arguments, words = BAD[case]
    before = set(os.listdir(folder))
    run = shoal("anonymize", "in.csv", *arguments, "--method", "mdav", "-o", "out.csv")
    check(run, words)
    assert set(os.listdir(folder)) == before


def check(run, words: str) -> None:
    """One sentence with these words and no cell, and exit code 2."""
    assert run.code == 2, run
    assert run.out == ""
    assert len(run.err.strip().splitlines()) == 1, run.err
    assert words in run.err
    assert not any(mark in run.err for mark in ("Qname", "Zflu", "Traceback", "bug"))


@pytest.mark.parametrize("option", [
    ["-l", 2], ["-t", 0.5], ["--model", "ill=distinct-l(2)"], ["--missing-values", "impute"], ["--alpha", 0],
    ["--max-suppression", 0], ["--strata", "region"], ["--households", "home"], ["--sampling-weights", "weight"],
    ["--largest-household", 9], ["--keep-totals"], ["--bounds", "age=0:999"],
], ids=lambda option: option[0])  # fmt: skip
def test_a_policy_has_decided_all_of_it(shoal, folder: Path, option: list[object]) -> None:
    (folder / "p.toml").write_text("format = 3\n")
    check(shoal("anonymize", "in.csv", "--policy", "p.toml", *option, "-o", "out.csv"), "The policy decides")


@pytest.mark.parametrize(("arguments", "words"), [
    (["verify", "in.csv", "--missing-values", "impute"], "known are 'category', 'wildcard'"),
    (["verify", "in.csv", "--alpha", "2"], "Option --alpha"),
    (["verify", "in.csv", "--alpha", "x"], "Option --alpha"),
    (["verify", "in.csv", "--strata", "regoin"], "did you mean 'region'"),
    (["verify", "in.csv", "--households", "hom"], "did you mean 'home'"),
    (["evaluate", "in.csv", "in.csv", "--missing-values", "ignore"], "no missing_values 'ignore'"),
    (["evaluate", "in.csv", "in.csv", "--alpha", "-1"], "Option --alpha"),
    (["evaluate", "in.csv", "in.csv", "--sampling-weights", "name"], "where numbers are needed"),
    (["evaluate", "in.csv", "in.csv", "--households", "hom"], "did you mean 'home'"),
], ids=lambda value: " ".join(value[-2:]) if isinstance(value, list) else "")  # fmt: skip
def test_bad_options_of_the_commands_that_look(shoal, folder: Path, arguments: list[str], words: str) -> None:
    check(shoal(*arguments, "-k", 3, "-q", "age,pay"), words)
