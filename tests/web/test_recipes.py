"""Recipes of the page produce the same bytes as the page."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import data
from shoal.cli.main import shoal as commands
from shoal.release.inspect import describe
from shoal.web.pages import recipes
from shoal.web.projects.arguments import release_arguments
from shoal.web.projects.import_settings import to_read_options
from shoal.web.projects.model import ColumnFacts, ReleaseChoices, SourceFile

N = 60


@dataclass(frozen=True)
class Case:
    roles: dict[str, str]
    changes: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)
    name: str = "people.csv"


ODD = {"a,b": "quasi-identifier", "x=y": "quasi-identifier", "it's": "sensitive", " wide ": "quasi-identifier"}
CASES = {
    "plain": Case({"age": "quasi-identifier", "job": "quasi-identifier", "who": "identifier"}),
    "method": Case({"age": "quasi-identifier", "pay": "quasi-identifier"}, {"method": "mdav", "effort": "", "k": 3}),
    "odd names": Case({**ODD, 'q"q': "quasi-identifier", "größe": "quasi-identifier", "-x": "identifier"}, {"l": 2}),
    "a file of options": Case({"age": "quasi-identifier"}, {"k": 4}, name="-k it's; $(x) `ü`.csv"),
    "trees": Case(
        {"job": "quasi-identifier", "x=y": "quasi-identifier", 'q"q': "quasi-identifier"},
        {"effort": "", "method": "mondrian-extent"},
        {
            "job": {"hierarchy": "hierarchy-1.json", "recode": "lcs"},
            "x=y": {"hierarchy": "hierarchy-2.json"},
            'q"q': {"levels": "levels-3.txt"},
        },
    ),
    "protection": Case(
        {"age": "quasi-identifier", "pay": "quasi-identifier", "it's": "sensitive"},
        {
            "t": 0.45,
            "l": 2,
            "suppression": 0.2,
            "missing_values": "impute",
            "seed": 7,
            "exact_means": True,
            "shuffle": True,
            "formulas": "neutralize",
            "sampling_weights": "w",
            "strata": ("x=y",),
        },
        {"age": {"weight": 2.5, "recode": "median"}, "pay": {"kind": "numeric"}},
    ),
    "reading": Case(
        {"age": "quasi-identifier", "pay": "quasi-identifier"},
        {"households": "home"},
        reading={
            "delimiter": ";",
            "encoding": "latin-1",
            "decimal": ",",
            "header": True,
            "missing": "none\n a,b\n-",
        },
    ),
    "import settings": Case(
        {"age": "quasi-identifier", "pay": "quasi-identifier"},
        reading={
            "delimiter": ";",
            "decimal": ",",
            "thousands": "none",
            "skip": 2,
            "row_numbers": False,
            "missing_in": {"age": ["20", "a,b"], "x=y": ["u"]},
            "column_formats": {"w": "text", "x=y": "text"},
        },
    ),
    "tabs": Case({"age": "quasi-identifier"}, reading={"delimiter": "\t", "quote": "'"}, name="people.txt"),
    "no header": Case({"column_2": "quasi-identifier"}, reading={"header": False}),
}


def write(path: Path, reading: dict[str, Any]) -> None:
    """A file as it would be read by these settings."""
    rng = np.random.default_rng(3)
    age, pay = rng.integers(20, 70, N), rng.normal(3000, 400, N).round(1)
    comma = reading.get("decimal") == ","
    frame = pl.DataFrame(
        {
            "who": [f"p{i}" for i in range(N)],
            "age": age,
            "pay": [str(p).replace(".", ",") if comma else str(p) for p in pay],
            "job": rng.choice(["nurse", "cook", "clerk"], N),
            "a,b": rng.integers(0, 9, N),
            "x=y": rng.choice(["u", "v"], N),
            "it's": rng.choice(["flu", "cold", "none"], N),
            " wide ": rng.integers(0, 5, N),
            'q"q': rng.choice(["low", "mid", "high"], N),
            "größe": rng.integers(150, 200, N),
            "-x": [f"i{i}" for i in range(N)],
            "w": rng.integers(1, 4, N),
            "home": [f"h{i // 2}" for i in range(N)],
        }
    )
    text = frame.write_csv(
        separator=reading.get("delimiter", ","),
        quote_char=reading.get("quote", '"'),
        include_header=reading.get("header", True),
    )
    text = "".join(f"Title {i}\n" for i in range(reading.get("skip", 0))) + text
    path.write_bytes(text.encode(reading.get("encoding", "utf-8")))


def file_and_choices(path: Path, case: Case) -> tuple[SourceFile, ReleaseChoices]:
    table = data.read_table(path, options=to_read_options(case.reading))
    result = describe(table)
    columns = tuple(
        ColumnFacts(column.name, str(column.role), column.reason, str(column.kind), profile.type, 0, 0)
        for column, profile in zip(result.schema.columns, result.profiles, strict=True)
    )
    source = SourceFile(case.name, table.kind, {}, N, 0, "", columns)
    choices = replace(ReleaseChoices.proposed(source), k=3, effort="fast")
    for number, column in enumerate(columns):
        role = case.roles.get(column.name, "insensitive")
        # what looks like an identifier is kept by a word
        own = {"keep": column.looks_identifying and role == "insensitive", **case.columns.get(column.name, {})}
        choices = choices.with_column(number, role=role, **own)
    return source, replace(choices, **case.changes)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "hierarchy-1.json").write_text(json.dumps({"any": {"health": ["nurse"], "other": ["cook", "clerk"]}}))
    (tmp_path / "hierarchy-2.json").write_text(json.dumps({"any": ["u", "v"]}))
    (tmp_path / "levels-3.txt").write_text("low\nmid\nhigh\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words(command: str) -> list[str]:
    """The words of a command after its name, as a shell sees them."""
    process = subprocess.run(
        ["sh", "-c", f"shoal() {{ printf '%s\\0' \"$@\"; }}\n{command}"], capture_output=True, check=True
    )
    return process.stdout.decode().split("\0")[:-1]


def run(command: str) -> None:
    commands.main(words(command), standalone_mode=False, prog_name="shoal")


@pytest.fixture(params=CASES, ids=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
def test_what_is_shown_makes_the_same_bytes(case: Case, folder: Path) -> None:
    path = folder / case.name
    write(path, case.reading)
    source, choices = file_and_choices(path, case)
    table = data.read_table(path, options=to_read_options(case.reading))
    release = shoal.anonymize(table, **release_arguments(source, choices, folder))
    release.save(folder / "page.csv")
    expected = (folder / "page.csv").read_bytes()

    run(recipes.command(source, choices, reading=case.reading, output="by command.csv"))
    assert (folder / "by command.csv").read_bytes() == expected
    exec(recipes.python_code(source, choices, reading=case.reading, output="by python.csv"), {})  # noqa: S102
    assert (folder / "by python.csv").read_bytes() == expected
    run(recipes.replay_command(source, policy="by command.csv.policy.toml", output="again.csv"))
    assert (folder / "again.csv").read_bytes() == expected


def test_a_command_has_an_option_a_line() -> None:
    columns = tuple(ColumnFacts(name, "quasi-identifier", "", "numeric", "", 0, 0) for name in ("age", "b c"))
    source = SourceFile("people.csv", "csv", {}, N, 0, "", columns)
    choices = replace(ReleaseChoices.proposed(source), k=5)
    assert recipes.command(source, choices, reading={}, output="again.csv").splitlines() == [
        "shoal anonymize people.csv \\",
        "    -k 5 \\",
        "    --effort balanced \\",
        "    -q 'age,b c' \\",
        "    -o again.csv",
    ]
    assert recipes.python_code(source, choices, reading={}, output="again.csv").splitlines() == [
        "import shoal",
        "",
        "release = shoal.anonymize(",
        "    'people.csv',",
        "    k=5,",
        "    effort='balanced',",
        "    quasi_identifiers=['age', 'b c'],",
        ")",
        "release.save('again.csv')",
    ]


def test_many_columns_stand_below_each_other() -> None:
    columns = tuple(ColumnFacts(f"column_{i}", "quasi-identifier", "", "numeric", "", 0, 0) for i in range(20))
    source = SourceFile("people.csv", "csv", {}, N, 0, "", columns)
    text = recipes.python_code(source, replace(ReleaseChoices.proposed(source), k=5), reading={}, output="again.csv")
    assert max(map(len, text.splitlines())) <= 88
    assert "        'column_19',\n    ]," in text


def test_a_recipe_needs_k() -> None:
    source = SourceFile("a.csv", "csv", {}, 1, 0, "", (ColumnFacts("a", "quasi-identifier", "", "numeric", "", 0, 0),))
    displayed: tuple[Callable[..., str], ...] = (recipes.command, recipes.python_code)
    for recipe in displayed:
        with pytest.raises(shoal.ShoalError, match="k is not given"):
            recipe(source, ReleaseChoices.proposed(source), reading={}, output="again.csv")
