"""Immutable domain objects that packages exchange."""

from shoal.values.arrays import (
    BoolMatrix,
    BoolVector,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    IntVector,
    number_by_first_row,
)
from shoal.values.bound import Bound
from shoal.values.categories import CategoricalColumn
from shoal.values.demands import ModelConstraints
from shoal.values.design import SurveyDesign
from shoal.values.options import Progress, check_bool, check_choice, check_k, no_progress
from shoal.values.records import Records, Tuples
from shoal.values.released import DateColumn, IntegerColumn, Precision, RoundedColumn, TextColumn
from shoal.values.results import Evaluation, ModelCheck, Partition, Search, Verification, summarize_search, to_builtin
from shoal.values.scale import Scale, stable_mean
from shoal.values.sensitive import SensitiveColumn
from shoal.values.space import Space
from shoal.values.together import LinkedReleases, LinkedSide, SensitiveInference

__all__ = [
    "BoolMatrix",
    "BoolVector",
    "Bound",
    "CategoricalColumn",
    "DateColumn",
    "Evaluation",
    "FloatMatrix",
    "FloatVector",
    "IntMatrix",
    "IntVector",
    "IntegerColumn",
    "LinkedReleases",
    "LinkedSide",
    "ModelCheck",
    "ModelConstraints",
    "Partition",
    "Precision",
    "Progress",
    "Records",
    "RoundedColumn",
    "Scale",
    "Search",
    "SensitiveColumn",
    "SensitiveInference",
    "Space",
    "SurveyDesign",
    "TextColumn",
    "Tuples",
    "Verification",
    "check_bool",
    "check_choice",
    "check_k",
    "no_progress",
    "number_by_first_row",
    "stable_mean",
    "summarize_search",
    "to_builtin",
]
