"""Printed figures beside ours: as text, csv and one HTML page, from the plain data of a reproduction."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from shoal.report import html
from shoal.report.charts import Line, lines
from shoal.report.text import columns

Facts = Mapping[str, Any]
MEASURES = {"information_loss": "information loss in percent", "sse": "sum of squared errors"}
_HEAD = ["Method", "k", "Published", "Ours", "Difference", "Verdict", "Seconds", "Theirs", "Note, other readings"]
_NUMBERS = frozenset({1, 2, 3, 4, 6, 7})
_BASES = (
    "Multi-DSort is printed beside methods that were run on standardized columns, and below all of them. Where the"
    " printed figure is below the lower bound of the standardized columns, no partition at all can reach it there: that"
    " is a proof. On raw columns, where the column with the largest unit decides nearly everything, the"
    " method gives what is printed (see the notes), and MDAV-1 loses less there too. The printed rows cannot be"
    " compared. EIA has 11 columns here."
)


def text(facts: Facts) -> str:
    """The tables, the notes and the summary, for a terminal."""
    notes = _Notes(facts["cells"])
    parts = []
    for cells in _tables(facts):
        rows = [_HEAD, *(_row(cell, notes) for cell in cells)]
        parts += [_title(cells[0]), *columns(rows, right=_NUMBERS), ""]
    for number, note in enumerate(notes.all, 1):
        parts += textwrap.wrap(f"[{number}] {note}", 110, subsequent_indent="    ")
    if facts["bases"]:
        head, rows = _base_rows(facts)
        parts += ["", "The base decides: Multi-DSort and MDAV-1 on standardized and on raw columns, in percent"]
        parts += [*columns([head, *rows], right=frozenset(range(2, 7))), "", *textwrap.wrap(_BASES, 110)]
    return "\n".join([*parts, "", summary(facts)])


def summary(facts: Facts) -> str:
    """How many cells got which verdict."""
    counts = facts["summary"]
    return f"{sum(counts.values())} printed cells: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items())


def table(facts: Facts) -> str:
    """The cells as csv."""
    target = io.StringIO()
    names = [name for name in facts["cells"][0] if name != "also"] if facts["cells"] else []
    writer = csv.DictWriter(target, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(facts["cells"])
    return target.getvalue()


def page(facts: Facts) -> str:
    """Everything as one HTML page."""
    notes = _Notes(facts["cells"])
    counts = facts["summary"]
    explained = "".join(f"<li>{escape(note)}</li>" for note in notes.all)
    sections = [
        html.section(
            "Every printed figure",
            html.table(["Verdict", "Cells"], ([v, str(n)] for v, n in counts.items()), numbers=frozenset({1})),
            html.paragraph(
                "Exact: all printed digits are ours. Better: ours is lower by more than 1 %. Worse: ours is higher by"
                " more than 1 %; a note says why. Seconds are those of one run on one thread,"
                " after compiling; theirs are those that the paper prints."
            ),
        ),
        *(
            html.section(
                _title(cells[0]),
                html.table(_HEAD, (_row(cell, notes) for cell in cells), numbers=_NUMBERS, long=frozenset({8})),
            )
            for cells in _tables(facts)
        ),
        html.section("Notes", f"<ol>{explained}</ol>"),
    ]
    if facts["bases"]:
        head, rows = _base_rows(facts)
        sections.append(
            html.section(
                "The base decides", html.table(head, rows, numbers=frozenset(range(2, 7))), html.paragraph(_BASES)
            )
        )
    sections += _plots(facts)
    sections.append(
        html.section(
            "Papers",
            "<ul>",
            *(f"<li>{escape(f'{key}: {paper}')}</li>" for key, paper in facts["papers"].items()),
            "</ul>",
        )
    )
    made = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    return html.document(
        "Printed figures beside ours",
        f'<p class="by">Made by Shoal {escape(facts["versions"]["shoal"])}.</p>',
        f'<p class="verdict"><strong>{escape(summary(facts))}.</strong></p>',
        *sections,
        f"<footer>Made with {escape(made)}. Data: {escape('; '.join(facts['datasets'].values()))}.</footer>",
        wide=True,
    )


def _tables(facts: Facts) -> Iterator[list[Facts]]:
    for _, cells in groupby(facts["cells"], key=lambda cell: (cell["paper"], cell["table"], cell["dataset"])):
        yield list(cells)


def _title(cell: Facts) -> str:
    return f"{cell['paper']}, {cell['table']}: {cell['dataset']}, {MEASURES[cell['measure']]}"


class _Notes:
    """The explanations, numbered in the order in which they are first needed."""

    def __init__(self, cells: Sequence[Facts]) -> None:
        self.meant: dict[tuple[str, str], dict[str, None]] = {}
        for cell in cells:
            if cell["explanation"]:
                self.meant.setdefault(_why(cell), {})[cell["method"]] = None

    @property
    def all(self) -> list[str]:
        return [f"{', '.join(methods)} ({kind}): {why}" for (kind, why), methods in self.meant.items()]

    def mark(self, cell: Facts) -> str:
        marks = [f"[{list(self.meant).index(_why(cell)) + 1}]"] if cell["explanation"] else []
        marks += [f"{other['reading']}: {_like(other['value'], cell['published'])}" for other in cell["also"]]
        return "; ".join(marks)


def _why(cell: Facts) -> tuple[str, str]:
    return cell["definition"], cell["explanation"]


def _like(value: float, printed: str) -> str:
    """A figure with as many digits as the printed one."""
    return f"{value:.{len(printed.partition('.')[2])}f}"


def _row(cell: Facts, notes: _Notes) -> list[str]:
    ours, seconds, theirs = cell["ours"], cell["seconds"], cell["published_seconds"]
    return [
        cell["method"],
        str(cell["k"]),
        cell["published"],
        "–" if ours is None else _like(ours, cell["published"]),
        "–" if ours is None else "0" if cell["verdict"] == "exact" else f"{cell['difference_percent']:+.2f} %",
        cell["verdict"],
        "" if seconds is None else f"{seconds:.3f}",
        "" if theirs is None else f"{theirs:,}",
        notes.mark(cell),
    ]


def _base_rows(facts: Facts) -> tuple[list[str], list[list[str]]]:
    head = ["Data set", "Columns", "k", "Multi-DSort printed", "Multi-DSort", "MDAV-1", "Lower bound"]
    rows = [
        [row["dataset"], row["base"], str(row["k"]), row["published"]]
        + [f"{row[name]:.4f}" for name in ("multi_dsort", "mdav_1", "lower_bound")]
        for row in facts["bases"]
    ]
    return head, rows


def _plots(facts: Facts) -> Iterator[str]:
    """Loss and time against k, for each data set, of all methods."""
    for dataset, found in groupby(facts["comparison"], key=lambda row: row["dataset"]):
        rows = list(found)
        names = list(dict.fromkeys(row["method"] for row in rows))
        families = list(dict.fromkeys(row["family"] for row in rows))

        def series(measure: str, rows: list[Facts] = rows, families: list[str] = families) -> list[Line]:
            return [
                Line(
                    name,
                    [(row["k"], max(row[measure], 1e-4)) for row in members],
                    families.index(members[0]["family"]),
                )
                for name, group in groupby(rows, key=lambda row: row["method"])
                for members in [list(group)]
            ]

        levels = sorted({row["k"] for row in rows})
        loss = {(row["method"], row["k"]): row["information_loss"] for row in rows}
        took = {(row["method"], row["k"]): row["seconds"] for row in rows}
        yield html.section(
            f"All methods on {dataset}: loss against k",
            lines(
                series("information_loss"), f"Information loss of all methods on {dataset}", across="k", up="loss (%)"
            ),
            html.table(
                ["Method", *(f"k = {k}" for k in levels)],
                (
                    [name, *(f"{loss[name, k]:.4f}" for k in levels)]
                    for name in sorted(names, key=lambda n: loss[n, levels[0]])
                ),
                numbers=frozenset(range(1, len(levels) + 1)),
            ),
            html.paragraph("Standardized columns, information loss in percent, the best at the smallest k first."),
        )
        yield html.section(
            f"All methods on {dataset}: time against k",
            lines(
                series("seconds"),
                f"Seconds of all methods on {dataset}",
                across="k",
                up="seconds",
                logarithmic=True,
            ),
            html.table(
                ["Method", *(f"k = {k}" for k in levels)],
                (
                    [name, *(f"{took[name, k]:.3f}" for k in levels)]
                    for name in sorted(names, key=lambda n: took[n, levels[0]])
                ),
                numbers=frozenset(range(1, len(levels) + 1)),
            ),
        )
