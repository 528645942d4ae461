"""Class counts of a released table, in bounded memory."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from shoal.data.chunked.column_sketch import visible_cells
from shoal.data.library_errors import translate_errors
from shoal.data.model_checks import ClassValueCounts, satisfies, values_of_counts
from shoal.data.table import Table, text_values
from shoal.domain import IntVector, ModelCheck
from shoal.errors import ColumnError, DataError, OutputError

if TYPE_CHECKING:  # the encoder is built from statistics of chunks
    from shoal.data.encode.sensitive_values import SensitiveEncoder

_COUNT = "count"


class ClassCounts(NamedTuple):
    """Class sizes of a table."""

    records: int
    classes: int
    min_class: int
    violations: int
    unique_records: int
    sizes: Mapping[int, int]
    """Number of classes of each size, in ascending order."""


class ClassCounter:
    """Counts the classes of a table chunk by chunk, on released values; shares no code with the methods.

    Distinct rows stay in memory while they fit. Above that they are hash-partitioned into files of a folder, and each
    file is counted separately.
    """

    def __init__(
        self,
        folder: Path,
        names: Sequence[str],
        *,
        parts: int = 64,
        sensitive: Sequence[str] = (),
        max_bytes: int = 64 << 20,
    ) -> None:
        """Count classes by the named columns; at most about ``max_bytes`` bytes of distinct rows stay in memory.

        Sensitive columns are counted by their texts: with them, chunks must have column types.
        """
        self._folder, self._names, self._parts, self._max_bytes = folder, tuple(names), max(1, parts), max_bytes
        self._sensitive = tuple(sensitive)
        self._buffered: list[pl.DataFrame] = []
        self._run_id = secrets.token_hex(4)
        self._spills = 0

    @property
    def _keys(self) -> list[str]:
        return [str(j) for j in range(len(self._names) + len(self._sensitive))]

    @property
    def _classes(self) -> list[str]:
        return self._keys[: len(self._names)]

    def add(self, chunk: Table, counts: IntVector | None = None) -> None:
        """Count the records of a chunk of the release; with ``counts``, each row that many times."""
        columns = []
        for name in self._names:
            if name not in chunk.names:
                raise ColumnError.unknown(name, chunk.names)
            columns.append(visible_cells(chunk, name))
        columns += [text_values(chunk, name) for name in self._sensitive]
        with translate_errors(DataError.no_columns):
            rows = pl.DataFrame([_plain(cells).alias(key) for key, cells in zip(self._keys, columns, strict=True)])
            each = pl.lit(1, dtype=pl.Int64) if counts is None else pl.lit(pl.Series(counts, dtype=pl.Int64))
            self._buffered.append(_grouped(rows.with_columns(each.alias(_COUNT)), self._keys))
        if self._size() > self._max_bytes:
            self._buffered = [_grouped(pl.concat(self._buffered), self._keys)]
            # at half of the limit, so that the next chunks are not merged one by one
            if self._size() > self._max_bytes // 2:
                self._spill()

    def _size(self) -> int:
        return sum(int(frame.estimated_size()) for frame in self._buffered)

    def _spill(self) -> None:
        """Partition the rows in memory into the files by hash."""
        (rows,) = self._buffered
        part = rows.select(self._classes).hash_rows(seed=0).to_numpy() % np.uint64(self._parts)
        with translate_errors(
            lambda: OutputError.not_representable(self._folder),
            system=lambda why: OutputError.unwritable(self._folder, why),
        ):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in range(self._parts):
                rows_of_partition = rows.filter(pl.Series(part == number))
                if rows_of_partition.height:
                    path = self._file(number, self._spills)
                    path.touch(mode=0o600)
                    rows_of_partition.write_ipc(path)
        self._buffered, self._spills = [], self._spills + 1

    def _file(self, part: int, spill: int) -> Path:
        return self._folder / f"classes-{self._run_id}-{part:05d}-{spill:05d}.arrow"

    def _groups(self) -> Iterator[pl.DataFrame]:
        """Yield the distinct rows with their counts, partition by partition; a class lies in one partition."""
        if self._spills and self._buffered:
            self._buffered = [_grouped(pl.concat(self._buffered), self._keys)]
            self._spill()
        if not self._spills:
            if self._buffered:
                yield _grouped(pl.concat(self._buffered), self._keys)
            return
        for number in range(self._parts):
            files = [path for spill in range(self._spills) if (path := self._file(number, spill)).exists()]
            if files:
                yield _grouped(pl.concat([pl.read_ipc(path) for path in files]), self._keys)

    def result(self, k: int) -> ClassCounts:
        """Return the counts over all chunks."""
        counts = Counter[int]()
        for rows in self._groups():
            class_sizes = _grouped(rows.drop(self._keys[len(self._names) :]), self._classes)[_COUNT]
            sizes_of_part = class_sizes.alias("size").value_counts(name="classes")
            counts.update(dict(sizes_of_part.iter_rows()))
        if not counts:
            raise DataError.no_records()
        sizes = dict(sorted(counts.items()))
        return ClassCounts(
            records=sum(size * classes for size, classes in sizes.items()),
            classes=sum(sizes.values()),
            min_class=min(sizes),
            violations=sum(size * classes for size, classes in sizes.items() if size < k),
            unique_records=sizes.get(1, 0),
            sizes=sizes,
        )

    def check_models(self, encoder: SensitiveEncoder) -> tuple[ModelCheck, ...]:
        """Return for each model the value of its worst class and the number of records in classes that break it."""
        models = encoder.models
        worst: list[list[float]] = [[] for _ in models]
        broken = [0] * len(models)
        for rows in self._groups():
            first = rows.with_row_index("row").select(pl.first("row").over(self._classes)).to_series()
            classes = np.unique(first.to_numpy(), return_inverse=True)[1].astype(np.int64)
            for d, model in enumerate(models):
                cells = self._occurrences(rows, classes, encoder, model.column)
                reached = values_of_counts(encoder.constraints, d, cells)
                worst[d].append(float(reached.max() if model.is_closeness else reached.min()))
                broken[d] += int(cells.sizes[~satisfies(encoder.constraints, d, reached)].sum())
        return tuple(
            ModelCheck(model.column, model.notation, max(reached) if model.is_closeness else min(reached), violations)
            for model, reached, violations in zip(models, worst, broken, strict=True)
        )

    def _occurrences(
        self, rows: pl.DataFrame, classes: IntVector, encoder: SensitiveEncoder, name: str
    ) -> ClassValueCounts:
        cells = rows[self._keys[len(self._names) + self._sensitive.index(name)]]
        values = encoder.values[name]
        codes, width = values.codes(cells), len(values.counts)
        keys, group = np.unique(classes * width + codes, return_inverse=True)
        return ClassValueCounts.from_keys(keys, np.bincount(group, rows[_COUNT].to_numpy()).astype(np.int64), width)

    def close(self) -> None:
        """Remove the files."""
        for path in self._folder.glob(f"classes-{self._run_id}-*.arrow"):
            path.unlink(missing_ok=True)


def _grouped(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    return rows.group_by(keys).agg(pl.col(_COUNT).sum())


def _plain(cells: pl.Series) -> pl.Series:
    """Convert categoricals to text: the codes of two chunks may differ."""
    return cells.cast(pl.String) if cells.dtype in (pl.Categorical, pl.Enum) else cells
