"""Repair: local search in rounds of blocks is never worse, keeps what is asked, and can be made again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naive.searches import KINDS, asked, drawn, merged
from shoal import search
from shoal.domain import Records, Refinement, Scale, no_progress
from shoal.microaggregation import blockwise_search, registry, search_strata
from shoal.microaggregation.group import GroupingTask, group
from shoal.search import budget
from shoal.system.threads import use_threads


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and steps for tables of some hundred records."""
    monkeypatch.setattr(search_strata, "WHOLE", 150)
    monkeypatch.setattr(blockwise_search, "_BLOCK", 60)
    monkeypatch.setattr(blockwise_search, "_SMALLEST", 20)
    monkeypatch.setattr(budget, "_STEPS", {"fast": (0, 0), "balanced": (200, 10**6), "best": (1200, 10**6)})


def records(rows: int = 400, seed: int = 0) -> Records:
    values = np.random.default_rng(seed).normal(size=(rows, 3))
    return Records(("a", "b", "c"), values, Scale.standardized(values), np.ones(3))


def error(task: search.SearchTask, labels: np.ndarray) -> float:
    """From the definition, of numbers."""
    parts = [task.space.matrix[labels == number] for number in range(labels.max() + 1)]
    return float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))


def searched(task: search.SearchTask, labels: np.ndarray, effort: str = "fast", **plan: Any) -> search.SearchResult:
    limits = plan.pop("budget", search.Budget())
    return blockwise_search.search_blockwise(
        task, labels, search.SearchPlan(effort, **plan), budget=limits, progress=no_progress
    )


def test_each_round_goes_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups that one round left at a border are inside of a block of the next; the same on any number of threads."""
    table = records()
    task, labels = search.SearchTask(table.space, 3), registry.run(table, k=3, method="mondrian").labels
    errors = [error(task, labels)]
    for rounds in range(1, 5):
        monkeypatch.setattr(blockwise_search, "_DOWN", {"fast": rounds})
        found = searched(task, labels)
        assert found.error_before == pytest.approx(errors[0])
        assert found.error_after == pytest.approx(error(task, found.labels))
        assert np.bincount(found.labels).min() >= 3
        errors.append(found.error_after)
        for count in (1, 2, 3):
            with use_threads(count):
                assert (searched(task, labels).labels == found.labels).all()
    assert errors == sorted(errors, reverse=True)
    assert errors[4] < errors[1] < errors[0]


def test_the_rounds_of_each_effort() -> None:
    assert blockwise_search.plan_rounds("fast", 400, 0) == [(1, 0), (2, 0)]
    assert blockwise_search.plan_rounds("balanced", 400, 0) == [(1, 0), (2, 0), (3, 0), (4, 0), (5, 200)]
    assert [steps for _, steps in blockwise_search.plan_rounds("best", 400, 0)] == [0, 0, 0, 0, 400, 400, 400]
    assert [len(blockwise_search.plan_rounds(effort, 10**6, 65)) for effort in ("fast", "balanced", "best")] == [
        1,
        2,
        2,
    ]
    assert len(blockwise_search.plan_rounds("balanced", 20_000, 0)) == 4, "fewer steps for each unit than are worth it"
    assert [blockwise_search.block_size(nodes) for nodes in (0, 256, 512, 10**6)] == [60, 60, 30, 20]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("members", [1, 3])
def test_demands_households_and_categories(kind: str, members: int) -> None:
    case = drawn(5, kind=kind, rows=180, k=3, members=members, steps=4)
    demands, holds = asked(5, len(case.unit_of))
    case = merged(case, holds)
    units = None if members == 1 else case.units
    task = search.SearchTask(case.space, case.k, demands, units, None if units is None else case.unit_of)
    labels = case.labels[case.unit_of]
    found = searched(task, labels, "balanced")
    assert found.error_after <= found.error_before == pytest.approx(case.error(case.labels))
    grouped = np.empty(len(case.labels), dtype=np.int64)
    grouped[case.unit_of] = found.labels
    assert (grouped[case.unit_of] == found.labels).all(), "a unit stays together"
    assert np.bincount(grouped).min() >= case.k
    assert found.error_after == pytest.approx(case.error(grouped))
    assert all(holds(np.flatnonzero(found.labels == number)) for number in range(found.labels.max() + 1))


def test_a_search_that_was_stopped_is_made_again() -> None:
    """After so many blocks of so many rounds, as its looks tell."""
    table = records(250)
    task, labels = search.SearchTask(table.space, 3), registry.run(table, k=3, method="mdav").labels
    whole = searched(task, labels, "balanced")
    assert whole.steps_planned == whole.steps_done > 0
    seen = {whole.error_after}
    for looks in range(whole.descent_passes):
        part = searched(task, labels, "balanced", looks=looks)
        assert part.descent_passes == looks
        assert whole.error_after <= part.error_after <= part.error_before
        assert 0 <= part.steps_done <= part.steps_planned
        seen.add(part.error_after)
    assert len(seen) > whole.descent_passes // 4
    same = searched(task, labels, "balanced", looks=whole.descent_passes)
    assert (same.labels == whole.labels).all()


def test_no_time_and_an_interrupt() -> None:
    table = records()
    task, labels = search.SearchTask(table.space, 3), registry.run(table, k=3, method="mdav").labels
    found = searched(task, labels, "balanced", budget=search.Budget(1e-9))
    assert (found.descent_passes, found.steps_done, found.error_after) == (0, 0, pytest.approx(found.error_before))
    assert (found.labels == labels).all()
    heard = search.Budget()

    def interrupt(done: int, total: int) -> None:
        if 3 * done > total:
            heard.stop_requested.set()

    plan = search.SearchPlan("balanced")
    with use_threads(2):
        part = blockwise_search.search_blockwise(task, labels, plan, budget=heard, progress=interrupt)
    assert 0 < part.descent_passes < searched(task, labels, "balanced").descent_passes
    again = searched(task, labels, "balanced", looks=part.descent_passes)
    assert (again.labels == part.labels).all()
    assert again.error_after == part.error_after


def test_only_large_tables_are_searched_so() -> None:
    asked = Refinement("fast")
    made = group(records(400), GroupingTask(3, "mdav", refinement=asked))
    assert made.account == ("Local search worked in blocks of about 60 records at most, 2 times with other borders.",)
    assert made.search is not None
    assert made.search.after < made.search.before
    assert group(records(150), GroupingTask(3, "mdav", refinement=asked)).account == ()
