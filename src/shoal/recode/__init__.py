"""Recoding: from groups to released values."""

from shoal.domain.recodings import (
    BY_COLUMN,
    INTEGER_COLUMNS,
    INTERVAL,
    NO_ROUNDING,
    RECODINGS,
    assign_recodings,
    recodings,
)
from shoal.recode.as_numbers import as_nodes, as_numbers, interval_bounds
from shoal.recode.category_aggregates import centroid
from shoal.recode.missing_values import equalize_missing
from shoal.recode.number_aggregates import mean
from shoal.recode.recode import group_centers, recode
from shoal.recode.rounding import INTEGER, integer_columns, precisions, round_to_total

__all__ = [
    "BY_COLUMN",
    "INTEGER",
    "INTEGER_COLUMNS",
    "INTERVAL",
    "NO_ROUNDING",
    "RECODINGS",
    "as_nodes",
    "as_numbers",
    "assign_recodings",
    "centroid",
    "equalize_missing",
    "group_centers",
    "integer_columns",
    "interval_bounds",
    "mean",
    "precisions",
    "recode",
    "recodings",
    "round_to_total",
]
