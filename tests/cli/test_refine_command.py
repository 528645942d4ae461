"""Local search from the command line: its options, and what an interrupt does to it."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal as package
from forking import Starter
from shoal.domain import Policy

QUASI = "age,height_cm,household_size,income"
ROLES = ["-k", 5, "-q", QUASI, "--identifiers", "person_id,name", "--sensitive", "diagnosis"]


def facts(shoal, *arguments: object) -> dict[str, Any]:
    run = shoal("anonymize", *arguments, "--json")
    assert run.code == 0, run.err
    found: dict[str, Any] = json.loads(run.out)
    return found


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Few persons of the register, where all steps of a search are made."""
    path = tmp_path_factory.mktemp("few") / "few.csv"
    package.example_register(rows=240, seed=3).write_csv(path)
    return path


def test_nothing_said_is_auto_refined(shoal, few: Path, tmp_path: Path) -> None:
    made = facts(shoal, few, *ROLES, "-o", tmp_path / "out.csv")
    assert made["policy"]["release"]["method"] == "auto"
    assert made["policy"]["refine"] == {"effort": "balanced"}
    assert made["account"][0].startswith("auto tried tour-mhm, ward-mhm and mdav for 240 records with 4 numbers")
    search = made["search"]
    assert list(search) == ["effort", "gained", "before", "after", "planned", "done"]
    assert 0 < search["after"] < search["before"]
    assert search["gained"] == pytest.approx(100 * (1 - search["after"] / search["before"]))
    assert search["planned"] == search["done"] > 0
    run = shoal("anonymize", few, "--policy", tmp_path / "out.csv.policy.toml", "-o", tmp_path / "again.csv")
    assert run.code == 0
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


@pytest.mark.parametrize(
    ("given", "refine"),
    [
        (["--method", "mdav"], {}),
        (["--method", "mdav", "--refine", "--effort", "fast"], {"effort": "fast"}),
        (["--method", "mdav", "--effort", "fast"], {"effort": "fast"}),
        (["--no-refine"], {}),
    ],
)
def test_the_options_decide(shoal, register_csv: Path, tmp_path: Path, given: list[str], refine: dict) -> None:
    made = facts(shoal, register_csv, *ROLES, *given, "-o", tmp_path / "out.csv")
    assert made["policy"]["refine"] == refine
    assert (made["search"] or {}).get("effort") == refine.get("effort")
    assert bool(made["account"]) == ("mdav" not in given)


def test_seconds_are_kept_as_steps(shoal, register_csv: Path, tmp_path: Path) -> None:
    made = facts(shoal, register_csv, *ROLES, "--method", "mdav", "--seconds", 0.5, "-o", tmp_path / "out.csv")
    kept = made["policy"]["refine"]
    assert kept["seconds"] == 0.5
    assert sum(kept["planned"]) == made["search"]["planned"]
    assert sum(kept["done"]) == made["search"]["done"]


WRONG = {
    "effort": (["--effort", "most"], "There is no effort 'most'", "'balanced'"),
    "seconds, a word": (["--seconds", "soon"], "Option --seconds", "a number above 0"),
    "seconds, none": (["--seconds", "0"], "Option --seconds", "a number above 0"),
    "seconds, no number": (["--seconds", "nan"], "Option --seconds", "a number above 0"),
    "nothing to refine": (["--no-refine", "--effort", "fast"], "nothing is to be refined", "--no-refine"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_values_are_one_sentence(shoal, register_csv: Path, tmp_path: Path, case: str) -> None:
    given, *words = WRONG[case]
    run = shoal("anonymize", register_csv, *ROLES, *given, "-o", tmp_path / "out.csv")
    assert run.code == 2
    assert run.out == ""
    assert run.err.count("\n") == 1
    assert all(word in run.err for word in words)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (["--refine"], "refine"),
        (["--no-refine"], "refine"),
        (["--effort", "fast"], "effort"),
        (["--seconds", 1], "seconds"),
    ],
)
def test_a_policy_decides_alone(shoal, register_csv: Path, tmp_path: Path, given: list[object], name: str) -> None:
    shoal("anonymize", register_csv, *ROLES, "--method", "mdav", "-o", tmp_path / "out.csv", "--quiet")
    policy = tmp_path / "out.csv.policy.toml"
    run = shoal("anonymize", register_csv, "--policy", policy, *given, "-o", tmp_path / "again.csv")
    assert run.code == 2
    assert f"The policy decides '{name}' already" in run.err


@pytest.mark.parametrize(("given", "lower"), [([], ["auto"]), (["--refine"], ["auto", "mdav"]), (["--no-refine"], [])])
def test_a_comparison_refines_what_is_asked(shoal, few: Path, given: list[str], lower: list[str]) -> None:
    asked = ["-k", 5, "-q", "age,income", "--drop-others", "--methods", "auto,mdav", "--no-cache", "--json"]
    plain = json.loads(shoal("compare", few, *asked, "--no-refine").out)
    made = json.loads(shoal("compare", few, *asked, *given).out)
    pairs = zip(plain["points"], made["points"], strict=True)
    assert [new["method"] for old, new in pairs if new["loss"] < old["loss"]] == lower


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A table on which the best effort takes minutes."""
    rows = np.random.default_rng(7).normal(size=(3000, 3)).round(6)
    lines = [",".join(map(str, row)) for row in rows.tolist()]
    path = tmp_path / "in.csv"
    path.write_text("x,y,z\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


TELLING = """
import os, signal, sys
from shoal.search.descent import _Search

anneal = _Search.anneal

def told(*given, **more):
    print("annealing", file=sys.stderr, flush=True)
    for _ in range(int(os.environ["INTERRUPTS"])):
        os.kill(os.getpid(), signal.SIGINT)
    return anneal(*given, **more)

_Search.anneal = told
from shoal.cli.main import main
main()
"""


@pytest.fixture
def search(starter: Starter, large: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., int]:
    """Begins a release that tells when it begins to anneal, and is interrupted so many times then."""
    program = tmp_path_factory.mktemp("telling") / "telling.py"
    program.write_text(TELLING)
    given = ["anonymize", "in.csv", "-k", "3", "-q", "x,y,z", "--method", "mdav", "--effort", "best", "-o", "out.csv"]

    def begin(*, interrupts: int = 0, **more: str) -> int:
        env = {"INTERRUPTS": str(interrupts)}
        return starter.begin(given, large.parent, program=str(program), env=env, **more)

    return begin


def test_the_first_interrupt_ends_the_search_and_not_the_release(
    shoal, starter: Starter, search, pipe: str, large: Path, tmp_path: Path
) -> None:
    pid = search(stderr=pipe)
    with Path(pipe).open(encoding="utf-8") as told:
        while "annealing" not in (line := told.readline()):
            assert "compiling" in line
        time.sleep(0.5)
        os.kill(pid, signal.SIGINT)
        err = told.read()
    assert starter.ended(pid).code == 0, err
    out = (starter.folder / "said").read_text(encoding="utf-8")
    assert "VERIFIED" in out
    assert "where it was stopped" in out
    assert re.search(r"shoal: warning: The search for better groups was stopped after [\d,]+ of [\d,]+ steps;", err)
    policy = Policy.read(tmp_path / "out.csv.policy.toml")
    assert policy.refinement is not None
    assert policy.refinement.steps_done < policy.refinement.steps_planned
    assert shoal("verify", tmp_path / "out.csv", "-k", 3, "-q", "x,y,z").code == 0
    again = shoal(
        "anonymize", large, "--policy", tmp_path / "out.csv.policy.toml", "-o", tmp_path / "again.csv", "--quiet"
    )
    assert again.code == 0, again.err
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


def test_the_second_interrupt_ends_the_command(starter: Starter, search, large: Path, tmp_path: Path) -> None:
    ended = starter.ended(search(interrupts=2))
    assert ended.code == 130, ended
    assert "Interrupted; no partial file is left." in ended.said
    assert sorted(os.listdir(tmp_path)) == [large.name]
