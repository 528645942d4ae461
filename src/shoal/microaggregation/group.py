"""Group records by any method, with strata, households, privacy models, suppression and local search.

A method only sees records and k. This module runs it per stratum, merges each household into one record, merges groups
that violate a privacy model, and suppresses outliers within the budget if that lowers the loss.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from shoal import search as local_search
from shoal.domain import (
    BoolVector,
    IntVector,
    Partition,
    Progress,
    Records,
    Refinement,
    SurveyDesign,
    check_k,
    no_progress,
    number_by_first_row,
)
from shoal.errors import DataError, OptionError, PromiseError
from shoal.microaggregation import blockwise, registry
from shoal.microaggregation.blockwise import check_block_size
from shoal.microaggregation.enforce_constraints import enforce_constraints, satisfies
from shoal.microaggregation.households import check_household_sizes, merge_households
from shoal.microaggregation.search_strata import StrataSearch
from shoal.microaggregation.suppression import GroupExtents, suppression_candidates

_MAX_ROUNDS = 6
"""Maximum rounds of outlier suppression; each round runs the method again."""


@dataclass(frozen=True)
class GroupingTask:
    """Options of a partition."""

    k: int
    method: str
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    max_suppression: float = 0.0
    """Maximum fraction of suppressed records."""
    largest_household: int = 20
    refinement: Refinement | None = None
    """Effort of local search; None disables it."""
    blocks: int | None = None
    """Maximum records (or households) per block; None runs the method on all records at once."""


def group(
    records: Records,
    task: GroupingTask,
    *,
    design: SurveyDesign | None = None,
    always_suppressed: BoolVector | None = None,
    progress: Progress = no_progress,
) -> Partition:
    """Partition the records; those in ``always_suppressed`` are suppressed regardless of the loss."""
    design = design or SurveyDesign()
    always_suppressed = np.zeros(records.count, dtype=np.bool_) if always_suppressed is None else always_suppressed
    check_k(task.k, records.count)
    check_block_size(task.blocks, task.k)
    if design.households is not None:
        check_household_sizes(design.households, max_size=task.largest_household)
    strata = np.zeros(records.count, dtype=np.int64) if design.strata is None else design.strata
    order = np.argsort(strata, kind="stable")
    labels, suppressed = np.empty(records.count, dtype=np.int64), np.zeros(records.count, dtype=np.bool_)
    _check_strata(strata, design, task.k)
    if design.strata is not None:
        _ = records.space  # compute it once; the strata share its tables
    n_groups = done = 0
    notes: list[str] = []
    refinement = task.refinement
    search = None if refinement is None else StrataSearch(refinement, seed=task.seed, records=records.count)
    for rows in np.split(order, np.cumsum(np.bincount(strata))[:-1]):
        stratum = _Stratum(
            records.take(rows) if design.strata is not None else records, task, _renumbered(design.households, rows)
        )
        stratum.check_budget(design)
        stratum_progress = _offset(done, progress, len(rows), records.count)
        method_progress = (
            stratum_progress if search is None else _between(stratum_progress, 0.0, search.method_fraction)
        )
        local_labels, suppressed[rows] = stratum.group(always_suppressed[rows], progress=method_progress)
        if search is not None:
            search_progress = _between(stratum_progress, search.method_fraction, 1.0)
            problem = stratum.search_task(suppressed[rows])
            local_labels = search.improve(problem, local_labels, suppressed[rows], progress=search_progress)
        labels[rows] = n_groups + local_labels
        n_groups, done = n_groups + int(local_labels.max()) + 1, done + len(rows)
        new_notes = stratum.notes if search is None else (*stratum.notes, *search.notes)
        notes += [sentence for sentence in new_notes if sentence not in notes]
    partition = Partition(
        number_by_first_row(labels)[1], task.k, task.method, suppressed=suppressed, account=tuple(notes)
    )
    return _checked(replace(partition, search=None if search is None else search.summary), design)


def _renumbered(codes: IntVector | None, rows: IntVector) -> IntVector | None:
    return None if codes is None else number_by_first_row(codes[rows])[1]


def _offset(start: int, progress: Progress, rows: int, records: int) -> Progress:
    """Report the progress of ``rows`` records after ``start`` others."""
    return lambda done, total: progress(start + rows * done // max(total, 1), records)


def _between(progress: Progress, start: float, stop: float) -> Progress:
    """Map progress to the fraction of the work from start to stop."""
    return lambda done, total: progress(int(total * (start + (stop - start) * done / max(total, 1))), total)


def _check_strata(strata: IntVector, design: SurveyDesign, k: int) -> None:
    if design.households is None:
        check_stratum_sizes(np.bincount(strata), k, unit="record")
    else:
        first = number_by_first_row(design.households)[0]
        check_stratum_sizes(np.bincount(strata[first], minlength=int(strata.max()) + 1), k, unit="household")


def check_stratum_sizes(sizes: IntVector, k: int, *, unit: str) -> None:
    """Raise if a stratum has fewer than k records or households."""
    if len(sizes) == 1 and sizes[0] < k:
        raise OptionError.k_too_large(k, int(sizes[0]), unit=unit)
    if sizes.min() < k:
        raise DataError.stratum_too_small(
            smallest=int(sizes.min()), strata=int((sizes < k).sum()), of=len(sizes), k=k, units=f"{unit}s"
        )


class _Stratum:
    """Grouping of one stratum."""

    def __init__(self, records: Records, task: GroupingTask, households: IntVector | None) -> None:
        self.records, self.task = records, task
        self.households = np.arange(records.count) if households is None else households
        self.units = records if households is None else merge_households(records, households)
        self.unit_sizes = np.bincount(self.households)
        self.notes: tuple[str, ...] = ()
        self.units_are_records = households is None
        # tolerate rounding just below a whole number
        self.budget = math.floor(task.max_suppression * records.count * (1 + 1e-12))

    @cached_property
    def extents(self) -> GroupExtents:
        return GroupExtents(self.units)

    def check_budget(self, design: SurveyDesign) -> None:
        """Raise an error if the budget is below k units: fewer suppressed records would not be k-anonymous."""
        least = int(np.sort(self.unit_sizes)[: self.task.k].sum())
        if self.task.max_suppression and self.budget < least:
            raise OptionError.suppression_budget_too_small(
                budget=self.budget,
                of=self.records.count,
                k=self.task.k,
                units="records" if design.households is None else "households",
                min_budget=least,
                stratum=design.strata is not None,
            )

    def group(self, always_suppressed: BoolVector, *, progress: Progress) -> tuple[IntVector, BoolVector]:
        """Return the labels of the records and the mask of suppressed records."""
        suppressed = np.zeros(self.units.count, dtype=np.bool_)
        np.logical_or.at(suppressed, self.households, always_suppressed)
        labels, cost = self._attempt(suppressed, progress=progress)
        max_suppressed = self._n_suppressed(labels) + self.budget
        for _ in range(_MAX_ROUNDS if self.budget else 0):
            candidate = self._without_outliers(labels, max_suppressed - self._n_suppressed(labels))
            if candidate is None:
                break
            other_labels, other_cost = self._attempt(candidate, progress=no_progress)
            if (
                other_cost >= cost
                or self._n_suppressed(other_labels) > max_suppressed
                or not self._both_satisfy(other_labels[self.households] < 0)
            ):
                break
            labels, cost = other_labels, other_cost
        return self._enforce(labels[self.households])

    def _n_suppressed(self, labels: IntVector) -> int:
        """Return the number of records suppressed by labels of units."""
        return int(self.unit_sizes[labels < 0].sum())

    def _attempt(self, suppressed: BoolVector, *, progress: Progress) -> tuple[IntVector, float]:
        """Run the method on the units that are not suppressed; return labels (-1: suppressed) and the total extent."""
        k, rows = self.task.k, np.flatnonzero(~suppressed)
        labels = np.full(self.units.count, -1)
        if len(rows) < k:  # too few are left for a group
            return labels, float(len(labels) * self.extents.n_columns)
        run = registry.run if self.task.blocks is None else partial(blockwise.run, max_records=self.task.blocks)
        result = run(
            self.units if len(rows) == len(labels) else self.units.take(rows),
            k=k,
            method=self.task.method,
            seed=self.task.seed,
            options=self._options,
            progress=progress,
        )
        self.notes = result.account
        labels[rows] = result.labels
        if 0 < len(labels) - len(rows) < k:
            labels[labels == self._widest(rows, result.labels)] = -1
            rows = np.flatnonzero(labels >= 0)
        if not self.budget:  # the cost is not needed
            return labels, 0.0
        if not len(rows):
            return labels, float(len(labels) * self.extents.n_columns)
        total, _ = self.extents.losses(rows, number_by_first_row(labels[rows])[1])
        return labels, total + (len(labels) - len(rows)) * self.extents.n_columns

    @property
    def _options(self) -> Mapping[str, Any]:
        """Options of the method; ``auto`` also gets the effort of local search."""
        if self.task.method != registry.AUTO or self.task.refinement is None:
            return self.task.options
        return {"effort": self.task.refinement.effort, **self.task.options}

    def search_task(self, suppressed: BoolVector) -> local_search.SearchTask:
        """Return the local search problem of the records that are not suppressed."""
        rows = np.flatnonzero(~suppressed) if not suppressed.all() else np.arange(len(suppressed))
        records = self.records if len(rows) == len(suppressed) else self.records.take(rows)
        if self.units_are_records:
            return local_search.SearchTask(records.space, self.task.k, records.constraints)
        unit_of = number_by_first_row(self.households[rows])[1]
        return local_search.SearchTask(
            records.space, self.task.k, records.constraints, merge_households(records, unit_of).space, unit_of
        )

    def _widest(self, rows: IntVector, labels: IntVector) -> int:
        """Return the group with the largest mean loss; it joins the suppressed units if these are fewer than k."""
        _, saved = self.extents.losses(rows, labels)
        means = np.bincount(labels, saved) / np.bincount(labels)
        return int(np.argmax(means))

    def _without_outliers(self, labels: IntVector, remaining: int) -> BoolVector | None:
        """Suppress the outliers that save most too, within a budget of records; None if nothing is saved."""
        rows, suppressed = np.flatnonzero(labels >= 0), labels < 0
        if not len(rows) or remaining <= 0:
            return None
        _, saved = self.extents.losses(rows, number_by_first_row(labels[rows])[1])
        min_count = max(self.task.k - int(suppressed.sum()), 0)
        chosen = suppression_candidates(
            saved, number_by_first_row(labels[rows])[1], min_count=min_count, max_count=remaining
        )
        chosen = chosen[np.cumsum(self.unit_sizes[rows[chosen]]) <= remaining]
        if len(chosen) < max(min_count, 1):
            return None
        suppressed[rows[chosen]] = True
        return suppressed

    def _enforce(self, record_labels: IntVector) -> tuple[IntVector, BoolVector]:
        """Merge groups until all satisfy the constraints; groups merged with suppressed records are suppressed."""
        suppressed, labels = record_labels < 0, number_by_first_row(record_labels + 1)[1]
        if self.records.constraints is not None and not suppressed.all():
            rows = np.flatnonzero(~suppressed) if self._both_satisfy(suppressed) else np.arange(len(suppressed))
            merged = enforce_constraints(
                self.records.take(rows), number_by_first_row(labels[rows])[1], k=self.task.k, progress=no_progress
            )
            labels[rows] = len(suppressed) + merged
            labels = number_by_first_row(labels)[1]
        return labels, (np.bincount(labels, suppressed) > 0)[labels]

    def _both_satisfy(self, suppressed: BoolVector) -> bool:
        """Whether the suppressed and the other records, if any, each satisfy the constraints as a whole."""
        constraints = self.records.constraints
        return constraints is None or all(
            satisfies(constraints, mask) for mask in (suppressed, ~suppressed) if mask.any()
        )


def _checked(partition: Partition, design: SurveyDesign) -> Partition:
    """Check the group sizes of the final partition in records, or in households."""
    sizes = partition.sizes
    if design.households is not None:
        pairs = np.unique(partition.labels * (int(design.households.max()) + 1) + design.households)
        if len(pairs) != int(design.households.max()) + 1:
            raise PromiseError.invalid_partition(partition.method, "members of a household in different groups")
        sizes = np.bincount(pairs // (int(design.households.max()) + 1))
    if sizes.min() < partition.k:
        raise PromiseError.invalid_partition(partition.method, f"a group of {sizes.min()} for k = {partition.k}")
    return partition
