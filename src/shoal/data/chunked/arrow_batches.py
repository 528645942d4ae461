"""Arrow record batches exchanged with Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.data.frames.polars_frames import PolarsCells, series_content
from shoal.data.library_errors import translate_errors
from shoal.data.table import Table
from shoal.domain import FloatVector, IntVector
from shoal.errors import DataError

KIND = "parquet"
"""Kind of the tables made from batches."""
BLOCK = 1 << 17
"""Records that are processed together."""
_MAX_BATCH = 1 << 16
_UTC = "UTC"
Batches = list[pa.RecordBatch]


def chunk_of(block: Batches, names: Mapping[str, str]) -> Table:
    """Convert batches to one chunk of a table; ``names`` maps column keys to column names."""
    records = pa.Table.from_batches(block)
    columns = {name: _series(name, records.column(key)) for key, name in names.items()}
    return Table(KIND, PolarsCells(pl.DataFrame(columns)), None, {"format": KIND}, None)


def _series(name: str, column: Any) -> pl.Series:
    with translate_errors(lambda: DataError.unknown_objects(name)):
        if pa.types.is_timestamp(column.type) and column.type.tz not in (None, _UTC):
            # timestamps must not depend on the time zone of the session
            column = column.cast(pa.timestamp(column.type.unit, _UTC))
        return pl.Series(pl.from_arrow(column))


def numbers_of(block: Batches, key: str) -> IntVector:
    """Return an integer column of the batches."""
    columns = [batch.column(key).to_numpy(zero_copy_only=False) for batch in block]
    return np.concatenate(columns).astype(np.int64, copy=False)


def floats_of(block: Batches, key: str) -> FloatVector:
    """Return a float column of the batches."""
    return np.concatenate([batch.column(key).to_numpy(zero_copy_only=False) for batch in block])


def blocks(batches: Iterator[Any]) -> Iterator[Batches]:
    """Group batches into blocks of at least `BLOCK` records."""
    buffer: Batches = []
    for batch in batches:
        if batch.num_rows:
            buffer.append(batch)
        if sum(each.num_rows for each in buffer) >= BLOCK:
            yield buffer
            buffer = []
    if buffer:
        yield buffer


def consecutive_rows(batches: Iterator[Any], key: str) -> Iterator[tuple[int, Batches]]:
    """Yield runs of records with consecutive row numbers, each with its first row number."""
    for block in blocks(batches):
        numbers, records = numbers_of(block, key), pa.Table.from_batches(block)
        breaks = [0, *(np.flatnonzero(np.diff(numbers) != 1) + 1).tolist(), len(numbers)]
        for start, stop in pairwise(breaks):
            yield int(numbers[start]), records.slice(start, stop - start).to_batches()


def groups_by_key(batches: Iterator[Any], key: str) -> Iterator[tuple[int, Batches]]:
    """Yield the records of each key value, which are adjacent."""
    buffer: Batches = []
    for batch in batches:
        numbers = numbers_of([batch], key)
        breaks = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for start, stop in pairwise(breaks):
            if buffer and start < stop and _number(buffer[0], key) != numbers[start]:
                yield _number(buffer[0], key), buffer
                buffer = []
            buffer += [batch.slice(start, stop - start)] if start < stop else []
    if buffer:
        yield _number(buffer[0], key), buffer


def _number(batch: pa.RecordBatch, key: str) -> int:
    return int(batch.column(key)[0].as_py())


def sort(block: Batches, first: str, then: str) -> Batches:
    """Sort the records by one column, then by another."""
    order = np.lexsort((numbers_of(block, then), numbers_of(block, first)))
    records = pa.Table.from_batches(block)
    block.clear()  # free the memory of the caller
    return list(records.take(order).combine_chunks().to_batches())


def batch_of(columns: Mapping[str, Any]) -> pa.RecordBatch:
    """Build a batch from integer and binary columns."""
    is_binary = [len(column) > 0 and isinstance(column[0], bytes) for column in columns.values()]
    types = [pa.binary() if binary else pa.int64() for binary in is_binary]
    return pa.RecordBatch.from_arrays(list(map(pa.array, columns.values(), types)), names=list(columns))


def with_columns(block: Batches, columns: Mapping[str, IntVector]) -> Iterator[pa.RecordBatch]:
    """Append integer columns to the batches."""
    records = pa.Table.from_batches(block)
    for key, column in columns.items():
        records = records.append_column(key, pa.array(column, type=pa.int64()))
    yield from records.combine_chunks().to_batches(max_chunksize=_MAX_BATCH)


class ReleasedArrays:
    """Released columns as Arrow arrays."""

    def __init__(self, released: Table, block: Batches) -> None:
        self._frame, self._old = released.cells.frame(), block[0].schema

    def is_text(self, name: str) -> bool:
        """Return whether the column became text."""
        return self._frame.schema[name] == pl.String

    def numbers(self, name: str) -> Any:
        return self._frame[name].to_arrow()

    def texts(self, name: str) -> Any:
        return series_content(self._frame[name]).text_values.to_arrow().cast(pa.string())

    def original_type(self, name: str, key: str) -> Any:
        """Return the column in its original type."""
        return self._frame[name].to_arrow().cast(self._old.field(key).type)


def output_batches(
    block: Batches, keys: Sequence[str], replaced: Mapping[str, Any], *, row: str, message: tuple[str, bytes]
) -> Iterator[pa.RecordBatch]:
    """Yield these columns of the batches, some of them replaced, then a row -1 with a message for the driver.

    None instead of a column is a null column; it has the type of the key it is named after.
    """
    records = pa.Table.from_batches(block)
    count, arrays = records.num_rows, {}
    for key in keys:
        if key not in replaced:
            arrays[key] = records.column(key)
        elif replaced[key] is None:
            arrays[key] = pa.nulls(count, records.column(key.removesuffix("t")).type)
        else:
            arrays[key] = replaced[key]
    arrays[message[0]] = pa.nulls(count, pa.binary())
    table = pa.table(arrays)
    yield from table.combine_chunks().to_batches(max_chunksize=_MAX_BATCH)
    last = {field.name: pa.nulls(1, field.type) for field in table.schema}
    last |= {row: pa.array([-1], type=pa.int64()), message[0]: pa.array([message[1]], type=pa.binary())}
    yield from pa.table(last).to_batches()
