"""Searches made ahead, so that several threads have work: what is near to seeds that are to come, and far from them.

Groups are built one after another, but their seeds can be guessed: the outermost records, and those farthest from
them. A list of the records nearest to a seed stays right while records leave: those that are left of it are still the
nearest ones, in order. Only where too few are left of a list, or a seed was not guessed, it is sought in its turn. So
the groups do not depend on what was guessed, nor on the number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import kernel, part
from shoal.kernels.outer import outermost, renew
from shoal.kernels.search import NOBODY, farthest, nearest
from shoal.kernels.space import exact
from shoal.threads import Crew
from shoal.values import FloatVector, IntMatrix, IntVector

if TYPE_CHECKING:
    from shoal.kernels.unassigned import Unassigned

BATCH = 64
"""Seeds that are guessed at a time: enough to keep threads at work, few enough that most of them come true."""
ROUNDS = 4
"""Lists that are kept, in seeds guessed at a time."""
FAR = 3
"""Records in a list of the farthest; those nearest are as many as a group needs and a few more."""
NOWHERE = -1


class Ahead(NamedTuple):
    """Lists by slot; ``slot`` tells where those of a record are, ``owner`` whose they are.

    ``reach`` is the squared distance to the last record that a group needs; ``turn`` the slot that is written next.
    """

    slot: NDArray[np.int32]
    owner: IntVector
    near: IntMatrix
    far: IntMatrix
    reach: FloatVector
    turn: IntVector


def nothing_ahead() -> Ahead:
    """No room for lists: every search is made in its turn."""
    return _room(0, 1, slots=0)


def room(records: int, k: int) -> Ahead:
    """Room for the lists of some of these records, as seeds of groups of k."""
    return _room(records, k, slots=ROUNDS * BATCH)


def _room(records: int, k: int, *, slots: int) -> Ahead:
    return Ahead(
        slot=np.full(records, NOWHERE, dtype=np.int32),
        owner=np.full(slots, NOWHERE),
        near=np.full((slots, k + 1 + k // 4), NOBODY),
        far=np.full((slots, FAR), NOBODY),
        reach=np.zeros(slots),
        turn=np.zeros(1, dtype=np.int64),
    )


def anticipate(state: Unassigned, center: FloatVector, *, k: int, turns: int, crew: Crew) -> None:
    """Make the lists of the seeds that are likely to come next, unless the very next one has its own."""
    seeds = np.full(BATCH, NOBODY)
    guess_seeds(state, center, seeds)
    if state.ahead.slot[seeds[0]] != NOWHERE:
        return
    _search(state, seeds, k, FAR if turns > 1 else 0, crew)
    if turns > 1:
        partners = np.full(BATCH, NOBODY)
        guess_partners(state, seeds, partners)
        _search(state, partners, k, 0, crew)


def _search(state: Unassigned, seeds: IntVector, k: int, far: int, crew: Crew) -> None:
    """Make the lists of those seeds that have none, each thread some of them."""
    rows = seeds[seeds != NOBODY]
    rows = rows[state.ahead.slot[rows] == NOWHERE]
    slots = assign(state.ahead, rows)
    crew.share(
        lambda piece: look_ahead(state, rows[piece :: crew.size], slots[piece :: crew.size], k, far),
        range(min(crew.size, len(rows))),
    )


def assign(ahead: Ahead, rows: IntVector) -> IntVector:
    """Give each of these records a slot; who had it before loses it."""
    slots: IntVector = (ahead.turn[0] + np.arange(len(rows))) % len(ahead.owner)
    ahead.turn[0] += len(rows)
    before = ahead.owner[slots]
    ahead.slot[before[before != NOWHERE]] = NOWHERE
    ahead.slot[rows], ahead.owner[slots] = slots, rows
    return slots


@kernel
def guess_seeds(state, center, seeds):
    """The record farthest from the center, then others that are far out and not close to one guessed before."""
    outer, ahead, count, reach = state.outer, state.ahead, 1, mean(state.ahead.reach)
    left = 0
    for row in outer.rows:
        left += row == NOBODY or state.labels[row] < 0
    if left < min(2 * len(seeds), len(outer.rows)):
        renew(state, center)
    seeds[0] = outermost(state, center)
    for row in outer.rows:
        if row == NOBODY or count == len(seeds):
            return
        if state.labels[row] < 0 and row != seeds[0]:
            alone = True
            for i in range(count):
                alone = alone and exact(state.space, state.space.matrix[row], state.space.matrix[seeds[i]]) > reach
            if alone or ahead.slot[row] >= 0:
                seeds[count] = row
                count += 1


@part
def mean(values):
    """The mean of these numbers."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


@kernel
def guess_partners(state, seeds, partners):
    """The records farthest from these seeds, each of them for one seed alone."""
    ahead, count = state.ahead, 0
    for seed in seeds:
        if seed != NOBODY and ahead.slot[seed] >= 0:
            for row in ahead.far[ahead.slot[seed]]:
                if row != NOBODY and state.labels[row] < 0:
                    fresh = True
                    for i in range(count):
                        fresh = fresh and partners[i] != row
                    if fresh:
                        partners[count] = row
                        count += 1
                        break


@kernel
def look_ahead(state, rows, slots, k, most):
    """Write the lists of these records: the others nearest to each, and so many that are farthest from it."""
    ahead = state.ahead
    distance, far = np.empty(ahead.near.shape[1]), np.empty(most)
    for i in range(len(rows)):
        point, slot = state.space.matrix[rows[i]], slots[i]
        nearest(state.tree, point, distance, ahead.near[slot])
        ahead.reach[slot] = distance[k - 1]
        ahead.far[slot, :] = NOBODY
        if most > 0:
            farthest(state.tree, point, far, ahead.far[slot, :most])


@part
def recall_near(state, seed, rows):
    """Fill ``rows`` with the records left nearest to a seed, as far as its list has them; how many there are."""
    ahead, count = state.ahead, 0
    if len(ahead.slot) > 0 and ahead.slot[seed] >= 0:
        for row in ahead.near[ahead.slot[seed]]:
            if count < len(rows) and row != NOBODY and row != seed and state.labels[row] < 0:
                rows[count] = row
                count += 1
    return count


@part
def recall_far(state, seed):
    """The record left that is farthest from a seed, if its list has one."""
    ahead = state.ahead
    if len(ahead.slot) > 0 and ahead.slot[seed] >= 0:
        for row in ahead.far[ahead.slot[seed]]:
            if row != NOBODY and state.labels[row] < 0:
                return row
    return NOBODY


@part
def wanting(state, seed):
    """Whether lists are made ahead, but this seed has none."""
    return len(state.ahead.slot) > 0 and state.ahead.slot[seed] < 0
