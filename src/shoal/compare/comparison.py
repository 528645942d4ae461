"""A comparison: methods and levels of k on one table, by what they cost and what risk they leave."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from shoal import tables
from shoal.anonymize import prepare
from shoal.compare.kept import Kept, key
from shoal.compare.points import LOSS, Point
from shoal.compare.runs import RunProgress, carry_out
from shoal.compare.verdict import Recommendation, best, frontier, recommend
from shoal.decide import SETTINGS, decide
from shoal.decisions import asked_refinement, check_table
from shoal.errors import OptionError
from shoal.measure.registry import measures
from shoal.partition import registry
from shoal.release import versions
from shoal.report import comparison as report
from shoal.schema import Policy, Role
from shoal.values import silent, whole_k

ALL = "all"


@dataclass(frozen=True)
class Comparison:
    """What `shoal.compare` returns: a point for each method and k, and what follows from them."""

    points: tuple[Point, ...]
    """By k, and in the order of the methods."""
    records: int
    quasi_identifiers: tuple[str, ...]
    usual: str
    """The method that would be taken where none is named."""
    kept: int = 0
    """The number of points that were taken from an earlier comparison."""

    @property
    def loss(self) -> str:
        """The measure of loss."""
        return LOSS

    @cached_property
    def frontier(self) -> tuple[Point, ...]:
        """The points that no other beats, by rising loss."""
        return frontier(self.points)

    @cached_property
    def best(self) -> dict[int, Point]:
        """The best point for each k."""
        return best(self.points)

    @cached_property
    def recommendation(self) -> Recommendation | None:
        """The point to take and the reason; None where no run gave a release."""
        return recommend(self.points, usual=self.usual)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        chosen, measure = self.recommendation, measures()[self.loss]
        return {
            "shoal": versions()["shoal"],
            "records": self.records,
            "quasi_identifiers": list(self.quasi_identifiers),
            "loss": {"name": measure.name, "label": measure.label, "unit": measure.unit},
            "usual": self.usual,
            "points": [
                {
                    **point.to_dict(),
                    "frontier": point in self.frontier,
                    "recommended": chosen is not None and (chosen.method, chosen.k) == (point.method, point.k),
                }
                for point in self.points
            ],
            "best": {str(k): point.method for k, point in self.best.items()},
            "recommendation": None if chosen is None else chosen.to_dict(),
            "kept": self.kept,
        }

    def __repr__(self) -> str:
        return report.text(self.to_dict())

    def _repr_html_(self) -> str:
        return report.fragment(self.to_dict())


def compare(
    data: Any,
    *,
    k: int | Iterable[int],
    methods: str | Iterable[str] | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: RunProgress | None = None,
    **asked: Any,
) -> Comparison:
    """Compare methods, and levels of k, by what a release costs and what risk it leaves.

    Every point is a whole release, made and verified as `shoal.anonymize` does, and forgotten but for its figures.

    Parameters
    ----------
    data
        As for `shoal.anonymize`.
    k
        One level or several.
    methods
        Names of methods, or ``"all"`` for all that take the table. Where nothing is said: the usual one and a few
        that are worth a try.
    seconds
        A budget: no run starts after it, and those under way are stopped.
    workers
        Runs at the same time; as many as there are cores where nothing is said.
    cache
        A file to which every finished point is added at once, and from which those of earlier comparisons are taken
        where data, decisions and versions are the same.
    progress
        Called with how much is done, counted in runs, and with the number of all runs. Those under way count in part,
        and those of a large k for more, since they take longer.
    asked
        What else `shoal.anonymize` takes. An option of a method goes to the methods that have it; ``refine`` and
        ``effort`` hold for all methods, and where neither is given only ``auto`` is refined.
    """
    if "method" in asked:
        raise OptionError.bad_option("method", "the names of methods as methods=")
    if isinstance(asked.get("keep"), os.PathLike):
        raise OptionError.bad_option("keep", "names of columns, and the file of finished runs as cache=")
    budget = None if seconds is None else _seconds(seconds)
    threads = _cores() if workers is None else _workers(workers)
    table = tables.read(data)
    levels = sorted({whole_k(level, table.height) for level in _levels(k)})
    if not levels:
        raise OptionError.no_k()
    policy = decide(table, k=levels[0], **asked)
    names = _methods(methods, policy, table.height)
    _check_options(policy, names)
    check_table(policy, table)
    prepare(table, policy)  # what no method could take is refused once, and not as a point for each of them
    own = {name: _own(policy, name, refine=asked.get("refine"), effort=asked.get("effort")) for name in names}
    policies = [replace(own[name], k=level) for level in levels for name in names]
    kept = Kept.nowhere() if cache is None else Kept.open(cache, source=table.path)
    cells = "" if cache is None else tables.identity(table, _deciding(policy))
    planned = {key(cells, each): each for each in policies}
    known = {mark: kept.points[mark] for mark in planned if mark in kept.points}
    # method by method: where the time is over early, some have all levels, and not all of them one
    left = sorted((mark for mark in planned if mark not in known), key=lambda mark: names.index(planned[mark].method))
    made = carry_out(
        table,
        {mark: planned[mark] for mark in left},
        workers=threads,
        seconds=budget,
        progress=_after(len(known), progress or silent),
        finished=kept.add,
    )
    found = {**known, **made}
    return Comparison(
        points=tuple(found[mark] for mark in planned),
        records=table.height,
        quasi_identifiers=policy.schema.quasi_identifiers,
        usual=policy.method,
        kept=len(known),
    )


def _levels(k: Any) -> list[Any]:
    """One k or several."""
    return list(k) if isinstance(k, Iterable) and not isinstance(k, str | bytes) else [k]


def _seconds(seconds: Any) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise OptionError.bad_option("seconds", "a number above 0")
    return float(seconds)


def _workers(workers: Any) -> int:
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise OptionError.bad_option("workers", "a whole number of at least 1")
    return workers


def _methods(asked: str | Iterable[str] | None, policy: Policy, records: int) -> list[str]:
    """The methods to be compared, each once."""
    if asked is None:
        return registry.promising(policy.schema, records)
    if asked == ALL:
        return list(dict.fromkeys(registry.promising(policy.schema, records) + registry.taking(policy.schema, records)))
    given = [asked] if isinstance(asked, str) else list(asked) if isinstance(asked, Iterable) else []
    if not given:
        raise OptionError.bad_option("methods", "the names of methods, or 'all'")
    return list(dict.fromkeys(registry.find(name).name for name in given))


def _own(policy: Policy, method: str, *, refine: Any, effort: Any) -> Policy:
    """The policy of one method: of the options of methods those that it has, and refined as it would be alone."""
    own = (*SETTINGS, *registry.find(method).options)
    return replace(
        policy,
        method=method,
        options={n: value for n, value in policy.options.items() if n in own},
        refinement=asked_refinement(method, refine=refine, effort=effort, seconds=None),
    )


def _check_options(policy: Policy, methods: Iterable[str]) -> None:
    """Refuse an option that none of the methods has."""
    known = {*SETTINGS, *(option for name in methods for option in registry.find(name).options)}
    for name in policy.options:
        if name not in known:
            raise OptionError.option_of_none_compared(name)


def _deciding(policy: Policy) -> list[str]:
    """The columns whose cells decide the figures."""
    survey, schema = policy.survey, policy.schema
    known = {survey.sampling_weights, survey.households, *survey.strata, *schema.quasi_identifiers}
    known |= set(schema.named(Role.SENSITIVE))
    return [column.name for column in schema.columns if column.name in known]


def _after(known: int, progress: RunProgress) -> RunProgress:
    """The progress of all runs, after so many that were known before."""
    return lambda done, total: progress(known + done, known + total)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
