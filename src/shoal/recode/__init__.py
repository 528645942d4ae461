"""From groups to released values."""

from shoal.recode.category import centroid
from shoal.recode.choice import INTERVAL, WAYS, decided, ways
from shoal.recode.figures import as_nodes, as_numbers
from shoal.recode.gaps import leveled
from shoal.recode.number import mean
from shoal.recode.recode import recode, rounded_centers
from shoal.recode.rounding import BY_COLUMN, NONE, WHOLE, WHOLE_NUMBERS, precisions, whole_columns
from shoal.recode.totals import rounded_to_total

__all__ = [
    "BY_COLUMN",
    "INTERVAL",
    "NONE",
    "WAYS",
    "WHOLE",
    "WHOLE_NUMBERS",
    "as_nodes",
    "as_numbers",
    "centroid",
    "decided",
    "leveled",
    "mean",
    "precisions",
    "recode",
    "rounded_centers",
    "rounded_to_total",
    "ways",
    "whole_columns",
]
