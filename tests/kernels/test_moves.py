"""Moves of local search against their definition: their increase of the error, group sizes and constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_search_cases import SEEDS, cases, check_groups, check_state, init_state

from naive.local_search import Case, draw_case, draw_constraints, merge_infeasible, scale
from shoal.domain import no_progress
from shoal.kernels.local_search import moves
from shoal.kernels.local_search.mutable_partition import N_EMPTY, SearchState
from shoal.search.local_search import unit_neighbors

NAMES = ("move", "swap", "found", "dissolve")


def turn(state: SearchState, near: moves.UnitNeighbors, name: str, rng: np.random.Generator, limit: float) -> float:
    """A random move of this name."""
    standing = state.partition
    unit, other = rng.integers(len(standing.labels), size=2)
    own, group = standing.labels[unit], standing.labels[other]
    if name == "found":
        return moves.create_group(*state, near, unit, limit)
    if name == "dissolve":
        return moves.dissolve_group(*state, near, own, limit)
    if own == group:
        return 0.0
    return moves.move(*state, unit, group, limit) if name == "move" else moves.swap(*state, unit, other, limit)


def check_turns(case: Case, seed: int, constraints: Any, holds: Callable[[Sequence[int]], bool] | None) -> set[str]:
    """Make some moves and check each; return those that were made."""
    state, near = init_state(case, constraints), unit_neighbors(case.units, case.k, progress=no_progress)
    rng, size, done = np.random.default_rng(seed), scale(case.table), set()
    error = case.error(case.labels)
    for _ in range(25):
        name, limit = NAMES[rng.integers(4)], rng.choice([-1e-9, 0.02, 2.0]) * size
        before = state.partition.labels.copy()
        rise = turn(state, near, name, rng, limit)
        after = state.partition.labels
        if np.array_equal(before, after):
            assert rise == 0
            continue
        now = case.error(after)
        assert rise < limit
        assert rise == pytest.approx(now - error, rel=1e-9, abs=1e-9 * size)
        check_groups(state, case, holds)
        error = now
        done.add(name)
    check_state(state, case)
    return done


@given(case=cases(), seed=SEEDS)
def test_every_turn_costs_what_it_says(case: Case, seed: int) -> None:
    check_turns(case, seed, None, None)


@given(case=cases(), seed=SEEDS)
def test_every_turn_keeps_all_demands(case: Case, seed: int) -> None:
    constraints, holds = draw_constraints(seed, len(case.unit_of))
    check_turns(merge_infeasible(case, holds), seed, constraints, holds)


def test_all_turns_are_done_sometimes() -> None:
    done = [check_turns(draw_case(seed, kind="mixed", members=2), seed, None, None) for seed in range(12)]
    assert set.union(*done) == set(NAMES)


def begun_with(points: list[float], labels: list[int], k: int) -> tuple[SearchState, moves.UnitNeighbors, Case]:
    case = draw_case(0, kind="numbers", rows=len(points), k=k)
    case.table.numbers[:] = np.array(points)[:, None]
    case = case._replace(labels=np.array(labels))
    return init_state(case), unit_neighbors(case.units, k, progress=no_progress), case


def test_a_group_of_k_spares_nobody() -> None:
    state, near, _ = begun_with([0, 0, 9, 1, 1], [0, 0, 0, 1, 1], 2)
    assert moves.move(*state, 3, 0, np.inf) == 0
    assert moves.create_group(*state, near, 3, np.inf) == 0
    assert moves.move(*state, 2, 1, np.inf) != 0
    assert state.partition.sizes.tolist() == [2, 3]


def test_a_split_is_found_and_a_merger_undoes_it() -> None:
    """By hand: 0 and 1 beside 10 and 11, on two equal columns."""
    state, near, case = begun_with([0, 1, 10, 11], [0, 0, 0, 0], 2)
    assert moves.create_group(*state, near, 0, 0.0) == pytest.approx(2 * (1.0 - 101.0))
    assert state.partition.labels[0] == state.partition.labels[1] != state.partition.labels[2]
    assert state.partition.counts[N_EMPTY] == 0
    assert moves.dissolve_group(*state, near, state.partition.labels[0], 0.0) == 0
    assert moves.dissolve_group(*state, near, state.partition.labels[0], np.inf) == pytest.approx(200.0)
    assert state.partition.counts[N_EMPTY] == 1
    check_state(state, case)


def test_the_last_group_is_not_dissolved() -> None:
    state, near, case = begun_with([0, 1, 10, 11], [0, 0, 0, 0], 3)
    assert moves.dissolve_group(*state, near, 0, np.inf) == 0
    check_state(state, case)


def test_no_group_is_founded_where_none_is_free() -> None:
    state, near, _ = begun_with([0, 1, 10, 11], [0, 0, 1, 1], 2)
    assert moves.create_group(*state, near, 0, np.inf) == 0


@given(seed=SEEDS, k=st.integers(2, 4))
def test_equal_units_are_one_point(seed: int, k: int) -> None:
    case = draw_case(seed, kind="mixed", rows=30, k=k, steps=2)
    near = unit_neighbors(case.space, k, progress=no_progress)
    for unit in range(30):
        point = near.point_of[unit]
        alike = near.units[near.starts[point] : near.starts[point + 1]]
        equal = np.flatnonzero((case.table.points == case.table.points[unit]).all(axis=1))
        assert alike.tolist() == equal.tolist()
        known = near.points[point][near.points[point] >= 0]
        assert len(set(known.tolist())) == len(known)
        assert (point in known) == (len(equal) > 1)
        others = [q for q in known if q != point]
        firsts = near.units[near.starts[:-1]]
        far = np.sort(case.table.distances(case.table.points[unit])[firsts])[1:]
        reached = case.table.distances(case.table.points[unit])[firsts[others]]
        assert reached == pytest.approx(far[: len(others)], abs=1e-12)
        assert len(others) == min(2 * k + 2, len(firsts) - 1)
