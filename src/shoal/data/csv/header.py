"""Column names from a header, and checks that it is one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import polars as pl

from shoal.data.csv.detection import is_value
from shoal.data.csv.scan import Layout
from shoal.data.csv.text_values import is_number
from shoal.data.table import ColumnContent, ReadOptions
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, FileError

_LONGEST_NAME = 200


def header_names(layout: Layout, *, header: bool) -> tuple[str, ...]:
    if not header:
        return tuple(f"column_{position}" for position in range(1, layout.fields + 1))
    return tuple(str(field.item()) for field in layout.columns(0, 1, raw=False))


def check_not_a_record(
    names: Mapping[str, tuple[str, int]], content_of: Callable[[str], ColumnContent], path: object
) -> None:
    """Raise an error if the header contains a value and is probably the first record.

    ``names`` maps each column to its name in the header and its position.
    """
    if list(names) == [str(at) for at in range(len(names))]:
        return  # the header of an array, whose columns have no names
    for name, (header_name, at) in names.items():
        if is_value(header_name):
            content = content_of(name)
            is_year_column = content.kind is Kind.NUMERIC and is_year(header_name) and not _are_years(content)
            if content.kind in (Kind.NUMERIC, Kind.DATE) and not is_year_column:
                raise FileError.header_looks_like_record(path, at + 1)


def is_year(name: str) -> bool:
    """Return whether a name is a year, as in statistical tables."""
    return re.fullmatch("(?:19|20)[0-9]{2}", name) is not None


def _are_years(content: ColumnContent) -> bool:
    numbers = content.values.drop_nulls().cast(pl.String)
    return bool(numbers.str.contains("^(?:19|20)[0-9]{2}$").all())


def check_unnamed_is_empty(cells: pl.Series, at: int, path: object, *, records_above: int = 0) -> None:
    """Raise an error if a field without a name, which is dropped, has values."""
    filled = cells.str.strip_chars() != ""
    if filled.any():
        raise FileError.values_in_unnamed_column(path, at + 1, int(filled.arg_true()[0]) + 1 + records_above)


def check_no_record_in_name(names: Sequence[str], *, delimiter: str, path: object) -> None:
    """Raise an error for a name that contains the start of a record.

    A quote that opens in the header and closes in a record leaves the number of fields right, but the name then
    has a line break and a delimiter. A line break alone is common in long names from spreadsheets.
    """
    for position, name in enumerate(names, start=1):
        broken = "\n" in name or "\r" in name
        if len(name) > _LONGEST_NAME or (broken and (delimiter in name or len(names) == 1)):
            raise FileError.suspicious_header(path, position)


def check_names(names: Sequence[str], *, records: int, options: ReadOptions, path: object) -> None:
    positions = [str(position) for position in range(len(names))]
    # 0,1,2 is the header of an array, whose columns have no names
    accepted = options.header_known or list(names) == positions
    if not accepted and all(is_number(name.replace(",", ".")) for name in names):
        raise FileError.header_looks_numeric(path)
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise ColumnError.empty_name(position)
    duplicates = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if duplicates:
        raise ColumnError.duplicate_names(duplicates)
    if records == 0:
        raise FileError.header_only(path)
