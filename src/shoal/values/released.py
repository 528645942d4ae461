"""Columns of a release that an array of floats cannot express: words, rounded numbers, whole numbers, dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.values.arrays import FloatVector, IntVector

_SECONDS = 86_400
_MILLION = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Worded:
    """A column of text in which few words stand often: the words, and for each record the place of its word.

    A place of -1 is a missing cell.
    """

    words: tuple[str, ...]
    places: IntVector
    numeric: bool = False
    """Whether the words are numbers and intervals of them, with a point as decimal mark."""


class Precision(NamedTuple):
    """How many decimals the numbers of a column have."""

    least: int = 0
    """At least so many are written in text, as in every cell of the original."""
    most: int | None = None
    """No cell of the original has more; None where the numbers have all digits and are not rounded."""
    dtype: str = "float64"
    """The numpy dtype that holds the numbers of the original."""

    @property
    def unit(self) -> float:
        """How many steps of the last decimal make 1."""
        return 10.0 ** (self.most or 0)


@dataclass(frozen=True, eq=False, repr=False)
class Rounded:
    """A column of numbers in the type and with the decimals of the original, NaN where a cell is missing."""

    numbers: FloatVector
    precision: Precision


@dataclass(frozen=True, eq=False, repr=False)
class Whole:
    """A column of whole numbers, NaN where one is missing."""

    numbers: FloatVector


@dataclass(frozen=True, eq=False, repr=False)
class Days:
    """A column of dates or points in time: days since 1970-01-01, the time of day as a fraction; NaN where missing."""

    days: FloatVector

    @property
    def microseconds(self) -> IntVector:
        """Since the same day; 0 where one is missing.

        A fraction of a day seldom hits a whole second: what is as near as floats are apart is one.
        """
        days = np.nan_to_num(self.days)
        seconds = days * _SECONDS
        near = np.rint(seconds)
        whole = np.abs(seconds - near) <= 2 * _SECONDS * np.spacing(np.abs(days))
        return np.where(whole, near.astype(np.int64) * _MILLION, np.rint(seconds * _MILLION).astype(np.int64))

    def texts(self, *, mark: str = " ", timed: bool = False) -> list[str]:
        """As ISO 8601 writes them, empty where missing: days where all are midnight and times are not asked for."""
        days = np.nan_to_num(self.days)
        if not timed and bool(np.all(days == np.rint(days))):
            written = np.datetime_as_string(days.astype(np.int64).astype("datetime64[D]"))
        else:
            since = self.microseconds.astype("datetime64[us]")
            whole = since.astype("datetime64[s]")
            written = np.datetime_as_string(whole if bool(np.all(whole == since)) else since)
        texts = [str(text).replace("T", mark) for text in written]
        return ["" if gone else text for text, gone in zip(texts, np.isnan(self.days).tolist(), strict=True)]
