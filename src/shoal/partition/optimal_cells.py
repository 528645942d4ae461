"""Optimal cells: rare combinations of a few categories go where the release loses least."""

from __future__ import annotations

from shoal import kernels
from shoal.errors import OptionError
from shoal.partition.registry import method
from shoal.partition.stages import stage
from shoal.schema.columns import Kind
from shoal.values import IntVector, Progress, Records

_MOST = 1000
"""Rare combinations that the number of kicks grows with."""


@method(
    name="optimal-cells",
    paper="Shoal's own",
    year=2026,
    cost="O(m²) time for m different combinations, then a fixed number of kicks; O(m · nodes) memory",
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

    1. Every combination of categories is a cell, with all of its records. A cell of k records is a group.
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
    two columns the optimum, found by integer programming in minutes, is reached for k = 2 and missed by 0.6 percent
    for k = 3. Among all partitions of tables of up to 7 combinations, the best is found 998 times in 1,000.

    *Cost*: grows with the different combinations and not with the records: to find the nearest 20 common and 20 rare
    ones of each takes O(m²), every change that is weighed a look at all nodes of the hierarchies and at the
    combinations of two groups. On Adult (394 combinations) that is 0.3 to 2 seconds, with 18,000 combinations about
    half a minute. Random numbers come from ``seed``, so the same seed gives the same groups. Ties go to the lowest
    node, and to the nearest neighbor, then to the combination that comes first.
    """
    if isinstance(rounds, bool) or not isinstance(rounds, int) or not 0 <= rounds <= 10**6:
        raise OptionError.bad_option("rounds", "a whole number from 0 to 1,000,000")
    tuples = records.tuples  # step 1
    near = kernels.cells.neighbors(tuples, k, progress=stage(progress, records, 0, 4))
    state = kernels.cells.stand(tuples, near, k, seed=seed)
    kernels.merge.merge(state, progress=stage(progress, records, 1, 4))  # step 2
    kernels.reassign.descend(state, progress=stage(progress, records, 2, 4))  # step 3
    kicks = rounds * min(int((tuples.counts < k).sum()), _MOST)
    kernels.reassign.explore(state, kicks, progress=stage(progress, records, 3, 4))  # step 4
    labels: IntVector = state.labels[records.tuple_of]
    return labels
