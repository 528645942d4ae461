"""Sketch of a column: additive statistics of its cells, from which the type of the whole column follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.data.chunked.exact_moments import ExactMoments
from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.text_values import BLANKS, DATE, NUMBER, FieldParser, parse_floats
from shoal.data.decimals import DecimalPlaces, decimals_of_series, decimals_of_text, float_dtype
from shoal.data.encode.dates import ZONE, day_numbers, has_zones, times_of_day, utc_suffix
from shoal.data.identifiers.value_patterns import contains_email
from shoal.data.table import TableCells, has_times
from shoal.data.value_sample import pattern_texts
from shoal.domain import BoolVector, IntVector

_NEVER = 2**62
_CODE, _DIGITS = r"^[+-]?0[0-9]+$", r"^[+-]?[0-9]+$"


_STANDARD = FieldParser()


@dataclass(frozen=True)
class CellNotation:
    """How cells are stored: as text fields, or in typed columns."""

    is_text: bool
    reading: FieldParser = _STANDARD

    @classmethod
    def of(cls, cells: TableCells, name: str) -> CellNotation:
        """Return the notation of a column."""
        return cls(True, cells.dialect.parser(name)) if isinstance(cells, DelimitedCells) else cls(False)

    def plain(self, fields: pl.Series) -> pl.Series:
        """Return text fields in the standard form, without surrounding blanks."""
        return self.reading.to_standard(fields).str.strip_chars(BLANKS)


@dataclass(frozen=True)
class Occurrence:
    """Number of cells with some property, and the row of the first."""

    count: int = 0
    first: int = _NEVER
    note: str = ""
    """Remark on the first one."""

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

    def occurrence(self, mask: pl.Series | BoolVector, note: str = "") -> Occurrence:
        which = np.flatnonzero(np.asarray(mask))
        return (
            Occurrence(int(self.counts[which].sum()), int(self.first_rows[which].min()), note)
            if len(which)
            else Occurrence()
        )

    def filter(self, mask: pl.Series) -> DistinctCells:
        which = mask.fill_null(False).to_numpy()
        return DistinctCells(self.cells.filter(mask), self.counts[which], self.first_rows[which])


@dataclass(frozen=True)
class ColumnSketch:
    """Additive statistics of the cells of a column."""

    absent: Occurrence = _NO_OCCURRENCE
    """Missing values if the column is typed or holds numbers or dates."""
    blank: Occurrence = _NO_OCCURRENCE
    """Empty fields: missing in any text column."""
    words: Occurrence = _NO_OCCURRENCE
    """Neither numbers nor missing."""
    undated: Occurrence = _NO_OCCURRENCE
    """Texts that are not dates."""
    untimely: Occurrence = _NO_OCCURRENCE
    """Texts that look like dates with an invalid time."""
    infinite: Occurrence = _NO_OCCURRENCE
    numbers: int = 0
    zeros: bool = False
    """Whether integers have leading zeros, as codes do."""
    fractions: bool = False
    """Whether any number is not written as an integer."""
    long: bool = False
    """Whether an integer overflows 64 bits."""
    uneven: bool = False
    """Whether a number has a fraction."""
    decimals: DecimalPlaces = _NO_DECIMALS
    """Decimals of the numbers as written."""
    zoned: bool = False
    timed: bool = False
    """Whether a timestamp is not midnight."""
    mark: Occurrence = _NO_OCCURRENCE
    """Separator of date and time in the first date with a time."""
    zone: Occurrence = _NO_OCCURRENCE
    """Notation of UTC in the first date with a time zone."""
    moments: ExactMoments = _NO_NUMBERS
    """Of the finite numbers, or of the dates as days."""
    emails: int = 0
    """Texts that contain an e-mail address."""

    def __add__(self, other: ColumnSketch) -> ColumnSketch:
        def both(name: str) -> object:
            one, two = getattr(self, name), getattr(other, name)
            return one or two if isinstance(one, bool) else one + two

        return ColumnSketch(**{field.name: both(field.name) for field in fields(self)}).consistent()  # type: ignore[arg-type]

    def consistent(self) -> ColumnSketch:
        """Drop number statistics if some cells are not numbers, and date statistics if some texts are not dates."""
        if self.words.count and self.numbers:
            return replace(self, **_NO_NUMBER_STATISTICS, **_NO_DATES)
        return replace(self, **_NO_DATES) if self.undated.count else self

    @classmethod
    def of(cls, distinct: DistinctCells, notation: CellNotation) -> ColumnSketch:
        if notation.is_text:
            return _sketch_fields(distinct, notation)
        dtype = distinct.cells.dtype
        absent = distinct.occurrence(distinct.cells.is_null())
        present = distinct.filter(distinct.cells.is_not_null())
        if dtype.is_numeric():
            decimals = decimals_of_series(present.cells, float_dtype(str(dtype)))
            return _sketch_numbers(present, present.cells.cast(pl.Float64)) + cls(absent=absent, decimals=decimals)
        if dtype in (pl.Date, pl.Datetime):
            timed = isinstance(dtype, pl.Datetime) and has_times(present.cells)
            zoned = isinstance(dtype, pl.Datetime) and dtype.time_zone is not None
            moments = ExactMoments.of(day_numbers(present.cells).to_numpy(), present.counts)
            return cls(absent=absent, timed=timed, zoned=zoned, moments=moments)
        if dtype == pl.String:
            return _sketch_texts(present) + cls(absent=absent)
        email_count = _emails(present._replace(cells=pattern_texts(present.cells)))
        return cls(
            absent=absent, words=present.occurrence(np.ones(len(present.cells), dtype=np.bool_)), emails=email_count
        )


_NO_NUMBER_STATISTICS: dict[str, Any] = {
    "infinite": Occurrence(),
    "decimals": DecimalPlaces(),
    **dict.fromkeys(("zeros", "fractions", "long", "uneven"), False),
}
_NO_DATES: dict[str, Any] = {"untimely": Occurrence(), "moments": ExactMoments()}


def _sketch_fields(seen: DistinctCells, notation: CellNotation) -> ColumnSketch:
    plain = notation.plain(seen.cells)
    absent = plain.is_in(list(notation.reading.missing))
    number = plain.str.contains(NUMBER) & ~absent
    found = ColumnSketch(
        absent=seen.occurrence(absent), blank=seen.occurrence(notation.reading.mask_missing(seen.cells).is_null())
    )
    other = ~(number | absent)
    if other.any():
        standard = seen._replace(cells=notation.reading.to_standard(seen.cells))
        found += _sketch_texts(standard.filter(other))
    if number.any():
        digits = plain.str.contains(_DIGITS)
        fits = plain.filter(number).cast(pl.Int64, strict=False).is_not_null().all()
        found += ColumnSketch(
            zeros=bool(plain.str.contains(_CODE).any()),
            fractions=not (digits | absent).all(),
            long=not fits,
        )
        if not other.any():
            found += _sketch_numbers(seen.filter(number), parse_floats(plain, number).filter(number))
            found += ColumnSketch(
                decimals=decimals_of_text(plain.filter(number)) if found.fractions else DecimalPlaces(0, 0)
            )
        else:
            found += ColumnSketch(numbers=int(seen.counts[number.to_numpy()].sum()))
    return found


def _sketch_numbers(seen: DistinctCells, numbers: pl.Series) -> ColumnSketch:
    values = numbers.to_numpy().astype(np.float64)
    finite = np.isfinite(values)
    known, counts = values[finite], seen.counts[finite]
    return ColumnSketch(
        numbers=int(seen.counts.sum()),
        infinite=seen.occurrence(~finite),
        uneven=bool((known != np.floor(known)).any()),
        moments=ExactMoments.of(known, counts),
    )


def _sketch_texts(seen: DistinctCells) -> ColumnSketch:
    """Return the sketch of texts, some or all of which may be dates."""
    cells = seen.cells
    dates = cells.str.contains(DATE)
    dates &= cells.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False).is_not_null()
    undated = seen.occurrence(~dates)
    words = seen.occurrence(np.ones(len(cells), dtype=np.bool_))
    like = cells.str.strip_chars().str.contains(DATE)
    if not like.any():
        return ColumnSketch(words=words, undated=undated, emails=_emails(seen))
    dated = seen.filter(like)
    tails = times_of_day(dated.cells)
    timed, zoned = dated.filter(tails != ""), dated.filter(tails.str.contains(ZONE))
    moments, untimely = ExactMoments(), Occurrence()
    if not undated.count:
        days = day_numbers(cells)
        moments = ExactMoments.of(days.drop_nulls().to_numpy(), seen.counts[days.is_not_null().to_numpy()])
        untimely = seen.occurrence(days.is_null())
    return ColumnSketch(
        words=words,
        undated=undated,
        untimely=untimely,
        zoned=has_zones(dated.cells),
        mark=_first(timed, lambda tail: tail[0]),
        zone=_first(zoned, utc_suffix),
        moments=moments,
        emails=_emails(seen),
    )


def _emails(seen: DistinctCells) -> int:
    return seen.occurrence(contains_email(seen.cells)).count if len(seen.cells) else 0


def _first(seen: DistinctCells, note_of: Callable[[str], str]) -> Occurrence:
    """Return the first of these dates, with a note from its time of day."""
    if not len(seen.cells):
        return Occurrence()
    place = int(np.argmin(seen.first_rows))
    return Occurrence(0, int(seen.first_rows[place]), note_of(str(times_of_day(seen.cells[place : place + 1]).item())))
