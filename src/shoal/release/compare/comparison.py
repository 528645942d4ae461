"""Compare methods and levels of k on one table, by information loss and risk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from shoal import data as tables
from shoal.domain import Policy, Role, check_k, no_progress
from shoal.engines.memory import MemoryPlan, TableInMemory
from shoal.errors import OptionError
from shoal.metrics.registry import measures
from shoal.microaggregation import registry
from shoal.options.table import check_option
from shoal.release.arguments import public_function
from shoal.release.column_options import PolicySource
from shoal.release.compare.cache import ResultCache, point_digest
from shoal.release.compare.frontier import Recommendation, best, frontier, recommend
from shoal.release.compare.points import LOSS, ComparisonPoint
from shoal.release.compare.runner import RunProgress, run_all
from shoal.release.options import build_policy, check_table, parse_refinement
from shoal.release.policy_arguments import with_policy
from shoal.release.save import package_versions
from shoal.report import comparison_page as report
from shoal.system.threads import available_cores

ALL_METHODS = "all"


@dataclass(frozen=True)
class Comparison:
    """Result of `shoal.compare`: a point for each method and k, the frontier and a recommendation."""

    points: tuple[ComparisonPoint, ...]
    """By k, then in the order of the methods."""
    records: int
    quasi_identifiers: tuple[str, ...]
    default_method: str
    """The default method for the table."""
    n_cached: int = 0
    """Number of points that came from the cache."""

    @property
    def loss(self) -> str:
        return LOSS

    @cached_property
    def frontier(self) -> tuple[ComparisonPoint, ...]:
        """The Pareto frontier by rising loss."""
        return frontier(self.points)

    @cached_property
    def best(self) -> dict[int, ComparisonPoint]:
        return best(self.points)

    @cached_property
    def recommendation(self) -> Recommendation | None:
        """The recommended point with its reason; None if no run gave a release."""
        return recommend(self.points, default_method=self.default_method)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys."""
        recommended, measure = self.recommendation, measures()[self.loss]
        return {
            "shoal": package_versions()["shoal"],
            "records": self.records,
            "quasi_identifiers": list(self.quasi_identifiers),
            "loss": {"name": measure.name, "label": measure.label, "unit": measure.unit},
            "usual": self.default_method,
            "points": [
                {
                    **point.to_dict(),
                    "frontier": point in self.frontier,
                    "recommended": recommended is not None
                    and (recommended.method, recommended.k) == (point.method, point.k),
                }
                for point in self.points
            ],
            "best": {str(k): point.method for k, point in self.best.items()},
            "recommendation": None if recommended is None else recommended.to_dict(),
            "kept": self.n_cached,
        }

    def __repr__(self) -> str:
        return report.text(self.to_dict())

    def _repr_html_(self) -> str:
        return report.fragment(self.to_dict())


@public_function(forwards=True)
@with_policy
def compare(
    data: Any,
    *,
    k: int | Iterable[int] | None = None,
    methods: str | Iterable[str] | None = None,
    time_limit: float | None = None,
    workers: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: RunProgress | None = None,
    policy: PolicySource | None = None,
    **arguments: Any,
) -> Comparison:
    """Compare methods, and levels of k, by information loss and risk.

    Every point is a complete release, made and verified as in `shoal.anonymize`; only its measures are stored.

    Parameters
    ----------
    data : path, DataFrame, array or Table
    k : int or iterable of int
        One level or several.
    methods : str or iterable of str, optional
        Names of methods, or ``"all"`` for all that accept the table. Default: the usual method and some promising ones.
    time_limit : float, optional
        Time limit in seconds. No run starts after it, and running ones are stopped.
    workers : int, optional
        Number of concurrent runs. Default: one per core.
    cache : path, optional
        A file to which every finished point is appended, and from which points of earlier comparisons are taken if
        data, policy and versions are the same.
    progress : callable, optional
        Called with the number of runs done, which counts running ones in part, and the number of all runs. Runs with a
        large k count for more, since they take longer.
    policy : Policy or path, optional
        Policy with the arguments that are not given, other than the method, its options and its effort.
    **arguments
        Other arguments of `shoal.anonymize`. An option of a method applies to the methods that have it; ``refine`` and
        ``effort`` apply to all methods, and without them only ``auto`` is refined.

    Returns
    -------
    Comparison

    Raises
    ------
    ShoalError
        If the table or an option cannot be used. A method that refuses the table is a point with its reason.
    """
    if "method" in arguments:
        raise OptionError.invalid_value("method", "the names of methods as methods=")
    if isinstance(arguments.get("keep"), os.PathLike):
        raise OptionError.invalid_value("keep", "names of columns, and the file of finished runs as cache=")
    check_option("time_limit", time_limit)
    threads = available_cores() if workers is None else _check_workers(workers)
    table = tables.read_table(data)
    if k is None:
        raise OptionError.no_k()
    levels = list(k) if isinstance(k, Iterable) and not isinstance(k, str | bytes) else [k]
    levels = sorted({check_k(level, table.height) for level in levels})
    if not levels:
        raise OptionError.no_k()
    policy = build_policy(table, k=levels[0], **arguments)
    names = _methods(methods, policy, table.height)
    _check_options(policy, names)
    check_table(policy, TableInMemory(table))
    MemoryPlan.build(table, policy)  # a table that no method accepts is refused once, not in every point
    method_policies = {
        name: _method_policy(policy, name, refine=arguments.get("refine"), effort=arguments.get("effort"))
        for name in names
    }
    policies = [replace(method_policies[name], k=level) for level in levels for name in names]
    cached_results = ResultCache(None, {}) if cache is None else ResultCache.open(cache, source=table.path)
    data_key = "" if cache is None else tables.content_hash(table, _relevant_columns(policy))
    planned = {point_digest(data_key, each): each for each in policies}
    cached = {
        cache_key: cached_results.points[cache_key] for cache_key in planned if cache_key in cached_results.points
    }
    # method by method: if the time runs out, some methods have all levels, rather than each of them one
    remaining = sorted(
        (cache_key for cache_key in planned if cache_key not in cached),
        key=lambda cache_key: names.index(planned[cache_key].method),
    )
    report_progress = progress or no_progress
    computed = run_all(
        table,
        {cache_key: planned[cache_key] for cache_key in remaining},
        workers=threads,
        time_limit=time_limit,
        progress=lambda done, total: report_progress(len(cached) + done, len(cached) + total),
        finished=cached_results.add,
    )
    points = {**cached, **computed}
    return Comparison(
        points=tuple(points[cache_key] for cache_key in planned),
        records=table.height,
        quasi_identifiers=policy.schema.quasi_identifiers,
        default_method=policy.method,
        n_cached=len(cached),
    )


def _check_workers(workers: Any) -> int:
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise OptionError.invalid_value("workers", "a whole number of at least 1")
    return workers


def _methods(names: str | Iterable[str] | None, policy: Policy, records: int) -> list[str]:
    if names is None:
        return registry.recommended_methods(policy.schema, records)
    if names == ALL_METHODS:
        return list(
            dict.fromkeys(
                registry.recommended_methods(policy.schema, records)
                + registry.supported_methods(policy.schema, records)
            )
        )
    selected = [names] if isinstance(names, str) else list(names) if isinstance(names, Iterable) else []
    if not selected:
        raise OptionError.invalid_value("methods", "the names of methods, or 'all'")
    return list(dict.fromkeys(registry.get_method(name).name for name in selected))


def _method_policy(policy: Policy, method: str, *, refine: Any, effort: Any) -> Policy:
    """Policy of one method: with its own options, refined as it would be alone."""
    accepted = registry.get_method(method).options
    return replace(
        policy,
        method=method,
        method_options={n: value for n, value in policy.method_options.items() if n in accepted},
        refinement=parse_refinement(method, refine=refine, effort=effort, time_limit=None),
    )


def _check_options(policy: Policy, methods: Iterable[str]) -> None:
    """Refuse an option that none of the methods has."""
    known = {option for name in methods for option in registry.get_method(name).options}
    for name in policy.method_options:
        if name not in known:
            raise OptionError.option_of_no_method(name, compared=True)


def _relevant_columns(policy: Policy) -> list[str]:
    """Columns whose cells determine the measures."""
    survey, schema = policy.survey, policy.schema
    names = {survey.sampling_weights, survey.households, *survey.strata, *schema.quasi_identifiers}
    names |= set(schema.names_with_role(Role.SENSITIVE))
    return [column.name for column in schema.columns if column.name in names]
