"""A report as one HTML file: no script, no outside host, light and dark, printable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from shoal.report.charts import bars
from shoal.report.text import MISSING, figure, listed, losses, measured_on, missing_values, risks, suppression
from shoal.words import counted, number

PALETTE = """
:root { color-scheme: light dark; --ink: #16252f; --soft: #5a6b76; --paper: #fbfcfc; --line: #d7dfe3;
  --sea: #17697f; --good: #1b7a4b; --goodbg: #e4f4ea; --warn: #7a4b00; --warnbg: #fdf1d8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf0; --soft: #9fb0ba; --paper: #10191e; --line: #2b3a43;
  --sea: #58b7cf; --good: #6fd39d; --goodbg: #12301f; --warn: #f2c46b; --warnbg: #33270e; } }
"""
_STYLE = """* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
main.wide { max-width: 72rem; } .wide td { white-space: nowrap; } .wide svg { max-width: 60rem; }
.wide td.long { white-space: normal; min-width: 14rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
p.by { color: var(--soft); margin: 0 0 1.5rem; }
.verdict { border-left: .4rem solid var(--good); background: var(--goodbg); padding: .8rem 1rem; border-radius: .3rem; }
.verdict strong { color: var(--good); }
.warning { border-left: .4rem solid var(--warn); background: var(--warnbg); padding: .6rem 1rem; border-radius: .3rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .35rem 1.1rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } td.n, th.n { text-align: right; }
td small { color: var(--soft); }
svg { width: 100%; min-width: 34rem; height: auto; display: block; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
svg text.n { fill: var(--soft); } svg rect { fill: var(--sea); } svg .grid { stroke: var(--line); }
svg .line path { fill: none; stroke-width: 1.8; stroke: var(--c); } svg .line .lead { stroke-width: .6; opacity: .7; }
svg:hover .line:not(:hover) { opacity: .2; } svg .line:hover path { stroke-width: 3.5; }
svg .line text { fill: var(--c); font-size: 12px; } .c0 { --c: #17697f; } .c1 { --c: #b4491f; } .c2 { --c: #3a7d34; }
.c3 { --c: #8a3f9c; } .c4 { --c: #8a6d00; } .c5 { --c: #c02a5c; } .c6 { --c: #3c5fc4; } .c7 { --c: #5a6b76; }
@media (prefers-color-scheme: dark) { .c0 { --c: #58b7cf; } .c1 { --c: #f0936b; } .c2 { --c: #7ccf75; }
  .c3 { --c: #cf93df; } .c4 { --c: #dcbd4b; } .c5 { --c: #f27ba2; } .c6 { --c: #93abf5; } .c7 { --c: #9fb0ba; } }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
footer { margin-top: 3rem; color: var(--soft); font-size: .9rem; }
@media print { main { max-width: none; padding: 0; } h2 { break-after: avoid; } table, svg { break-inside: avoid; } }
"""


_MOST_SIZES = 20
"""Bars of groups that are drawn one a size."""


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: frozenset[int] = frozenset(),
    long: frozenset[int] = frozenset(),
) -> str:
    """An HTML table; every cell is escaped. Columns of numbers end flush, long ones may break on a wide page."""
    marks = {**dict.fromkeys(long, ' class="long"'), **dict.fromkeys(numbers, ' class="n"')}

    def cells(tag: str, row: Sequence[str]) -> str:
        marked = ((marks.get(j, ""), escape(cell)) for j, cell in enumerate(row))
        return "".join(f"<{tag}{mark}>{cell}</{tag}>" for mark, cell in marked)

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{cells("th", head)}</tr></thead><tbody>{body}</tbody></table></div>'


def section(title: str, *parts: str) -> str:
    """A section under a heading."""
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f"<p{f' class={kind!r}' if kind else ''}>{escape(text)}</p>"


def page(facts: Mapping[str, Any], *, title: str = "Report of a protected release") -> str:
    """The report of a release, from its summary."""
    policy, proof, figures = facts["policy"], facts["verification"], facts["evaluation"]
    before, after, known = figures["risk"]["before"], figures["risk"]["after"], facts["measures"]
    lost = sorted(figures["columns"].items(), key=lambda item: -item[1])
    sections = [
        section("In plain words", "<ul>", *(f"<li>{escape(s)}</li>" for s in facts["sentences"]), "</ul>"),
        section(
            "Risk before and after",
            table(
                ["Measure", "Before", "After", "What it is"],
                (
                    [label, figure(before[n]), figure(after[n]), known[n]["formula"]]
                    for n, label in risks(figures).items()
                ),
                numbers=frozenset({1, 2}),
            ),
            paragraph(
                "f is the number of records with the same quasi-identifiers as a record, r the risk of a record."
            ),
        ),
        section(
            "What it cost",
            table(
                ["Measure", "Figure", "What it is", "Good"],
                (
                    [label, figure(figures["loss"][n]), known[n]["formula"], known[n]["good"]]
                    for n, label in losses(figures).items()
                ),
                numbers=frozenset({1}),
            ),
            paragraph(f"Measured {measured_on(figures)}."),
        ),
        section(
            "What each quasi-identifier lost",
            bars([(name, value, f"{value:.3g} %") for name, value in lost], "Loss of each column in percent"),
        ),
        section(
            "Groups by size",
            bars(
                [(f"{size} records", count, counted(count, "group")) for size, count in _sizes(facts).items()],
                "Number of groups of each size",
            ),
        ),
        section(
            "The columns",
            table(["Column", "Role", "Kind", "Recoded to", "Hierarchy"], (_column(c) for c in policy["columns"])),
            paragraph(
                "Identifiers are dropped; quasi-identifiers are replaced by one value a group; all else is as it was."
            ),
        ),
        section("How it was made", _policy(facts)),
    ]
    if proof["models"]:
        sections.insert(1, section("Privacy models on sensitive columns", _models(proof)))
    if facts["warnings"]:
        sections.insert(0, section("Look at this", *(paragraph(s, "warning") for s in facts["warnings"])))
    verdict = (
        f"<strong>Verified:</strong> k = {proof['k']} holds on the released values. The smallest of"
        f" {proof['classes']:,} classes has {number(proof['min_class'])} {escape(proof['unit'])};"
        f" there are {proof['records']:,} records."
    )
    return document(
        title,
        f'<p class="by">Made by Shoal {escape(facts["shoal"])}. No cell of the data stands in this report.</p>',
        f'<p class="verdict">{verdict}</p>',
        *sections,
        "<footer>A class is a set of records with the same released quasi-identifiers. The release was read back"
        f" and counted before it was given its name; {MISSING[proof['missing']]}.</footer>",
    )


def _models(proof: Mapping[str, Any]) -> str:
    rows = (
        [check["column"], check["model"], figure(check["reached"]), "holds" if check["ok"] else "broken"]
        for check in proof["models"]
    )
    return table(["Column", "Model", "In the worst class", ""], rows, numbers=frozenset({2}))


def document(title: str, *parts: str, wide: bool = False) -> str:
    """A whole page: nothing in it comes from elsewhere, and a browser is told so."""
    body = '<main class="wide">' if wide else "<main>"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<style>{PALETTE}{_STYLE}</style></head><body>{body}<h1>{escape(title)}</h1>{''.join(parts)}</main></body></html>\n"
    )


def _sizes(facts: Mapping[str, Any]) -> dict[str, int]:
    """The number of groups of each size; where sizes are many, from k to 2k - 1, then twice that, and so on."""
    sizes = {int(size): count for size, count in facts["group_sizes"].items()}
    if len(sizes) <= _MOST_SIZES:
        return {f"{size:,}": count for size, count in sizes.items()}
    found: dict[str, int] = {}
    low = int(facts["verification"]["k"])
    while low <= max(sizes):
        inside = sum(count for size, count in sizes.items() if low <= size < 2 * low)
        if inside:
            found[f"{low:,} to {2 * low - 1:,}"] = inside
        low *= 2
    return found


def _column(column: Mapping[str, Any]) -> list[str]:
    hierarchy = column.get("hierarchy", {})
    named = f"{hierarchy.get('file', 'in memory')} ({hierarchy['sha256'][:12]}…)" if hierarchy else ""
    return [column["name"], column["role"], column["kind"], column.get("recode", ""), named]


def _policy(facts: Mapping[str, Any]) -> str:
    policy, method = facts["policy"], facts["method"]
    rows = [
        ["k", str(policy["release"]["k"])],
        ["method", f"{method['name']}: {method['summary']}"],
        ["paper", method["paper"]],
        ["seed", str(policy["release"]["seed"])],
        ["missing values", missing_values(policy)],
        ["records that may be suppressed", suppression(policy)],
        *([name.replace("_", " "), listed(value)] for name, value in policy["survey"].items()),
        *([f"bounds of {name}", listed(value)] for name, value in policy["bounds"].items()),
        *([name, str(value)] for name, value in policy["options"].items()),
        *([f"weight of {name}", str(value)] for name, value in policy["weights"].items()),
        *([f"input {name}", str(value)] for name, value in policy["input"].items() if name != "settings"),
        *([f"output {name}", str(value)] for name, value in policy["output"].items()),
        *([f"version of {name}", value] for name, value in policy["versions"].items()),
    ]
    return table(["Decision or fact", ""], rows)
