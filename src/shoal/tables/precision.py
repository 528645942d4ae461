"""Precision: how many decimals each column of numbers has, which released numbers keep."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from shoal.tables.arrays import ArrayCells
from shoal.tables.decimals import Decimals, float_type, object_decimals, series_decimals, text_decimals
from shoal.tables.delimited import DelimitedCells
from shoal.tables.frames import PandasCells
from shoal.tables.objects import pandas_objects
from shoal.tables.table import Cells, Content, Table
from shoal.tables.text import BLANKS, Reading
from shoal.threads import share
from shoal.values import Precision


def precisions(table: Table, names: Sequence[str]) -> dict[str, Precision]:
    """The precision of each of these columns, which hold numbers."""
    found = share(lambda name: _precision(table.cells, name), names, records=table.height)
    return dict(zip(names, found, strict=True))


def _precision(cells: Cells, name: str) -> Precision:
    content = cells.content(name)
    dtype = float_type(str(cells.table.dtype) if isinstance(cells, ArrayCells) else content.type)
    low = high = None
    if content.numbers is not None:
        low, high = content.numbers.min(), content.numbers.max()
    if low is None or high is None:
        return Precision(dtype=dtype)
    return _decimals(cells, name, content, dtype).precision(low=float(low), high=float(high), dtype=dtype)  # type: ignore[arg-type]


def _decimals(cells: Cells, name: str, content: Content, dtype: str) -> Decimals:
    if isinstance(cells, DelimitedCells):
        return Decimals(0, 0) if content.type == "integer" else _field_decimals(*cells.different(name))
    if isinstance(cells, PandasCells) and content.type == "object":
        return object_decimals(pandas_objects(cells.table.iloc[:, cells.names.index(name)]))
    numbers = content.numbers
    return series_decimals(content.values if numbers is None or content.values.dtype.is_numeric() else numbers, dtype)


def _field_decimals(fields: pl.Series, reading: Reading) -> Decimals:
    """Those of the fields of a text column that holds numbers and missing values only."""
    plain = reading.standard(fields).str.strip_chars(BLANKS)
    return text_decimals(plain.filter(~plain.is_in(list(reading.missing))))
