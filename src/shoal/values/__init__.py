"""The frozen values that cross doors between rooms."""

from shoal.values.arrays import (
    BoolMatrix,
    BoolVector,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    IntVector,
    by_first_row,
)
from shoal.values.bound import Bound
from shoal.values.categories import Categories
from shoal.values.demands import Demands
from shoal.values.design import Design
from shoal.values.options import Progress, one_of, silent, true_or_false, whole_k
from shoal.values.records import Records, Tuples
from shoal.values.released import Days, Precision, Rounded, Whole, Worded
from shoal.values.results import Evaluation, ModelCheck, Partition, Search, Verification, plain, searched
from shoal.values.scale import Scale, middle
from shoal.values.sensitive import Sensitive
from shoal.values.space import Space
from shoal.values.together import Side, Together, Told

__all__ = [
    "BoolMatrix",
    "BoolVector",
    "Bound",
    "Categories",
    "Days",
    "Demands",
    "Design",
    "Evaluation",
    "FloatMatrix",
    "FloatVector",
    "IntMatrix",
    "IntVector",
    "ModelCheck",
    "Partition",
    "Precision",
    "Progress",
    "Records",
    "Rounded",
    "Scale",
    "Search",
    "Sensitive",
    "Side",
    "Space",
    "Together",
    "Told",
    "Tuples",
    "Verification",
    "Whole",
    "Worded",
    "by_first_row",
    "middle",
    "one_of",
    "plain",
    "searched",
    "silent",
    "true_or_false",
    "whole_k",
]
