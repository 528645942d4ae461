"""Descent and annealing: the reported gain is the change of the error, and groups stay feasible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_search_cases import SEEDS, cases, check_groups, check_state, init_state

from naive.local_search import Case, draw_case, draw_constraints, merge_infeasible, scale
from shoal.domain import no_progress
from shoal.kernels import rng
from shoal.kernels.local_search import annealing
from shoal.kernels.local_search.moves import UnitNeighbors
from shoal.kernels.local_search.mutable_partition import SearchState
from shoal.search.local_search import unit_neighbors

ROUNDS = 200
"""Passes over all units, far more than any descent of these tables takes."""


def descended(state: SearchState, near: UnitNeighbors, limit: float) -> list[float]:
    """The increases of each pass over all units, until none is marked."""
    rises, dirty = [], np.ones(len(state.partition.labels), dtype=np.bool_)
    while dirty.any():
        rises.append(annealing.descend(state, near, dirty, limit, 0, len(dirty)))
        assert len(rises) < ROUNDS, "the descent ends"
    return rises


def check_both(case: Case, seed: int, constraints: Any = None, holds: Any = None) -> None:
    """An annealing at some heats, then a descent."""
    state, near = init_state(case, constraints), unit_neighbors(case.units, case.k, progress=no_progress)
    start, size, dice = case.error(case.labels), scale(case.table), rng.init_rng(seed)
    close: dict[str, Any] = {"rel": 1e-9, "abs": 1e-9 * size}
    total = 0.0
    for heat in (size / 10, size / 100, size / 10_000):
        total += annealing.anneal(state, near, dice, heat, 300)
        assert start + total == pytest.approx(case.error(state.partition.labels), **close)
        check_groups(state, case, holds)
    check_state(state, case)
    rises = descended(state, near, -1e-11 * size)
    assert max(rises) <= 0
    assert start + total + sum(rises) == pytest.approx(case.error(state.partition.labels), **close)
    check_groups(state, case, holds)
    check_state(state, case)


@given(case=cases(), seed=SEEDS)
def test_the_rises_add_up(case: Case, seed: int) -> None:
    check_both(case, seed)


@given(case=cases(), seed=SEEDS)
def test_all_demands_hold_after_it(case: Case, seed: int) -> None:
    constraints, holds = draw_constraints(seed, len(case.unit_of))
    check_both(merge_infeasible(case, holds), seed, constraints, holds)


@given(seed=SEEDS, k=st.integers(2, 4))
def test_below_it_no_move_and_no_swap_pays(seed: int, k: int) -> None:
    """So few records are all neighbors, so the descent tries every move and every swap."""
    case = draw_case(seed, kind="numbers", rows=2 * k + 3, k=k)
    state = init_state(case)
    descended(state, unit_neighbors(case.space, k, progress=no_progress), -1e-11 * scale(case.table))
    labels = state.partition.labels
    least = case.error(labels) - 1e-9 * scale(case.table)
    for unit in range(len(labels)):
        for other in range(len(labels)):
            if labels[unit] != labels[other]:
                moved, swapped = labels.copy(), labels.copy()
                moved[unit], swapped[[unit, other]] = labels[other], labels[[other, unit]]
                assert case.error(swapped) >= least
                assert (labels == labels[unit]).sum() == k or case.error(moved) >= least


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_ties_and_equal_records_never_go_round_in_circles(kind: str, steps: int) -> None:
    for seed in range(10):
        case = draw_case(seed, kind=kind, rows=60, k=4, steps=steps)
        state = init_state(case)
        before = case.error(case.labels)
        descended(state, unit_neighbors(case.space, 4, progress=no_progress), -1e-11 * scale(case.table) / 60)
        assert case.error(state.partition.labels) <= before * (1 + 1e-12)
        if steps == 1 and kind == "numbers":
            assert np.array_equal(state.partition.labels, case.labels)


def test_the_colder_it_is_the_fewer_rise() -> None:
    case = draw_case(5, kind="mixed", rows=60)
    near, size, ends = unit_neighbors(case.space, 3, progress=no_progress), scale(case.table), []
    for heat in (size, size / 100, size / 10_000):
        state = init_state(case)
        annealing.anneal(state, near, rng.init_rng(0), heat, 20_000)
        ends.append(case.error(state.partition.labels))
    assert ends == sorted(ends, reverse=True)
    assert ends[-1] < 0.6 * case.error(case.labels)


def test_every_unit_and_every_partner_gets_its_turn() -> None:
    case = draw_case(3, kind="numbers", rows=40, k=5, steps=3)
    state, near = init_state(case), unit_neighbors(case.space, 5, progress=no_progress)
    dice = rng.init_rng(1)
    assert {annealing.random_unit(state.partition, near, dice) for _ in range(4000)} - {-1} == set(range(40))
    for unit in range(40):
        others = {annealing.random_partner(state.partition, unit, dice.state) for _ in range(200)}
        assert others == set(np.flatnonzero(case.labels == case.labels[unit])) - {unit}
