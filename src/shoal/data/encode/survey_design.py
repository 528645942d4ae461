"""Encode the survey design of a table: sampling weights, strata and households."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.data.chunked.column_sketch import Occurrence, survey_cells
from shoal.data.table import Table, affected_rows
from shoal.domain import FloatVector, IntVector, Survey, SurveyDesign, number_by_first_row
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, DataError

_MAX_WEIGHT = 1e100
"""Maximum sampling weight; sums of larger ones may overflow."""


@dataclass(frozen=True, eq=False, repr=False)
class SurveyColumns:
    """Sampling weights and strata of a table or of a chunk with column types; None if not named."""

    sampling_weights: FloatVector | None
    strata: pl.DataFrame | None
    """Values of the columns that define the stratum of each record; missing is a value."""
    invalid_weights: Occurrence

    @classmethod
    def of(
        cls, table: Table, *, sampling_weights: str = "", strata: Sequence[str] = (), start: int = 0
    ) -> SurveyColumns:
        """Read the columns of a table, or of a chunk from row ``start`` on."""
        weights, invalid = None, Occurrence()
        if sampling_weights:
            weights = _weights(table, sampling_weights)
            invalid = Occurrence.of(~((weights > 0) & (weights <= _MAX_WEIGHT)), start)
        return cls(weights, _keys(table, strata) if strata else None, invalid)

    def stratum_keys(self) -> IntVector | None:
        """Return a key of the stratum of each record, equal in all chunks for equal values."""
        if self.strata is None:
            return None
        distinct, numbers = _distinct_tuples(self.strata)
        keys = [hashlib.sha256(repr(values).encode()).digest()[:7] for values in distinct.iter_rows()]
        return np.array([int.from_bytes(key, "big") for key in keys], dtype=np.int64)[numbers]


class SurveyStatistics(NamedTuple):
    """Statistics of the survey columns of a table, which can be added over its chunks."""

    strata: Counter[int]
    """Number of records by the key of their stratum."""
    invalid_weights: Occurrence
    records: int

    @classmethod
    def of(cls, chunk: Table, survey: Survey, *, start: int) -> SurveyStatistics:
        """Compute the statistics of a chunk with column types that starts at this row."""
        columns = SurveyColumns.of(chunk, sampling_weights=survey.sampling_weights, strata=survey.strata, start=start)
        keys = columns.stratum_keys()
        return cls(Counter() if keys is None else Counter(keys.tolist()), columns.invalid_weights, chunk.height)

    def merge(self, other: SurveyStatistics) -> SurveyStatistics:
        """Merge the statistics of two chunks."""
        return SurveyStatistics(
            self.strata + other.strata, self.invalid_weights + other.invalid_weights, self.records + other.records
        )

    def check(self, survey: Survey) -> None:
        """Raise if a sampling weight is invalid anywhere in the table."""
        _check_weights(survey.sampling_weights, self.invalid_weights, self.records)


def build_survey_design(
    table: Table, *, sampling_weights: str = "", strata: Sequence[str] = (), households: str = ""
) -> SurveyDesign:
    """Return the sampling weights, strata and households of the records; None for each that is not named."""
    for name in filter(None, (sampling_weights, *strata, households)):
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    columns = SurveyColumns.of(table, sampling_weights=sampling_weights, strata=strata)
    _check_weights(sampling_weights, columns.invalid_weights, table.height)
    survey_design = SurveyDesign(
        columns.sampling_weights,
        None if columns.strata is None else _distinct_tuples(columns.strata)[1],
        _households(table, households) if households else None,
    )
    if survey_design.strata is not None and survey_design.households is not None:
        _check_nested(survey_design.strata, survey_design.households)
    return survey_design


def _check_weights(name: str, invalid: Occurrence, records: int) -> None:
    if invalid.count:
        raise DataError.invalid_weights(name, of=records, **invalid.error_arguments)


def _households(table: Table, name: str) -> IntVector:
    keys = _keys(table, [name])
    missing = keys.to_series().is_null()
    if missing.any():
        raise DataError.missing_household(name, **affected_rows(missing))
    return _distinct_tuples(keys)[1]


def _weights(table: Table, name: str) -> FloatVector:
    content = table.cells.content(name)
    if content.kind is not Kind.NUMERIC or content.numbers is None:
        raise ColumnError.not_numeric(name, content.kind)
    return content.numbers.to_numpy().astype(np.float64)


def _keys(table: Table, names: Sequence[str]) -> pl.DataFrame:
    """Return columns whose equal tuples are the same stratum or household, also in different chunks."""
    columns = []
    for place, name in enumerate(names):
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
        cells = survey_cells(table, name)
        if cells.dtype in (pl.Categorical, pl.Enum):
            cells = cells.cast(pl.String)
        columns.append(cells.alias(str(place)))
    return pl.DataFrame(columns)


def _distinct_tuples(keys: pl.DataFrame) -> tuple[pl.DataFrame, IntVector]:
    """Return the distinct tuples of values in the order of first appearance, and the number of each record's tuple."""
    first = keys.with_row_index("row").select(pl.first("row").over(keys.columns))
    rows, numbers = number_by_first_row(first.to_series().to_numpy().astype(np.int64))
    return keys[rows], numbers


def _check_nested(strata: IntVector, households: IntVector) -> None:
    """Raise an error if the members of a household are in different strata."""
    low, high = np.full(int(households.max()) + 1, len(strata)), np.full(int(households.max()) + 1, -1)
    np.minimum.at(low, households, strata)
    np.maximum.at(high, households, strata)
    if (low != high).any():
        raise DataError.household_across_strata(int((low != high).sum()))
