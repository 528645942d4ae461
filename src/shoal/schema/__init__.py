"""What the columns of a table mean: roles, kinds, proposals and the policy of a release."""

from shoal.schema.columns import Column, Kind, Names, Role, Schema, chosen
from shoal.schema.describe import describe, exposed, overlooked
from shoal.schema.models import Model, read_models
from shoal.schema.policy import EFFORTS, FORMULAS, MISSING, Policy, Refinement, Survey
from shoal.schema.profile import ColumnProfile

__all__ = [
    "EFFORTS",
    "FORMULAS",
    "MISSING",
    "Column",
    "ColumnProfile",
    "Kind",
    "Model",
    "Names",
    "Policy",
    "Refinement",
    "Role",
    "Schema",
    "Survey",
    "chosen",
    "describe",
    "exposed",
    "overlooked",
    "read_models",
]
