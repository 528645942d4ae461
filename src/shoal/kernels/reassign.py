"""Combinations of categories that change groups where the loss falls: moves, swaps, groups dissolved and opened.

A search goes down from where it stands until no move, no swap and no dissolved group lowers the loss. Then it kicks:
it changes a little at random, goes down again around there, and takes everything back if the loss is now higher.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.cells import (
    CELLS,
    LEAST,
    LIMIT,
    LOOK,
    MOVES,
    NONE,
    SPENT,
    STEADY,
    WAITING,
    Cells,
    draw,
    move,
    next_in_line,
    room,
    spared,
    spread_with,
    stir,
    tired,
    undo,
)
from shoal.kernels.jit import kernel, part
from shoal.values import Progress

CHANGES = 3
"""Changes that a kick makes at most, each near the one before."""
DRAWS = 10
"""How often a combination is drawn again because its group loses nothing."""
DOWN = 700_000_000
"""Cells that may be looked at on the way down. Where rounding alone decides, the way would never end."""
KICK = 100_000_000
"""Cells that one kick may look at."""
ROUND = 70_000_000
"""Cells that all kicks of one round may look at; the kick under way is brought to its end."""


def descend(state: Cells, *, progress: Progress) -> None:
    """Go down until none waits."""
    total, least, end = len(state.labels), len(state.labels), state.counts[SPENT] + DOWN
    while state.counts[WAITING] > 0 and state.counts[SPENT] < end:
        state.counts[MOVES] = 0
        state.counts[LIMIT] = state.counts[SPENT] + 2 * CELLS
        go_down(state, state.counts[SPENT] + CELLS)
        least = min(least, int(state.counts[WAITING]))
        progress(total - least, total)
    rest(state)


def explore(state: Cells, kicks: int, *, rounds: int, progress: Progress) -> None:
    """Kick so many times, or as often as it can be done in so many rounds."""
    start, most, done = int(state.counts[SPENT]), rounds * ROUND, 0
    while done < kicks and (spent := int(state.counts[SPENT]) - start) < most:
        done += search(state, kicks - done, start + min(spent + CELLS, most))[0]
        progress(min(most, max(int(state.counts[SPENT]) - start, done * most // kicks)), most)


@kernel
def go_down(state, until):
    """Look at those that wait, one after another, until none waits or so many cells are looked at."""
    while state.counts[WAITING] > 0 and state.counts[SPENT] < until and room(state):
        t, moves = next_in_line(state), state.counts[MOVES]
        if not relocate(state, t) and not swap(state, t) and state.first[state.labels[t]] == t:
            dissolve(state, state.labels[t], 0.0)
        stir(state, moves)


@kernel
def search(state, kicks, until):
    """Kick so many times, or until so many cells are looked at, and go down after each kick.

    What raises the loss is taken back. The number of kicks, and by how much the loss fell.
    """
    total, done = 0.0, 0
    while done < kicks and state.counts[SPENT] < until:
        done += 1
        state.counts[MOVES], state.change[0] = 0, 0.0
        state.counts[LIMIT] = state.counts[SPENT] + KICK
        kept = kick(state)
        if kept:
            stir(state, 0)
            go_down(state, state.counts[LIMIT])
        if not kept or state.change[0] > 0.0:
            undo(state, 0, 0.0)
        total -= state.change[0]
        rest(state)
    return done, total


@kernel
def rest(state):
    """Have none wait."""
    while state.counts[WAITING] > 0:
        next_in_line(state)


@part
def relocate(state, t):
    """Move a combination to another group if the loss falls."""
    if not spared(state, t):
        return False
    group = state.labels[t]
    less = state.spread[group] - spread_with(state, group, t, NONE)
    more, who = host(state, t)
    if more >= less - STEADY:
        return False
    move(state, t, who)
    return True


@kernel
def host(state, t):
    """By how much the loss grows with a combination in the best group near it, and this group; not in its own."""
    best, who = np.inf, NONE
    state.counts[LOOK] += 1
    state.seen[state.labels[t]] = state.counts[LOOK]
    for u in state.near[t]:
        group = NONE if u == NONE else state.labels[u]
        if group != NONE and state.seen[group] != state.counts[LOOK]:
            state.seen[group] = state.counts[LOOK]
            more = spread_with(state, group, NONE, t) - state.spread[group]
            if more < best:
                best, who = more, group
    return best, who


@part
def swap(state, t):
    """Exchange a combination with the one near it that lowers the loss most, if there is one."""
    best, who, group = -STEADY, NONE, state.labels[t]
    for u in state.near[t]:
        if u != NONE and state.labels[u] != group and exchangeable(state, t, u):
            other = state.labels[u]
            change = spread_with(state, other, u, t) - state.spread[other]
            if change - state.spread[group] < best:
                change += spread_with(state, group, t, u) - state.spread[group]
                if change < best:
                    best, who = change, u
    if who == NONE:
        return False
    move(state, t, state.labels[who])
    move(state, who, group)
    return True


@part
def exchangeable(state, t, u):
    """Whether the groups of two combinations keep k records without the one and with the other."""
    gain = state.tuples.counts[u] - state.tuples.counts[t]
    smallest = min(state.sizes[state.labels[t]] + gain, state.sizes[state.labels[u]] - gain)
    return smallest >= state.counts[LEAST]


@kernel
def dissolve(state, group, worth):
    """Move every combination of a group to another group, unless the loss grows by as much as this is worth."""
    moves, change = state.counts[MOVES], state.change[0]
    left = worth + state.spread[group]
    while state.sizes[group] > 0 and left > 0.0 and room(state) and not tired(state):
        more, who = host(state, state.first[group])
        if who == NONE:
            break
        left -= more
        move(state, state.first[group], who)
    if state.sizes[group] > 0 or state.change[0] >= change + worth - STEADY:
        undo(state, moves, change)
        return False
    return True


@part
def kick(state):
    """Make one or more changes at random, each near the one before; whether every group still has k records."""
    t, fine = lossy(state), True
    for _ in range(1 + draw(state, CHANGES)):
        fine = fine and disturb(state, t)
        t = neighbor(state, t)
    return fine


@part
def lossy(state):
    """A combination at random, one whose group loses something if that can be had in a few draws."""
    t = draw(state, len(state.labels))
    for _ in range(DRAWS):
        if state.spread[state.labels[t]] > STEADY:
            break
        t = draw(state, len(state.labels))
    return t


@part
def neighbor(state, t):
    """One of those near a combination at random, or itself."""
    u = state.near[t, draw(state, state.near.shape[1])]
    return t if u == NONE else u


@part
def disturb(state, t):
    """Change something around a combination in one of four ways; whether every group still has k records."""
    group, way = state.labels[t], draw(state, 4)
    if state.counts[MOVES] + len(state.labels) + 2 > len(state.moved):
        return True  # no room to write down what a whole group may move
    if way == 0:
        return dissolve(state, group, np.inf)
    if way == 1:
        return release(state, group)
    if way == 2:
        return found(state, t)
    other = state.labels[neighbor(state, t)]
    if other != group:
        move(state, t, other)
    return mended(state, group)


@part
def release(state, group):
    """Give each combination of a group that has k records a group of its own, and mend what is left."""
    t = state.first[group]
    while t != NONE:
        after = state.after[t]
        if state.tuples.counts[t] >= state.counts[LEAST] and state.sizes[group] > state.tuples.counts[t]:
            move(state, t, unused(state))
        t = after
    return mended(state, group)


@part
def found(state, t):
    """Found a new group around a combination, whatever is near, and mend the groups that it took from."""
    if state.sizes[state.labels[t]] == state.tuples.counts[t]:
        return True
    new, begin = unused(state), state.counts[MOVES]
    move(state, t, new)
    fine = fill(state, new, False)
    for i in range(begin, state.counts[MOVES]):
        fine = fine and mended(state, state.origin[i])
    return fine


@part
def unused(state):
    """The first group without records; there is one wherever a group has two combinations."""
    group = 0
    while state.sizes[group] > 0:
        group += 1
    state.counts[SPENT] += group
    return group


@kernel
def mended(state, group):
    """Whether a group has k records or none, if need be after it was filled again or dissolved: what loses less."""
    if state.sizes[group] == 0 or state.sizes[group] >= state.counts[LEAST]:
        return True
    moves, change = state.counts[MOVES], state.change[0]
    filled = fill(state, group, True)
    worth = state.change[0] - change if filled else np.inf
    pulled = state.moved[moves : state.counts[MOVES]].copy()
    undo(state, moves, change)
    if dissolve(state, group, worth):
        return True
    if filled:
        for t in pulled:
            move(state, t, group)
    return filled


@kernel
def fill(state, group, spare):
    """Whether a group has k records after it took in one combination near it after another."""
    while state.sizes[group] < state.counts[LEAST] and room(state) and not tired(state):
        who = best_guest(state, group, spare)
        if who == NONE:
            break
        move(state, who, group)
    return state.sizes[group] >= state.counts[LEAST]


@part
def best_guest(state, group, spare):
    """The combination near a group, maybe of those that can be spared only, that lowers the loss most by its move."""
    best, who, t = np.inf, NONE, state.first[group]
    state.counts[LOOK] += 1
    while t != NONE and not tired(state):
        state.counts[SPENT] += state.near.shape[1]
        for u in state.near[t]:
            fresh = u != NONE and state.seen[u] != state.counts[LOOK]
            if fresh and state.labels[u] != group and (spared(state, u) or not spare):
                other, state.seen[u] = state.labels[u], state.counts[LOOK]
                change = spread_with(state, group, NONE, u) - state.spread[group]
                if change - state.spread[other] < best:
                    change += spread_with(state, other, u, NONE) - state.spread[other]
                    if change < best:
                        best, who = change, u
        t = state.after[t]
    return who
