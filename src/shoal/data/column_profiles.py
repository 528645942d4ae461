"""Profiles of columns: kind, pattern and order without any value; decimal places; a preview for their owner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.text_values import BLANKS, FieldParser
from shoal.data.decimals import DecimalPlaces, decimals_of_objects, decimals_of_series, decimals_of_text, float_dtype
from shoal.data.frames.numpy_arrays import ArrayCells
from shoal.data.frames.object_columns import pandas_objects
from shoal.data.frames.pandas_frames import PandasCells
from shoal.data.identifiers.value_patterns import MIN_NUMBER, contains_email, detect_pattern
from shoal.data.library_errors import translate_errors
from shoal.data.table import ColumnContent, Table, TableCells, has_times
from shoal.domain import Precision
from shoal.domain.columns import Kind
from shoal.domain.profile import ColumnProfile
from shoal.errors import ColumnError, DataError
from shoal.system.threads import parallel_map

_MIN_VALUES, _MIN_RECORDS = 3, 10
"""Fewer may be sorted by chance, or reveal little by it."""
SAMPLE_SIZE = 2_048
_OVERSAMPLING = 4
"""Oversampling factor of the first attempt, to get enough distinct values."""
_TOP_VALUES = 5
_MAX_LENGTH = 80


def column_kinds(table: Table) -> tuple[tuple[str, Kind], ...]:
    """Return the name and kind of each column."""
    detected = parallel_map(lambda name: table.cells.content(name).kind, table.names, records=table.height)
    return tuple(zip(table.names, detected, strict=True))


def profile_columns(table: Table) -> tuple[ColumnProfile, ...]:
    """Profile each column without disclosing any of its values."""
    return tuple(parallel_map(lambda name: _profile(table, name), table.names, records=table.height))


def _profile(table: Table, name: str) -> ColumnProfile:
    content = table.cells.content(name)
    values = content.values
    missing = values.null_count()
    is_integer = counts_up = False
    if content.kind is Kind.NUMERIC and content.numbers is not None:
        numbers = _known(content.numbers).to_numpy()
        is_integer = len(numbers) > 0 and bool(np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all())
        with np.errstate(over="ignore"):
            counts_up = is_integer and missing == 0 and len(numbers) > 1 and bool((np.diff(numbers) == 1).all())
    distinct = values.n_unique() - (1 if missing else 0)
    is_sorted = is_order_informative(distinct, len(values) - missing) and _is_sorted(content)
    present = len(values) - missing
    pattern = _pattern(table, name, content, whole=is_integer, distinct=distinct, present=present)
    return ColumnProfile(name, content.kind, content.type, is_integer, distinct, missing, counts_up, is_sorted, pattern)


def _pattern(table: Table, name: str, content: ColumnContent, *, whole: bool, distinct: int, present: int) -> str:
    """Detect the pattern of the values from stored cells, the same as for a table read in chunks."""
    cells, texts = table.cells, content.values
    if content.kind is Kind.NUMERIC:
        largest = content.numbers.max() if whole and content.numbers is not None else None
        if not isinstance(largest, float) or largest < MIN_NUMBER:
            return ""
        if isinstance(cells, DelimitedCells):
            parser = cells.dialect.parser(name)
            sample = ValueSample.of(parser.mask_missing(cells.text(name)))
            return detect_pattern(sample.texts, content.kind, parser, distinct=distinct, present=present)
    elif content.kind is Kind.DATE:
        return ""
    texts = pattern_texts(texts)
    if content.kind is not Kind.NUMERIC and contains_email(texts).any():
        return "email"
    return detect_pattern(ValueSample.of(texts).texts, content.kind, distinct=distinct, present=present)


def is_order_informative(distinct: int, records: int) -> bool:
    """Return whether the order of this many distinct values in this many records reveals anything."""
    return distinct >= _MIN_VALUES and records >= _MIN_RECORDS


def _is_sorted(content: ColumnContent) -> bool:
    values = content.numbers if content.kind is Kind.NUMERIC and content.numbers is not None else content.values
    if content.levels:
        rank = pl.DataFrame({"word": content.levels}, schema={"word": pl.String}).with_row_index("rank")
        words = pl.DataFrame({"word": content.text_values})
        values = words.join(rank, on="word", how="left", maintain_order="left")["rank"]
    elif values.dtype in (pl.Categorical, pl.Enum):
        values = values.cast(pl.String)
    known = _known(values)
    if known.dtype.is_nested() or known.dtype in (pl.Object, pl.Null):
        return False
    return known.is_sorted() or known.is_sorted(descending=True)


def _known(values: pl.Series) -> pl.Series:
    """Drop missing values; skipped if there are none, since polars is slow to drop nothing."""
    return values.drop_nulls() if values.null_count() else values


class ValueSample(NamedTuple):
    """The distinct texts with the smallest hashes."""

    texts: pl.Series

    @classmethod
    def of(cls, texts: pl.Series) -> ValueSample:
        """Sample from texts with missing values and duplicates."""
        if len(texts) <= SAMPLE_SIZE:
            return cls(_smallest_hashes(texts.drop_nulls().unique()))
        hashes = texts.hash(seed=0).to_numpy()
        threshold = np.uint64(min(2.0**64 * _OVERSAMPLING * SAMPLE_SIZE / len(texts), 2.0**64 - 2048))
        sample = texts.gather(np.flatnonzero(hashes <= threshold)).drop_nulls().unique()
        return cls(_smallest_hashes(sample if len(sample) >= SAMPLE_SIZE else texts.drop_nulls().unique()))

    def __add__(self, other: ValueSample) -> ValueSample:  # type: ignore[override]
        return ValueSample(_smallest_hashes(pl.concat([self.texts, other.texts]).unique()))


def _smallest_hashes(distinct: pl.Series) -> pl.Series:
    """Return the texts with the smallest hashes, ascending; ties are sorted alphabetically."""
    frame = pl.DataFrame({"text": distinct}, schema={"text": pl.String})
    return frame.with_columns(hash=frame["text"].hash(seed=0)).sort("hash", "text")["text"].head(SAMPLE_SIZE).alias("")


def pattern_texts(cells: pl.Series) -> pl.Series:
    """Return texts and integers as text, for pattern recognition; empty for other types."""
    dtype = cells.dtype
    if dtype == pl.String:
        return cells
    if dtype in (pl.Categorical, pl.Enum) or dtype.is_integer():
        return cells.cast(pl.String)
    if dtype.is_decimal():
        cells = cells.cast(pl.Float64)
    if dtype.is_float() or dtype.is_decimal():
        is_integer = cells.is_finite() & (cells == cells.floor()) & (cells.abs() < 2.0**63)
        return cells.filter(is_integer).cast(pl.Int64).cast(pl.String)
    return pl.Series([], dtype=pl.String)


@dataclass(frozen=True)
class ColumnPreview:
    """Sample cells of a column and counts over all records. Contains original values."""

    name: str
    type: str
    first: tuple[str | None, ...]
    """Cells of the first records; None where missing."""
    missing: int
    distinct: int
    """Number of distinct values, without missing ones."""
    top: tuple[tuple[str, int], ...]
    low: str | None = None
    high: str | None = None
    """Maximum number or date; ``low`` is the minimum."""


def preview_column(table: Table, name: str, *, rows: int) -> ColumnPreview:
    """Preview a column with the cells of its first records; long texts are truncated."""
    if name not in table.names:
        raise ColumnError.unknown(name, table.names)
    with translate_errors(lambda: DataError.unknown_objects(name)):
        content = table.cells.content(name)
        values = content.values.alias("value")
        counts = values.drop_nulls().value_counts(name="records")
        top = counts.sort(["records", "value"], descending=[True, False]).head(_TOP_VALUES)
        extremes: list[str | None] = [None, None]
        if content.kind in (Kind.NUMERIC, Kind.DATE) and counts.height:
            sortable = content.numbers if content.kind is Kind.NUMERIC and content.numbers is not None else values
            known = sortable.drop_nulls()
            known = known.drop_nans() if known.dtype.is_float() else known
            extremes = _truncated_texts(content, pl.Series([known.min(), known.max()], dtype=known.dtype))
        return ColumnPreview(
            name,
            content.type,
            tuple(_truncated_texts(content, values.head(rows))),
            values.null_count(),
            counts.height,
            tuple(zip(map(str, _truncated_texts(content, top["value"])), top["records"].to_list(), strict=True)),
            *extremes,
        )


def _truncated_texts(content: ColumnContent, values: pl.Series) -> list[str | None]:
    write_times = content.write_times or (isinstance(values.dtype, pl.Datetime) and has_times(content.values))
    texts = replace(content, values=values, write_times=write_times).text_values
    return [None if text is None else text if len(text) <= _MAX_LENGTH else text[:_MAX_LENGTH] + "…" for text in texts]


def detect_precisions(table: Table, names: Sequence[str]) -> dict[str, Precision]:
    """Return the precision of each of these numeric columns."""
    detected = parallel_map(lambda name: _precision(table.cells, name), names, records=table.height)
    return dict(zip(names, detected, strict=True))


def _precision(cells: TableCells, name: str) -> Precision:
    content = cells.content(name)
    dtype = float_dtype(str(cells.table.dtype) if isinstance(cells, ArrayCells) else content.type)
    low = high = None
    if content.numbers is not None:
        low, high = content.numbers.min(), content.numbers.max()
    if low is None or high is None:
        return Precision(dtype=dtype)
    return _decimals(cells, name, content, dtype).precision(low=float(low), high=float(high), dtype=dtype)  # type: ignore[arg-type]


def _decimals(cells: TableCells, name: str, content: ColumnContent, dtype: str) -> DecimalPlaces:
    if isinstance(cells, DelimitedCells):
        return DecimalPlaces(0, 0) if content.type == "integer" else _field_decimals(*cells.distinct_texts(name))
    if isinstance(cells, PandasCells) and content.type == "object":
        return decimals_of_objects(pandas_objects(cells.table.iloc[:, cells.names.index(name)]))
    numbers = content.numbers
    return decimals_of_series(
        content.values if numbers is None or content.values.dtype.is_numeric() else numbers, dtype
    )


def _field_decimals(fields: pl.Series, reading: FieldParser) -> DecimalPlaces:
    """Return the decimal places of a text column of numbers and missing values."""
    texts = reading.to_standard(fields).str.strip_chars(BLANKS)
    return decimals_of_text(texts.filter(~texts.is_in(list(reading.missing))))
