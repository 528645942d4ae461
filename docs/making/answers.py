"""The page about `--json`: the keys of each command, taken from real runs on a small register."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import shoal as package
from making.markdown import table
from shoal.cli.main import shoal

HEAD = """# JSON

Every command but `demo` and `web` takes `--json` and then prints one JSON object, or a list of them.
The keys are stable: a program may rely on them, and new ones may come. Made by `python docs/make.py` from real runs on
the example register.

`COLUMN` stands for a column of yours, `MEASURE` for a [measure](../measures.md), `[]` for each entry
of a list. A figure that does not apply is null. No answer holds a cell of the data, but those of `explain`, of
`hierarchy show`, and of other commands of `hierarchy` where `--values` asks for it.
"""
QUASI, MODEL = "age,sex,postcode", "diagnosis=distinct-l(2)"
ROLES = ("-q", QUASI, "--sensitive", "diagnosis", "--identifiers", "person_id,name")
RUNS: Mapping[str, tuple[str, ...]] = {
    "describe": ("people.csv",),
    "anonymize": (
        *("people.csv", "-k", "3", *ROLES, "-l", "2", "--method", "mdav", "-o", "out.csv", "--quiet"),
        *("--hierarchy", "postcode=postcode.csv", "--bundle", "out.zip", "--report", "out.html"),
    ),
    "compare": ("people.csv", "-k", "3", *ROLES, "--methods", "mdav,mondrian", "--no-keep", "--quiet"),
    "bound": ("people.csv", "-k", "3", "-q", "age,income", "--effort", "fast"),
    "verify": ("out.csv", "-k", "3", "-q", QUASI, "--model", MODEL),
    "verify of a bundle": ("out.zip",),
    "evaluate": ("people.csv", "out.csv", "-k", "3", "-q", QUASI, "--sensitive", "diagnosis", "--model", MODEL),
    "explain": ("people.csv", "--row", "17", "-k", "3", "-q", QUASI),
    "replay": ("out.zip", "--input", "people.csv", "-o", "again.csv"),
    "methods": (),
    "methods of one name": ("mdav",),
    "measures": (),
    "measures of one name": ("gcp",),
    "hierarchy build prefixes": ("people.csv", "postcode", "--lengths", "1,2", "-o", "built.csv"),
    "hierarchy check": ("postcode.csv", "people.csv", "postcode", "--values"),
    "hierarchy show": ("postcode.csv", "people.csv", "postcode"),
    "hierarchy convert": ("postcode.csv", "postcode.json"),
}
"""What is run, in this order; the words after ` of ` tell runs of one command apart."""
REPRODUCE = """## shoal reproduce

It needs the data of the papers ([data.md](../data.md)).
"""
REPRODUCED = {
    "versions.PACKAGE": "text",
    "papers.NAME": "text: what is quoted",
    "datasets.NAME": "text: what it is",
    "warnings[]": "text",
    "summary.VERDICT": "whole number: cells that are exact, within 1 %, better, worse, other, no data",
    "cells[]": "object: a printed figure beside ours",
    "cells[].paper, table, dataset, method, measure": "text",
    "cells[].k": "whole number or null",
    "cells[].published": "text: as printed",
    "cells[].ours, difference_percent": "number or null",
    "cells[].verdict, reading, definition, explanation": "text",
    "cells[].seconds, published_seconds": "number or null",
    "cells[].also[].reading": "text: another way to read the text",
    "cells[].also[].value": "number",
    "bases[].dataset, base, published": "text",
    "bases[].columns, k": "whole number",
    "bases[].multi_dsort, mdav_1, lower_bound": "number",
    "bases[].impossible": "true or false: the printed figure is below what any groups can reach",
    "experiments[].paper, figure, dataset, method": "text",
    "experiments[].records, columns, k, classes, below_k": "whole number",
    "experiments[].c_avg, milliseconds": "number",
    "experiments[].as_printed": "true or false",
    "comparison[].dataset, family, method": "text",
    "comparison[].k": "whole number",
    "comparison[].information_loss, semantic_loss, seconds": "number or null",
}
"""The keys of `shoal reproduce`, whose data is not here; a test compares them where it is."""


def kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    names = {int: "whole number", float: "number", str: "text", list: "list", dict: "object"}
    return names[type(value)]


def keys(value: Any, columns: set[str], path: str = "") -> Iterator[tuple[str, str]]:
    """Each key below a value, with the kind of what it holds."""
    if path:
        yield path, kind(value)
    if isinstance(value, dict):
        named = {*value} <= columns, len(value) > 1 and {*value} <= {*package.measures()}
        for name, inner in value.items():
            key = "COLUMN" if named[0] else "MEASURE" if named[1] else "K" if name.isdigit() else name
            yield from keys(inner, columns, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, columns, f"{path}[]")


def listing(answer: Any, columns: set[str]) -> str:
    """All keys once, with every kind that was found; entries of lists of plain values are told with the list."""
    found: dict[str, set[str]] = {}
    for path, what in keys(answer, columns):
        found.setdefault(path, set()).add(what)
    rows = []
    for path, whats in found.items():
        inside = found.get(f"{path}[]", set())
        if path.endswith("[]") and not whats & {"object"} and path != "[]":
            continue
        whats -= {"whole number"} if "number" in whats else set()
        told = " or ".join(sorted(whats, key=lambda what: (what == "null", what)))
        rows.append((f"`{path}`", f"{told} of {' or '.join(sorted(inside))}" if inside - {"object"} else told))
    return table(["key", "what it holds"], rows)


def answers() -> dict[str, Any]:
    """What each command says."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, inside(Path(folder)):
        frame = package.example_register(rows=200)
        frame.write_csv("people.csv")
        package.Hierarchy.from_prefixes(frame["postcode"], lengths=(1, 2)).save("postcode.csv")
        for name, given in RUNS.items():
            words = name.partition(" of ")[0].split()
            done = CliRunner().invoke(shoal, [*words, *given, "--json"], prog_name="shoal", catch_exceptions=False)
            if done.exit_code:
                raise RuntimeError(f"shoal {name} ended with {done.exit_code}: {done.output}")
            found[name] = json.loads(done.stdout)
    return found


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder for a while."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def page() -> str:
    columns = set(package.example_register(rows=100).columns)
    parts, told = [HEAD], ""
    for name, answer in answers().items():
        command = name.partition(" of ")[0].split()[0]
        if command != told:
            parts.append(f"## shoal {command}\n")
            told = command
        words = ["shoal", *name.partition(" of ")[0].split(), *RUNS[name], "--json"]
        asked = textwrap.fill(" ".join(words), 98, break_on_hyphens=False, subsequent_indent="    ")
        shown = asked.replace("\n", " \\\n")
        parts.append(f"```text\n{shown}\n```\n\n{listing(answer, columns)}")
    rows = [(f"`{path}`", what) for path, what in REPRODUCED.items()]
    return "\n".join([*parts, REPRODUCE, table(["key", "what it holds"], rows)])


def pages(docs: Path) -> dict[Path, str]:
    return {docs / "formats" / "json.md": page()}
