"""Reproduction of published tables as text, csv and HTML, from its plain data."""

from __future__ import annotations

import csv
import io
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from shoal.errors.messages import pluralize
from shoal.report import html
from shoal.report.text_layout import align_columns
from shoal_reproduction.line_chart import ChartLine, line_chart

Facts = Mapping[str, Any]
MEASURES = {
    "information_loss": "information loss in percent",
    "sse": "sum of squared errors",
    "semantic_loss": "semantic loss in percent",
    "global_risk": "global risk in percent",
    "classes": "number of classes",
    "c_avg": "mean class size / k",
    "count": "counts of the data",
    "percent": "counts of the data in percent of the records",
}
_BASE = {
    "information_loss": "information loss in percent on standardized columns",
    "semantic_loss": "semantic loss in percent",
}
_HEAD = ["Method", "k", "Published", "Ours", "Difference", "Verdict", "Seconds", "Theirs", "Note"]
_NUMBERS = frozenset({1, 2, 3, 4, 6, 7})
COLUMNS = (
    *("paper", "table", "dataset", "method", "k", "measure", "published", "ours", "difference_percent", "verdict"),
    *("seconds", "published_seconds", "reading", "definition", "explanation", "also"),
)
"""Columns of the csv file."""
_INTRODUCTION = (
    "Exact: all printed digits are ours. Better: ours is lower by more than 1 %; worse: higher by more than 1 %; the"
    " notes say why. Other: the data as it is has not the printed count, or the figure is that of another hierarchy"
    " or sample, or of classes below k, and cannot be called better or worse. A note is open where the text leaves"
    " room for several readings, of which one is ours. Seconds are those of one run on one thread, after compiling,"
    " and on categories those of the method alone, without encoding; on ten records the least of five. Theirs are"
    " those that the papers print: alarte-2018 of a Core i7-4770K, padmaja-2021 of a machine that it does not name."
)
_BASES_HEAD = ["Data set", "Columns", "k", "Multi-DSort printed", "Multi-DSort", "MDAV-1", "Lower bound", ""]
_BASES_TEXT = (
    "Multi-DSort is printed beside methods that were run on standardized columns, and below all of them. Where the"
    " printed figure is below the lower bound of the standardized columns, no partition at all can reach it there: that"
    " is a proof. On the raw columns that the notes tell, where the column with the largest unit decides nearly"
    " everything, the method gives what is printed, but for records that the printed figures leave out; and MDAV-1"
    " loses less there too. The printed rows cannot be compared."
)
EXPERIMENTS_TITLE = "The experiments on XMondrian: C_avg, milliseconds, and records in classes below k"
_EXPERIMENTS_TEXT = (
    "Figures 12 to 14 of padmaja-2021 plot these experiments without numbers, so that there is nothing to compare"
    " ours with, and do not say which records and columns were taken. Here they are the first records of Adult, as in"
    " its example, and the first of age, workclass, marital-status and native-country. As printed, each value of a"
    " column of categories is a part, whatever its size: its C_avg is low because records stay in classes below k,"
    " which the last column counts. That is no release. The other methods leave none there. Milliseconds (ms) are the"
    " least of five runs of the method alone, on one thread, after encoding and compiling; the one as printed is not"
    " compiled."
)
_SETTING = ("records", "columns", "k")


def text(facts: Facts, *, width: int = 110) -> str:
    """Render tables, notes and summary as text."""
    notes = _Notes(facts["cells"])
    parts = [line for warning in facts["warnings"] for line in textwrap.wrap(f"Warning: {warning}", width)]
    for cells in _tables(facts):
        table = list(align_columns([_HEAD, *(_row(cell, notes) for cell in cells)], right=_NUMBERS))
        parts += ["", _title(cells[0]), table[0]]
        for cell, line in zip(cells, table[1:], strict=True):
            parts += [line, *([f"{'':8s}{_other_readings(cell)}"] if cell["also"] else [])]
    parts.append("")
    for number, note in enumerate(notes.all, 1):
        parts += textwrap.wrap(f"[{number}] {note}", width, subsequent_indent="    ")
    if facts["bases"]:
        parts += ["", "The base decides: Multi-DSort and MDAV-1 on standardized and on raw columns, in percent"]
        parts += align_columns([_BASES_HEAD, *_base_rows(facts)], right=frozenset(range(2, 7)))
        parts += ["", *textwrap.wrap(_BASES_TEXT, width)]
    if facts["experiments"]:
        head, body = experiment_rows(facts["experiments"])
        parts += ["", EXPERIMENTS_TITLE, *align_columns([head, *body], right=frozenset(range(len(head))))]
        parts += ["", *textwrap.wrap(_EXPERIMENTS_TEXT, width)]
    for dataset, rows in _by_dataset(facts):
        compared_by = {_measure(rows): _BASE[_measure(rows)]}
        if "semantic_loss" in compared_by:
            compared_by["seconds"] = "seconds"
        for measure, words in compared_by.items():
            head, body = _by_k(rows, measure)
            parts += ["", f"All methods on {dataset}: {words}"]
            parts += align_columns([head, *body], right=frozenset(range(1, len(head))))
    return "\n".join(
        [*parts, "", *textwrap.wrap(summary(facts), width), *textwrap.wrap(reasons(facts), width)]
    ).lstrip()


def summary(facts: Facts) -> str:
    """Number of cells by verdict."""
    counts = facts["summary"]
    counts_text = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    return f"{pluralize(sum(counts.values()), 'printed cell')}: {counts_text}"


def reasons(facts: Facts) -> str:
    """Reasons for cells that are better, worse or other."""
    parts = []
    for verdict in ("better", "worse", "other"):
        kinds = Counter(cell["definition"] for cell in facts["cells"] if cell["verdict"] == verdict)
        if kinds:
            parts.append(f"{verdict}: " + ", ".join(f"{number} {kind}" for kind, number in kinds.items()))
    return f"Of these, {'; '.join(parts)}." if parts else ""


def table(facts: Facts) -> str:
    """The cells as csv."""
    target = io.StringIO()
    writer = csv.DictWriter(target, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({**cell, "also": _other_readings(cell)} for cell in facts["cells"])
    return target.getvalue()


def page(facts: Facts) -> str:
    """Render an HTML page."""
    notes = _Notes(facts["cells"])
    complete = not facts["warnings"]
    sections = [
        *(html.paragraph(warning, "warning") for warning in facts["warnings"]),
        html.paragraph(_INTRODUCTION),
        *(_cells(cells, notes) for cells in _tables(facts)),
        html.section("Notes", "<ol>", *(f"<li>{escape(note)}</li>" for note in notes.all), "</ol>"),
    ]
    if facts["bases"]:
        numbers = frozenset(range(2, 7))
        sections.append(
            html.section(
                "The base decides",
                html.table(_BASES_HEAD, _base_rows(facts), numbers=numbers),
                html.paragraph(_BASES_TEXT),
            )
        )
    if facts["experiments"]:
        head, body = experiment_rows(facts["experiments"])
        experiments_table = html.table(head, body, numbers=frozenset(range(len(head))))
        sections.append(html.section(EXPERIMENTS_TITLE, experiments_table, html.paragraph(_EXPERIMENTS_TEXT)))
    for dataset, rows in _by_dataset(facts):
        sections += _comparison(dataset, rows, facts["bases"])
    papers = (f"<li>{escape(f'{key}: {paper}')}</li>" for key, paper in facts["papers"].items())
    versions_text = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    return html.document(
        "Printed figures beside ours",
        f'<p class="by">Made by Shoal {escape(facts["versions"]["shoal"])}.</p>',
        f'<p class="{"verdict" if complete else "warning"}"><strong>{escape(summary(facts))}.</strong>'
        f" {escape(reasons(facts))}</p>",
        *sections,
        html.section("Papers", "<ul>", *papers, "</ul>"),
        f"<footer>Made with {escape(versions_text)}. Data: {escape('; '.join(facts['datasets'].values()))}.</footer>",
        wide=True,
    )


def _cells(cells: Sequence[Facts], notes: _Notes) -> str:
    """Cells of one printed table; the last column has their other readings."""
    rows = [[*_row(cell, notes), _other_readings(cell)] for cell in cells]
    head = [*_HEAD, "Other readings" if any(cell["also"] for cell in cells) else ""]
    return html.section(_title(cells[0]), html.table(head, rows, numbers=_NUMBERS, long=frozenset({9})))


def _tables(facts: Facts) -> Iterator[list[Facts]]:
    named = ("paper", "table", "dataset", "measure")
    for _, cells in groupby(facts["cells"], key=lambda cell: [cell[name] for name in named]):
        yield list(cells)


def _by_dataset(facts: Facts) -> Iterator[tuple[str, list[Facts]]]:
    """Comparison of all methods by data set."""
    for dataset, rows in groupby(facts["comparison"], key=lambda row: row["dataset"]):
        yield dataset, list(rows)


def _title(cell: Facts) -> str:
    return f"{cell['paper']}, {cell['table']}: {cell['dataset']}, {MEASURES[cell['measure']]}"


class _Notes:
    """Explanations, numbered in order of first use."""

    def __init__(self, cells: Sequence[Facts]) -> None:
        meant: dict[tuple[str, str], dict[str, None]] = {}
        for cell in cells:
            if cell["explanation"]:
                meant.setdefault((cell["definition"], cell["explanation"]), {})[cell["method"]] = None
        self.all = [f"{', '.join(methods)} ({kind}): {why}" for (kind, why), methods in meant.items()]
        self.numbers = {why: number for number, why in enumerate(meant, 1)}

    def mark(self, cell: Facts) -> str:
        return f"[{self.numbers[cell['definition'], cell['explanation']]}]" if cell["explanation"] else ""


def _format_like(value: float, printed: str) -> str:
    """Format a value with as many digits as the printed one."""
    return f"{value:.{len(printed.partition('.')[2])}f}"


def _other_readings(cell: Facts) -> str:
    return "; ".join(f"{other['reading']}: {_format_like(other['value'], cell['published'])}" for other in cell["also"])


def _row(cell: Facts, notes: _Notes) -> list[str]:
    ours, seconds, theirs = cell["ours"], cell["seconds"], cell["published_seconds"]
    return [
        cell["method"],
        "" if cell["k"] is None else str(cell["k"]),
        cell["published"],
        "–" if ours is None else _format_like(ours, cell["published"]),
        _difference(cell),
        cell["verdict"],
        "" if seconds is None else f"{seconds:.3f}",
        "" if theirs is None else f"{theirs:,}",
        notes.mark(cell),
    ]


def _difference(cell: Facts) -> str:
    difference = cell["difference_percent"]
    if cell["verdict"] == "exact":
        return "0"
    return "–" if difference is None else f"{difference:+.2f} %"


def _base_rows(facts: Facts) -> list[list[str]]:
    return [
        [row["dataset"], f"{row['columns']} {row['base']}", str(row["k"]), row["published"]]
        + [f"{row[name]:.4f}" for name in ("multi_dsort", "mdav_1", "lower_bound")]
        + ["impossible: printed below the bound" if row["impossible"] else ""]
        for row in facts["bases"]
    ]


def _comparison(dataset: str, rows: Sequence[Facts], bases: Sequence[Facts]) -> Iterator[str]:
    """Loss and time of all methods against k, each as a plot and a table."""
    bound = [
        (row["k"], row["lower_bound"]) for row in bases if row["dataset"] == dataset and row["base"] == "standardized"
    ]
    measure = _measure(rows)
    name = measure.replace("_", " ")
    yield html.section(
        f"All methods on {dataset}: loss against k",
        _plot(rows, measure, f"{name.capitalize()} of all methods on {dataset}", "loss (%)", bound),
        _levels(rows, measure),
        html.paragraph(f"{_BASE[measure].capitalize()}, the least at the smallest k first."),
    )
    yield html.section(
        f"All methods on {dataset}: time against k",
        _plot(rows, "seconds", f"Seconds of all methods on {dataset}", "seconds", []),
        _levels(rows, "seconds"),
    )


def _measure(rows: Sequence[Facts]) -> str:
    """Measure of loss that the methods are compared by."""
    return "semantic_loss" if rows[0]["information_loss"] is None else "information_loss"


def _plot(rows: Sequence[Facts], measure: str, title: str, up: str, bound: Sequence[tuple[float, float]]) -> str:
    families = list(dict.fromkeys(row["family"] for row in rows))
    series = [
        ChartLine(
            name, [(row["k"], max(row[measure], 1e-4)) for row in method_rows], families.index(method_rows[0]["family"])
        )
        for name, members in groupby(rows, key=lambda row: row["method"])
        for method_rows in [list(members)]
    ]
    return line_chart([*series, ChartLine("lower bound", bound, len(families))], title, across="k", up=up)


def _levels(rows: Sequence[Facts], measure: str) -> str:
    head, body = _by_k(rows, measure)
    return html.table(head, body, numbers=frozenset(range(1, len(head))))


def _by_k(rows: Sequence[Facts], measure: str) -> tuple[list[str], list[list[str]]]:
    """One row per method, one column per k, sorted by the value at the smallest k."""
    digits = 3 if measure == "seconds" else 4
    levels = sorted({row["k"] for row in rows})
    values = {(row["method"], row["k"]): row[measure] for row in rows}
    names = sorted({row["method"] for row in rows}, key=lambda name: (values[name, levels[0]], name))
    head = ["Method", *(f"k = {k}" for k in levels)]
    return head, [[name, *(f"{values[name, k]:.{digits}f}" for k in levels)] for name in names]


def experiment_rows(experiments: Sequence[Facts]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of experiments: one row per setting, with the figures of each method."""
    settings = [
        list(setting_rows) for _, setting_rows in groupby(experiments, key=lambda row: [row[name] for name in _SETTING])
    ]
    head = ["Records", "Columns", "k"]
    for row in settings[0]:
        head += ["as printed", "ms", "below k"] if row["as_printed"] else [row["method"], "ms"]
    return head, [
        [*(str(setting_rows[0][name]) for name in _SETTING), *(cell for row in setting_rows for cell in _figures(row))]
        for setting_rows in settings
    ]


def _figures(row: Facts) -> list[str]:
    if row["c_avg"] is None:
        return ["no data", *["–"] * (1 + row["as_printed"])]
    figures = [f"{row['c_avg']:.3f}", f"{row['milliseconds']:.2f}"]
    return [*figures, str(row["below_k"])] if row["as_printed"] else figures
