"""Missing values: which records the value of a group is computed from, and which records receive it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.domain import BoolVector, FloatVector, IntVector, Partition, Records


@dataclass(frozen=True, eq=False)
class GroupSources:
    """The groups that the released values of one column are computed from: those with a known value."""

    rows: IntVector
    labels: IntVector
    """The source of each of these rows, numbered from 0."""
    count: int
    weights: FloatVector | None
    """Weights of these rows; None if all are equal."""
    source_of: IntVector
    """The source whose value each record receives, -1 for none."""

    def to_records(self, values: NDArray[Any], fill: float) -> NDArray[Any]:
        """Expand one value per source to one value per record, with ``fill`` where there is none."""
        return np.append(values, fill)[self.source_of]


def equalize_missing(records: Records, partition: Partition, *, alpha: float, all_groups: bool = False) -> Records:
    """Set more values to missing in groups that wildcards, which count by ``alpha``, leave below k.

    In these groups, or in all with ``all_groups``, a column with some missing values becomes missing for all records.
    Then the records are indistinguishable and count fully.
    """
    if records.missing is None or (alpha >= 1 and not all_groups):
        return records
    labels, missing = partition.labels, records.missing.copy()
    incomplete = np.bincount(labels, missing.any(axis=1), minlength=partition.count)
    undersized = (partition.sizes - (1 - alpha) * incomplete < partition.k) | all_groups
    for j in range(missing.shape[1]):
        has_missing = np.bincount(labels, missing[:, j], minlength=partition.count) > 0
        missing[:, j] |= (has_missing & undersized)[labels]
    return replace(records, missing=missing)


def group_sources(
    partition: Partition,
    *,
    is_missing: BoolVector | None = None,
    suppressed: BoolVector | None = None,
    missing: str = "category",
    weights: FloatVector | None = None,
) -> GroupSources:
    """Return the sources of a column with missing values.

    ``category``: all records of a group receive its value, or none does if most of the group's weight is missing.
    ``wildcard``: records with a missing value receive none. ``impute``: all receive the value; groups without a
    known value receive that of the whole table. A suppressed record contributes no value and receives none.
    """
    labels, groups = partition.labels, partition.count
    if (is_missing is None or not is_missing.any()) and suppressed is None:
        return GroupSources(np.arange(len(labels)), labels, groups, weights, labels)
    none = np.zeros(len(labels), dtype=np.bool_)
    is_missing, is_suppressed = none if is_missing is None else is_missing, none if suppressed is None else suppressed
    rows = np.flatnonzero(~is_missing & ~is_suppressed)
    known = np.bincount(labels[rows], minlength=groups) > 0
    number = np.where(known, np.cumsum(known) - 1, -1)
    source_labels, of, count = number[labels[rows]], number[labels], int(known.sum())
    if missing == "wildcard":
        of = np.where(is_missing, -1, of)
    elif missing == "impute":
        if len(rows) and ((of < 0) & ~is_suppressed).any():
            of = np.where(of < 0, count, of)  # one more source, with all known values
            rows, source_labels = np.tile(rows, 2), np.concatenate((source_labels, np.full(len(rows), count)))
            count += 1
    else:
        weight = np.ones(len(labels)) if weights is None else weights
        balance = np.bincount(
            labels, np.where(is_suppressed, 0.0, np.where(is_missing, -weight, weight)), minlength=groups
        )
        of = np.where((balance < 0)[labels], -1, of)
    return GroupSources(
        rows, source_labels, count, None if weights is None else weights[rows], np.where(is_suppressed, -1, of)
    )
