"""Better partitions, and how good a partition can get: local search, and bounds that no partition can beat."""

from shoal.refine.bounds import elementary_bound, exact_bound
from shoal.refine.budget import Budget, steps_for
from shoal.refine.columns import Columns, column_bound
from shoal.refine.embedding import embedded
from shoal.refine.lowest import lower_bound
from shoal.refine.search import Found, Plan, Task, refine

__all__ = [
    "Budget",
    "Columns",
    "Found",
    "Plan",
    "Task",
    "column_bound",
    "elementary_bound",
    "embedded",
    "exact_bound",
    "lower_bound",
    "refine",
    "steps_for",
]
