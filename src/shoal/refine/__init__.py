"""Local search that improves partitions, and lower bounds of their SSE."""

from shoal.refine.bounds import elementary_bound, exact_bound
from shoal.refine.budget import Budget, annealing_steps
from shoal.refine.columns import ColumnBound, column_bound
from shoal.refine.embedding import embed
from shoal.refine.lowest import lower_bound
from shoal.refine.search import SearchPlan, SearchResult, SearchTask, refine

__all__ = [
    "Budget",
    "ColumnBound",
    "SearchPlan",
    "SearchResult",
    "SearchTask",
    "annealing_steps",
    "column_bound",
    "elementary_bound",
    "embed",
    "exact_bound",
    "lower_bound",
    "refine",
]
