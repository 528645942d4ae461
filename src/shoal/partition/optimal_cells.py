"""Optimal cells: rare combinations of a few categories go where the release loses least."""

from __future__ import annotations

from operator import index

import numpy as np

from shoal import kernels
from shoal.errors import OptionError
from shoal.partition.registry import method
from shoal.partition.stages import stage
from shoal.schema.columns import Kind
from shoal.values import IntVector, Progress, Records

_MOST = 1000
"""Rare combinations that the number of kicks grows with."""
_CELLS = 250_000_000
"""What the costs of all groups may hold: 2 GB."""


@method(
    name="optimal-cells",
    paper="Shoal's own",
    year=2026,
    cost="O(m²) time for m different combinations, but no more than a fixed number of steps; O(m · nodes) memory",
    largest_group=None,
    kinds=(Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL),
)
def optimal_cells(records: Records, k: int, *, progress: Progress, seed: int = 0, rounds: int = 20) -> IntVector:
    """Equal records stay together; rare combinations join common ones or each other where least is lost.

    Shoal's own. It takes up what the thesis on semantic microaggregation of categorical data leaves to future work,
    that rare combinations should go to near groups early instead of being pooled with strangers at the end. It is
    at home with two to four columns; with more, nearly all combinations are rare and there is more to search.

    Notes
    -----
    *Steps*

    1. Every combination of categories is a cell, with all of its records. A cell of k records is a group. Fewer than
       2k records are one group, and nothing more is done.
    2. Merge: while a group has fewer than k records, it merges with the near group where the semantic SSE grows
       least; in rounds, in each the group first that grows it least.
    3. Go down: while one of these lowers the total SSE, it is done. A combination moves to another group; two of
       them change places; a group is dissolved, each of its combinations going to the group that suits it best.
       No group falls below k.
    4. Kick, ``rounds`` times for each rare combination (as if there were 1,000 where there are more). One to three
       changes are made at random, each near the one before: a group is dissolved; a combination founds a new group
       of what is near; one moves to a near group; combinations of k records leave their group. A group that falls
       below k takes in what others can spare, or is dissolved. Then step 3 around the changes. If the SSE is now
       higher, all of it is taken back.

    The SSE is the one that the release is measured by: the center of a group is, in each column, the node with the
    least sum of distances, the loss is the sum of the squared distances to it. Both are computed anew for every
    change that is weighed.

    *Departures from the paper*: there is no paper. The name says what is sought, not what is proven. On Adult with
    two columns an integer program, solved outside of Shoal in minutes and to one part in 10,000, found nothing lower
    for k = 2, and something lower by half a percent for k = 3. Among all partitions of tables of up to 7 combinations,
    the best is found 998 times in 1,000.

    *Cost*: grows with the different combinations and not with the records: to find the nearest 20 common and 20 rare
    ones of each takes O(m²), every change that is weighed a look at all nodes of the hierarchies and at the
    combinations of two groups. The nodes and categories looked at are counted, and each step has an end: 2 billion
    for the neighbors, 1 billion for step 2, 700 million for step 3, 70 million for each of the ``rounds`` of step 4
    and 100 million for a single kick. On Adult (394 combinations) none is reached, in 0.3 to 2 seconds; where all are
    reached, a run takes 10 to 15 seconds (50,000 combinations), and the groups are not as good as they could be:
    neighbors are sought only around each combination in the order of the categories, one column first and then the
    next; down to 4 of each kind are weighed where combinations times nodes are many; groups merge with the first near
    one; and there are fewer kicks. More ``rounds`` allow more. The count is no clock: the groups are the same on every
    machine. Random numbers come from ``seed``, so the same seed gives the same groups. Ties go to the lowest
    node, and to the nearest neighbor, then to the combination that comes first.
    Memory is 8 bytes for each combination times all nodes; above 2 GB the method refuses.
    """
    rounds, tuples = _whole(rounds), records.tuples  # step 1
    if records.count < 2 * k:
        return np.zeros(records.count, dtype=np.int64)
    m, nodes = len(tuples.counts), int(tuples.widths.sum())
    if m * nodes > _CELLS:
        raise OptionError.too_many_nodes("optimal-cells", combinations=m, nodes=nodes)
    near = kernels.cells.neighbors(tuples, k, progress=stage(progress, records, 0, 4))
    state = kernels.cells.stand(tuples, near, k, seed=seed)
    kernels.merge.merge(state, progress=stage(progress, records, 1, 4))  # step 2
    kernels.reassign.descend(state, progress=stage(progress, records, 2, 4))  # step 3
    kicks = rounds * min(int((tuples.counts < k).sum()), _MOST)
    kernels.reassign.explore(state, kicks, rounds=rounds, progress=stage(progress, records, 3, 4))  # step 4
    labels: IntVector = state.labels[records.tuple_of]
    return labels


def _whole(rounds: object) -> int:
    """The number of rounds, also if it is one of numpy's whole numbers."""
    try:
        number = -1 if isinstance(rounds, bool) else index(rounds)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if not 0 <= number <= 10**6:
        raise OptionError.bad_option("rounds", "a whole number from 0 to 1,000,000")
    return number
