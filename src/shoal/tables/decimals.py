"""Decimals: with how many of them the numbers of a column are written."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.values import FloatVector, Precision

_ALL = 99
"""Stands for all digits."""
_MOST = 12
"""Numbers with more decimals have all digits: they come from a computation."""
_EXACT_WHOLE = 2.0**53
_LOOK = 1_000
_NARROW = {"f32": "float32", "f16": "float16", "float": "float32", "halffloat": "float16"}
"""The types that hold fewer digits, by the names that libraries have for them; numpy's own are in lower case."""


class Decimals(NamedTuple):
    """With how many decimals some cells are written; those of two parts of a column add up."""

    least: int = _ALL
    most: int = 0
    narrow: int = 0
    """The most, if the floats are those of 32 bits in a wider type, as Stata's are."""

    def __add__(self, other: Decimals) -> Decimals:  # type: ignore[override]
        return Decimals(min(self.least, other.least), max(self.most, other.most), max(self.narrow, other.narrow))

    def precision(self, *, low: float, high: float, dtype: str = "float64") -> Precision:
        """The precision of a column whose numbers lie between these two.

        Floats of the dtype must tell apart all numbers with so many digits, so that each is the one that is nearest to
        a decimal number.
        """
        if self.least > self.most:  # no numbers
            return Precision(dtype=dtype)
        largest = max(abs(low), abs(high))
        if self.most > _MOST >= self.narrow and largest * 10.0**self.narrow < 10.0 ** np.finfo(np.float32).precision:
            return Precision(self.least, self.narrow, "float32")
        if self.most:
            rounded = self.most <= _MOST and largest * 10.0**self.most < 10.0 ** np.finfo(dtype).precision
        else:
            rounded = largest <= _EXACT_WHOLE
        return Precision(self.least, self.most if rounded else None, dtype)


def text_decimals(texts: pl.Series) -> Decimals:
    """Those of numbers in the standard form, as they are written."""
    power = texts.str.contains("[eE]")
    if power.any():
        return _written(texts.filter(~power)) + _with_power(texts.filter(power))
    return _written(texts)


def _written(texts: pl.Series) -> Decimals:
    if not len(texts):
        return Decimals()
    length, point = (found.cast(pl.Int64) for found in (texts.str.len_bytes(), texts.str.find(".", literal=True)))
    return _ends((length - 1 - point).fill_null(0))


def _with_power(texts: pl.Series) -> Decimals:
    parts = texts.str.extract_groups(r"(?:\.([0-9]*))?[eE]([+-]?[0-9]+)$").struct.unnest()
    digits, power = (parts.to_series(at) for at in range(2))
    moved = power.cast(pl.Int64, strict=False).fill_null(0)
    return _ends((digits.fill_null("").str.len_bytes().cast(pl.Int64) - moved).clip(0, _ALL))


def _ends(counts: pl.Series) -> Decimals:
    least, most = np.min(counts.to_numpy()), np.max(counts.to_numpy())
    return Decimals(min(int(least), _ALL), min(int(most), _ALL), _ALL)


def float_decimals(numbers: FloatVector, dtype: str = "float64") -> Decimals:
    """Those of finite numbers, each written as short as its dtype tells it from all others."""
    if not len(numbers):
        return Decimals()
    narrow = _ALL if dtype != "float64" or not (_is_narrow(numbers[:_LOOK]) and _is_narrow(numbers)) else _all(numbers)
    return Decimals(0, _all(numbers, dtype), narrow)


def _is_narrow(numbers: FloatVector) -> bool:
    """Whether all of these are floats of 32 bits too."""
    with np.errstate(over="ignore"):
        return bool((numbers.astype(np.float32) == numbers).all())


def _all(numbers: FloatVector, dtype: str = "float32") -> int:
    """The number of decimals that all of them have; few of them tell of all digits."""
    first = _most(numbers[:_LOOK], 0, dtype)
    return first if first == _ALL else _most(numbers, first, dtype)


def _most(numbers: FloatVector, first: int, dtype: str) -> int:
    """The number of decimals that all of them have, from the first on."""
    rest = numbers
    for count in range(first, _MOST + 1):
        unit = 10.0**count
        with np.errstate(over="ignore"):
            rest = rest[(np.rint(rest * unit) / unit).astype(dtype) != rest.astype(dtype)]
        if not len(rest):
            return count
    return _ALL


def series_decimals(values: pl.Series, held: str = "float64") -> Decimals:
    """Those of a column that has a numeric type; missing cells are null."""
    dtype = values.dtype
    if dtype.is_integer():
        return Decimals(0, 0)
    if isinstance(dtype, pl.Decimal):
        return Decimals(dtype.scale, dtype.scale, _ALL)
    numbers = values.drop_nulls().cast(pl.Float64).to_numpy()
    return float_decimals(numbers[np.isfinite(numbers)], held)


def object_decimals(cells: Sequence[Any]) -> Decimals:
    """Those of Python numbers: decimals as they are written, others as floats."""
    known = [cell for cell in cells if cell is not None and cell == cell]
    written = pl.Series([str(cell) for cell in known if isinstance(cell, Decimal)], dtype=pl.String)
    numbers = np.array([float(cell) for cell in known if not isinstance(cell, Decimal)])
    return text_decimals(written) + float_decimals(numbers)


def number_text(number: float, precision: Precision) -> str:
    """A number with the decimals of its column, or the shortest text that reads back as the same number."""
    if precision.most is None or isinstance(number, int):
        return repr(number)
    whole, _, digits = f"{number:.{precision.most}f}".partition(".")
    digits = digits.rstrip("0").ljust(precision.least, "0")
    return f"{whole}.{digits}" if digits else whole


def float_type(name: str) -> str:
    """The numpy type that holds the numbers of a column whose type has this name."""
    short = _NARROW.get(name, name.removesuffix("[pyarrow]").lower())
    return _NARROW.get(short, short if short in ("float32", "float16") else "float64")
