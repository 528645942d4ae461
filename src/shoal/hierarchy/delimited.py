"""Rows of delimited text, as the formats of hierarchies read and write them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from functools import partial

from shoal.errors import HierarchyError, OptionError

Rows = list[list[str]]

_QUOTED = re.compile(r'"[^"]*"')


def read_rows(text: str, *, delimiter: str | None = None) -> tuple[Rows, list[str]]:
    """The rows that hold anything, and where each begins: ``line 7``."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or sniffed(text), strict=True)
    rows: Rows = []
    places: list[str] = []
    before = 0
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                rows.append(row)
                places.append(f"line {before + 1:,}")
            before = reader.line_num
    except csv.Error as error:
        if "field limit" in str(error):
            raise HierarchyError.long_field(f"line {before + 1:,}", most=csv.field_size_limit()) from None
        raise HierarchyError.stray_quote(f"line {before + 1:,}") from None
    return rows, places


def write_rows(rows: Iterable[Sequence[str]], *, delimiter: str) -> str:
    """Rows as text; whatever could be taken for a delimiter of any kind is quoted."""
    special = re.compile(f'[;,\t"\r\n{re.escape(delimiter)}]|^\ufeff')
    quoted = partial(_quoted, special=special)
    return "".join(delimiter.join(map(quoted, row)) + "\n" for row in rows)


def _quoted(field: str, *, special: re.Pattern[str]) -> str:
    return '"' + field.replace('"', '""') + '"' if special.search(field) else field


def sniffed(text: str) -> str:
    """The first of tab, semicolon and comma that the first line has outside quotation marks.

    Not the most frequent one: names such as ``[20, 30)`` have commas, and hardly any has a semicolon.
    """
    line = re.split("[\r\n]", _QUOTED.sub('""', text.lstrip()), maxsplit=1)[0]
    return next((mark for mark in "\t;," if mark in line), ";")


def checked_delimiter(delimiter: object) -> str | None:
    """A delimiter that somebody chose, or None."""
    if delimiter is None:
        return None
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0\ufeff':
        raise OptionError.bad_option("delimiter", "one character, such as ';'")
    return delimiter
