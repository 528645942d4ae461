"""Gaps: from which records the value of a group comes, and which records get it, where cells are missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.values import BoolVector, FloatVector, IntVector, Partition, Records


@dataclass(frozen=True, eq=False)
class Sources:
    """The groups from which the values of one column come: those with a cell that is known."""

    rows: IntVector
    """The records whose cells are known."""
    labels: IntVector
    """The source that each of these rows belongs to, numbered from 0."""
    count: int
    weights: FloatVector | None
    """What each of these rows weighs; None where all weigh the same."""
    of: IntVector
    """For each record of the table the source whose value it gets, -1 where it gets none."""

    def spread(self, values: NDArray[Any], nothing: float) -> NDArray[Any]:
        """One value a record from one value a source, and nothing where there is none."""
        return np.append(values, nothing)[self.of]


def leveled(records: Records, partition: Partition, *, alpha: float, all_groups: bool = False) -> Records:
    """The records with more cells missing, where wildcards that count by ``alpha`` leave a group below k.

    In such a group, or in all where that is asked, a column that some records lack is missing for all: then all are
    alike, and count fully.
    """
    if records.missing is None or (alpha >= 1 and not all_groups):
        return records
    labels, missing = partition.labels, records.missing.copy()
    gaps = np.bincount(labels, missing.any(axis=1), minlength=partition.count)
    short = (partition.sizes - (1 - alpha) * gaps < partition.k) | all_groups
    for j in range(missing.shape[1]):
        some = np.bincount(labels, missing[:, j], minlength=partition.count) > 0
        missing[:, j] |= (some & short)[labels]
    return replace(records, missing=missing)


def sources(
    partition: Partition,
    *,
    gone: BoolVector | None = None,
    suppressed: BoolVector | None = None,
    missing: str = "category",
    weights: FloatVector | None = None,
) -> Sources:
    """The sources of a column in which the cells that are gone are missing.

    ``category``: all records of a group get its value, or none does where more than half of the group's weight is
    missing. ``wildcard``: the records whose cell is missing get none. ``impute``: all get the value, that of the whole
    table in groups without a known cell. A suppressed record gives no value and gets none.
    """
    labels, groups = partition.labels, partition.count
    if (gone is None or not gone.any()) and suppressed is None:
        return Sources(np.arange(len(labels)), labels, groups, weights, labels)
    nobody = np.zeros(len(labels), dtype=np.bool_)
    gone, hidden = nobody if gone is None else gone, nobody if suppressed is None else suppressed
    rows = np.flatnonzero(~gone & ~hidden)
    known = np.bincount(labels[rows], minlength=groups) > 0
    number = np.where(known, np.cumsum(known) - 1, -1)
    source, of, count = number[labels[rows]], number[labels], int(known.sum())
    if missing == "wildcard":
        of = np.where(gone, -1, of)
    elif missing == "impute":
        if len(rows) and ((of < 0) & ~hidden).any():
            of = np.where(of < 0, count, of)  # one more source, which all known cells belong to
            rows, source = np.tile(rows, 2), np.concatenate((source, np.full(len(rows), count)))
            count += 1
    else:
        weight = np.ones(len(labels)) if weights is None else weights
        balance = np.bincount(labels, np.where(hidden, 0.0, np.where(gone, -weight, weight)), minlength=groups)
        of = np.where((balance < 0)[labels], -1, of)
    return Sources(rows, source, count, None if weights is None else weights[rows], np.where(hidden, -1, of))
