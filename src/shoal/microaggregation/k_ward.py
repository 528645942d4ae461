"""k-Ward: agglomerative clustering by Ward's criterion that never merges two groups of k or more records."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records, Space, no_progress
from shoal.microaggregation.registry import mixed_method
from shoal.microaggregation.stages import stage_progress


@mixed_method(
    name="k-ward",
    paper="Domingo-Ferrer and Mateo-Sanz, IEEE Transactions on Knowledge and Data Engineering 14(1), 2002",
    year=2002,
    cost="O(n²) time and more at worst, O(n) memory",
)
def k_ward(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Form two groups of k at the extremes, then merge with the least rise of the SSE, never two full groups.

    J. Domingo-Ferrer and J. M. Mateo-Sanz, "Practical data-oriented microaggregation for statistical
    disclosure control", 2002, the multivariate k-Ward method.

    Notes
    -----
    *Steps*

    1. The two most distant records each form a group with their k - 1 nearest records; every other record is a group
       of its own.
    2. Merge the two groups for which the SSE rises least, but never two groups of k or more records, until every group
       has k records.
    3. Apply steps 1 and 2 to every group of 2k or more records.

    *Departures from the paper*: equal records are cut into groups of k in row order, since steps 1 to 3 would split off
    one group of k at a time. In step 1, the group of the record with the lower row is formed first.

    *Cost*: each merge scans all groups once, and once more for each group that lost its nearest neighbor. Step 3 mostly
    adds little, but takes up to O(n³/k) time if it splits off few records at a time. Ties go to the lowest row of
    either group.
    """
    labels, groups, done = np.empty(records.count, dtype=np.int64), 0, 0
    pending, first_progress, later_progress = (
        [np.arange(records.count)],
        stage_progress(progress, records, 0, 2),
        stage_progress(progress, records, 1, 2),
    )
    while pending:
        rows = pending.pop()
        part = records.space.take(rows)
        if len(rows) >= 2 * k and (part.matrix != part.matrix[0]).any():  # step 3
            representatives = _agglomerate(
                part, k, progress=first_progress if len(rows) == records.count else no_progress
            )
            order = np.argsort(representatives, kind="stable")
            pending += np.split(rows[order], np.flatnonzero(np.diff(representatives[order])) + 1)
            continue
        labels[rows] = groups + np.minimum(np.arange(len(rows)) // k, len(rows) // k - 1)
        groups += len(rows) // k
        done += len(rows)
        later_progress(done, records.count)
    return labels


def _agglomerate(space: Space, k: int, *, progress: Progress) -> IntVector:
    """Run steps 1 and 2; return for each record the lowest row of its group."""
    unassigned, linkage = kernels.sequential.unassigned, kernels.agglomerative
    state, queue = unassigned.init(space), kernels.sequential.farthest_pair.init(space)
    while state.counts[unassigned.GROUPS] == 0:
        kernels.sequential.farthest_pair.max_distance_passes(state, queue, k, False, 1)  # step 1
    representative = np.arange(len(space.matrix))
    for group in range(2):
        members = np.flatnonzero(state.labels == group)
        representative[members] = members[0]
    rule = linkage.LinkageRule(linkage.WARD, linkage.SQUARED_EUCLIDEAN, k, len(representative), False)
    return linkage.agglomerate(space, representative, rule, progress=progress)[0]  # step 2
