"""Numpy arrays as tables; columns are named by their positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.frames.polars_frames import series_content, series_visible_values
from shoal.data.new_columns import first_rows, rows_to_copy, to_number_series
from shoal.data.table import ColumnContent, NewColumn, NewColumns, Table, check_table
from shoal.domain import DateColumn, IntVector, RoundedColumn, TextColumn
from shoal.errors import DataError


@dataclass(frozen=True, eq=False, repr=False)
class ArrayCells:
    """Backend over an array with one row per record."""

    table: NDArray[Any]
    names: tuple[str, ...]

    @property
    def height(self) -> int:
        return len(self.table)

    def native(self) -> NDArray[Any]:
        return self.table

    def content(self, name: str) -> ColumnContent:
        return series_content(self._series(name))

    def visible_values(self, name: str) -> pl.Series:
        return series_visible_values(self._series(name))

    def exact_values(self, name: str) -> pl.Series:
        return self._series(name)

    def take(self, rows: IntVector) -> ArrayCells:
        return ArrayCells(self.table[rows], self.names)

    def replace_columns(self, names: Sequence[str], columns: NewColumns) -> ArrayCells:
        """Return the kept columns; the dtype stays integer only if all columns are integers."""
        new_columns = {name: self._new_column(name, column) for name, column in columns.items()}
        whole = self.table.dtype.kind in "iu" and all(column.dtype.kind in "iu" for column in new_columns.values())
        dtype = np.dtype(np.int64 if whole else np.float64)
        if (whole or self.table.dtype.kind == "f") and all(
            isinstance(column, RoundedColumn) for column in columns.values()
        ):
            dtype = self.table.dtype
        new = np.empty((self.height, len(names)), dtype=dtype)
        for position, name in enumerate(names):
            if name not in new_columns and not _represents_exactly(new.dtype, self._column(name)):
                raise DataError.array_cannot_hold(name)
            new[:, position] = new_columns[name] if name in new_columns else self._column(name)
        return ArrayCells(new[:, 0] if self.table.ndim == 1 else new, tuple(names))

    def _new_column(self, name: str, column: NewColumn) -> NDArray[Any]:
        """Return the new column as an array, NaN where a cell is missing."""
        if isinstance(column, DateColumn):
            raise DataError.array_cannot_hold(name)
        if not isinstance(column, TextColumn):
            return to_number_series(column).to_numpy()
        rows = rows_to_copy(first_rows(self.content(name).text_values), column)
        if rows is None:
            raise DataError.array_cannot_hold(name)
        copied = self._column(name)[np.maximum(rows, 0)]
        if (rows >= 0).all():
            return copied
        if not _represents_exactly(np.dtype(np.float64), copied):
            raise DataError.array_cannot_hold(name)
        return np.where(rows < 0, np.nan, copied)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({name: self._series(name) for name in self.names})

    def _column(self, name: str) -> NDArray[Any]:
        return self.table if self.table.ndim == 1 else self.table[:, self.names.index(name)]

    def _series(self, name: str) -> pl.Series:
        column = np.ascontiguousarray(self._column(name))
        if column.dtype.kind == "f":
            column = column.astype(np.float64)
        return pl.Series(name, column)


def _represents_exactly(dtype: np.dtype[Any], column: NDArray[Any]) -> bool:
    if column.dtype.kind not in "iu":
        return True
    if dtype.kind == "i":
        return column.dtype != np.uint64 or not (column > np.iinfo(np.int64).max).any()
    if column.dtype.itemsize < 8:
        return True
    beyond = (column > 2**53) | (column < -(2**53)) if column.dtype.kind == "i" else column > 2**53
    # Python numbers compare exactly; most tables have no such numbers.
    return all(int(float(number)) == number for number in np.unique(column[beyond]).tolist())


def open_array(source: NDArray[Any]) -> Table:
    """Return a table over a numeric numpy array."""
    if source.dtype.kind not in "biuf" or (source.dtype.kind == "f" and source.dtype.itemsize > 8):
        raise DataError.array_type(str(source.dtype) if source.dtype.names is None else "structured")
    if source.ndim not in (1, 2):
        raise DataError.array_shape(source.ndim)
    names = tuple(str(position) for position in range(1 if source.ndim == 1 else source.shape[1]))
    if isinstance(source, np.ma.MaskedArray):
        source = _unmasked(source, names)
    return check_table(Table("numpy", ArrayCells(np.asarray(source), names)))


def _unmasked(source: np.ma.MaskedArray[Any, Any], names: Sequence[str]) -> NDArray[Any]:
    """Return floats with NaN for masked cells; an array without masked cells is returned unchanged."""
    mask, data = np.ma.getmaskarray(source), np.ma.getdata(source)
    if not mask.any():
        return data
    new = np.where(mask, np.nan, data)
    for name, column in zip(names, np.where(mask, 0, data).reshape(len(data), -1).T, strict=True):
        if not _represents_exactly(new.dtype, column.astype(data.dtype)):
            raise DataError.array_cannot_hold(name)
    return new
