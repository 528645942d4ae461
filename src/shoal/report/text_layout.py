"""Layout of text in a terminal: display width, truncation, and aligned columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

JOINERS = "\u200c\u200d"
"""Characters of zero width that change how neighboring letters are joined, as in Persian and Hindi."""


def display_width(text: str) -> int:
    """Display width of a text in a terminal."""
    return sum(0 if combining(sign) or sign in JOINERS else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def printable(text: str) -> str:
    """Replace control characters, which a terminal would interpret."""
    return "".join(sign if sign.isprintable() else "·" for sign in text)


def truncate(text: str, max_width: int) -> str:
    """Cut a text that is too wide, and mark the cut."""
    if display_width(text) <= max_width:
        return text
    text = text[:max_width]
    while display_width(text) > max_width - 1:
        text = text[:-1]
    return text + "…"


def align_columns(
    rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset(), indent: str = "  "
) -> Iterator[str]:
    """Align rows of text; columns in ``right`` are aligned right."""
    widths = [max(display_width(row[j]) for row in rows) for j in range(len(rows[0]))]
    for row in rows:
        cells = []
        for j, (cell, width) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (width - display_width(cell))
            cells.append(padding + cell if j in right else cell + padding)
        yield (indent + "  ".join(cells)).rstrip()
