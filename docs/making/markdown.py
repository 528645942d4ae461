"""Markdown: tables, and text inside of their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def cell(text: object) -> str:
    """A text inside a table."""
    return " ".join(str(text).split()).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; what its cells hold is escaped."""
    lines = [head, ["---"] * len(head), *([cell(value) for value in row] for row in rows)]
    return "".join(f"|{'|'.join(line)}|\n" if line[0] == "---" else f"| {' | '.join(line)} |\n" for line in lines)


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """Names and what they are, without a head."""
    return "| | |\n|---|---|\n" + "".join(f"| {name} | {cell(value)} |\n" for name, value in pairs)


def unindented(text: str) -> str:
    """A docstring in Markdown: its double marks of code are single there."""
    return text.replace("``", "`")
