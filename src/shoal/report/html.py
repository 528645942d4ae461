"""HTML pages as one file: no script, no other host, light and dark, printable."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

_STYLES = Path(__file__).with_name("styles")
PALETTE = (_STYLES / "palette.css").read_text()
CHART_STYLE = (_STYLES / "charts.css").read_text()
"""Style of charts, also used by the web interface."""
_STYLE = (_STYLES / "page.css").read_text() + CHART_STYLE + (_STYLES / "layout.css").read_text()
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
    """HTML table; empty without rows. Every cell is escaped, and the first one of a row is its header.

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
    table_html = f"<table>{caption_html}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll">{table_html}</div>' if body else ""


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
