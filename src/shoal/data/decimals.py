"""Number of decimal places of the numbers in a column."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.domain import FloatVector, Precision

_ALL = 99
"""Marker: all digits."""
_MAX = 12
"""Numbers with more decimals are results of a computation and keep all digits."""
_MAX_EXACT_INTEGER = 2.0**53
_LOOK = 1_000
_NARROW = {"f32": "float32", "f16": "float16", "float": "float32", "halffloat": "float16"}
"""Narrow float types by their names in other libraries; numpy's are in lower case."""


class DecimalPlaces(NamedTuple):
    """Minimum and maximum decimal places of some cells; add two to merge parts of a column."""

    min_places: int = _ALL
    max_places: int = 0
    float32_places: int = 0
    """Maximum places if the values are 32-bit floats stored in a wider type, as in Stata."""

    def __add__(self, other: DecimalPlaces) -> DecimalPlaces:  # type: ignore[override]
        return DecimalPlaces(
            min(self.min_places, other.min_places),
            max(self.max_places, other.max_places),
            max(self.float32_places, other.float32_places),
        )

    def precision(self, *, low: float, high: float, dtype: str = "float64") -> Precision:
        """Return the precision of a column with numbers between these two.

        The places are kept only if the dtype distinguishes all numbers with so many digits.
        """
        if self.min_places > self.max_places:  # no numbers
            return Precision(dtype=dtype)
        largest = max(abs(low), abs(high))
        if (
            self.max_places > _MAX >= self.float32_places
            and largest * 10.0**self.float32_places < 10.0 ** np.finfo(np.float32).precision
        ):
            return Precision(self.min_places, self.float32_places, "float32")
        if self.max_places:
            rounded = self.max_places <= _MAX and largest * 10.0**self.max_places < 10.0 ** np.finfo(dtype).precision
        else:
            rounded = largest <= _MAX_EXACT_INTEGER
        return Precision(self.min_places, self.max_places if rounded else None, dtype)


def decimals_of_text(texts: pl.Series) -> DecimalPlaces:
    """Return the decimal places of numbers written in standard form."""
    power = texts.str.contains("[eE]")
    if power.any():
        return _plain_decimals(texts.filter(~power)) + _scientific_decimals(texts.filter(power))
    return _plain_decimals(texts)


def _plain_decimals(texts: pl.Series) -> DecimalPlaces:
    if not len(texts):
        return DecimalPlaces()
    length, point = (counts.cast(pl.Int64) for counts in (texts.str.len_bytes(), texts.str.find(".", literal=True)))
    return _range((length - 1 - point).fill_null(0))


def _scientific_decimals(texts: pl.Series) -> DecimalPlaces:
    parts = texts.str.extract_groups(r"(?:\.([0-9]*))?[eE]([+-]?[0-9]+)$").struct.unnest()
    digits, power = (parts.to_series(at) for at in range(2))
    shift = power.cast(pl.Int64, strict=False).fill_null(0)
    return _range((digits.fill_null("").str.len_bytes().cast(pl.Int64) - shift).clip(0, _ALL))


def _range(counts: pl.Series) -> DecimalPlaces:
    smallest, largest = np.min(counts.to_numpy()), np.max(counts.to_numpy())
    return DecimalPlaces(min(int(smallest), _ALL), min(int(largest), _ALL), _ALL)


def decimals_of_floats(numbers: FloatVector, dtype: str = "float64") -> DecimalPlaces:
    """Return the decimal places of finite numbers in their shortest representation in the dtype."""
    if not len(numbers):
        return DecimalPlaces()
    narrow = (
        _ALL if dtype != "float64" or not (_is_narrow(numbers[:_LOOK]) and _is_narrow(numbers)) else _needed(numbers)
    )
    return DecimalPlaces(0, _needed(numbers, dtype), narrow)


def _is_narrow(numbers: FloatVector) -> bool:
    with np.errstate(over="ignore"):
        return bool((numbers.astype(np.float32) == numbers).all())


def _needed(numbers: FloatVector, dtype: str = "float32") -> int:
    """Return the decimal places that represent all numbers; check the first ones before all."""
    first = _decimals_from(numbers[:_LOOK], 0, dtype)
    return first if first == _ALL else _decimals_from(numbers, first, dtype)


def _decimals_from(numbers: FloatVector, first: int, dtype: str) -> int:
    rest = numbers
    for count in range(first, _MAX + 1):
        unit = 10.0**count
        with np.errstate(over="ignore"):
            rest = rest[(np.rint(rest * unit) / unit).astype(dtype) != rest.astype(dtype)]
        if not len(rest):
            return count
    return _ALL


def decimals_of_series(values: pl.Series, float_type: str = "float64") -> DecimalPlaces:
    """Return the decimal places of a numeric column; missing cells are null."""
    dtype = values.dtype
    if dtype.is_integer():
        return DecimalPlaces(0, 0)
    if isinstance(dtype, pl.Decimal):
        return DecimalPlaces(dtype.scale, dtype.scale, _ALL)
    numbers = values.drop_nulls().cast(pl.Float64).to_numpy()
    return decimals_of_floats(numbers[np.isfinite(numbers)], float_type)


def decimals_of_objects(cells: Sequence[Any]) -> DecimalPlaces:
    """Return the decimal places of Python numbers: Decimals as written, others as floats."""
    known = [cell for cell in cells if cell is not None and cell == cell]
    written = pl.Series([str(cell) for cell in known if isinstance(cell, Decimal)], dtype=pl.String)
    numbers = np.array([float(cell) for cell in known if not isinstance(cell, Decimal)])
    return decimals_of_text(written) + decimals_of_floats(numbers)


def format_number(number: float, precision: Precision) -> str:
    """Format a number with the decimals of its column, or as the shortest text that parses to the same number."""
    if precision.max_decimals is None or isinstance(number, int):
        return repr(number)
    whole, _, digits = f"{number:.{precision.max_decimals}f}".partition(".")
    digits = digits.rstrip("0").ljust(precision.min_decimals, "0")
    return f"{whole}.{digits}" if digits else whole


def float_dtype(name: str) -> str:
    """Return the numpy dtype for a column whose dtype has this name."""
    short = _NARROW.get(name, name.removesuffix("[pyarrow]").lower())
    return _NARROW.get(short, short if short in ("float32", "float16") else "float64")
