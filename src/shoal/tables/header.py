"""Headers: the names in the first line of a table, and what speaks against them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import polars as pl

from shoal.errors import ColumnError, FileError
from shoal.schema.columns import Kind
from shoal.tables.detection import is_value
from shoal.tables.layout import Layout
from shoal.tables.table import Content, ReadOptions
from shoal.tables.text import is_number

_LONGEST_NAME = 200


def header_names(layout: Layout, *, header: bool) -> tuple[str, ...]:
    if not header:
        return tuple(f"column_{position}" for position in range(1, layout.fields + 1))
    return tuple(str(field.item()) for field in layout.split(0, 1, raw=False))


def check_no_record(names: Mapping[str, tuple[str, int]], content_of: Callable[[str], Content], path: object) -> None:
    """Refuse a header in which a value stands where a name should: a first record that was taken for one.

    For each column its name as the header has it, and its place.
    """
    if list(names) == [str(at) for at in range(len(names))]:
        return  # that of an array, whose columns have no other names
    for name, (shown, at) in names.items():
        if is_value(shown):
            content = content_of(name)
            years = content.kind is Kind.NUMERIC and is_year(shown) and not _are_years(content)
            if content.kind in (Kind.NUMERIC, Kind.DATE) and not years:
                raise FileError.record_as_header(path, at + 1)


def is_year(name: str) -> bool:
    """Whether a name is a year, as columns of statistics have it."""
    return re.fullmatch("(?:19|20)[0-9]{2}", name) is not None


def _are_years(content: Content) -> bool:
    numbers = content.values.drop_nulls().cast(pl.String)
    return bool(numbers.str.contains("^(?:19|20)[0-9]{2}$").all())


def check_empty(cells: pl.Series, at: int, path: object, *, above: int = 0) -> None:
    """Refuse a field without a name, which is left out, where it holds something."""
    filled = cells.str.strip_chars() != ""
    if filled.any():
        raise FileError.unnamed_values(path, at + 1, int(filled.arg_true()[0]) + 1 + above)


def check_strange(names: Sequence[str], *, delimiter: str, path: object) -> None:
    """A name that swallowed the start of a record would be shown as a name, and is none.

    A quotation mark that opens in the header and closes in a record leaves the counts of fields right, but then
    the name holds a line break and a delimiter. A line break alone is what spreadsheets put into long names.
    """
    for position, name in enumerate(names, start=1):
        broken = "\n" in name or "\r" in name
        if len(name) > _LONGEST_NAME or (broken and (delimiter in name or len(names) == 1)):
            raise FileError.strange_header(path, position)


def check_header(names: Sequence[str], *, records: int, options: ReadOptions, path: object) -> None:
    positions = [str(position) for position in range(len(names))]
    # 0,1,2 is a header too: that of an array, whose columns have no other names.
    surely = options.header_known or list(names) == positions
    if not surely and all(is_number(name.replace(",", ".")) for name in names):
        raise FileError.no_header(path)
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise ColumnError.empty_name(position)
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise ColumnError.duplicate_names(twice)
    if records == 0:
        raise FileError.header_only(path)
