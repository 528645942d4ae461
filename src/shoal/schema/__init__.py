"""Roles and kinds of columns, role proposals, privacy models, and the policy of a release."""

from shoal.schema.columns import Column, Kind, Names, Role, Schema, select_names
from shoal.schema.describe import likely_identifiers, likely_quasi_identifiers, propose_schema
from shoal.schema.models import PrivacyModel, parse_models
from shoal.schema.policy import EFFORTS, FORMULA_POLICIES, MISSING_POLICIES, Policy, Refinement, Survey
from shoal.schema.profile import ColumnProfile

__all__ = [
    "EFFORTS",
    "FORMULA_POLICIES",
    "MISSING_POLICIES",
    "Column",
    "ColumnProfile",
    "Kind",
    "Names",
    "Policy",
    "PrivacyModel",
    "Refinement",
    "Role",
    "Schema",
    "Survey",
    "likely_identifiers",
    "likely_quasi_identifiers",
    "parse_models",
    "propose_schema",
    "select_names",
]
