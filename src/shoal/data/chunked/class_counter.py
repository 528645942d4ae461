"""Class counts of a released table, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from shoal.data.chunked.column_sketch import Occurrence, survey_cells, visible_cells
from shoal.data.chunked.distinct_rows import RECORDS, UNITS, WEIGHTS, DistinctRows, sum_by_keys
from shoal.data.library_errors import translate_errors
from shoal.data.model_checks import ClassDistribution, ClassValueCounts, satisfies, values_of_counts
from shoal.data.table import Table, text_values
from shoal.domain import FloatVector, IntVector, ModelCheck
from shoal.errors import ColumnError, DataError, PromiseError

if TYPE_CHECKING:  # the encoders are built from statistics of chunks
    from shoal.data.encode.sensitive_values import SensitiveCodes, SensitiveEncoder

_HOUSEHOLD, _VALUE = "household", "value"
_NO_VALUES: Mapping[str, Sequence[str]] = MappingProxyType({})


class ClassCounts(NamedTuple):
    """Class sizes of a table, in ascending order."""

    sizes: Mapping[int, int]
    """Number of classes of each number of records."""
    records: Mapping[int, int]
    """Number of records by the records, or households, of their class within its stratum."""


class ClassCounter:
    """Counts the classes of a table chunk by chunk, on released values; shares no code with the methods.

    Distinct rows stay in memory while they fit. Above that they are hash-partitioned into files of a folder, and each
    file is counted separately: a class lies in one partition, and so does a household.
    """

    def __init__(
        self,
        folder: Path,
        names: Sequence[str],
        *,
        strata: Sequence[str] = (),
        households: str = "",
        values: Mapping[str, Sequence[str]] = _NO_VALUES,
        measured: Sequence[SensitiveCodes] = (),
        parts: int = 64,
        max_bytes: int = 64 << 20,
    ) -> None:
        """Count classes by the named columns; at most about ``max_bytes`` bytes of distinct rows stay in memory.

        ``values`` are the distinct texts of the sensitive columns, which are counted in each class, and
        ``measured`` those of which `distributions` are wanted. With them, strata or households, chunks must have column
        types.
        """
        self._columns, self._strata, self._households = tuple(names), tuple(strata), households
        self._measured = tuple(measured)
        self._texts = {name: pl.Series([*texts, None], dtype=pl.String) for name, texts in values.items()}
        self._classes = [f"q{j}" for j in range(len(self._columns))]
        self._in_strata = [*self._classes, *(f"s{j}" for j in range(len(self._strata)))]
        limit = max_bytes // (1 + bool(households) + len(values))

        def rows(partition_by: Sequence[str]) -> DistinctRows:
            return DistinctRows(folder, partition_by, parts=max(1, parts), max_bytes=limit)

        self._sizes = rows(self._classes)
        self._members = rows([_HOUSEHOLD]) if households else None
        self._values = {name: rows(self._classes) for name in values}
        self._records, self._without_household = 0, Occurrence()

    def add(self, chunk: Table, counts: IntVector | None = None, *, values: Table | None = None) -> None:
        """Count the records of a chunk of the release; with ``counts``, each row that many times.

        ``values`` has the sensitive columns of the same records, by default the chunk itself.
        """
        for name in self._columns:
            if name not in chunk.names:
                raise ColumnError.unknown(name, chunk.names)
        cells = [visible_cells(chunk, name) for name in self._columns]
        cells += [survey_cells(chunk, name) for name in self._strata]
        with translate_errors(DataError.no_columns):
            rows = pl.DataFrame(
                [_plain_cells(column).alias(key) for key, column in zip(self._in_strata, cells, strict=True)]
            )
            each = pl.lit(1, dtype=pl.Int64) if counts is None else pl.lit(pl.Series(counts, dtype=pl.Int64))
            rows = rows.with_columns(each.alias(RECORDS))
        if self._members is None:
            self._sizes.add(rows)
        else:
            self._members.add(rows.with_columns(self._household_cells(chunk)))
        for name, table in self._values.items():
            table.add(rows.with_columns(self._value_indices(chunk if values is None else values, name)))
        self._records += chunk.height

    def _household_cells(self, chunk: Table) -> pl.Series:
        cells = _plain_cells(survey_cells(chunk, self._households)).alias(_HOUSEHOLD)
        self._without_household += Occurrence.of(cells.is_null().to_numpy(), self._records)
        return cells

    def _value_indices(self, chunk: Table, name: str) -> pl.Series:
        """Return the index of each cell among the known values, the last of which is missing."""
        texts = self._texts[name]
        known = pl.DataFrame([texts.alias("word"), pl.Series(_VALUE, range(len(texts)), dtype=pl.Int32)])
        cells = pl.DataFrame([text_values(chunk, name).alias("word")])
        indices = cells.join(known, on="word", how="left", nulls_equal=True, maintain_order="left")[_VALUE]
        if indices.null_count():
            raise PromiseError.unexpected_content("other sensitive values")
        return indices

    @cached_property
    def counts(self) -> ClassCounts:
        """Return the counts over all chunks."""
        if self._members is not None:
            self._count_households(self._members)
        sizes, records = Counter[int](), Counter[int]()
        for rows in self._sizes.partitions():
            units = rows[UNITS if self._members is not None else RECORDS]
            for size, number in pl.DataFrame([units.alias(UNITS), rows[RECORDS]]).group_by(UNITS).sum().iter_rows():
                records[size] += number
            classes = sum_by_keys(rows.select(*self._classes, RECORDS)) if self._strata else rows
            sizes.update(dict(classes[RECORDS].alias("size").value_counts(name="classes").iter_rows()))
        if not sizes:
            raise DataError.no_records()
        return ClassCounts(dict(sorted(sizes.items())), dict(sorted(records.items())))

    def _count_households(self, members: DistinctRows) -> None:
        """Add the households of each class to the class sizes."""
        if self._without_household.count:
            arguments = self._without_household.error_arguments
            raise DataError.missing_household(self._households, of=self._records, **arguments)
        across = 0
        for rows in members.partitions():
            strata = rows.select(_HOUSEHOLD, *self._in_strata[len(self._classes) :]).unique()
            across += int((strata[_HOUSEHOLD].value_counts(name=UNITS)[UNITS] > 1).sum())
            self._sizes.add(rows.drop(_HOUSEHOLD).with_columns(pl.lit(1, dtype=pl.Int64).alias(UNITS)))
        if across:
            raise DataError.household_across_strata(across)

    def check_models(self, encoder: SensitiveEncoder) -> tuple[ModelCheck, ...]:
        """Check each model: the value of the worst class in a stratum, and the records in classes that break it."""
        checks = []
        for d, model in enumerate(encoder.models):
            worst, broken, values = [], 0, encoder.values[model.column]
            codes = values.codes(self._texts[model.column][:-1])
            codes = np.append(codes, values.missing)
            for counts in self._value_counts(model.column, self._in_strata, codes, len(values.counts)):
                reached = values_of_counts(encoder.constraints, d, counts)
                worst.append(float(reached.max() if model.is_closeness else reached.min()))
                broken += int(counts.sizes[~satisfies(encoder.constraints, d, reached)].sum())
            value = max(worst) if model.is_closeness else min(worst)
            checks.append(ModelCheck(model.column, model.notation, value, broken))
        return tuple(checks)

    def distributions(self) -> Iterator[ClassDistribution]:
        """Yield the distribution of the measured columns in the classes, whatever their strata, by partition."""
        for column, codes, frequencies in self._measured:
            for counts in self._value_counts(column.name, self._classes, codes, column.n_values):
                yield ClassDistribution(column, counts, frequencies)

    def _value_counts(self, name: str, keys: Sequence[str], codes: IntVector, width: int) -> Iterator[ClassValueCounts]:
        """Yield the value counts of the classes by these keys; ``codes`` are those of the values, missing the last."""
        for rows in self._values[name].partitions():
            first = rows.with_row_index("row").select(pl.first("row").over(keys)).to_series()
            classes = np.unique(first.to_numpy(), return_inverse=True)[1].astype(np.int64)
            code = codes[rows[_VALUE].to_numpy()]
            if int(code.max()) >= width:
                raise PromiseError.unexpected_content("other sensitive values")
            yield ClassValueCounts.of(classes, code, width, rows[RECORDS].to_numpy())

    def close(self) -> None:
        """Remove the files."""
        for table in (self._sizes, self._members, *self._values.values()):
            if table is not None:
                table.close()


class WeightedClasses:
    """Adds up the records and the sampling weights of each class, chunk by chunk."""

    def __init__(self, folder: Path, names: Sequence[str], *, max_bytes: int) -> None:
        self._names = tuple(names)
        self._rows = DistinctRows(folder, [str(j) for j in range(len(names))], parts=64, max_bytes=max_bytes)

    def add(self, chunk: Table, weights: FloatVector) -> None:
        """Add the records of a chunk."""
        cells = [_plain_cells(visible_cells(chunk, name)).alias(str(j)) for j, name in enumerate(self._names)]
        counts = [pl.repeat(1, chunk.height, dtype=pl.Int64, eager=True).alias(RECORDS), pl.Series(WEIGHTS, weights)]
        self._rows.add(pl.DataFrame([*cells, *counts]))

    def sums(self) -> Iterator[tuple[IntVector, FloatVector]]:
        """Yield the sizes and the sums of weights of the classes, and remove the files."""
        for rows in self._rows.partitions():
            yield rows[RECORDS].to_numpy(), rows[WEIGHTS].to_numpy()
        self._rows.close()


def _plain_cells(cells: pl.Series) -> pl.Series:
    """Convert categoricals to text: the codes of two chunks may differ."""
    return cells.cast(pl.String) if cells.dtype in (pl.Categorical, pl.Enum) else cells
