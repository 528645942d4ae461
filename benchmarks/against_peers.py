"""Shoal beside other tools on the same tables, in one run: seconds, memory, and what the releases lost.

    SHOAL_DATA=folder python benchmarks/against_peers.py [--limit 300] [--quick] [--json]

Every tool runs in a process of its own (`benchmarks/peers/`) and reads the same csv file; the clock counts the work
alone, from a table in memory to a release, without reading and writing. A peer that takes longer than the limit is
stopped. All releases are measured by `shoal.evaluate`. Peers have virtual environments of their own, which are made
when they are needed; one that cannot be installed is passed over. Of Shoal the second run counts: the first one
compiles.

Adult is read from the folder named in SHOAL_DATA, or from ../shared/data; the register is made up.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from measuring import environments
from measuring.datasets import ADULT, ADULT_COLUMNS, missing
from measuring.output import Output, parser

import shoal

K = 5
SCRIPTS = Path(__file__).resolve().parent / "peers"
MIXED = ("age", "sex", "region", "marital_status", "education", "occupation", "household_size", "visits")
NUMBERS = ("age", "height_cm", "income", "length_of_stay", "treatment_cost")
KEYS = ("age", "sex", "region", "marital_status")
SUPPRESSION = 0.05
"""The share of the records that a peer may suppress where it recodes whole columns; Shoal suppresses none here."""
STEPS, BRANCH = 16, 4
"""Intervals on the lowest level of a hierarchy of numbers, and the children of a node of one of words."""


@dataclass(frozen=True)
class Data:
    """A table as a file, and what stands in it."""

    name: str
    path: Path
    frame: pl.DataFrame
    columns: Sequence[str]
    sensitive: str
    hierarchies: Mapping[str, str] = field(default_factory=dict)

    @property
    def numeric(self) -> list[str]:
        return [name for name in self.columns if self.frame[name].dtype.is_numeric()]


@dataclass(frozen=True)
class Tool:
    """A script of the folder of peers, and its arguments besides the table."""

    name: str
    script: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    home: str = ""
    """The environment of a peer; ours where there is none."""


def ours(method: str, **arguments: str) -> Tool:
    return Tool(f"shoal {method}", "shoal_release", {"method": method, **arguments})


ANONYPY = Tool("anonypy Mondrian", "anonypy_mondrian", home="anonypy")
ANJANA = Tool("anjana k_anonymity", "anjana_recoding", {"suppression": SUPPRESSION}, home="anjana")
PYCANON = Tool("pycanon", "pycanon_check", home="pycanon")
PRIMITIVES = [
    *(
        Tool(f"sklearn {name.replace('_', ' ')}", "sklearn_primitives", {"primitive": name})
        for name in ("ball_tree", "kd_tree")
    ),
    Tool("sklearn k-means", "sklearn_primitives", {"primitive": "k-means"}),
]
COMPARISONS: Mapping[str, Sequence[Tool]] = {
    "mondrian": [ANONYPY, ours("mondrian"), ours("mondrian-extent")],
    "hierarchies": [ANJANA, *(ours(name, recode="generalize") for name in ("mondrian", "mondrian-extent"))],
    "numbers": [*PRIMITIVES, *(ours(name) for name in ("mdav", "mondrian", "k-means", "tour-mhm"))],
    "checks": [PYCANON, Tool("shoal verify", "shoal_check")],
}


def write_table(frame: pl.DataFrame, name: str, columns: Sequence[str], sensitive: str, folder: Path) -> Data:
    """Write a table without missing values: a missing category is a category of its own, for peers too."""
    some = frame.select(*columns, sensitive).with_columns(pl.col(pl.String).fill_null("unknown"))
    path = folder / f"{name}_{some.height}.csv"
    some.write_csv(path)
    return Data(name, path, some, columns, sensitive)


def with_hierarchies(data: Data, folder: Path) -> Data:
    """The same with a hierarchy file a column, as ARX writes them: intervals, or words four by four in their order."""
    made: dict[str, str] = {}
    for name in data.columns:
        values = data.frame[name].unique().sort().to_list()
        ways = intervals(values) if name in data.numeric else branches(values)
        path = folder / f"{data.path.stem}_{name}.hierarchy.csv"
        path.write_text("".join(f"{';'.join(way)}\n" for way in ways), encoding="utf-8")
        made[name] = str(path)
    return Data(data.name, data.path, data.frame, data.columns, data.sensitive, made)


def intervals(values: Sequence[int]) -> list[list[str]]:
    """Whole numbers under intervals of twice the width on each level."""
    low, span = values[0], values[-1] - values[0] + 1
    widths = [-(-span // STEPS)]
    while 2 * widths[-1] < span:
        widths.append(2 * widths[-1])

    def at(value: int, width: int) -> str:
        start = low + (value - low) // width * width
        return f"[{start} to {min(start + width - 1, values[-1])}]"

    return [[str(value), *(at(value, width) for width in widths), "*"] for value in values]


def branches(values: Sequence[str]) -> list[list[str]]:
    """Words under nodes of four neighbors in their order, these under nodes of four, and so on."""
    levels = [1]
    while levels[-1] * BRANCH < len(values):
        levels.append(levels[-1] * BRANCH)
    return [[value, *(f"{size}-{i // size}" for size in levels[1:]), "*"] for i, value in enumerate(values)]


def run_tool(tool: Tool, data: Data, release: Path, limit: float) -> dict[str, Any]:
    """Figures of a tool, or why there are none."""
    python = environments.python(tool.home) if tool.home else Path(sys.executable)
    if python is None:
        return {"failed": "could not be installed"}
    arguments = {
        "table": str(data.path),
        "release": str(release),
        "k": K,
        "columns": list(data.columns),
        "numeric": data.numeric,
        "sensitive": data.sensitive,
        "hierarchies": data.hierarchies,
        **tool.arguments,
    }
    request = release.with_suffix(".request.json")
    request.write_text(json.dumps(arguments), encoding="utf-8")
    command = [str(python), str(SCRIPTS / f"{tool.script}.py"), str(request)]
    alone = {name: value for name, value in os.environ.items() if not (tool.home and name == "PYTHONPATH")}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit, env=alone)
    except subprocess.TimeoutExpired:
        return {"failed": f"stopped after {limit:g} s"}
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return {"failed": "ended with an error"}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def evaluate_release(data: Data, release: Path) -> dict[str, Any]:
    """What a release lost, by our own measures; nothing where there is no release."""
    if not release.exists():
        return {}
    trees = {name: path for name, path in data.hierarchies.items() if name not in data.numeric}
    found = shoal.evaluate(data.path, release, quasi_identifiers=data.columns, k=K, hierarchies=trees)
    figures = {name: found.loss.get(name) for name in ("extent", "gcp", "information_loss")}
    if data.numeric != list(data.columns):
        del figures["information_loss"]
    if not trees:
        del figures["gcp"]
    counts = {name: int(found.after[name] or 0) for name in ("classes", "min_class", "k_violations")}
    return {**counts, **{name: float(f"{value:.4g}") for name, value in figures.items() if value is not None}}


def tables_of(comparison: str, folder: Path, *, quick: bool) -> Iterator[Data]:
    if comparison == "checks":
        for rows in (1_000,) if quick else (10_000, 100_000, 1_000_000):
            yield write_table(shoal.example_register(rows=rows), "register", KEYS, "diagnosis", folder)
        return
    if comparison != "numbers" and ADULT.exists():
        adult = pl.read_csv(ADULT, n_rows=500 if quick else None)
        yield write_table(adult, "Adult", ADULT_COLUMNS, "income", folder)
    for rows in (500,) if quick else (1_000, 10_000, 100_000):
        register, columns = shoal.example_register(rows=rows), NUMBERS if comparison == "numbers" else MIXED
        yield write_table(register, "register", columns, "diagnosis", folder)


def compare(comparison: str, data: Data, folder: Path, limit: float) -> Iterator[dict[str, Any]]:
    if comparison == "hierarchies":
        data = with_hierarchies(data, folder)
    for number, tool in enumerate(COMPARISONS[comparison]):
        release = folder / f"{data.path.stem}_{comparison}_{number}.release.csv"
        facts = {"comparison": comparison, "data": data.name, "records": data.frame.height, "k": K, "tool": tool.name}
        found = run_tool(tool, data, release, limit)
        rounded = {
            name: float(f"{each:.3g}") if name.endswith("seconds") else each
            for name, each in found.items()
            if "first" not in name
        }
        if comparison == "checks":  # the k of a check is what was found
            rounded["found_k"] = rounded.pop("k", None)
        yield {**facts, **rounded, **evaluate_release(data, release)}


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--limit", type=float, help="seconds after which a peer is stopped; 300 if not said")
    asked.add_argument("--only", choices=COMPARISONS, help="one of the comparisons")
    given = asked.parse_args()
    output, limit = Output(as_json=given.json), given.limit or (60 if given.quick else 300)
    if not ADULT.exists():
        print(missing(ADULT), file=sys.stderr)
    for comparison in [given.only] if given.only else COMPARISONS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for data in tables_of(comparison, folder, quick=given.quick):
                output.note(f"\n{comparison}: {data.name}, {data.frame.height:,} x {len(data.columns)}, k = {K}")
                for facts in compare(comparison, data, folder, limit):
                    shown = {key: facts[key] for key in list(facts)[5:] if key != "version"}
                    line = "  ".join(f"{key} {value}" for key, value in shown.items())
                    output.record(facts, f"  {facts['tool']:26s} {line}")


if __name__ == "__main__":
    main()
