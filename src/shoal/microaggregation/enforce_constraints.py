"""Enforce privacy models on a partition by merging groups that violate them with near groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.domain import BoolVector, IntVector, ModelConstraints, Progress, Records, number_by_first_row


def enforce_constraints(records: Records, labels: IntVector, *, k: int, progress: Progress) -> IntVector:
    """Merge groups that violate a constraint or have fewer than k records.

    In the order of their first records, each merges with near groups: with the one that satisfies the constraints at
    the lowest rise of the error, otherwise with the one that helps most for its rise, and so on. The union of groups
    that satisfy a constraint satisfies it too. So every group is valid in the end if the table as a whole is; otherwise
    all records become one group.
    """
    if records.constraints is None:
        return labels
    state = kernels.merge_groups.init(records.space, number_by_first_row(labels)[1], records.constraints, k=k)
    merged: IntVector = kernels.merge_groups.run(state, progress=progress)
    return number_by_first_row(merged)[1]


def satisfies(constraints: ModelConstraints, rows: IntVector | BoolVector) -> bool:
    """Whether these records satisfy the constraints as one group."""
    counting: Any = kernels.constraint_counts
    counts = counting.zero_counts(constraints)
    np.add.at(counts, constraints.codes[rows] + constraints.value_offsets[:-1], 1)
    return bool(counting.satisfied(constraints, counts))
