"""The page that sums up how good Shoal is, from what reproductions and benchmarks found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from making.markdown import table

Facts = Mapping[str, Any]
HEAD = """# How good is it

Made by `python docs/make.py` from `benchmarks/results/`, by these commands and by nothing else:

| what | command | details |
|---|---|---|
| printed figures of papers | `shoal reproduce`, in a checkout; `python benchmarks/run_all.py --only reproduction` keeps the counts | [data.md](data.md), [methods.md](methods.md) |
| other tools | `make bench` | [benchmarks.md](benchmarks.md), [speed.md](speed.md) |
| how time grows | `make bench` | [benchmarks.md](benchmarks.md) |
| how near to the best possible | `python benchmarks/local_search.py` | [optimality.md](optimality.md) |
| the same figures as sdcMicro, ARX and pycanon | the tests | [coming-from/sdcmicro.md](coming-from/sdcmicro.md), [coming-from/arx.md](coming-from/arx.md), [coming-from/pycanon.md](coming-from/pycanon.md) |
"""  # noqa: E501 - rows of a table
PAPERS = {
    "mahmood-2012": "Mahmood, Kabir and Mustafa, 2012",
    "alarte-2018": "Alarte Aleixandre, 2018",
    "veltmann-2022": "Veltmann, 2022",
    "padmaja-2021": "Padmaja and Santhi, 2021",
}
PRINTED = """## Printed figures

Each figure that a paper prints for a method beside what Shoal's method of that name gives on the same data. *Exact*:
all printed digits are ours. *Better* and *worse*: ours loses less or more, by more than 1 %. *Other*: not comparable,
since the text leaves something open. In a checkout, `shoal reproduce` explains every difference, cell by cell.
"""
PEERS = """## Beside other tools

The same table, the same columns, the same k, on one machine in one run. Quality is what the comparison is about: the
extent of classes (`mondrian`), the certainty penalty (`hierarchies`), the share of variation that is lost in percent
(`numbers`); lower is better. scikit-learn's k-means makes groups of any size, records that are alone among them, so
that it loses less and protects nobody.
"""
QUALITY = {"mondrian": "extent", "hierarchies": "gcp", "numbers": "information_loss"}
GROWTH = """## How time grows

The power of the number of records that the time of a method goes with, measured on one core; 1 is linear, 2 quadratic.
"""
BEST = """## How near to the best possible

On Tarragona and Census with k = 3, 4 and 5, what `auto` finds with the effort `best` is within 1 % of a proven lower
bound: no method can ever save more. [optimality.md](optimality.md) has the table, and tells where the bound is loose.
"""


def printed_figures(figures: Sequence[Facts]) -> str:
    verdicts = [name for name in figures[0] if name not in ("paper", "table", "cells")]
    verdicts = [name for name in verdicts if name != "no data" or any(each[name] for each in figures)]
    rows = [
        (PAPERS.get(each["paper"], each["paper"]), each["table"], each["cells"], *(each[name] for name in verdicts))
        for each in figures
    ]
    total = [sum(each[name] for each in figures) for name in ("cells", *verdicts)]
    rows.append(("**in all**", "", *(f"**{number:,}**" for number in total)))
    return PRINTED + "\n" + table(["paper", "table", "cells", *verdicts], rows)


def comparisons(figures: Sequence[Facts]) -> str:
    rows = [row for each in _cases(figures) for row in _beside(each)]
    head = ["comparison", "table", "records", "other tool", "s", "quality", "Shoal", "s", "quality"]
    return PEERS + "\n" + table(head, rows)


def _cases(figures: Sequence[Facts]) -> Iterator[list[Facts]]:
    for _, members in groupby(figures, key=lambda each: (each["comparison"], each["data"], each["records"])):
        yield list(members)


def _beside(case: Sequence[Facts]) -> Iterator[tuple[object, ...]]:
    """Each other tool that gives groups or counts, beside the tool of Shoal with the best quality."""
    quality = QUALITY.get(case[0]["comparison"])
    ours = [each for each in case if each["tool"].startswith("shoal")]
    best = min(ours, key=lambda each: each.get(quality, 0))
    for each in case:
        if each in ours or (quality and quality not in each and "failed" not in each):
            continue
        theirs = (each.get("failed") or _figure(each["seconds"]), _figure(each.get(quality)))
        own = (_figure(best["seconds"]), _figure(best.get(quality)))
        name = best["tool"].removeprefix("shoal ")
        yield each["comparison"], each["data"], f"{each['records']:,}", each["tool"], *theirs, f"`{name}`", *own


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def growth(figures: Sequence[Facts]) -> str:
    bands = (("up to 1.1", 1.1), ("1.1 to 1.5", 1.5), ("1.5 to 1.8", 1.8), ("above 1.8", 9.0))
    rows, low = [], -9.0
    for name, high in bands:
        found = [each for each in figures if each["by"] == "records" and low < each["exponent"] <= high]
        links = ", ".join(f"[`{each['method']}`](methods/{each['method']}.md)" for each in found)
        rows.append((name, len(found), links))
        low = high
    return GROWTH + "\n" + table(["power", "methods", "which"], rows)


def page(results: Mapping[str, Facts]) -> str:
    parts = [HEAD]
    if "reproduction" in results:
        parts.append(printed_figures(results["reproduction"]["figures"]))
    parts.append(BEST)
    if "against_peers" in results:
        parts.append(comparisons(results["against_peers"]["figures"]))
    if "growth" in results:
        parts.append(growth(results["growth"]["figures"]))
    return "\n".join(parts)


def pages(docs: Path, results: Mapping[str, Facts]) -> dict[Path, str]:
    return {docs / "how-good.md": page(results)}
