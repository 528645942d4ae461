"""Released columns that a float array cannot express: text, rounded numbers, integers and dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.domain.arrays import FloatVector, IntVector

_SECONDS = 86_400
_MILLION = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class TextColumn:
    """A dictionary-encoded text column: the distinct words, and the index of each record's word.

    An index of -1 is a missing cell.
    """

    words: tuple[str, ...]
    codes: IntVector
    numeric: bool = False
    """Whether the words are numbers and intervals of numbers, with a decimal point."""


class Precision(NamedTuple):
    """The number of decimals of a column."""

    min_decimals: int = 0
    """Minimum number of decimals in text, as in every cell of the original."""
    max_decimals: int | None = None
    """Maximum number of decimals in the original; None if numbers are not rounded."""
    dtype: str = "float64"
    """The numpy dtype of the original numbers."""

    @property
    def steps_per_unit(self) -> float:
        """The number of units of the last decimal in 1."""
        return 10.0 ** (self.max_decimals or 0)


@dataclass(frozen=True, eq=False, repr=False)
class RoundedColumn:
    """A numeric column with the type and the decimals of the original; NaN if missing."""

    numbers: FloatVector
    precision: Precision


@dataclass(frozen=True, eq=False, repr=False)
class IntegerColumn:
    """An integer column; NaN if missing."""

    numbers: FloatVector


@dataclass(frozen=True, eq=False, repr=False)
class DateColumn:
    """A date or datetime column: days since 1970-01-01, with the time as a fraction; NaN if missing."""

    days: FloatVector

    @property
    def microseconds(self) -> IntVector:
        """Microseconds since 1970-01-01; 0 if missing.

        A fraction of a day rarely equals a whole second exactly, so values within float spacing of one are rounded to
        it.
        """
        days = np.nan_to_num(self.days)
        seconds = days * _SECONDS
        rounded = np.rint(seconds)
        integral = np.abs(seconds - rounded) <= 2 * _SECONDS * np.spacing(np.abs(days))
        return np.where(integral, rounded.astype(np.int64) * _MILLION, np.rint(seconds * _MILLION).astype(np.int64))

    def format(self, *, separator: str = " ", with_time: bool = False) -> list[str]:
        """Format as ISO 8601, empty if missing; as dates if all times are midnight, unless ``with_time``."""
        days = np.nan_to_num(self.days)
        if not with_time and bool(np.all(days == np.rint(days))):
            formatted = np.datetime_as_string(days.astype(np.int64).astype("datetime64[D]"))
        else:
            times = self.microseconds.astype("datetime64[us]")
            seconds = times.astype("datetime64[s]")
            formatted = np.datetime_as_string(seconds if bool(np.all(seconds == times)) else times)
        texts = [str(text).replace("T", separator) for text in formatted]
        return ["" if missing else text for text, missing in zip(texts, np.isnan(self.days).tolist(), strict=True)]
