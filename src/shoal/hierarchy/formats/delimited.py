"""Delimited text: rows of the ARX and edges formats."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.tree import Hierarchy

Rows = list[list[str]]

_QUOTED = re.compile(r'"[^"]*"')


def read_rows(text: str, *, delimiter: str | None = None) -> tuple[Rows, list[str]]:
    """Return the non-empty rows and where each begins, such as ``line 7``."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or sniff_delimiter(text), strict=True)
    rows: Rows = []
    places: list[str] = []
    lines_read = 0
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                rows.append(row)
                places.append(f"line {lines_read + 1:,}")
            lines_read = reader.line_num
    except csv.Error as error:
        if "field limit" in str(error):
            raise HierarchyError.long_field(f"line {lines_read + 1:,}", most=csv.field_size_limit()) from None
        raise HierarchyError.stray_quote(f"line {lines_read + 1:,}") from None
    return rows, places


def write_rows(rows: Iterable[Sequence[str]], *, delimiter: str) -> str:
    """Format rows as text. Fields with any common delimiter are quoted."""
    special = re.compile(f'[;,\t"\r\n{re.escape(delimiter)}]|^\ufeff')

    def quote(field: str) -> str:
        return '"' + field.replace('"', '""') + '"' if special.search(field) else field

    return "".join(delimiter.join(map(quote, row)) + "\n" for row in rows)


def sniff_delimiter(text: str) -> str:
    """Detect the delimiter: the first of tab, semicolon and comma in the first line, outside quotation marks.

    The most frequent one would be wrong: names such as ``[20, 30)`` contain commas, and hardly any a semicolon.
    """
    line = re.split("[\r\n]", _QUOTED.sub('""', text.lstrip()), maxsplit=1)[0]
    return next((mark for mark in "\t;," if mark in line), ";")


def check_delimiter(delimiter: object) -> str | None:
    if delimiter is None:
        return None
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0\ufeff':
        raise OptionError.invalid_value("delimiter", "one character, such as ';'")
    return delimiter


EDGE_HEADER = ("child", "parent")


def is_edge_header(row: Sequence[str]) -> bool:
    return tuple(field.strip().lower() for field in row) == EDGE_HEADER


def from_edge_rows(rows: Sequence[Sequence[str]], *, places: Sequence[str]) -> Hierarchy:
    """Build the tree from edge rows; ``places`` locates each row in messages, such as ``line 7``."""
    first = 1 if rows and is_edge_header(rows[0]) else 0
    pairs = []
    for row, place in zip(rows[first:], places[first:], strict=True):
        if len(row) != 2:
            raise HierarchyError.invalid_line(place, expected="a child and its parent")
        pairs.append((row[0], row[1]))
    return Hierarchy.from_edges(pairs, places=places[first:])


def to_edge_rows(hierarchy: Hierarchy) -> list[Sequence[str]]:
    """Return the header and all edges, parents first."""
    return [EDGE_HEADER, *hierarchy.edges()]
