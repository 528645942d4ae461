"""The page of the benchmarks: tables and plots from the figures that they printed, and from nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from measuring.charts import drawings
from measuring.results import FOLDER, Facts, recorded_elsewhere

HEAD = """# Benchmarks

Made by `python docs/make.py` from `benchmarks/results/`: what the last whole `make bench` found. That takes long and
wants a machine of its own; `make bench QUICK=1` sees in a few minutes that everything runs, and changes none of this.
[speed.md](speed.md) tells what the figures mean and how they came about.

Machines differ: what is compared was timed in one run on one machine.
"""
GROWTH = """## How time grows

CPU seconds of every method alone, on one core, k = 5, after compiling; n doubles until a run takes some seconds.
Numbers are independent and normal; columns of categories have 200 values under trees, few frequent and many rare. The
exponent is the slope of the logarithm of the time over that of n, fitted to the upper half of the sizes: 1 is linear, 2
quadratic. It holds for these sizes and such data; methods that choose another way for large tables (their pages tell)
grow otherwise beyond. `auto` is measured without the local search that follows it in a release.
"""
COMPARED = {
    "mondrian": """### Mondrian

Mixed columns without hierarchies, eight quasi-identifiers, k = 5. anonypy cuts at the median as `mondrian` does;
`mondrian-extent` looks for the cut that leaves the least extent: the mean share of its column that the values of a
class cover. Whole releases are timed: of anonypy the groups and the rows that it makes of them, of Shoal the measures
and the verification too. Groups alone are compared by `benchmarks/mondrian.py`.
""",
    "hierarchies": """### Generalization by hierarchies

The same columns, each with a hierarchy. anjana lifts whole columns level by level and may suppress 5 % of the records;
Shoal lifts each group by itself (`--recode generalize`) and suppresses none. The penalty (`gcp`) is the mean share of
its column that a released value stands for.
""",
    "numbers": """### Numbers

Five columns of numbers. scikit-learn gives no groups of k; how long it takes to find k neighbors of every record, or
n / k clusters of any size (with less loss, and records that are alone), is a measure for work of that kind.
""",
    "checks": """### Checking a table

The k, the distinct l and the t (by equal distances) of a table with four keys and a sensitive column.
""",
}
SHOWN = {
    "data": "table",
    "records": "records",
    "tool": "tool",
    "seconds": "s",
    "cpu_seconds": "CPU s",
    "peak_mb": "memory, MB",
    "classes": "classes",
    "min_class": "smallest",
    "extent": "extent",
    "gcp": "penalty",
    "information_loss": "loss, %",
    "found_k": "k",
    "l": "l",
    "t": "t",
}
"""What is shown of a comparison, and its head."""
RECORDED = """### Recorded elsewhere

Figures of tools that do not run here, from another machine; they tell the order of magnitude.
"""


def pages(found: Mapping[str, Facts], folder: Path) -> dict[Path, str]:
    """The page and its figures, by their paths."""
    drawn = {folder / "figures" / f"{name}.svg": text for name, text in drawings(found).items()}
    return {folder / "benchmarks.md": page(found), **drawn}


def page(found: Mapping[str, Facts]) -> str:
    """The page, from all results."""
    parts = [HEAD, *(f"{line}\n" for line in machines(found))]
    known = drawings(found)
    if "growth" in found:
        parts += [GROWTH, *image(known, "growth", "CPU seconds by records"), *growth_tables(found["growth"]["figures"])]
    if "against_peers" in found:
        parts += ["## Beside other tools\n", *image(known, "peers", "seconds by records, of Shoal and others")]
        parts += [
            *image(known, "peers-loss", "extent and seconds on Adult"),
            *comparison_tables(found["against_peers"]["figures"]),
        ]
    if "methods" in found:
        parts += ["## Loss against time\n", *image(known, "loss", "loss and seconds of every method")]
    for name in found:
        if name not in ("growth", "against_peers"):
            parts += [f"## {title(name)}\n", f"`benchmarks/{name}.py`\n", *plain_tables(found[name]["figures"])]
    return "\n".join(parts)


def machines(found: Mapping[str, Facts]) -> list[str]:
    """What the figures were taken on, each machine once."""
    told: dict[str, list[str]] = {}
    for name, each in found.items():
        facts = each["machine"]
        versions = ", ".join(f"{package} {number}" for package, number in facts["versions"].items())
        line = (
            f"{facts['cores']} cores of {facts['processor']}, {facts['memory_gb']} GB, {facts['system']}, Python"
            f" {facts['python']}, {versions}"
        )
        told.setdefault(line, []).append(name)
    if len(told) == 1:
        return [f"Measured on {next(iter(told))}."]
    return [f"Measured on {line}: {', '.join(names)}." for line, names in told.items()]


def image(known: Mapping[str, str], name: str, words: str) -> list[str]:
    return [f"![{words}](figures/{name}.svg)\n"] if name in known else []


def growth_tables(facts: Sequence[Facts]) -> Iterator[str]:
    """The growth of every method, then what some of them take by columns and by k."""
    by_records = [each for each in facts if each["by"] == "records"]
    head = ["method", "exponent", "from n", "to n", "CPU s there"]
    for data, members in groupby(sorted(by_records, key=lambda each: each["data"]), key=lambda each: each["data"]):
        rows = [
            [_method(each["method"]), f"{each['exponent']:.2f}", each["from"], each["to"], each["seconds"]]
            for each in sorted(members, key=lambda each: each["method"])
        ]
        yield f"{data[0].upper()}{data[1:]}:\n"
        yield table(head, rows)
    rest = [each for each in facts if each["by"] != "records"]
    for by, members in groupby(sorted(rest, key=lambda each: each["by"]), key=lambda each: each["by"]):
        found = list(members)
        yield f"CPU seconds by {by}, {found[0]['records']:,} records:\n"
        sizes = [f"{size}" for size, _ in found[0]["ladder"]]
        rows = [[_method(each["method"]), f"{each['exponent']:.2f}", *(s for _, s in each["ladder"])] for each in found]
        yield table(["method", "exponent", *sizes], rows)


def comparison_tables(facts: Sequence[Facts]) -> Iterator[str]:
    """Each comparison as a table, then what was recorded elsewhere."""
    for comparison, about in COMPARED.items():
        members = [each for each in facts if each["comparison"] == comparison]
        if not members:
            continue
        shown = {key: head for key, head in SHOWN.items() if any(key in each for each in members)}
        rows = [
            [each.get("failed") if key == "seconds" and "failed" in each else each.get(key) for key in shown]
            for each in members
        ]
        yield about
        versions = {each["tool"].partition(" ")[0]: each["version"] for each in members if "version" in each}
        peers = ", ".join(f"{tool} {number}" for tool, number in versions.items() if tool != "shoal")
        yield table(list(shown.values()), rows)
        if peers:
            yield f"Peers: {peers}.\n"
    yield RECORDED
    yield from plain_tables(recorded_elsewhere())


def plain_tables(facts: Sequence[Facts]) -> Iterator[str]:
    """Figures as they were printed: a table for those that follow each other and tell the same things."""
    for keys, members in groupby(facts, key=lambda each: [key for key in each if not isinstance(each[key], list)]):
        yield table([key.replace("_", " ") for key in keys], [[each[key] for key in keys] for each in members])


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *([_cell(value) for value in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def title(name: str) -> str:
    """What a benchmark is about: the beginning of its docstring."""
    source = FOLDER / f"{name}.py"
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) if source.exists() else None
    return (text or name).partition("\n")[0].partition(":")[0].removesuffix(".").replace("`", "")


def _method(name: str) -> str:
    return f"[`{name}`](methods/{name}.md)"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value).replace("|", "\\|")
