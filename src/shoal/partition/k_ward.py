"""k-Ward: the agglomeration of Ward where full groups stay apart."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.partition.registry import EVERY, method
from shoal.partition.stages import stage
from shoal.values import IntVector, Progress, Records, Space, silent


@method(
    name="k-ward",
    paper="Domingo-Ferrer and Mateo-Sanz, IEEE Transactions on Knowledge and Data Engineering 14(1), 2002",
    year=2002,
    cost="O(n²) time and more at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def k_ward(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Two groups of k at the ends, then merges with the least rise of the SSE, but never of two full groups.

    J. Domingo-Ferrer and J. M. Mateo-Sanz, "Practical data-oriented microaggregation for statistical
    disclosure control", 2002, the multivariate k-Ward method.

    Notes
    -----
    *Steps*

    1. The two records most distant from each other form a group each, with the k - 1 records nearest to them; every
       other record is a group of its own.
    2. Merge the two groups for which the SSE rises least, never two that both have k or more records, until
       every group has k.
    3. Apply steps 1 and 2 to every group of 2k and more.

    *Departures from the paper*: records that are all equal are cut into groups of k as they stand, since steps 1 to 3
    would split off one group of k at a time. Of the two groups of step 1 that of the lower record is formed first.

    *Cost*: each merge looks at all groups once, and once more for each that lost its nearest one. Step 3 mostly adds
    little, but where it splits off few records at a time the time grows up to O(n³/k). Ties go to the lowest row of
    either group.
    """
    labels, groups, done = np.empty(records.count, dtype=np.int64), 0, 0
    todo, first, later = [np.arange(records.count)], stage(progress, records, 0, 2), stage(progress, records, 1, 2)
    while todo:
        rows = todo.pop()
        part = records.space.some(rows)
        if len(rows) >= 2 * k and (part.matrix != part.matrix[0]).any():  # step 3
            names = _agglomerated(part, k, progress=first if len(rows) == records.count else silent)
            order = np.argsort(names, kind="stable")
            todo += np.split(rows[order], np.flatnonzero(np.diff(names[order])) + 1)
            continue
        labels[rows] = groups + np.minimum(np.arange(len(rows)) // k, len(rows) // k - 1)
        groups += len(rows) // k
        done += len(rows)
        later(done, records.count)
    return labels


def _agglomerated(space: Space, k: int, *, progress: Progress) -> IntVector:
    """Steps 1 and 2: a name for each group, the lowest of its rows."""
    unassigned, linkage = kernels.unassigned, kernels.linkage
    state, queue = unassigned.begin(space), kernels.diameter.bounds(space)
    while state.counts[unassigned.GROUPS] == 0:
        kernels.diameter.most_distant(state, queue, k, False, 1)  # step 1
    home = np.arange(len(space.matrix))
    for group in range(2):
        ends = np.flatnonzero(state.labels == group)
        home[ends] = ends[0]
    rule = linkage.Rule(linkage.WARD, linkage.SQUARED_EUCLIDEAN, k, len(home), False)
    names: IntVector = linkage.agglomerate(space, home, rule, progress=progress)[0]  # step 2
    return names
