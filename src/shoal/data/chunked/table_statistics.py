"""Statistics of a whole table, computed from its chunks in one pass, and their serialization."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.chunked.column_sketch import CellNotation, ColumnSketch, DistinctCells, Occurrence
from shoal.data.chunked.column_statistics import (
    MAX_DISTINCT,
    ColumnStatistics,
    ConsecutiveRun,
    DistinctSketch,
    SortOrder,
)
from shoal.data.chunked.column_type import ColumnType
from shoal.data.chunked.exact_moments import ExactMoments
from shoal.data.chunked.sample import MAX_SAMPLE, SystematicSample
from shoal.data.chunked.source import ChunkedFile
from shoal.data.column_profiles import ValueSample
from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.detection import FormatAmbiguity
from shoal.data.csv.dialect import Dialect
from shoal.data.csv.scan import Layout, TextBlock
from shoal.data.csv.text_values import FieldParser
from shoal.data.decimals import DecimalPlaces
from shoal.data.frames.polars_frames import PolarsCells
from shoal.data.library_errors import translate_errors
from shoal.data.table import Table
from shoal.domain import Progress, no_progress
from shoal.domain.columns import Kind
from shoal.domain.profile import ColumnProfile
from shoal.errors import ColumnError, DataError, FileError
from shoal.system.threads import parallel_map

__all__ = ["MAX_DISTINCT", "MAX_SAMPLE", "TableStatistics", "merge_statistics", "profile_chunk", "profile_file"]


_VERSION = 4
"""Format version of serialized statistics; other versions are rejected."""


@dataclass(frozen=True, eq=False, repr=False)
class TableStatistics:
    """Statistics of a whole table, independent of the size of the chunks; sums are exact."""

    start: int
    """Row of the first record; 0 unless this is a part of a table."""
    records: int
    sha256: str | None
    columns: tuple[ColumnStatistics, ...]
    systematic_sample: SystematicSample
    head: Table
    """Kind, path and settings of the table; its cells are a sample."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def _known(self) -> dict[str, ColumnStatistics]:
        return {column.name: column for column in self.columns}

    def column_type(self, name: str) -> ColumnType:
        if name not in self._known:
            raise ColumnError.unknown(name, self.names)
        return self._known[name].column_type

    def kinds(self) -> tuple[tuple[str, Kind], ...]:
        """Return the kinds of the columns, as `data.column_kinds` does for the whole table."""
        return tuple((column.name, column.column_type.kind) for column in self.columns)

    def column_profiles(self) -> tuple[ColumnProfile, ...]:
        """Return column profiles as `data.profile_columns` does; a large ``distinct`` is an estimate."""
        return tuple(column.profile(self.records) for column in self.columns)

    @property
    def estimated_columns(self) -> tuple[str, ...]:
        """Columns whose number of distinct values is an estimate."""
        return tuple(column.name for column in self.columns if column.distinct_cells is None)

    def value_counts(self, name: str) -> dict[str, int] | None:
        """Return value counts as `data.value_counts` does; None if there are too many distinct values."""
        return self.column_type(name).value_counts()

    def missing_counts(self) -> dict[str, int]:
        """Return the number of missing values of each column that has any."""
        counts = {column.name: column.column_type.missing.count for column in self.columns}
        return {name: count for name, count in counts.items() if count}

    def range(self, name: str) -> tuple[float, float] | None:
        """Return the smallest and largest number, or day, of a column; None if it has none."""
        moments = self.column_type(name).sketch.moments
        return (moments.low, moments.high) if moments.count else None

    @cached_property
    def sample(self) -> Table:
        """Every step-th record with column types; at most `MAX_SAMPLE` records."""
        from shoal.data.chunked.typed_chunks import with_column_types

        return with_column_types(replace(self.head, cells=self.systematic_sample.cells), self)

    @property
    def step(self) -> int:
        """Sampling step, a power of two."""
        return self.systematic_sample.step

    def select(self, names: Collection[str]) -> TableStatistics:
        """Restrict the statistics to these columns and the sample to its first record."""
        sample = self.systematic_sample.first(names)
        columns = tuple(column for column in self.columns if column.name in names)
        return replace(self, columns=columns, systematic_sample=sample, head=replace(self.head, cells=sample.cells))

    def to_bytes(self) -> bytes:
        """Serialize to arrays and JSON; no code is executed when they are read."""
        sample, arrays = self.systematic_sample, list[NDArray[Any]]()
        one_part = replace(sample, parts=((sample.cells, sample.rows),))
        head = replace(self.head, cells=PolarsCells(pl.DataFrame()))  # the cells of the sample are written once
        facts = {"form": _VERSION, "table": _pack(replace(self, systematic_sample=one_part, head=head), arrays)}
        file = io.BytesIO()
        np.savez(file, *arrays, facts=np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8), allow_pickle=False)
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> TableStatistics:
        """Deserialize; raise `FileError.damaged`."""
        with translate_errors(lambda: FileError.damaged("survey", "survey")):
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                facts = json.loads(file["facts"].tobytes())
                if facts["form"] != _VERSION:
                    raise FileError.damaged("survey", "survey")
                arrays = [file[f"arr_{at}"] for at in range(len(file.files) - 1)]
                statistics: TableStatistics = _unpack(facts["table"], arrays)
            head = replace(statistics.head, cells=statistics.systematic_sample.cells)
            return replace(statistics, head=head)


def profile_file(
    source: ChunkedFile,
    *,
    columns: Sequence[str] | None = None,
    parallel: bool = False,
    progress: Progress = no_progress,
) -> TableStatistics:
    """Compute the statistics of a file in one pass. Progress has no total. ``parallel`` takes more memory."""
    statistics: TableStatistics | None = None
    known: dict[str, Any] = {}

    def profile(chunk: tuple[int, Table]) -> TableStatistics:
        return profile_chunk(chunk[1], start=chunk[0], **known)

    chunks = source.numbered_chunks(columns=columns)
    for part in parallel_map(profile, chunks, prefetch=1) if parallel else map(profile, chunks):
        statistics = part if statistics is None else merge_statistics(statistics, part)
        # saves work, does not change the result
        known |= {"many_values": statistics.estimated_columns, "step": statistics.step}
        progress(statistics.records, statistics.records)
    if statistics is None:
        raise DataError.no_records()
    return statistics


def profile_chunk(chunk: Table, *, start: int = 0, many_values: Collection[str] = (), step: int = 1) -> TableStatistics:
    """Compute the statistics of one chunk whose first record is row ``start``.

    The columns with many values and the sampling ``step`` known from earlier chunks save work; they do not change the
    result.
    """
    columns = tuple(
        ColumnStatistics.of(chunk, name, start=start, many_values=name in many_values) for name in chunk.names
    )
    sample = SystematicSample.of(chunk.cells, start=start, step=step)
    head = replace(chunk, cells=sample.parts[0][0])
    return TableStatistics(start, chunk.height, chunk.sha256, columns, sample, head)


def merge_statistics(first: TableStatistics, second: TableStatistics) -> TableStatistics:
    """Merge the statistics of two adjacent parts of a table."""
    if first.names != second.names or second.start != first.start + first.records:
        raise DataError.statistics_not_adjacent()
    columns = tuple(left + right for left, right in zip(first.columns, second.columns, strict=True))
    sample = first.systematic_sample + second.systematic_sample
    head = replace(first.head, cells=sample.parts[0][0])
    return replace(first, records=first.records + second.records, columns=columns, systematic_sample=sample, head=head)


_CLASSES: Mapping[str, Any] = {
    cls.__name__: cls
    for cls in (
        *(CellNotation, ColumnSketch, ColumnStatistics, ConsecutiveRun, DecimalPlaces, DelimitedCells, Dialect),
        *(DistinctCells, DistinctSketch, ExactMoments, FieldParser, FormatAmbiguity, Layout, Occurrence, PolarsCells),
        *(SortOrder, SystematicSample, Table, TableStatistics, TextBlock, ValueSample),
    )
}


def _pack(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """Return a value as JSON, in which an object is its kind and its content; the content of arrays is a number."""
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, pl.Series):
        return {"series": _pack(pl.DataFrame([value.alias("cells")]), arrays)}
    if isinstance(value, pl.DataType):
        return {"dtype": _pack(pl.Series([], dtype=value), arrays)}
    if isinstance(value, pl.DataFrame):
        file = io.BytesIO()
        value.write_ipc(file)
        return {"frame": _pack(np.frombuffer(file.getvalue(), dtype=np.uint8), arrays)}
    name = type(value).__name__
    if name in _CLASSES:
        names = [field.name for field in fields(value)] if is_dataclass(value) else value._fields
        return {name: {field: _pack(getattr(value, field), arrays) for field in names if not field.startswith("_")}}
    if isinstance(value, Path):
        return {"path": str(value)}
    if isinstance(value, Mapping):
        return {"mapping": {key: _pack(item, arrays) for key, item in value.items()}}
    if isinstance(value, tuple | list):
        items = [_pack(item, arrays) for item in value]
        return {"tuple": items} if isinstance(value, tuple) else items
    return value


def _unpack(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(value, list):
        return [_unpack(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "mapping" or kind in _CLASSES:
        items = {key: _unpack(item, arrays) for key, item in content.items()}
        return items if kind == "mapping" else _CLASSES[kind](**items)
    if kind == "array":
        return arrays[content]
    if kind == "path":
        return Path(content)
    inner = _unpack(content, arrays)
    if kind == "tuple":
        return tuple(inner)
    if kind == "frame":
        return pl.read_ipc(io.BytesIO(inner.tobytes()))
    return inner["cells"].alias("") if kind == "series" else inner.dtype
