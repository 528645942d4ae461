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
from shoal.data.table import Table
from shoal.domain import FloatVector, IntVector, Survey, SurveyDesign, number_by_first_row
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, DataError

_MAX_WEIGHT = 1e100
"""Maximum sampling weight; sums of larger ones may overflow."""


@dataclass(frozen=True, eq=False, repr=False)
class SurveyColumns:
    """Sampling weights, strata and households of a table or of a chunk with column types; None if not named.

    Equal keys of two chunks are the same stratum or household.
    """

    sampling_weights: FloatVector | None
    strata: pl.DataFrame | None
    """Key of the stratum of each record, one column per named column; missing is a value."""
    households: pl.DataFrame | None
    """Key of the household of each record, one column."""
    invalid_weights: Occurrence
    missing_households: Occurrence

    @classmethod
    def of(
        cls,
        table: Table,
        *,
        sampling_weights: str = "",
        strata: Sequence[str] = (),
        households: str = "",
        start: int = 0,
    ) -> SurveyColumns:
        """Read the columns of a table, or of a chunk from row ``start`` on. Invalid cells are located, not refused."""
        for name in (*([sampling_weights] if sampling_weights else []), *strata, *([households] if households else [])):
            if name not in table.names:
                raise ColumnError.unknown(name, table.names)
        weights = _weights(table, sampling_weights) if sampling_weights else None
        keys = _keys(table, [households]) if households else None
        return cls(
            weights,
            _keys(table, strata) if strata else None,
            keys,
            Occurrence() if weights is None else Occurrence.of(~((weights > 0) & (weights <= _MAX_WEIGHT)), start),
            Occurrence() if keys is None else Occurrence.of(keys.to_series().is_null().to_numpy(), start),
        )

    def stratum_keys(self) -> IntVector | None:
        """Return a key of the stratum of each record, equal in all chunks for equal values."""
        return None if self.strata is None else _hashes(self.strata)

    def household_keys(self) -> IntVector | None:
        """Return a key of the household of each record, equal in all chunks for equal values."""
        return None if self.households is None else _hashes(self.households)


class SurveyStatistics(NamedTuple):
    """Statistics of the survey columns of a table, which can be added over its chunks."""

    strata: Counter[int]
    """Number of records by the key of their stratum."""
    invalid_weights: Occurrence
    missing_households: Occurrence
    records: int

    @classmethod
    def of(cls, chunk: Table, survey: Survey, *, start: int) -> SurveyStatistics:
        """Compute the statistics of a chunk with column types that starts at this row."""
        columns = SurveyColumns.of(chunk, **survey.names, start=start)
        keys = columns.stratum_keys()
        strata = Counter() if keys is None else Counter(keys.tolist())
        return cls(strata, columns.invalid_weights, columns.missing_households, chunk.height)

    def merge(self, other: SurveyStatistics) -> SurveyStatistics:
        """Merge the statistics of two chunks."""
        return SurveyStatistics(
            self.strata + other.strata,
            self.invalid_weights + other.invalid_weights,
            self.missing_households + other.missing_households,
            self.records + other.records,
        )

    def check(self, survey: Survey) -> None:
        """Raise if a sampling weight is invalid or a household is missing anywhere in the table."""
        _check_survey(
            self.invalid_weights,
            self.missing_households,
            sampling_weights=survey.sampling_weights,
            households=survey.households,
            records=self.records,
        )


def _check_survey(
    invalid_weights: Occurrence, missing_households: Occurrence, *, sampling_weights: str, households: str, records: int
) -> None:
    """Raise if a sampling weight is invalid or a household is missing anywhere in the table."""
    if invalid_weights.count:
        raise DataError.invalid_weights(sampling_weights, of=records, **invalid_weights.error_arguments)
    if missing_households.count:
        raise DataError.missing_household(households, of=records, **missing_households.error_arguments)


def build_survey_design(
    table: Table, *, sampling_weights: str = "", strata: Sequence[str] = (), households: str = ""
) -> SurveyDesign:
    """Return the sampling weights, strata and households of the records; None for each that is not named."""
    columns = SurveyColumns.of(table, sampling_weights=sampling_weights, strata=strata, households=households)
    _check_survey(
        columns.invalid_weights,
        columns.missing_households,
        sampling_weights=sampling_weights,
        households=households,
        records=table.height,
    )
    survey_design = SurveyDesign(
        columns.sampling_weights,
        None if columns.strata is None else _distinct_tuples(columns.strata)[1],
        None if columns.households is None else _distinct_tuples(columns.households)[1],
    )
    if survey_design.strata is not None and survey_design.households is not None:
        _check_nested(survey_design.strata, survey_design.households)
    return survey_design


def _weights(table: Table, name: str) -> FloatVector:
    content = table.cells.content(name)
    if content.kind is not Kind.NUMERIC or content.numbers is None:
        raise ColumnError.not_numeric(name, content.kind)
    return content.numbers.to_numpy().astype(np.float64)


def _keys(table: Table, names: Sequence[str]) -> pl.DataFrame:
    columns = []
    for place, name in enumerate(names):
        cells = survey_cells(table, name)
        if cells.dtype in (pl.Categorical, pl.Enum):
            cells = cells.cast(pl.String)
        columns.append(cells.alias(str(place)))
    return pl.DataFrame(columns)


def _hashes(keys: pl.DataFrame) -> IntVector:
    """Return a hash of 63 bits of each tuple of values."""
    distinct, numbers = _distinct_tuples(keys)
    digests = b"".join(hashlib.sha256(repr(values).encode()).digest()[:8] for values in distinct.iter_rows())
    return (np.frombuffer(digests, dtype=">u8") >> np.uint64(1)).astype(np.int64)[numbers]


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
