"""Iterated local search on groups of tuples: moves, swaps, dissolved and new groups.

The search descends until no move, swap or dissolved group lowers the loss. Then it kicks: it makes a few random
changes, descends again around them, and undoes everything if the loss is now higher.
"""

from __future__ import annotations

import numpy as np

from shoal.domain import Progress
from shoal.kernels.jit import inline, kernel
from shoal.kernels.linked_lists import NONE
from shoal.kernels.tuples.tuple_groups import (
    CALL_BUDGET,
    LIMIT,
    MIN_SIZE,
    MOVES,
    SPENT,
    TOLERANCE,
    VISIT,
    WAITING,
    TupleGroups,
    can_leave,
    draw,
    enqueue_changed,
    has_log_space,
    loss_with,
    move_tuple,
    over_limit,
    pop_queue,
    undo_moves,
)

MAX_CHANGES = 3
"""Changes of a kick, each near the one before."""
MAX_DRAWS = 10
"""Draws of a tuple before one is accepted whose group has no loss."""
DESCENT_BUDGET = 700_000_000
"""Cells for a descent; where rounding alone decides, it would never end."""
KICK_BUDGET = 100_000_000
"""Cells for one kick."""
ROUND_BUDGET = 70_000_000
"""Cells for all kicks of one round; the current kick is completed."""


def descend(state: TupleGroups, *, progress: Progress) -> None:
    """Descend until the queue is empty."""
    total, fewest, end = len(state.labels), len(state.labels), state.counts[SPENT] + DESCENT_BUDGET
    while state.counts[WAITING] > 0 and state.counts[SPENT] < end:
        state.counts[MOVES] = 0
        state.counts[LIMIT] = state.counts[SPENT] + 2 * CALL_BUDGET
        descend_until(state, state.counts[SPENT] + CALL_BUDGET)
        fewest = min(fewest, int(state.counts[WAITING]))
        progress(total - fewest, total)
    clear_queue(state)


def explore(state: TupleGroups, kicks: int, *, rounds: int, progress: Progress) -> None:
    """Kick ``kicks`` times, or as often as ``rounds`` allow."""
    start, budget, done = int(state.counts[SPENT]), rounds * ROUND_BUDGET, 0
    while done < kicks and (spent := int(state.counts[SPENT]) - start) < budget:
        done += kick_until(state, kicks - done, start + min(spent + CALL_BUDGET, budget))[0]
        progress(min(budget, max(int(state.counts[SPENT]) - start, done * budget // kicks)), budget)


@kernel
def descend_until(state, limit):
    """Examine queued tuples until the queue is empty or the cell limit is reached."""
    while state.counts[WAITING] > 0 and state.counts[SPENT] < limit and has_log_space(state):
        t, moves = pop_queue(state), state.counts[MOVES]
        if not relocate(state, t) and not swap(state, t) and state.first[state.labels[t]] == t:
            dissolve_group(state, state.labels[t], 0.0)
        enqueue_changed(state, moves)


@kernel
def kick_until(state, kicks, limit):
    """Kick ``kicks`` times, or until the cell limit, and descend after each kick.

    A kick that raises the loss is undone. Return the number of kicks, and by how much the loss fell.
    """
    total, done = 0.0, 0
    while done < kicks and state.counts[SPENT] < limit:
        done += 1
        state.counts[MOVES], state.loss_change[0] = 0, 0.0
        state.counts[LIMIT] = state.counts[SPENT] + KICK_BUDGET
        valid = kick(state)
        if valid:
            enqueue_changed(state, 0)
            descend_until(state, state.counts[LIMIT])
        if not valid or state.loss_change[0] > 0.0:
            undo_moves(state, 0, 0.0)
        total -= state.loss_change[0]
        clear_queue(state)
    return done, total


@kernel
def clear_queue(state):
    while state.counts[WAITING] > 0:
        pop_queue(state)


@inline
def relocate(state, t):
    """Move a tuple to another group if that lowers the loss."""
    if not can_leave(state, t):
        return False
    group = state.labels[t]
    less = state.loss[group] - loss_with(state, group, t, NONE)
    more, best_choice = best_group(state, t)
    if more >= less - TOLERANCE:
        return False
    move_tuple(state, t, best_choice)
    return True


@kernel
def best_group(state, t):
    """Return the lowest loss increase for a tuple in another nearby group, and that group."""
    best, best_choice = np.inf, NONE
    state.counts[VISIT] += 1
    state.visited[state.labels[t]] = state.counts[VISIT]
    for u in state.near[t]:
        group = NONE if u == NONE else state.labels[u]
        if group != NONE and state.visited[group] != state.counts[VISIT]:
            state.visited[group] = state.counts[VISIT]
            more = loss_with(state, group, NONE, t) - state.loss[group]
            if more < best:
                best, best_choice = more, group
    return best, best_choice


@inline
def swap(state, t):
    """Swap a tuple with the nearby one that lowers the loss most, if any."""
    best, best_choice, group = -TOLERANCE, NONE, state.labels[t]
    for u in state.near[t]:
        if u != NONE and state.labels[u] != group and can_swap(state, t, u):
            other = state.labels[u]
            change = loss_with(state, other, u, t) - state.loss[other]
            if change - state.loss[group] < best:
                change += loss_with(state, group, t, u) - state.loss[group]
                if change < best:
                    best, best_choice = change, u
    if best_choice == NONE:
        return False
    move_tuple(state, t, state.labels[best_choice])
    move_tuple(state, best_choice, group)
    return True


@inline
def can_swap(state, t, u):
    gain = state.tuples.counts[u] - state.tuples.counts[t]
    smallest = min(state.sizes[state.labels[t]] + gain, state.sizes[state.labels[u]] - gain)
    return smallest >= state.counts[MIN_SIZE]


@kernel
def dissolve_group(state, group, allowance):
    """Move every tuple of a group to another group, unless the loss grows by the allowance or more."""
    moves, change = state.counts[MOVES], state.loss_change[0]
    left = allowance + state.loss[group]
    while state.sizes[group] > 0 and left > 0.0 and has_log_space(state) and not over_limit(state):
        more, best_choice = best_group(state, state.first[group])
        if best_choice == NONE:
            break
        left -= more
        move_tuple(state, state.first[group], best_choice)
    if state.sizes[group] > 0 or state.loss_change[0] >= change + allowance - TOLERANCE:
        undo_moves(state, moves, change)
        return False
    return True


@inline
def kick(state):
    """Make one or more random changes, each near the one before; return whether every group still has k records."""
    t, valid = draw_lossy(state), True
    for _ in range(1 + draw(state, MAX_CHANGES)):
        valid = valid and random_change(state, t)
        t = draw_neighbor(state, t)
    return valid


@inline
def draw_lossy(state):
    """Draw a tuple, preferably one whose group has a loss."""
    t = draw(state, len(state.labels))
    for _ in range(MAX_DRAWS):
        if state.loss[state.labels[t]] > TOLERANCE:
            break
        t = draw(state, len(state.labels))
    return t


@inline
def draw_neighbor(state, t):
    """Draw a neighbor of a tuple, or return the tuple."""
    u = state.near[t, draw(state, state.near.shape[1])]
    return t if u == NONE else u


@inline
def random_change(state, t):
    """Make one of four changes around a tuple; return whether every group still has k records."""
    group, choice = state.labels[t], draw(state, 4)
    if state.counts[MOVES] + len(state.labels) + 2 > len(state.moved):
        return True  # the log has no space for the moves of a whole group
    if choice == 0:
        return dissolve_group(state, group, np.inf)
    if choice == 1:
        return isolate_frequent(state, group)
    if choice == 2:
        return open_group(state, t)
    other = state.labels[draw_neighbor(state, t)]
    if other != group:
        move_tuple(state, t, other)
    return repair(state, group)


@inline
def isolate_frequent(state, group):
    """Move each tuple of a group that has k records to its own group, and repair the rest."""
    t = state.first[group]
    while t != NONE:
        after = state.after[t]
        if state.tuples.counts[t] >= state.counts[MIN_SIZE] and state.sizes[group] > state.tuples.counts[t]:
            move_tuple(state, t, empty_group(state))
        t = after
    return repair(state, group)


@inline
def open_group(state, t):
    """Open a new group around a tuple, and repair the groups that it took tuples from."""
    if state.sizes[state.labels[t]] == state.tuples.counts[t]:
        return True
    new, first_move = empty_group(state), state.counts[MOVES]
    move_tuple(state, t, new)
    valid = fill(state, new, False)
    for i in range(first_move, state.counts[MOVES]):
        valid = valid and repair(state, state.moved_from[i])
    return valid


@inline
def empty_group(state):
    """Return the first empty group; there is one wherever a group has two tuples."""
    group = 0
    while state.sizes[group] > 0:
        group += 1
    state.counts[SPENT] += group
    return group


@kernel
def repair(state, group):
    """Fill or dissolve a group below k, whichever loses less; return whether it has k records or none."""
    if state.sizes[group] == 0 or state.sizes[group] >= state.counts[MIN_SIZE]:
        return True
    moves, change = state.counts[MOVES], state.loss_change[0]
    filled = fill(state, group, True)
    allowance = state.loss_change[0] - change if filled else np.inf
    added = state.moved[moves : state.counts[MOVES]].copy()
    undo_moves(state, moves, change)
    if dissolve_group(state, group, allowance):
        return True
    if filled:
        for t in added:
            move_tuple(state, t, group)
    return filled


@kernel
def fill(state, group, only_spare):
    """Add nearby tuples to a group until it has k records; return whether it has."""
    while state.sizes[group] < state.counts[MIN_SIZE] and has_log_space(state) and not over_limit(state):
        best_choice = best_addition(state, group, only_spare)
        if best_choice == NONE:
            break
        move_tuple(state, best_choice, group)
    return state.sizes[group] >= state.counts[MIN_SIZE]


@inline
def best_addition(state, group, only_spare):
    """Return the tuple near a group, maybe only one that can leave its own, that lowers the loss most."""
    best, best_choice, t = np.inf, NONE, state.first[group]
    state.counts[VISIT] += 1
    while t != NONE and not over_limit(state):
        state.counts[SPENT] += state.near.shape[1]
        for u in state.near[t]:
            is_new = u != NONE and state.visited[u] != state.counts[VISIT]
            if is_new and state.labels[u] != group and (can_leave(state, u) or not only_spare):
                other, state.visited[u] = state.labels[u], state.counts[VISIT]
                change = loss_with(state, group, NONE, u) - state.loss[group]
                if change - state.loss[other] < best:
                    change += loss_with(state, other, u, NONE) - state.loss[other]
                    if change < best:
                        best, best_choice = change, u
        t = state.after[t]
    return best_choice
