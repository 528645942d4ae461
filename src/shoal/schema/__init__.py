"""What the columns of a table mean: roles, kinds, proposals and the policy of a release."""

from shoal.schema.columns import Column, Kind, Names, Role, Schema, chosen
from shoal.schema.describe import describe, exposed, overlooked
from shoal.schema.policy import Policy
from shoal.schema.profile import ColumnProfile

__all__ = [
    "Column",
    "ColumnProfile",
    "Kind",
    "Names",
    "Policy",
    "Role",
    "Schema",
    "chosen",
    "describe",
    "exposed",
    "overlooked",
]
