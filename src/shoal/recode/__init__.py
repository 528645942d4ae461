"""Recoding: from groups to released values."""

from shoal.recode.category import centroid
from shoal.recode.choice import INTERVAL, RECODINGS, assign_recodings, recodings
from shoal.recode.figures import as_nodes, as_numbers
from shoal.recode.gaps import equalize_missing
from shoal.recode.number import mean
from shoal.recode.recode import group_centers, recode
from shoal.recode.rounding import BY_COLUMN, INTEGER, INTEGER_COLUMNS, NO_ROUNDING, integer_columns, precisions
from shoal.recode.totals import round_to_total

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
    "mean",
    "precisions",
    "recode",
    "recodings",
    "round_to_total",
]
