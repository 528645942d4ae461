"""Write the pages that are made: the command line, the measures, each method, and the benchmarks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import click

from shoal.cli.main import COMMANDS, shoal
from shoal.measure import Measure, measures
from shoal.partition.registry import Method, methods
from shoal.report.text import FAMILIES, grown, power, takes

DOCS = Path(__file__).parent
sys.path.append(str(DOCS.resolve().parent / "benchmarks"))
COMMAND_LINE = """# The command line

Made by `python docs/make.py` from the commands themselves.

Exit codes: 0 done; 2 bad input; 3 the promise cannot be kept or a verification failed; 1 a bug in Shoal;
130 interrupted. Messages go to standard error, results to standard output; `--json` prints stable keys.
"""
METHODS = """# The methods

Made by `python docs/make.py` from the registry and the docstrings; `shoal methods` prints the same facts. Every method
takes k and gives groups of at least k records; `--method NAME` chooses it, and `--option NAME=VALUE` sets an option.
`shoal reproduce` runs them on the data sets of the literature and prints the papers' figures beside ours.

The cost is what the algorithm promises; the last column is what was measured: the power of the number of records that
the time goes with, on one core and k = 5 ([benchmarks.md](benchmarks.md) tells how, and how long it takes).
"""
MEASURES = """# The measures

Made by `python docs/make.py` from the registry; `shoal measures NAME` prints the same facts. `release.evaluation` and
`shoal evaluate` hold all that one look at every record tells; those marked *on request* take longer and are run by
`release.evaluate("all")`, `shoal.evaluate(..., measures="all")` and `shoal evaluate --measures all`, or by name. A
figure that does not apply to a table is None. x is an original value, x′ the released one.
"""


def commands(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words of a command, then those of its subcommands."""
    yield path
    for name, part in getattr(command, "commands", {}).items():
        yield from commands(part, (*path, name))


def help_of(path: tuple[str, ...]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "shoal", *path, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "100"},
    )
    return done.stdout.strip()


def command_line() -> str:
    context = click.Context(shoal)
    known = [path for name in COMMANDS for path in commands(shoal.get_command(context, name), (name,))]
    parts = [f"{'#' * (len(path) + 1)} shoal {' '.join(path)}\n\n```text\n{help_of(path)}\n```\n" for path in known]
    return "\n".join([COMMAND_LINE, *parts])


def index(known: list[Method]) -> str:
    """The methods by family."""
    parts = [METHODS]
    for family, members in groupby(known, key=lambda method: method.family):
        found = list(members)
        rows = "\n".join(
            f"| [`{method.name}`](methods/{method.name}.md) | {method.summary} | {method.year} |"
            f" k to {method.largest} | {method.cost} | {power(method.to_dict()['growth'])} |"
            for method in found
        )
        parts.append(
            f"## {family}\n\n{found[0].about_family}\n\n| method | what it does | year | groups | cost | measured |\n"
            f"|---|---|---|---|---|---|\n{rows}\n"
        )
    return "\n".join(parts)


def measured(known: Sequence[Measure]) -> str:
    """The measures by family: a table, then each with its formula."""
    parts = [MEASURES]
    for family, members in groupby(known, key=lambda measure: measure.family):
        found = list(members)
        rows = "\n".join(
            f"| [`{measure.name}`](#{measure.name}) | {measure.summary} | {measure.unit or '–'} |"
            f" {cell(measure.good)}{' (on request)' if measure.searching else ''} |"
            for measure in found
        )
        parts.append(
            f"## {family}: {FAMILIES[family]}\n\n| measure | what it is | unit | good |\n|---|---|---|---|\n{rows}\n"
        )
        parts += [about(measure) for measure in found]
    return "\n".join(parts)


def about(measure: Measure) -> str:
    """One measure: its facts, then what more its docstring says."""
    facts = {
        "formula": measure.formula,
        "range": measure.range,
        "good": measure.good,
        "in words": measure.sentence.format_map(defaultdict(lambda: "…", column="the column")),
        "reference": measure.reference,
    }
    rows = "\n".join(f"| {name} | {cell(value)} |" for name, value in facts.items() if value)
    more = measure.notes.replace("``", "`")
    text = f"### {measure.name}\n\n{measure.summary}\n\n| | |\n|---|---|\n{rows}\n"
    return f"{text}\n{more}\n" if more else text


def cell(text: str) -> str:
    """A text inside a table."""
    return text.replace("|", "\\|")


def page(method: Method) -> str:
    """One method: its facts, then its docstring with headings."""
    growth = method.to_dict()["growth"]
    facts = {
        "family": method.family,
        "takes": takes(method.to_dict()),
        "groups": f"k to {method.largest} records",
        "cost": method.cost,
        "time measured": grown(growth) if growth else "not yet",
        "options": ", ".join(f"`{name}` = {value}" for name, value in method.options.items()) or "none of its own",
        "paper": method.paper,
        "year": method.year,
    }
    table = "\n".join(f"| {name} | {value} |" for name, value in facts.items())
    body = method.text.partition("\n")[2].strip().replace("Notes\n-----\n", "").replace("``", "`")
    body = re.sub(r"^\*(\w[^*\n]*)\*:?\s*", r"## \1\n\n", body, flags=re.MULTILINE)
    body = re.sub(r"^(\s+)([a-z]\. )", r"\1- \2", body, flags=re.MULTILINE)
    lines = [
        line[0].upper() + line[1:] if before == "" and line[:1].islower() else line for before, line in pairs(body)
    ]
    return f"# {method.name}\n\n{method.summary}\n\n| | |\n|---|---|\n{table}\n\n" + "\n".join(lines) + "\n"


def pairs(text: str) -> list[tuple[str, str]]:
    """Each line with the one before it."""
    lines = text.splitlines()
    return list(zip(["-", *lines], lines, strict=False))


def pages() -> dict[Path, str]:
    """Every page that is made, by its path."""
    from measuring.kept import results
    from measuring.page import made as benchmarks

    known = sorted(methods().values(), key=lambda method: (method.family, method.name))
    return {
        DOCS / "command-line.md": command_line(),
        DOCS / "methods.md": index(known),
        DOCS / "measures.md": measured(list(measures().values())),
        **{DOCS / "methods" / f"{method.name}.md": page(method) for method in known},
        **benchmarks(results(), DOCS),
    }


if __name__ == "__main__":
    made = pages()
    for old in {*(DOCS / "methods").glob("*.md"), *(DOCS / "figures").glob("*.svg")} - set(made):
        old.unlink()
    for folder in ("methods", "figures"):
        (DOCS / folder).mkdir(exist_ok=True)
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
