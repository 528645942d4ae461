"""Record batches of Arrow: what a cluster hands over, and what it gets back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.errors import DataError
from shoal.tables.foreign import replaced_by
from shoal.tables.frames import PolarsCells, series_content
from shoal.tables.table import Table
from shoal.values import IntVector

KIND = "parquet"
"""The kind of the tables that batches become."""
BLOCK = 1 << 17
"""Records that are looked at together."""
_SENT = 1 << 16
"""Records of a batch that is handed back."""
_UTC = "UTC"
Batches = list[pa.RecordBatch]


def chunk_of(block: Batches, names: Mapping[str, str]) -> Table:
    """The batches as one chunk of a table, with the names of the columns by their keys."""
    together = pa.Table.from_batches(block)
    columns = {name: _series(name, together.column(key)) for key, name in names.items()}
    return Table(KIND, PolarsCells(pl.DataFrame(columns)), None, {"format": KIND}, None)


def _series(name: str, column: Any) -> pl.Series:
    with replaced_by(lambda: DataError.strange_cells(name)):
        if pa.types.is_timestamp(column.type) and column.type.tz not in (None, _UTC):
            # points in time do not depend on where a session thinks it is
            column = column.cast(pa.timestamp(column.type.unit, _UTC))
        return pl.Series(pl.from_arrow(column))


def numbers_of(block: Batches, key: str) -> IntVector:
    """A column of whole numbers."""
    found = [batch.column(key).to_numpy(zero_copy_only=False) for batch in block]
    return np.concatenate(found).astype(np.int64, copy=False)


def blocks(batches: Iterator[Any], *, most: int = BLOCK) -> Iterator[Batches]:
    """Some batches at a time."""
    held: Batches = []
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
        if sum(each.num_rows for each in held) >= most:
            yield held
            held = []
    if held:
        yield held


def stretches(batches: Iterator[Any], key: str) -> Iterator[tuple[int, Batches]]:
    """Records whose numbers follow one another, some at a time, each time with the first number."""
    for block in blocks(batches):
        numbers, together = numbers_of(block, key), pa.Table.from_batches(block)
        breaks = [0, *(np.flatnonzero(np.diff(numbers) != 1) + 1).tolist(), len(numbers)]
        for start, stop in pairwise(breaks):
            yield int(numbers[start]), together.slice(start, stop - start).to_batches()


def runs(batches: Iterator[Any], key: str) -> Iterator[tuple[int, Batches]]:
    """All records of one number at a time, where these come one after another."""
    held: Batches = []
    for batch in batches:
        numbers = numbers_of([batch], key)
        breaks = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for start, stop in pairwise(breaks):
            if held and start < stop and _number(held[0], key) != numbers[start]:
                yield _number(held[0], key), held
                held = []
            held += [batch.slice(start, stop - start)] if start < stop else []
    if held:
        yield _number(held[0], key), held


def _number(batch: pa.RecordBatch, key: str) -> int:
    return int(batch.column(key)[0].as_py())


def in_order(block: Batches, first: str, then: str) -> Batches:
    """The records by the numbers of one column, and where these are equal of another."""
    order = np.lexsort((numbers_of(block, then), numbers_of(block, first)))
    together = pa.Table.from_batches(block)
    block.clear()  # what was handed over is not needed twice
    return list(together.take(order).combine_chunks().to_batches())


def batch_of(columns: Mapping[str, Any]) -> pa.RecordBatch:
    """A batch of whole numbers and bytes."""
    arrays = [pa.array(column, type=pa.binary() if _is_bytes(column) else pa.int64()) for column in columns.values()]
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def _is_bytes(column: Any) -> bool:
    return len(column) > 0 and isinstance(column[0], bytes)


def extended(block: Batches, columns: Mapping[str, IntVector]) -> Iterator[pa.RecordBatch]:
    """The same batches with further columns of whole numbers."""
    together = pa.Table.from_batches(block)
    for key, column in columns.items():
        together = together.append_column(key, pa.array(column, type=pa.int64()))
    yield from together.combine_chunks().to_batches(max_chunksize=_SENT)


class Fresh:
    """Columns of a release as Arrow has them."""

    def __init__(self, released: Table, block: Batches) -> None:
        self._frame, self._old = released.cells.frame(), block[0].schema

    def is_text(self, name: str) -> bool:
        """Whether the column became text."""
        return self._frame.schema[name] == pl.String

    def numbers(self, name: str) -> Any:
        return self._frame[name].to_arrow()

    def texts(self, name: str) -> Any:
        return series_content(self._frame[name]).words.to_arrow().cast(pa.string())

    def like(self, name: str, key: str) -> Any:
        """In the type that the column had, be it text."""
        return self._frame[name].to_arrow().cast(self._old.field(key).type)


def handed_back(
    block: Batches, keys: Sequence[str], fresh: Mapping[str, Any], *, row: str, said: tuple[str, bytes]
) -> Iterator[pa.RecordBatch]:
    """These columns of the batches, or the fresh ones of the same keys; then a row, number -1, with what is to be said.

    A fresh column is None where nothing is there: it has the type of the key that it is named after.
    """
    together = pa.Table.from_batches(block)
    count, arrays = together.num_rows, {}
    for key in keys:
        if key not in fresh:
            arrays[key] = together.column(key)
        elif fresh[key] is None:
            arrays[key] = pa.nulls(count, together.column(key.removesuffix("t")).type)
        else:
            arrays[key] = fresh[key]
    arrays[said[0]] = pa.nulls(count, pa.binary())
    table = pa.table(arrays)
    yield from table.combine_chunks().to_batches(max_chunksize=_SENT)
    last = {field.name: pa.nulls(1, field.type) for field in table.schema}
    last |= {row: pa.array([-1], type=pa.int64()), said[0]: pa.array([said[1]], type=pa.binary())}
    yield from pa.table(last).to_batches()
