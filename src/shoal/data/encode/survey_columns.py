"""Read the survey design of a table: sampling weights, strata and households."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.data.table import Table, without_negative_zero
from shoal.domain import FloatVector, IntVector, SurveyDesign, number_by_first_row
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, DataError


def build_survey_design(
    table: Table, *, sampling_weights: str = "", strata: Sequence[str] = (), households: str = ""
) -> SurveyDesign:
    """Return the sampling weights, strata and households of the records; None for each that is not named."""
    for name in (*([sampling_weights] if sampling_weights else []), *strata, *([households] if households else [])):
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    survey_design = SurveyDesign(
        sampling_weights=_weights(table, sampling_weights) if sampling_weights else None,
        strata=_tuple_numbers(table, strata) if strata else None,
        households=_households(table, households) if households else None,
    )
    if survey_design.strata is not None and survey_design.households is not None:
        _check_nested(survey_design.strata, survey_design.households)
    return survey_design


_MAX_WEIGHT = 1e100
"""Maximum sampling weight; sums of larger ones may overflow."""


def _weights(table: Table, name: str) -> FloatVector:
    """Return positive weights, one per record."""
    content = table.cells.content(name)
    if content.kind is not Kind.NUMERIC or content.numbers is None:
        raise ColumnError.not_numeric(name, content.kind)
    weights = content.numbers.to_numpy().astype(np.float64)
    invalid = ~((weights > 0) & (weights <= _MAX_WEIGHT))
    if invalid.any():
        raise DataError.invalid_weights(
            name, rows=int(invalid.sum()), of=len(invalid), first=int(np.argmax(invalid)) + 1
        )
    return weights


def _tuple_numbers(table: Table, names: Sequence[str]) -> IntVector:
    """Number the distinct tuples of values by first appearance; missing is a value."""
    tuples = pl.DataFrame([_values(table, name).alias(str(place)) for place, name in enumerate(names)])
    first = tuples.with_row_index("row").select(pl.first("row").over([str(place) for place in range(len(names))]))
    return number_by_first_row(first.to_series().to_numpy().astype(np.int64))[1]


def _values(table: Table, name: str) -> pl.Series:
    """Return the cells as a reader sees them, with every missing value as null and zero without a sign."""
    cells = table.cells.visible_values(name)
    known = without_negative_zero(cells) if cells.dtype.is_float() else cells
    return known.set(table.cells.content(name).values.is_null(), None)


def _households(table: Table, name: str) -> IntVector:
    missing = table.cells.content(name).values.is_null()
    if missing.any():
        raise DataError.missing_household(
            name, rows=int(missing.sum()), of=len(missing), first=int(missing.arg_true()[0]) + 1
        )
    return _tuple_numbers(table, [name])


def _check_nested(strata: IntVector, households: IntVector) -> None:
    """Raise an error if the members of a household are in different strata."""
    low, high = np.full(int(households.max()) + 1, len(strata)), np.full(int(households.max()) + 1, -1)
    np.minimum.at(low, households, strata)
    np.maximum.at(high, households, strata)
    if (low != high).any():
        raise DataError.household_across_strata(int((low != high).sum()))
