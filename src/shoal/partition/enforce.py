"""Enforce demands on a partition that was made without them: groups that break one merge with near groups."""

from __future__ import annotations

from shoal import kernels
from shoal.values import IntVector, Progress, Records, by_first_row


def enforce(records: Records, labels: IntVector, *, k: int, progress: Progress) -> IntVector:
    """The same groups, of which those that break a demand or have fewer than k records are merged with others.

    One after another in the order of their first records, each merges with a near group: with the one that makes it
    stand at the least rise of the error, or else with the one that helps most for its rise, and so on. A union of
    groups that meet a demand meets it too, so that all stand in the end if the records as a whole do, and else all are
    one group.
    """
    if records.demands is None:
        return labels
    state = kernels.union.begin(records.space, by_first_row(labels)[1], records.demands, k=k)
    merged: IntVector = kernels.union.unite(state, progress=progress)
    return by_first_row(merged)[1]
