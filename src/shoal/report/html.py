"""HTML pages as one file: no script, no other host, light and dark, printable."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape

PALETTE = """
:root { color-scheme: light dark; --ink: #16252f; --soft: #52636e; --paper: #fbfcfc; --card: #f1f5f6; --line: #d7dfe3;
  --sea: #17697f; --was: #98a9b3; --good: #186b43; --goodbg: #e4f4ea; --warn: #7a4b00; --warnbg: #fdf1d8;
  --bad: #a3281e; --badbg: #fbe9e7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf0; --soft: #a5b5be; --paper: #10191e; --card: #17232a;
  --line: #2b3a43; --sea: #58b7cf; --was: #6b7f8a; --good: #6fd39d; --goodbg: #12301f; --warn: #f2c46b;
  --warnbg: #33270e; --bad: #ff9c90; --badbg: #3a1714; } }
"""
_TEXT = """* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
main.wide { max-width: 72rem; } .wide td, .wide tbody th { white-space: nowrap; } .wide tbody th { min-width: 0; }
.wide td.long { white-space: normal; min-width: 14rem; } .wide svg { max-width: 60rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .25rem; text-wrap: balance; }
h2 { font-size: 1.2rem; margin: 2.75rem 0 .6rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .3rem; overflow-wrap: anywhere; }
p.by, p.note { color: var(--soft); overflow-wrap: anywhere; } p.by { margin: 0 0 1.25rem; } p.note { font-size: .9rem; }
ul.plain { padding-left: 1.2rem; } li { margin: .2rem 0; overflow-wrap: anywhere; }
.verdict, .warning, .mark { border-left: .4rem solid var(--c); background: var(--b); padding: .7rem 1rem;
  border-radius: .3rem; overflow-wrap: anywhere; }
.verdict { --c: var(--good); --b: var(--goodbg); } .verdict strong { color: var(--good); }
.warning { --c: var(--warn); --b: var(--warnbg); } .mark { --c: var(--sea); --b: var(--card); }
.broken { --c: var(--bad); --b: var(--badbg); } .broken strong { color: var(--bad); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1rem 0; }
.cards div { background: var(--card); border-radius: .4rem; padding: .65rem .85rem; }
.cards dt { color: var(--soft); font-size: .85rem; line-height: 1.3; } .cards dd { margin: .15rem 0 0; }
.cards b { font-size: 1.35rem; font-weight: 600; display: block; }
.cards small { color: var(--soft); font-size: .85rem; }
nav ol { columns: 13rem; column-gap: 1.5rem; margin: 1.25rem 0 0; padding-left: 1.6rem; font-size: .95rem; }
nav li { margin: 0; } nav a { color: var(--sea); text-decoration: none; } nav a:hover { text-decoration: underline; }
h4 { font-size: .95rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
dl.terms dt { font-weight: 600; margin-top: .6rem; } dl.terms dd { margin: 0; }
dl.note { color: var(--soft); font-size: .85rem; } dl.note dt { display: inline; } dl.note dd { display: inline; }
dl.note dd::after { content: "\\A"; white-space: pre; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); font-size: .9rem; padding: .4rem 0; max-width: calc(100vw - 2.5rem); }
th, td { text-align: left; padding: .35rem 1.1rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } tbody th { font-weight: 400; overflow-wrap: anywhere; min-width: 7rem; }
td.n, th.n { text-align: right; } td.n { white-space: nowrap; }
.dense table { font-size: .82rem; line-height: 1.35; } .dense th, .dense td { padding-right: .7rem; }
.dense thead th { hyphens: auto; vertical-align: bottom; } .dense tbody th { min-width: 9rem; }
tbody small { display: block; color: var(--soft); font-size: .85rem; line-height: 1.4; }
"""
CHART_STYLE = """.charts { columns: 2 19rem; column-gap: 2.5rem; margin-top: 1rem; }
.charts section { break-inside: avoid; padding-bottom: 1.4rem; } .charts p.note { margin: 0; }
p.key { color: var(--soft); font-size: .9rem; margin: .4rem 0; }
.key span { display: inline-block; width: .8rem; height: .8rem; margin-left: .6rem; vertical-align: -.08em; }
.key .was { background: var(--was); margin-left: 0; } .key .now { background: var(--sea); }
svg { display: block; } svg:not(.hierarchy) { width: 100%; }
svg[viewBox]:not(.hierarchy) { min-width: 34rem; height: auto; }
svg.fluid { overflow: visible; margin: .4rem 0; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
svg text.n { fill: var(--soft); font-variant-numeric: tabular-nums; }
svg rect { fill: var(--sea); } svg rect.was { fill: var(--was); } svg rect.track { fill: var(--card); }
svg rect.axis { fill: var(--line); } svg .grid { stroke: var(--line); }
svg .line path { fill: none; stroke-width: 1.8; stroke: var(--c); } svg .line .lead { stroke-width: .6; opacity: .7; }
svg:has(.line:hover) .line:not(:hover) { opacity: .2; } svg .line:hover path { stroke-width: 3.5; }
svg .band { fill: none; stroke: var(--good); stroke-width: 11; stroke-linecap: round; stroke-linejoin: round;
  opacity: .22; } svg .dot { fill: var(--c); } svg .point { fill: var(--c); stroke: var(--paper); }
svg text.strong { font-weight: 600; } svg .hit { fill: transparent; }
svg .ring { fill: none; stroke: var(--ink); stroke-width: 2; } svg a:focus-visible { outline: none; }
svg a:is(:hover, :focus-visible) .hit { fill: var(--c); fill-opacity: .18; stroke: var(--c); stroke-width: 2; }
svg .line text { fill: var(--c); font-size: 12px; } .c0 { --c: #17697f; } .c1 { --c: #b4491f; } .c2 { --c: #3a7d34; }
.c3 { --c: #8a3f9c; } .c4 { --c: #8a6d00; } .c5 { --c: #c02a5c; } .c6 { --c: #3c5fc4; } .c7 { --c: #5a6b76; }
@media (prefers-color-scheme: dark) { .c0 { --c: #58b7cf; } .c1 { --c: #f0936b; } .c2 { --c: #7ccf75; }
  .c3 { --c: #cf93df; } .c4 { --c: #dcbd4b; } .c5 { --c: #f27ba2; } .c6 { --c: #93abf5; } .c7 { --c: #9fb0ba; } }
"""
"""Style of charts, also used by the web interface."""
_SIZES = """code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
footer { margin-top: 3rem; color: var(--soft); font-size: .9rem; }
@media (max-width: 30rem) { body { font-size: 15px; } main { padding-top: 1.25rem; } th, td { padding-right: .8rem; } }
@media print { @page { margin: 18mm 15mm; } body { font-size: 10.5pt; print-color-adjust: exact; }
  main { max-width: none; padding: 0; } nav { display: none; } h2, h3, caption { break-after: avoid; }
  tr, svg, .cards, .verdict, .warning { break-inside: avoid; } .scroll { overflow: visible; }
  .dense table { font-size: 7pt; } .dense th, .dense td { padding-right: .4rem; } .dense tbody th { min-width: 5rem; }
  .wide table { font-size: 8.5pt; } .wide th, .wide td { padding-right: .6rem; } }
"""
_STYLE = _TEXT + CHART_STYLE + _SIZES


_SHEET = re.compile("<style>(.*?)</style>", re.DOTALL)
Cell = str | tuple[str, str]
"""A text, or a text with a note below it."""


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    numbers: frozenset[int] = frozenset(),
    long: frozenset[int] = frozenset(),
    caption: str = "",
) -> str:
    """HTML table. Every cell is escaped, and the first one of a row is its header.

    Columns in ``numbers`` are aligned right; those in ``long`` may wrap on a wide page.
    """
    classes = {**dict.fromkeys(long, ' class="long"'), **dict.fromkeys(numbers, ' class="n"')}

    def line(row: Sequence[Cell]) -> str:
        cells = [f"<td{classes.get(j, '')}>{_cell(cell)}</td>" for j, cell in enumerate(row)]
        first = f'<th scope="row"{classes.get(0, "")}>{_cell(row[0])}</th>'
        return f"<tr>{first}{''.join(cells[1:])}</tr>"

    heads = "".join(f'<th scope="col"{classes.get(j, "")}>{escape(cell)}</th>' for j, cell in enumerate(head))
    caption_html = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = "".join(line(row) for row in rows)
    return (
        f'<div class="scroll"><table>{caption_html}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _cell(cell: Cell) -> str:
    return escape(cell) if isinstance(cell, str) else f"{escape(cell[0])}<small>{escape(cell[1])}</small>"


def section(title: str, *parts: str, anchor: str = "") -> str:
    """Section with a heading; ``anchor`` is its id."""
    place = f' id="{escape(anchor)}"' if anchor else ""
    return f"<section{place}><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def paragraph(text: str, kind: str = "") -> str:
    """Paragraph of plain text."""
    return f"<p{f' class={kind!r}' if kind else ''}>{escape(text)}</p>"


def bullet_list(sentences: Iterable[str]) -> str:
    """List of sentences."""
    return f'<ul class="plain">{"".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)}</ul>'


def document(title: str, *parts: str, wide: bool = False) -> str:
    """Complete page that loads nothing, with a content security policy."""
    body = '<main class="wide">' if wide else "<main>"
    content = "".join(parts)
    style = f"<style>{PALETTE}{_STYLE}</style>"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{content_security_policy(style + content)}">'
        f"{style}</head><body>{body}<h1>{escape(title)}</h1>{content}</main></body></html>\n"
    )


def content_security_policy(page: str) -> str:
    """Content security policy of a page: only its own style sheets, by their hashes."""
    digests = (b64encode(hashlib.sha256(sheet.encode()).digest()).decode() for sheet in _SHEET.findall(page))
    return " ".join(["default-src 'none'; style-src", *(f"'sha256-{mark}'" for mark in digests)])


def fragment(*parts: str) -> str:
    """Fragment for a page of another program, such as a notebook; its style is scoped to it."""
    container = (
        "& { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; padding: 1rem; }"
    )
    style = (
        f"{PALETTE.replace(':root', '&')}{_STYLE}{container} svg {{ max-width: 60rem; }} tbody th {{ min-width: 0; }}"
    )
    return f'<div class="shoal"><style>.shoal {{ {style} }}</style>{"".join(parts)}</div>'
