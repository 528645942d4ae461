"""Optimal cells: local search that assigns rare combinations of a few categories to groups at the lowest loss."""

from __future__ import annotations

from operator import index

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.domain.columns import Kind
from shoal.errors import OptionError
from shoal.microaggregation.registry import method
from shoal.microaggregation.stages import stage_progress

_MAX_RARE = 1000
"""Maximum number of rare combinations counted for the number of kicks."""
_CELLS = 250_000_000
"""Maximum number of entries of the cost table: 2 GB."""


@method(
    name="optimal-cells",
    paper="Shoal's own",
    year=2026,
    cost="O(m²) time for m different combinations, but no more than a fixed number of steps; O(m · nodes) memory",
    largest_group=None,
    kinds=(Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL),
)
def optimal_cells(records: Records, k: int, *, progress: Progress, seed: int = 0, rounds: int = 20) -> IntVector:
    """Keep equal records together; join rare combinations to common ones or to each other at the lowest loss.

    Shoal's own. It implements what the thesis on semantic microaggregation of categorical data leaves to future work:
    rare combinations join near groups early instead of distant ones at the end. It suits two to four columns; with
    more, nearly all combinations are rare and the search is larger.

    Notes
    -----
    *Steps*

    1. Every combination of categories is a cell with all of its records. A cell of k records is a group. Fewer than 2k
       records form one group, and the method ends.
    2. Merge: while a group has fewer than k records, it merges with the near group where the semantic SSE rises least;
       in rounds, each in ascending order of the rise.
    3. Descent: apply moves while they lower the total SSE. A combination moves to another group; two combinations swap;
       a group is dissolved and each of its combinations joins the best other group. No group falls below k.
    4. Perturbation (kicks), ``rounds`` times per rare combination, for 1,000 of them at most. One to three random
       moves, each near the previous one: dissolve a group; found a group of near combinations; move a combination to a
       near group; split off combinations of k records. A group that falls below k takes combinations that other groups
       can spare, or is dissolved. Then step 3 around the moves. If the SSE is higher, the kick is undone.

    The SSE is the one by which the release is measured. The center of a group is, in each column, the node with the
    smallest sum of distances; the loss is the sum of the squared distances to it. Both are recomputed for every
    evaluated move.

    *Departures from the paper*: there is no paper. The name states the goal, not a proof. On Adult with two columns, an
    integer program, solved outside of Shoal in minutes to one part in 10,000, found nothing lower for k = 2, and a
    partition lower by half a percent for k = 3. Among all partitions of tables of up to 7 combinations, the optimum is
    found 998 times in 1,000.

    *Cost*: depends on the distinct combinations, not on the records. The nearest 20 common and 20 rare neighbors of
    each take O(m²). Each evaluated move visits all nodes of the hierarchies and the combinations of two groups. The
    visited nodes and categories are counted, and each step is limited: 2 billion for the neighbors, 1 billion for step
    2, 700 million for step 3, 70 million for each of the ``rounds`` of step 4 and 100 million for a single kick. Adult
    (394 combinations) reaches no limit, in 0.3 to 2 seconds. If all are reached (50,000 combinations), a run takes 10
    to 15 seconds, and the groups are worse than possible: neighbors are searched only around each combination in the
    order of the categories, one column after another; as few as 4 of each kind are evaluated if combinations times
    nodes are many; groups merge with the first near one; and there are fewer kicks. More ``rounds`` allow more. The
    limits count steps, not time: the groups are the same on every machine. Random numbers come from ``seed``. Ties go
    to the lowest node, and to the nearest neighbor, then to the combination that comes first.
    Memory is 8 bytes per combination and node; above 2 GB the method raises an error.
    """
    rounds, tuples = _check_rounds(rounds), records.tuples  # step 1
    if records.count < 2 * k:
        return np.zeros(records.count, dtype=np.int64)
    m, nodes = len(tuples.counts), int(tuples.widths.sum())
    if m * nodes > _CELLS:
        raise OptionError.too_many_nodes("optimal-cells", combinations=m, nodes=nodes)
    near = kernels.tuples.tuple_groups.neighbors(tuples, k, progress=stage_progress(progress, records, 0, 4))
    state = kernels.tuples.tuple_groups.init(tuples, near, k, seed=seed)
    kernels.tuples.tuple_groups.merge_small(state, progress=stage_progress(progress, records, 1, 4))  # step 2
    kernels.tuples.tuple_moves.descend(state, progress=stage_progress(progress, records, 2, 4))  # step 3
    kicks = rounds * min(int((tuples.counts < k).sum()), _MAX_RARE)
    kernels.tuples.tuple_moves.explore(
        state, kicks, rounds=rounds, progress=stage_progress(progress, records, 3, 4)
    )  # step 4
    return state.labels[records.tuple_index]


def _check_rounds(rounds: object) -> int:
    """Check the number of rounds; NumPy integers are valid."""
    try:
        number = -1 if isinstance(rounds, bool) else index(rounds)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if not 0 <= number <= 10**6:
        raise OptionError.invalid_value("rounds", "a whole number from 0 to 1,000,000")
    return number
