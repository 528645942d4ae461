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
from fork_server import ForkServer
from shoal.domain import Policy

QUASI = "age,height_cm,household_size,income"
ROLES = ["-k", 5, "-q", QUASI, "--identifiers", "person_id,name", "--sensitive", "diagnosis"]


def facts(shoal, *arguments: object) -> dict[str, Any]:
    run = shoal("anonymize", *arguments, "--json")
    assert run.code == 0, run.err
    parsed: dict[str, Any] = json.loads(run.out)
    return parsed


@pytest.fixture(scope="module")
def small_register(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Few persons of the register, where all steps of a search are made."""
    path = tmp_path_factory.mktemp("register") / "register.csv"
    package.example_register(rows=240, seed=3).write_csv(path)
    return path


def test_nothing_said_is_auto_refined(shoal, small_register: Path, tmp_path: Path) -> None:
    result = facts(shoal, small_register, *ROLES, "-o", tmp_path / "out.csv")
    assert result["policy"]["release"]["method"] == "auto"
    assert result["policy"]["refine"] == {"effort": "balanced"}
    assert result["account"][0].startswith("auto tried tour-mhm, ward-mhm and mdav for 240 records with 4 numbers")
    search = result["search"]
    assert list(search) == ["effort", "gained", "before", "after", "planned", "done"]
    assert 0 < search["after"] < search["before"]
    assert search["gained"] == pytest.approx(100 * (1 - search["after"] / search["before"]))
    assert search["planned"] == search["done"] > 0
    run = shoal("anonymize", small_register, "--policy", tmp_path / "out.csv.policy.toml", "-o", tmp_path / "again.csv")
    assert run.code == 0
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


@pytest.mark.parametrize(
    ("options", "refine"),
    [
        (["--method", "mdav"], {}),
        (["--method", "mdav", "--refine", "--effort", "fast"], {"effort": "fast"}),
        (["--method", "mdav", "--effort", "fast"], {"effort": "fast"}),
        (["--no-refine"], {}),
    ],
)
def test_the_options_decide(shoal, register_csv: Path, tmp_path: Path, options: list[str], refine: dict) -> None:
    result = facts(shoal, register_csv, *ROLES, *options, "-o", tmp_path / "out.csv")
    assert result["policy"]["refine"] == refine
    assert (result["search"] or {}).get("effort") == refine.get("effort")
    assert bool(result["account"]) == ("mdav" not in options)


def test_seconds_are_kept_as_steps(shoal, register_csv: Path, tmp_path: Path) -> None:
    result = facts(shoal, register_csv, *ROLES, "--method", "mdav", "--time-limit", 0.5, "-o", tmp_path / "out.csv")
    refinement = result["policy"]["refine"]
    assert refinement["seconds"] == 0.5
    assert sum(refinement["planned"]) == result["search"]["planned"]
    assert sum(refinement["done"]) == result["search"]["done"]


WRONG = {
    "effort": (["--effort", "most"], "There is no effort 'most'", "'balanced'"),
    "seconds, a word": (["--time-limit", "soon"], "Option --time-limit", "a number above 0"),
    "seconds, none": (["--time-limit", "0"], "Option --time-limit", "a number above 0"),
    "seconds, no number": (["--time-limit", "nan"], "Option --time-limit", "a number above 0"),
    "nothing to refine": (["--no-refine", "--effort", "fast"], "refinement is off", "--no-refine"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_values_are_one_sentence(shoal, register_csv: Path, tmp_path: Path, case: str) -> None:
    options, *words = WRONG[case]
    run = shoal("anonymize", register_csv, *ROLES, *options, "-o", tmp_path / "out.csv")
    assert run.code == 2
    assert run.out == ""
    assert run.err.count("\n") == 1
    assert all(word in run.err for word in words)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["--refine"], "refine"),
        (["--no-refine"], "refine"),
        (["--effort", "fast"], "effort"),
        (["--time-limit", 1], "time-limit"),
    ],
)
def test_a_policy_decides_alone(shoal, register_csv: Path, tmp_path: Path, options: list[object], name: str) -> None:
    shoal("anonymize", register_csv, *ROLES, "--method", "mdav", "-o", tmp_path / "out.csv", "--quiet")
    policy = tmp_path / "out.csv.policy.toml"
    run = shoal("anonymize", register_csv, "--policy", policy, *options, "-o", tmp_path / "again.csv")
    assert run.code == 2
    assert f"The policy decides '{name}' already" in run.err


@pytest.mark.parametrize(
    ("options", "lower"), [([], ["auto"]), (["--refine"], ["auto", "mdav"]), (["--no-refine"], [])]
)
def test_a_comparison_refines_what_is_asked(shoal, small_register: Path, options: list[str], lower: list[str]) -> None:
    arguments = ["-k", 5, "-q", "age,income", "--drop-others", "--methods", "auto,mdav", "--no-cache", "--json"]
    plain = json.loads(shoal("compare", small_register, *arguments, "--no-refine").out)
    result = json.loads(shoal("compare", small_register, *arguments, *options).out)
    pairs = zip(plain["points"], result["points"], strict=True)
    assert [new["method"] for old, new in pairs if new["loss"] < old["loss"]] == lower


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A table on which the best effort takes minutes."""
    rows = np.random.default_rng(7).normal(size=(3000, 3)).round(6)
    lines = [",".join(map(str, row)) for row in rows.tolist()]
    path = tmp_path / "in.csv"
    path.write_text("x,y,z\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


INTERRUPTED_SEARCH = """
import os, signal, sys
from shoal.search.local_search import _LocalSearch

anneal = _LocalSearch.anneal

def interrupted_anneal(*arguments, **more):
    print("annealing", file=sys.stderr, flush=True)
    for _ in range(int(os.environ["INTERRUPTS"])):
        os.kill(os.getpid(), signal.SIGINT)
    return anneal(*arguments, **more)

_LocalSearch.anneal = interrupted_anneal
from shoal.cli.main import main
main()
"""


@pytest.fixture
def search(fork_server: ForkServer, large: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., int]:
    """Begins a release that tells when it begins to anneal, and is interrupted so many times then."""
    program = tmp_path_factory.mktemp("telling") / "telling.py"
    program.write_text(INTERRUPTED_SEARCH)
    arguments = [
        "anonymize",
        "in.csv",
        "-k",
        "3",
        "-q",
        "x,y,z",
        "--method",
        "mdav",
        "--effort",
        "best",
        "-o",
        "out.csv",
    ]

    def begin(*, interrupts: int = 0, **more: str) -> int:
        env = {"INTERRUPTS": str(interrupts)}
        return fork_server.start(arguments, large.parent, program=str(program), env=env, **more)

    return begin


def test_the_first_interrupt_ends_the_search_and_not_the_release(
    shoal, fork_server: ForkServer, search, pipe: str, large: Path, tmp_path: Path
) -> None:
    pid = search(stderr=pipe)
    with Path(pipe).open(encoding="utf-8") as stderr:
        while "annealing" not in (line := stderr.readline()):
            assert "compiling" in line
        time.sleep(0.5)
        os.kill(pid, signal.SIGINT)
        err = stderr.read()
    assert fork_server.wait(pid).code == 0, err
    out = (fork_server.folder / "stdout").read_text(encoding="utf-8")
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


def test_the_second_interrupt_ends_the_command(fork_server: ForkServer, search, large: Path, tmp_path: Path) -> None:
    ended = fork_server.wait(search(interrupts=2))
    assert ended.code == 130, ended
    assert "Interrupted; no partial file is left." in ended.stderr
    assert sorted(os.listdir(tmp_path)) == [large.name]
