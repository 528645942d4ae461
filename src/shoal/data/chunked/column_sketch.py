"""Sketch of a column: additive statistics of its cells, from which the type of the whole column follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.data.chunked.exact_moments import ExactMoments
from shoal.data.column_profiles import pattern_texts
from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.text_values import BLANKS, CODE, DATE, INTEGER, NUMBER, FieldParser, are_dates, parse_floats
from shoal.data.decimals import DecimalPlaces, decimals_of_series, decimals_of_text, float_dtype
from shoal.data.encode.dates import ZONE, day_numbers, has_zones, times_of_day, utc_suffix
from shoal.data.equivalence_classes import comparable_values
from shoal.data.identifiers.value_patterns import contains_email
from shoal.data.table import Table, TableCells, has_times, nan_to_null, without_negative_zero
from shoal.domain import BoolVector, IntVector
from shoal.errors import ColumnError

_NEVER = 2**62
_STANDARD = FieldParser()


def normalized_cells(chunk: Table, name: str) -> pl.Series:
    """Return a column whose equal values have equal cells in all chunks: NaN is missing, and -0.0 is 0.0."""
    cells = _written_cells(chunk, name)
    return without_negative_zero(nan_to_null(cells)) if cells.dtype.is_float() else cells


def survey_cells(chunk: Table, name: str) -> pl.Series:
    """Return strata or households as a reader sees them, with every missing value as null and zero without a sign."""
    if name not in chunk.names:
        raise ColumnError.unknown(name, chunk.names)
    return normalized_cells(chunk, name).set(chunk.cells.content(name).values.is_null(), None)


def visible_cells(chunk: Table, name: str) -> pl.Series:
    """Return a column whose cells are equal across chunks if a reader sees no difference."""
    return comparable_values(_written_cells(chunk, name))


def _written_cells(chunk: Table, name: str) -> pl.Series:
    cells = chunk.cells
    return cells.text(name) if isinstance(cells, DelimitedCells) else cells.visible_values(name)


@dataclass(frozen=True)
class CellNotation:
    """How cells are stored: as text fields, or in typed columns."""

    is_text: bool
    parser: FieldParser = _STANDARD

    @classmethod
    def of(cls, cells: TableCells, name: str) -> CellNotation:
        """Return the notation of a column."""
        return cls(True, cells.dialect.parser(name)) if isinstance(cells, DelimitedCells) else cls(False)

    def plain(self, fields: pl.Series) -> pl.Series:
        """Return text fields in the standard form, without surrounding blanks."""
        return self.parser.to_standard(fields).str.strip_chars(BLANKS)


@dataclass(frozen=True)
class Occurrence:
    """Number of cells with some property, and the row of the first."""

    count: int = 0
    first: int = _NEVER
    note: str = ""
    """Remark on the first one."""

    @classmethod
    def of(cls, mask: BoolVector, start: int = 0) -> Occurrence:
        """Return the occurrence of the marked cells of a chunk whose first record is row ``start``."""
        rows = np.flatnonzero(mask)
        return cls(len(rows), start + int(rows[0])) if len(rows) else cls()

    def __add__(self, other: Occurrence) -> Occurrence:
        earlier = self if self.first <= other.first else other
        return Occurrence(self.count + other.count, earlier.first, earlier.note)

    @property
    def error_arguments(self) -> dict[str, int]:
        """Count and record number of the first occurrence, as keyword arguments of errors."""
        return {"rows": self.count, "first": self.first + 1}


_NO_OCCURRENCE, _NO_NUMBERS, _NO_DECIMALS = Occurrence(), ExactMoments(), DecimalPlaces()


class DistinctCells(NamedTuple):
    """Distinct cells, their counts and the row of the first occurrence of each."""

    cells: pl.Series
    counts: IntVector
    first_rows: IntVector

    def occurrence(self, mask: pl.Series | BoolVector) -> Occurrence:
        which = np.flatnonzero(np.asarray(mask))
        if not len(which):
            return Occurrence()
        return Occurrence(int(self.counts[which].sum()), int(self.first_rows[which].min()))

    def filter(self, mask: pl.Series) -> DistinctCells:
        which = mask.fill_null(False).to_numpy()
        return DistinctCells(self.cells.filter(mask), self.counts[which], self.first_rows[which])


@dataclass(frozen=True)
class ColumnSketch:
    """Additive statistics of the cells of a column."""

    missing: Occurrence = _NO_OCCURRENCE
    """Missing values if the column is typed or holds numbers or dates."""
    empty_fields: Occurrence = _NO_OCCURRENCE
    """Empty fields: missing in any text column."""
    non_numbers: Occurrence = _NO_OCCURRENCE
    """Neither numbers nor missing."""
    non_dates: Occurrence = _NO_OCCURRENCE
    invalid_times: Occurrence = _NO_OCCURRENCE
    """Texts that look like dates with an invalid time."""
    infinite: Occurrence = _NO_OCCURRENCE
    numbers: int = 0
    leading_zeros: bool = False
    """Whether integers have leading zeros, as codes do."""
    non_integers: bool = False
    """Whether any number is not written as an integer."""
    overflows: bool = False
    """Whether an integer overflows 64 bits."""
    fractional: bool = False
    """Whether a number has a fraction."""
    decimals: DecimalPlaces = _NO_DECIMALS
    """Decimals of the numbers as written."""
    has_time_zones: bool = False
    has_times: bool = False
    """Whether a timestamp is not midnight."""
    time_separator: Occurrence = _NO_OCCURRENCE
    """Separator of date and time in the first date with a time."""
    utc_notation: Occurrence = _NO_OCCURRENCE
    """Notation of UTC in the first date with a time zone."""
    moments: ExactMoments = _NO_NUMBERS
    """Of the finite numbers, or of the dates as days."""
    emails: int = 0

    def __add__(self, other: ColumnSketch) -> ColumnSketch:
        def both(name: str) -> object:
            one, two = getattr(self, name), getattr(other, name)
            return one or two if isinstance(one, bool) else one + two

        return ColumnSketch(**{field.name: both(field.name) for field in fields(self)}).consistent()  # type: ignore[arg-type]

    def consistent(self) -> ColumnSketch:
        """Drop number statistics if some cells are not numbers, and date statistics if some texts are not dates."""
        if self.non_numbers.count and self.numbers:
            return replace(self, **_NO_NUMBER_STATISTICS, **_NO_DATES)
        return replace(self, **_NO_DATES) if self.non_dates.count else self

    @classmethod
    def of(cls, distinct: DistinctCells, notation: CellNotation) -> ColumnSketch:
        if notation.is_text:
            return _sketch_fields(distinct, notation)
        dtype = distinct.cells.dtype
        absent = distinct.occurrence(distinct.cells.is_null())
        present = distinct.filter(distinct.cells.is_not_null())
        if dtype.is_numeric():
            decimals = decimals_of_series(present.cells, float_dtype(str(dtype)))
            return _sketch_numbers(present, present.cells.cast(pl.Float64)) + cls(missing=absent, decimals=decimals)
        if dtype in (pl.Date, pl.Datetime):
            timed = isinstance(dtype, pl.Datetime) and has_times(present.cells)
            zoned = isinstance(dtype, pl.Datetime) and dtype.time_zone is not None
            moments = ExactMoments.of(day_numbers(present.cells).to_numpy(), present.counts)
            return cls(missing=absent, has_times=timed, has_time_zones=zoned, moments=moments)
        if dtype == pl.String:
            return _sketch_texts(present) + cls(missing=absent)
        emails = _emails(present._replace(cells=pattern_texts(present.cells)))
        return cls(
            missing=absent, non_numbers=present.occurrence(np.ones(len(present.cells), dtype=np.bool_)), emails=emails
        )


_NO_NUMBER_STATISTICS: dict[str, Any] = {
    "infinite": Occurrence(),
    "decimals": DecimalPlaces(),
    **dict.fromkeys(("leading_zeros", "non_integers", "overflows", "fractional"), False),
}
_NO_DATES: dict[str, Any] = {"invalid_times": Occurrence(), "moments": ExactMoments()}


def _sketch_fields(distinct: DistinctCells, notation: CellNotation) -> ColumnSketch:
    plain = notation.plain(distinct.cells)
    absent = plain.is_in(list(notation.parser.missing))
    number = plain.str.contains(NUMBER) & ~absent
    blank = notation.parser.mask_missing(distinct.cells).is_null()
    sketch = ColumnSketch(missing=distinct.occurrence(absent), empty_fields=distinct.occurrence(blank))
    other = ~(number | absent)
    if other.any():
        standard = distinct._replace(cells=notation.parser.to_standard(distinct.cells))
        sketch += _sketch_texts(standard.filter(other))
    if number.any():
        digits = plain.str.contains(INTEGER)
        fits = plain.filter(number).cast(pl.Int64, strict=False).is_not_null().all()
        zeros, fractions = bool(plain.str.contains(CODE).any()), not (digits | absent).all()
        sketch += ColumnSketch(leading_zeros=zeros, non_integers=fractions, overflows=not fits)
        if not other.any():
            sketch += _sketch_numbers(distinct.filter(number), parse_floats(plain, number).filter(number))
            sketch += ColumnSketch(
                decimals=decimals_of_text(plain.filter(number)) if fractions else DecimalPlaces(0, 0)
            )
        else:
            sketch += ColumnSketch(numbers=int(distinct.counts[number.to_numpy()].sum()))
    return sketch


def _sketch_numbers(distinct: DistinctCells, numbers: pl.Series) -> ColumnSketch:
    values = numbers.to_numpy().astype(np.float64)
    finite = np.isfinite(values)
    known, counts = values[finite], distinct.counts[finite]
    return ColumnSketch(
        numbers=int(distinct.counts.sum()),
        infinite=distinct.occurrence(~finite),
        fractional=bool((known != np.floor(known)).any()),
        moments=ExactMoments.of(known, counts),
    )


def _sketch_texts(distinct: DistinctCells) -> ColumnSketch:
    """Return the sketch of texts, some or all of which may be dates."""
    cells = distinct.cells
    undated = distinct.occurrence(~are_dates(cells))
    words = distinct.occurrence(np.ones(len(cells), dtype=np.bool_))
    like = cells.str.strip_chars().str.contains(DATE)
    if not like.any():
        return ColumnSketch(non_numbers=words, non_dates=undated, emails=_emails(distinct))
    dated = distinct.filter(like)
    tails = times_of_day(dated.cells)
    timed, zoned = dated.filter(tails != ""), dated.filter(tails.str.contains(ZONE))
    moments, untimely = ExactMoments(), Occurrence()
    if not undated.count:
        days = day_numbers(cells)
        moments = ExactMoments.of(days.drop_nulls().to_numpy(), distinct.counts[days.is_not_null().to_numpy()])
        untimely = distinct.occurrence(days.is_null())
    return ColumnSketch(
        non_numbers=words,
        non_dates=undated,
        invalid_times=untimely,
        has_time_zones=has_zones(dated.cells),
        time_separator=_first(timed, lambda tail: tail[0]),
        utc_notation=_first(zoned, utc_suffix),
        moments=moments,
        emails=_emails(distinct),
    )


def _emails(distinct: DistinctCells) -> int:
    return distinct.occurrence(contains_email(distinct.cells)).count if len(distinct.cells) else 0


def _first(distinct: DistinctCells, note_of: Callable[[str], str]) -> Occurrence:
    """Return the first of these dates, with a note from its time of day."""
    if not len(distinct.cells):
        return Occurrence()
    first = int(np.argmin(distinct.first_rows))
    time = str(times_of_day(distinct.cells[first : first + 1]).item())
    return Occurrence(0, int(distinct.first_rows[first]), note_of(time))
