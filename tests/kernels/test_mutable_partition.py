"""A mutable partition against its definition: costs of adding, removing and swapping, and its state after changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from local_search_cases import SEEDS, cases, check_state, init_state

from naive.local_search import Case, draw_case, draw_constraints, error, merge_infeasible, scale
from shoal.kernels.local_search import mutable_partition as kernels
from shoal.kernels.local_search.category_centroids import NONE
from shoal.kernels.local_search.mutable_partition import SearchState


@given(cases())
def test_the_error_is_what_its_definition_says(case: Case) -> None:
    state = init_state(case)
    found = kernels.squared_error(state, case.space, case.unit_of)
    assert found == pytest.approx(case.error(case.labels), rel=1e-9, abs=1e-9 * scale(case.table))
    check_state(state, case)


def apart_in_numbers(case: Case, unit: int) -> float:
    """How far the numbers of the members of a unit are from their mean: they take that with them wherever they go."""
    members = case.table.numbers[case.rows([unit])]
    return float(((members - members.mean(axis=0)) ** 2).sum())


@settings(max_examples=15)
@given(cases())
def test_rises_are_what_the_errors_before_and_after_say(case: Case) -> None:
    state, before = init_state(case), case.error(case.labels)
    close: dict[str, Any] = {"rel": 1e-9, "abs": 1e-10 * scale(case.table)}
    units, alone = range(len(case.labels)), int(case.labels.max()) + 1
    found_shares = kernels.unit_contributions(*state[:2])
    for unit in units:
        apart = case.labels.copy()
        apart[unit] = alone
        own = case.error(apart) - error(case.table, case.rows([unit]))
        within = apart_in_numbers(case, unit)
        assert kernels.remove_decrease(*state[:2], unit) == pytest.approx(before - own - within, **close)
        assert found_shares[unit] == kernels.remove_decrease(*state[:2], unit)
        for group in np.unique(case.labels):
            if group != case.labels[unit]:
                moved = case.labels.copy()
                moved[unit] = group
                rise = case.error(moved) - own
                assert kernels.add_increase(*state[:2], unit, group) == pytest.approx(rise - within, **close)
    for unit in units[::3]:
        for other in units:
            if case.labels[unit] != case.labels[other]:
                swapped = case.labels.copy()
                swapped[[unit, other]] = swapped[[other, unit]]
                rise = kernels.replace_increase(*state[:2], unit, other) + kernels.replace_increase(
                    *state[:2], other, unit
                )
                assert rise == pytest.approx(case.error(swapped) - before, **close)
    check_state(state, case)


@given(case=cases(), seed=SEEDS)
def test_after_many_changes_all_is_as_if_begun_anew(case: Case, seed: int) -> None:
    """Units come and go, groups become empty and are filled again; nothing of it is left but the groups."""
    state, rng = init_state(case), np.random.default_rng(seed)
    for _ in range(60):
        unit, group = rng.integers(len(case.labels)), rng.integers(len(state.partition.sizes))
        kernels.remove(*state[:2], unit)
        kernels.add(*state[:2], unit, group)
    note_empty(state)
    check_state(state, case)
    kernels.recompute(*state[:2])
    check_state(state, case)


def note_empty(state: SearchState) -> None:
    """The kernel that empties a group lists it as empty; here none did."""
    empty = np.flatnonzero(state.partition.sizes == 0)
    state.partition.empty_groups[: len(empty)], state.partition.counts[kernels.N_EMPTY] = empty, len(empty)


@settings(max_examples=20)
@given(case=cases(), seed=SEEDS)
def test_what_is_allowed_is_what_the_models_say(case: Case, seed: int) -> None:
    constraints, holds = draw_constraints(seed, len(case.unit_of))
    case = merge_infeasible(case, holds)
    state = init_state(case, constraints)
    members = [np.flatnonzero(case.labels == group).tolist() for group in range(int(case.labels.max()) + 1)]
    for group, units in enumerate(members):
        assert kernels.is_feasible(state.partition, state.constraints, group, NONE, NONE)
        for removed in (NONE, *units[:3]):
            for come in (NONE, *(unit for unit in range(0, len(case.labels), 5) if unit not in units)):
                left = [unit for unit in units if unit != removed] + [come] * (come != NONE)
                if left:
                    expected = holds(case.rows(left))
                    assert kernels.is_feasible(state.partition, state.constraints, group, removed, come) == expected


def test_without_demands_all_is_allowed() -> None:
    state = init_state(draw_case(1, kind="numbers"))
    assert len(state.constraints.members) == 0
    assert kernels.is_feasible(state.partition, state.constraints, 0, 0, NONE)
