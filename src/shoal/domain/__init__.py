"""Roles and kinds of columns, role proposals, privacy models, and the policy of a release."""

from shoal.domain.arrays import (
    BoolMatrix,
    BoolVector,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    IntVector,
    number_by_first_row,
)
from shoal.domain.columns import Column, Kind, Names, Role, Schema, select_names
from shoal.domain.constraints import ModelConstraints, SensitiveColumn
from shoal.domain.linked_results import LinkedReleases, LinkedSide, SensitiveInference
from shoal.domain.policy import Policy, Refinement, Survey, read_policy
from shoal.domain.policy_draft import PolicyDraft
from shoal.domain.privacy_models import PrivacyModel, parse_models
from shoal.domain.profile import ColumnProfile
from shoal.domain.progress import Progress, no_progress
from shoal.domain.records import CategoricalColumn, Records, SurveyDesign, Tuples
from shoal.domain.released_columns import DateColumn, IntegerColumn, Precision, RoundedColumn, TextColumn
from shoal.domain.results import (
    Bound,
    Evaluation,
    ModelCheck,
    Partition,
    Search,
    Verification,
    summarize_search,
    to_builtin,
)
from shoal.domain.role_proposals import likely_identifiers, likely_quasi_identifiers, propose_schema
from shoal.domain.scale import Scale, stable_mean
from shoal.domain.space import Space
from shoal.options.checks import check_bool, check_choice, check_k
from shoal.options.table import EFFORTS, FORMULA_POLICIES, MISSING_POLICIES

__all__ = [
    "EFFORTS",
    "FORMULA_POLICIES",
    "MISSING_POLICIES",
    "BoolMatrix",
    "BoolVector",
    "Bound",
    "CategoricalColumn",
    "Column",
    "ColumnProfile",
    "DateColumn",
    "Evaluation",
    "FloatMatrix",
    "FloatVector",
    "IntMatrix",
    "IntVector",
    "IntegerColumn",
    "Kind",
    "LinkedReleases",
    "LinkedSide",
    "ModelCheck",
    "ModelConstraints",
    "Names",
    "Partition",
    "Policy",
    "PolicyDraft",
    "Precision",
    "PrivacyModel",
    "Progress",
    "Records",
    "Refinement",
    "Role",
    "RoundedColumn",
    "Scale",
    "Schema",
    "Search",
    "SensitiveColumn",
    "SensitiveInference",
    "Space",
    "Survey",
    "SurveyDesign",
    "TextColumn",
    "Tuples",
    "Verification",
    "check_bool",
    "check_choice",
    "check_k",
    "likely_identifiers",
    "likely_quasi_identifiers",
    "no_progress",
    "number_by_first_row",
    "parse_models",
    "propose_schema",
    "read_policy",
    "select_names",
    "stable_mean",
    "summarize_search",
    "to_builtin",
]
