"""Local search that improves partitions, and lower bounds of their SSE."""

from shoal.search.budget import Budget, annealing_steps
from shoal.search.column_generation import ColumnBound, column_bound, lower_bound
from shoal.search.embedding import embed
from shoal.search.local_search import SearchPlan, SearchResult, SearchTask, refine
from shoal.search.lower_bounds import elementary_bound, exact_bound

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
