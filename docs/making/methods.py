"""Pages of the methods: an index by family, and one page a method from its docstring."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from making.markdown import unindented
from shoal.partition.registry import Method, methods
from shoal.report.text import grown, power, takes

INDEX = """# The methods

Made by `python docs/make.py` from the registry and the docstrings; `shoal methods` prints the same facts. Every method
takes k and gives groups of at least k records; `--method NAME` chooses it, and `--option NAME=VALUE` sets an option.
`shoal reproduce` runs them on the data sets of the literature and prints the papers' figures beside ours.

The cost is what the algorithm promises; the last column is what was measured: the power of the number of records that
the time goes with, on one core and k = 5 ([benchmarks.md](benchmarks.md) tells how, and how long it takes).
"""


def index(known: list[Method]) -> str:
    """The methods by family."""
    parts = [INDEX]
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
    body = unindented(method.text.partition("\n")[2].strip().replace("Notes\n-----\n", ""))
    body = re.sub(r"^\*(\w[^*\n]*)\*:?\s*", r"## \1\n\n", body, flags=re.MULTILINE)
    body = re.sub(r"^(\s+)([a-z]\. )", r"\1- \2", body, flags=re.MULTILINE)
    lines = [
        line[0].upper() + line[1:] if before == "" and line[:1].islower() else line for before, line in _pairs(body)
    ]
    return f"# {method.name}\n\n{method.summary}\n\n| | |\n|---|---|\n{table}\n\n" + "\n".join(lines) + "\n"


def _pairs(text: str) -> list[tuple[str, str]]:
    """Each line with the one before it."""
    lines = text.splitlines()
    return list(zip(["-", *lines], lines, strict=False))


def pages(docs: Path) -> dict[Path, str]:
    known = sorted(methods().values(), key=lambda method: (method.family, method.name))
    return {
        docs / "methods.md": index(known),
        **{docs / "methods" / f"{method.name}.md": page(method) for method in known},
    }
