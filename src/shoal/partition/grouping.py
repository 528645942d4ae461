"""Grouping: from records and all that is asked of their groups to a partition.

A method only sees records and k. Here they are cut into strata, households become one record each, groups that break
a demand are merged, and records are suppressed where that is asked for and saves more than it costs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from shoal import kernels, refine
from shoal.errors import DataError, OptionError, PromiseError
from shoal.partition import blockwise, registry
from shoal.partition.blockwise import whole_blocks
from shoal.partition.enforce import enforce
from shoal.partition.households import as_one, check_sizes
from shoal.partition.outliers import Extents, candidates
from shoal.partition.searching import Searching
from shoal.schema import Refinement
from shoal.values import BoolVector, Design, IntVector, Partition, Progress, Records, by_first_row, silent, whole_k

_ROUNDS = 6
"""Times at most that outliers are sought: each round runs the method again."""


@dataclass(frozen=True)
class Task:
    """What is asked of a partition."""

    k: int
    method: str
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    suppression: float = 0.0
    """The share of the records that may be suppressed."""
    largest_household: int = 20
    refinement: Refinement | None = None
    """How far the groups are improved by local search; None leaves them as the method made them."""
    blocks: int | None = None
    """The most records, or households, of the blocks that the method runs in; None where it gets all at once."""


def group(
    records: Records,
    task: Task,
    *,
    design: Design | None = None,
    gone: BoolVector | None = None,
    progress: Progress = silent,
) -> Partition:
    """Partition the records as asked; those ``gone`` are suppressed whatever it costs."""
    design = design or Design()
    gone = np.zeros(records.count, dtype=np.bool_) if gone is None else gone
    whole_k(task.k, records.count)
    whole_blocks(task.blocks, task.k)
    if design.households is not None:
        check_sizes(design.households, most=task.largest_household)
    strata = np.zeros(records.count, dtype=np.int64) if design.strata is None else design.strata
    order = np.argsort(strata, kind="stable")
    labels, hidden = np.empty(records.count, dtype=np.int64), np.zeros(records.count, dtype=np.bool_)
    _check_strata(strata, design, task.k)
    if design.strata is not None:
        _ = records.space  # once for all strata, which share its tables
    groups = done = 0
    account: list[str] = []
    asked = task.refinement
    search = None if asked is None else Searching(asked, seed=task.seed, records=records.count)
    for rows in np.split(order, np.cumsum(np.bincount(strata))[:-1]):
        part = _Stratum(
            records.some(rows) if design.strata is not None else records, task, _some(design.households, rows)
        )
        part.check_budget(design)
        shown = _from(done, progress, len(rows), records.count)
        first = shown if search is None else _share(shown, 0.0, search.share)
        found, hidden[rows] = part.grouped(gone[rows], progress=first)
        if search is not None:
            second = _share(shown, search.share, 1.0)
            found = search.improved(part.searched(hidden[rows]), found, hidden[rows], progress=second)
        labels[rows] = groups + found
        groups, done = groups + int(found.max()) + 1, done + len(rows)
        told = part.account if search is None else (*part.account, *search.account)
        account += [sentence for sentence in told if sentence not in account]
    made = Partition(by_first_row(labels)[1], task.k, task.method, suppressed=hidden, account=tuple(account))
    return _checked(replace(made, search=None if search is None else search.result), design)


def _some(codes: IntVector | None, rows: IntVector) -> IntVector | None:
    return None if codes is None else by_first_row(codes[rows])[1]


def _from(start: int, progress: Progress, rows: int, records: int) -> Progress:
    """The progress of some of the records, after so many others."""
    return lambda done, total: progress(start + rows * done // max(total, 1), records)


def _share(progress: Progress, start: float, stop: float) -> Progress:
    """The progress of a part of the work, from one share of it to another."""
    return lambda done, total: progress(int(total * (start + (stop - start) * done / max(total, 1))), total)


def _check_strata(strata: IntVector, design: Design, k: int) -> None:
    if design.households is None:
        sizes, units = np.bincount(strata), "records"
    else:
        first = by_first_row(design.households)[0]
        sizes, units = np.bincount(strata[first], minlength=int(strata.max()) + 1), "households"
    if len(sizes) == 1 and sizes[0] < k:
        raise OptionError.k_too_large(k, int(sizes[0]), unit=units.removesuffix("s"))
    if sizes.min() < k:
        raise DataError.small_stratum(
            smallest=int(sizes.min()), strata=int((sizes < k).sum()), of=len(sizes), k=k, units=units
        )


class _Stratum:
    """The records of one stratum; groups never leave it."""

    def __init__(self, records: Records, task: Task, households: IntVector | None) -> None:
        self.records, self.task = records, task
        self.households = np.arange(records.count) if households is None else households
        self.units = records if households is None else as_one(records, households)
        self.members = np.bincount(self.households)
        self.account: tuple[str, ...] = ()
        self.whole = households is None
        # what rounding left a hair below a whole number is that number
        self.budget = math.floor(task.suppression * records.count * (1 + 1e-12))

    @cached_property
    def extents(self) -> Extents:
        return Extents(self.units)

    def check_budget(self, design: Design) -> None:
        """Refuse a budget that no k units fit in: fewer do not hide among each other."""
        least = int(np.sort(self.members)[: self.task.k].sum())
        if self.task.suppression and self.budget < least:
            raise OptionError.small_budget(
                budget=self.budget,
                of=self.records.count,
                k=self.task.k,
                units="records" if design.households is None else "households",
                least=least,
                stratum=design.strata is not None,
            )

    def grouped(self, gone: BoolVector, *, progress: Progress) -> tuple[IntVector, BoolVector]:
        """Labels of the records, and which of them are suppressed."""
        out = np.zeros(self.units.count, dtype=np.bool_)
        np.logical_or.at(out, self.households, gone)
        labels, cost = self._attempt(out, progress=progress)
        most = self._suppressed(labels) + self.budget
        for _ in range(_ROUNDS if self.budget else 0):
            worse = self._without_outliers(labels, most - self._suppressed(labels))
            if worse is None:
                break
            other, price = self._attempt(worse, progress=silent)
            if price >= cost or self._suppressed(other) > most or not self._apart(other[self.households] < 0):
                break
            labels, cost = other, price
        return self._enforced(labels[self.households])

    def _suppressed(self, labels: IntVector) -> int:
        """The records that these labels of units suppress."""
        return int(self.members[labels < 0].sum())

    def _attempt(self, out: BoolVector, *, progress: Progress) -> tuple[IntVector, float]:
        """Groups of the units that are not suppressed, -1 for those that are, and the extents of both."""
        k, rows = self.task.k, np.flatnonzero(~out)
        labels = np.full(self.units.count, -1)
        if len(rows) < k:  # too few are left to hide among each other
            return labels, float(len(labels) * self.extents.columns)
        run = registry.run if self.task.blocks is None else partial(blockwise.run, most=self.task.blocks)
        made = run(
            self.units if len(rows) == len(labels) else self.units.some(rows),
            k=k,
            method=self.task.method,
            seed=self.task.seed,
            options=self._options,
            progress=progress,
        )
        self.account = made.account
        labels[rows] = made.labels
        if 0 < len(labels) - len(rows) < k:
            labels[labels == self._widest(rows, made.labels)] = -1
            rows = np.flatnonzero(labels >= 0)
        if not self.budget:  # nothing is compared with it
            return labels, 0.0
        if not len(rows):
            return labels, float(len(labels) * self.extents.columns)
        if not self.budget:  # nothing will be compared with it
            return labels, 0.0
        total, _ = self.extents.losses(rows, by_first_row(labels[rows])[1])
        return labels, total + (len(labels) - len(rows)) * self.extents.columns

    @property
    def _options(self) -> Mapping[str, Any]:
        """Those of the method; one that chooses by itself is told how far the search will go."""
        if self.task.method != registry.AUTO or self.task.refinement is None:
            return self.task.options
        return {"effort": self.task.refinement.effort, **self.task.options}

    def searched(self, hidden: BoolVector) -> refine.Task:
        """What local search works on: the records that are not suppressed."""
        rows = np.flatnonzero(~hidden) if not hidden.all() else np.arange(len(hidden))
        records = self.records if len(rows) == len(hidden) else self.records.some(rows)
        if self.whole:
            return refine.Task(records.space, self.task.k, records.demands)
        unit_of = by_first_row(self.households[rows])[1]
        return refine.Task(records.space, self.task.k, records.demands, as_one(records, unit_of).space, unit_of)

    def _widest(self, rows: IntVector, labels: IntVector) -> int:
        """The group that loses most: it joins the suppressed records where these are too few."""
        _, saved = self.extents.losses(rows, labels)
        means = np.bincount(labels, saved) / np.bincount(labels)
        return int(np.argmax(means))

    def _without_outliers(self, labels: IntVector, room: int) -> BoolVector | None:
        """The units suppressed so far and those that save most beside them; None where none saves anything.

        There is room for so many more records.
        """
        rows, out = np.flatnonzero(labels >= 0), labels < 0
        if not len(rows) or room <= 0:
            return None
        _, saved = self.extents.losses(rows, by_first_row(labels[rows])[1])
        least = max(self.task.k - int(out.sum()), 0)
        chosen = candidates(saved, by_first_row(labels[rows])[1], least=least, most=room)
        chosen = chosen[np.cumsum(self.members[rows[chosen]]) <= room]
        if len(chosen) < max(least, 1):
            return None
        out[rows[chosen]] = True
        return out

    def _enforced(self, persons: IntVector) -> tuple[IntVector, BoolVector]:
        """The groups merged until each keeps all demands; what is merged with suppressed records is suppressed."""
        hidden, labels = persons < 0, by_first_row(persons + 1)[1]
        if self.records.demands is not None and not hidden.all():
            rows = np.flatnonzero(~hidden) if self._apart(hidden) else np.arange(len(hidden))
            merged = enforce(self.records.some(rows), by_first_row(labels[rows])[1], k=self.task.k, progress=silent)
            labels[rows] = len(hidden) + merged
            labels = by_first_row(labels)[1]
        return labels, (np.bincount(labels, hidden) > 0)[labels]

    def _apart(self, hidden: BoolVector) -> bool:
        """Whether the suppressed records by themselves keep all demands, and the others without them can."""
        return self._holds(hidden) and self._holds(~hidden)

    def _holds(self, some: BoolVector) -> bool:
        """Whether these records as one group keep all demands; where there are none, nothing is asked."""
        demands = self.records.demands
        if demands is None or not some.any():
            return True
        sensitive: Any = kernels.demands
        tally = sensitive.no_tally(demands)
        np.add.at(tally, demands.codes[some] + demands.first[:-1], 1)
        return bool(sensitive.holds(demands, tally))


def _checked(partition: Partition, design: Design) -> Partition:
    """The partition, after its groups were counted once more: by records, or by households."""
    sizes = partition.sizes
    if design.households is not None:
        pairs = np.unique(partition.labels * (int(design.households.max()) + 1) + design.households)
        if len(pairs) != int(design.households.max()) + 1:
            raise PromiseError.broken_partition(partition.method, "members of a household in different groups")
        sizes = np.bincount(pairs // (int(design.households.max()) + 1))
    if sizes.min() < partition.k:
        raise PromiseError.broken_partition(partition.method, f"a group of {sizes.min()} for k = {partition.k}")
    return partition
