"""Small result tables for notebooks and rich terminals: metrics and names, never a cell of the data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from shoal.errors.messages import list_first, shorten

_BOX = "border-left:.3em solid {color};padding:.2em 0 .2em .8em;margin:.4em 0"
_CELL = "text-align:{side};padding:.15em 1em .15em 0;background:none;border:0"
_GOOD, _BAD = "#2e9e6b", "#d9534f"


@dataclass(frozen=True)
class DisplayTable:
    """A title, an optional verdict, and a table with names in the first column and values in the others."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    ok: bool | None = None
    notes: Sequence[str] = ()

    def html(self) -> str:
        """HTML that inherits the colors of the page, light or dark, and does not style the page itself."""
        color = "currentColor" if self.ok is None else _GOOD if self.ok else _BAD
        lines = [*([_line("th", self.head)] if any(self.head) else []), *(_line("td", row) for row in self.rows)]
        notes = "".join(f'<div style="opacity:.8">{escape(note)}</div>' for note in self.notes)
        table = f'<table style="border-collapse:collapse">{"".join(lines)}</table>' if self.rows else ""
        return f'<div style="{_BOX.format(color=color)}"><strong>{escape(self.title)}</strong>{table}{notes}</div>'

    def rich(self) -> Any:
        """A renderable for rich."""
        from rich import box
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        style = "bold" if self.ok is None else "bold green" if self.ok else "bold red"
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=any(self.head))
        for j, name in enumerate(self.head):
            table.add_column(Text(name), justify="right" if j else "left")
        for row in self.rows:
            table.add_row(*map(Text, row))
        notes = [Text(note) for note in self.notes]
        return Group(Text(self.title, style=style), *([table] if self.rows else []), *notes)


class Displayable(ABC):
    """Result that notebooks and rich show as a table."""

    @property
    @abstractmethod
    def _display(self) -> DisplayTable: ...

    def _repr_html_(self) -> str:
        return self._display.html()

    def __rich__(self) -> Any:
        return self._display.rich()


def _line(tag: str, row: Sequence[str]) -> str:
    cells = (
        f'<{tag} style="{_CELL.format(side="right" if j else "left")}">{escape(cell)}</{tag}>'
        for j, cell in enumerate(row)
    )
    return f'<tr style="background:none">{"".join(cells)}</tr>'


def metric_rows(*mappings: Mapping[str, float | None]) -> list[list[str]]:
    """One row for every name with a value in one of the mappings."""
    names = dict.fromkeys(name for mapping in mappings for name in mapping)
    return [
        [name, *(format_metric(mapping.get(name)) for mapping in mappings)]
        for name in names
        if any(mapping.get(name) is not None for mapping in mappings)
    ]


def format_metric(value: float | None) -> str:
    """Format a value with few digits."""
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if abs(value) < 1e9 else f"{value:.4g}"


def join_names(names: Sequence[str]) -> str:
    """Join at most eight names."""
    return list_first([shorten(name) for name in names])
