"""A sketch of a column: counts over its cells that tell, added up over all chunks, what the whole column is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.tables.dates import ZONE, day_numbers, has_zones, times_of_day, zone_of
from shoal.tables.decimals import Decimals, float_type, series_decimals, text_decimals
from shoal.tables.delimited import DelimitedCells
from shoal.tables.large.moments import Moments
from shoal.tables.table import Cells, has_times
from shoal.tables.text import BLANKS, DATE, NUMBER, Reading, floats
from shoal.tables.value_patterns import emails
from shoal.tables.value_sample import texts_of
from shoal.values import BoolVector, IntVector

_NEVER = 2**62
_CODE, _DIGITS = r"^[+-]?0[0-9]+$", r"^[+-]?[0-9]+$"


_STANDARD = Reading()


@dataclass(frozen=True)
class Notation:
    """How the cells of a table are written: as fields of text, or in columns that have types."""

    text: bool
    reading: Reading = _STANDARD

    @classmethod
    def of(cls, cells: Cells, name: str) -> Notation:
        """How those of a column are written."""
        return cls(True, cells.dialect.reading(name)) if isinstance(cells, DelimitedCells) else cls(False)

    def plain(self, fields: pl.Series) -> pl.Series:
        """Fields of text in the standard form, without blanks around them."""
        return self.reading.standard(fields).str.strip_chars(BLANKS)


@dataclass(frozen=True)
class Spot:
    """How many cells are so, and the place of the first of them."""

    count: int = 0
    first: int = _NEVER
    note: str = ""
    """What is noted of the first one."""

    def __add__(self, other: Spot) -> Spot:
        earlier = self if self.first <= other.first else other
        return Spot(self.count + other.count, earlier.first, earlier.note)

    @property
    def told(self) -> dict[str, int]:
        """The count and the number of the first record, as errors tell them."""
        return {"rows": self.count, "first": self.first + 1}


_NOWHERE, _NO_NUMBERS, _NO_DECIMALS = Spot(), Moments(), Decimals()


class Different(NamedTuple):
    """Different cells, how many records have each, and the place of the first of them."""

    cells: pl.Series
    counts: IntVector
    firsts: IntVector

    def spot(self, mask: pl.Series | BoolVector, note: str = "") -> Spot:
        which = np.flatnonzero(np.asarray(mask))
        return Spot(int(self.counts[which].sum()), int(self.firsts[which].min()), note) if len(which) else Spot()

    def where(self, mask: pl.Series) -> Different:
        which = mask.fill_null(False).to_numpy()
        return Different(self.cells.filter(mask), self.counts[which], self.firsts[which])


@dataclass(frozen=True)
class Sketch:
    """Counts over the cells of a column; those of two parts of it add up."""

    absent: Spot = _NOWHERE
    """Missing where the column is one of numbers or dates, or has a type."""
    blank: Spot = _NOWHERE
    """Empty fields: missing in any column of text."""
    words: Spot = _NOWHERE
    """Neither numbers nor missing."""
    undated: Spot = _NOWHERE
    """Words that are no dates."""
    untimely: Spot = _NOWHERE
    """Words that look like dates with a time that is none."""
    infinite: Spot = _NOWHERE
    numbers: int = 0
    zeros: bool = False
    """Whether integers have leading zeros, as codes do."""
    fractions: bool = False
    """Whether something is not written as an integer."""
    long: bool = False
    """Whether an integer is too long for the types of frames."""
    uneven: bool = False
    """Whether a number is not whole."""
    decimals: Decimals = _NO_DECIMALS
    """With how many decimals numbers are written."""
    zoned: bool = False
    timed: bool = False
    """Whether a point in time is not midnight."""
    mark: Spot = _NOWHERE
    """What stands between the day and the time of the first date that has one."""
    zone: Spot = _NOWHERE
    """How the first date that has a zone writes UTC."""
    moments: Moments = _NO_NUMBERS
    """Of the finite numbers, or of the days."""
    emails: int = 0
    """Words that contain an e-mail address."""

    def __add__(self, other: Sketch) -> Sketch:
        def both(name: str) -> object:
            one, two = getattr(self, name), getattr(other, name)
            return one or two if isinstance(one, bool) else one + two

        return Sketch(**{field.name: both(field.name) for field in fields(self)}).settled()  # type: ignore[arg-type]

    def settled(self) -> Sketch:
        """Without what was counted in the belief that all cells are numbers, or dates, where that is over."""
        if self.words.count and self.numbers:
            return replace(self, **_NO_FIGURES, **_NO_DATES)
        return replace(self, **_NO_DATES) if self.undated.count else self

    @classmethod
    def of(cls, seen: Different, notation: Notation) -> Sketch:
        if notation.text:
            return _of_fields(seen, notation)
        dtype = seen.cells.dtype
        absent = seen.spot(seen.cells.is_null())
        known = seen.where(seen.cells.is_not_null())
        if dtype.is_numeric():
            decimals = series_decimals(known.cells, float_type(str(dtype)))
            return _of_numbers(known, known.cells.cast(pl.Float64)) + cls(absent=absent, decimals=decimals)
        if dtype in (pl.Date, pl.Datetime):
            timed = isinstance(dtype, pl.Datetime) and has_times(known.cells)
            zoned = isinstance(dtype, pl.Datetime) and dtype.time_zone is not None
            moments = Moments.of(day_numbers(known.cells).to_numpy(), known.counts)
            return cls(absent=absent, timed=timed, zoned=zoned, moments=moments)
        if dtype == pl.String:
            return _of_words(known) + cls(absent=absent)
        held = _emails(known._replace(cells=texts_of(known.cells)))
        return cls(absent=absent, words=known.spot(np.ones(len(known.cells), dtype=np.bool_)), emails=held)


_NO_FIGURES: dict[str, Any] = {
    "infinite": Spot(),
    "decimals": Decimals(),
    **dict.fromkeys(("zeros", "fractions", "long", "uneven"), False),
}
_NO_DATES: dict[str, Any] = {"untimely": Spot(), "moments": Moments()}


def _of_fields(seen: Different, notation: Notation) -> Sketch:
    plain = notation.plain(seen.cells)
    absent = plain.is_in(list(notation.reading.missing))
    number = plain.str.contains(NUMBER) & ~absent
    found = Sketch(absent=seen.spot(absent), blank=seen.spot(notation.reading.present(seen.cells).is_null()))
    other = ~(number | absent)
    if other.any():
        standard = seen._replace(cells=notation.reading.standard(seen.cells))
        found += _of_words(standard.where(other))
    if number.any():
        digits = plain.str.contains(_DIGITS)
        fits = plain.filter(number).cast(pl.Int64, strict=False).is_not_null().all()
        found += Sketch(
            zeros=bool(plain.str.contains(_CODE).any()), fractions=not (digits | absent).all(), long=not fits
        )
        if not other.any():
            found += _of_numbers(seen.where(number), floats(plain, number).filter(number))
            found += Sketch(decimals=text_decimals(plain.filter(number)) if found.fractions else Decimals(0, 0))
        else:
            found += Sketch(numbers=int(seen.counts[number.to_numpy()].sum()))
    return found


def _of_numbers(seen: Different, numbers: pl.Series) -> Sketch:
    values = numbers.to_numpy().astype(np.float64)
    finite = np.isfinite(values)
    known, counts = values[finite], seen.counts[finite]
    return Sketch(
        numbers=int(seen.counts.sum()),
        infinite=seen.spot(~finite),
        uneven=bool((known != np.floor(known)).any()),
        moments=Moments.of(known, counts),
    )


def _of_words(seen: Different) -> Sketch:
    """Words, some or all of which may be dates."""
    cells = seen.cells
    dates = cells.str.contains(DATE)
    dates &= cells.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False).is_not_null()
    undated = seen.spot(~dates)
    words = seen.spot(np.ones(len(cells), dtype=np.bool_))
    like = cells.str.strip_chars().str.contains(DATE)
    if not like.any():
        return Sketch(words=words, undated=undated, emails=_emails(seen))
    dated = seen.where(like)
    tails = times_of_day(dated.cells)
    timed, zoned = dated.where(tails != ""), dated.where(tails.str.contains(ZONE))
    moments, untimely = Moments(), Spot()
    if not undated.count:
        days = day_numbers(cells)
        moments = Moments.of(days.drop_nulls().to_numpy(), seen.counts[days.is_not_null().to_numpy()])
        untimely = seen.spot(days.is_null())
    return Sketch(
        words=words,
        undated=undated,
        untimely=untimely,
        zoned=has_zones(dated.cells),
        mark=_first(timed, lambda tail: tail[0]),
        zone=_first(zoned, zone_of),
        moments=moments,
        emails=_emails(seen),
    )


def _emails(seen: Different) -> int:
    return seen.spot(emails(seen.cells)).count if len(seen.cells) else 0


def _first(seen: Different, told: Callable[[str], str]) -> Spot:
    """The first of these dates, with what its time of day tells."""
    if not len(seen.cells):
        return Spot()
    at = int(np.argmin(seen.firsts))
    return Spot(0, int(seen.firsts[at]), told(str(times_of_day(seen.cells[at : at + 1]).item())))
