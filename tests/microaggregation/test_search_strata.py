"""Local search in rounds of blocks is never worse, satisfies all constraints, and is reproducible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naive.local_search import KINDS, draw_case, draw_constraints, merge_infeasible
from shoal import search
from shoal.domain import Records, Refinement, Scale, no_progress
from shoal.microaggregation import registry, search_strata
from shoal.microaggregation.group import GroupingTask, group
from shoal.search import budget
from shoal.system.threads import use_threads


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and steps for tables of some hundred records."""
    monkeypatch.setattr(search_strata, "MAX_UNITS", 150)
    monkeypatch.setattr(search_strata, "_BLOCK", 60)
    monkeypatch.setattr(search_strata, "_SMALLEST", 20)
    monkeypatch.setattr(budget, "_STEPS", {"fast": (0, 0), "balanced": (200, 10**6), "best": (1200, 10**6)})


def records(rows: int = 400, seed: int = 0) -> Records:
    values = np.random.default_rng(seed).normal(size=(rows, 3))
    return Records(("a", "b", "c"), values, Scale.standardized(values), np.ones(3))


def error(task: search.SearchTask, labels: np.ndarray) -> float:
    """From the definition, of numbers."""
    parts = [task.space.matrix[labels == number] for number in range(labels.max() + 1)]
    return float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))


def run_search(task: search.SearchTask, labels: np.ndarray, effort: str = "fast", **plan: Any) -> search.SearchResult:
    limits = plan.pop("budget", search.Budget())
    return search_strata.search_blockwise(
        task, labels, search.SearchPlan(effort, **plan), budget=limits, progress=no_progress
    )


def test_each_round_goes_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups that one round left at a border are inside of a block of the next; the same on any number of threads."""
    table = records()
    task, labels = search.SearchTask(table.space, 3), registry.run(table, k=3, method="mondrian").labels
    errors = [error(task, labels)]
    for rounds in range(1, 5):
        monkeypatch.setattr(search_strata, "_DOWN", {"fast": rounds})
        result = run_search(task, labels)
        assert result.error_before == pytest.approx(errors[0])
        assert result.error_after == pytest.approx(error(task, result.labels))
        assert np.bincount(result.labels).min() >= 3
        errors.append(result.error_after)
        for count in (1, 2, 3):
            with use_threads(count):
                assert (run_search(task, labels).labels == result.labels).all()
    assert errors == sorted(errors, reverse=True)
    assert errors[4] < errors[1] < errors[0]


def test_the_rounds_of_each_effort() -> None:
    assert search_strata.plan_rounds("fast", 400, 0) == [(1, 0), (2, 0)]
    assert search_strata.plan_rounds("balanced", 400, 0) == [(1, 0), (2, 0), (3, 0), (4, 0), (5, 200)]
    assert [steps for _, steps in search_strata.plan_rounds("best", 400, 0)] == [0, 0, 0, 0, 400, 400, 400]
    assert [len(search_strata.plan_rounds(effort, 10**6, 65)) for effort in ("fast", "balanced", "best")] == [
        1,
        2,
        2,
    ]
    assert len(search_strata.plan_rounds("balanced", 20_000, 0)) == 4, "fewer steps for each unit than are worth it"
    assert [search_strata.block_size(nodes) for nodes in (0, 256, 512, 10**6)] == [60, 60, 30, 20]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("members", [1, 3])
def test_demands_households_and_categories(kind: str, members: int) -> None:
    case = draw_case(5, kind=kind, rows=180, k=3, members=members, steps=4)
    constraints, holds = draw_constraints(5, len(case.unit_of))
    case = merge_infeasible(case, holds)
    units = None if members == 1 else case.units
    task = search.SearchTask(case.space, case.k, constraints, units, None if units is None else case.unit_of)
    labels = case.labels[case.unit_of]
    result = run_search(task, labels, "balanced")
    assert result.error_after <= result.error_before == pytest.approx(case.error(case.labels))
    grouped = np.empty(len(case.labels), dtype=np.int64)
    grouped[case.unit_of] = result.labels
    assert (grouped[case.unit_of] == result.labels).all(), "a unit stays together"
    assert np.bincount(grouped).min() >= case.k
    assert result.error_after == pytest.approx(case.error(grouped))
    assert all(holds(np.flatnonzero(result.labels == number)) for number in range(result.labels.max() + 1))


def test_a_search_that_was_stopped_is_made_again() -> None:
    """It ends after the recorded number of blocks."""
    table = records(250)
    task, labels = search.SearchTask(table.space, 3), registry.run(table, k=3, method="mdav").labels
    whole = run_search(task, labels, "balanced")
    assert whole.steps_planned == whole.steps_done > 0
    seen = {whole.error_after}
    for passes in range(whole.descent_passes):
        part = run_search(task, labels, "balanced", descent_passes=passes)
        assert part.descent_passes == passes
        assert whole.error_after <= part.error_after <= part.error_before
        assert 0 <= part.steps_done <= part.steps_planned
        seen.add(part.error_after)
    assert len(seen) > whole.descent_passes // 4
    same = run_search(task, labels, "balanced", descent_passes=whole.descent_passes)
    assert (same.labels == whole.labels).all()


def test_no_time_and_an_interrupt() -> None:
    table = records()
    task, labels = search.SearchTask(table.space, 3), registry.run(table, k=3, method="mdav").labels
    result = run_search(task, labels, "balanced", budget=search.Budget(1e-9))
    assert (result.descent_passes, result.steps_done, result.error_after) == (0, 0, pytest.approx(result.error_before))
    assert (result.labels == labels).all()
    stopped = search.Budget()

    def interrupt(done: int, total: int) -> None:
        if 3 * done > total:
            stopped.stop_requested.set()

    plan = search.SearchPlan("balanced")
    with use_threads(2):
        part = search_strata.search_blockwise(task, labels, plan, budget=stopped, progress=interrupt)
    assert 0 < part.descent_passes < run_search(task, labels, "balanced").descent_passes
    again = run_search(task, labels, "balanced", descent_passes=part.descent_passes)
    assert (again.labels == part.labels).all()
    assert again.error_after == part.error_after


def test_only_large_tables_are_searched_so() -> None:
    refinement = Refinement("fast")
    partition = group(records(400), GroupingTask(3, "mdav", refinement=refinement))
    assert partition.account == (
        "Local search worked in blocks of about 60 records at most, 2 times with other borders.",
    )
    assert partition.search is not None
    assert partition.search.after < partition.search.before
    assert group(records(150), GroupingTask(3, "mdav", refinement=refinement)).account == ()
