"""Repair: local search in rounds of blocks is never worse, keeps what is asked, and can be made again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naive.searches import KINDS, asked, drawn, merged
from shoal import refine
from shoal.partition import registry, repair, searching
from shoal.partition.grouping import Task, group
from shoal.refine import budget
from shoal.schema import Refinement
from shoal.threads import using
from shoal.values import Records, Scale, silent


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and steps for tables of some hundred records."""
    monkeypatch.setattr(searching, "WHOLE", 150)
    monkeypatch.setattr(repair, "_BLOCK", 60)
    monkeypatch.setattr(repair, "_SMALLEST", 20)
    monkeypatch.setattr(budget, "_STEPS", {"fast": (0, 0), "balanced": (200, 10**6), "best": (1200, 10**6)})


def records(rows: int = 400, seed: int = 0) -> Records:
    values = np.random.default_rng(seed).normal(size=(rows, 3))
    return Records(("a", "b", "c"), values, Scale.standardized(values), np.ones(3))


def error(task: refine.Task, labels: np.ndarray) -> float:
    """From the definition, of numbers."""
    parts = [task.space.matrix[labels == number] for number in range(labels.max() + 1)]
    return float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))


def searched(task: refine.Task, labels: np.ndarray, effort: str = "fast", **plan: Any) -> refine.Found:
    limits = plan.pop("budget", refine.Budget())
    return repair.repair(task, labels, refine.Plan(effort, **plan), budget=limits, progress=silent)


def test_each_round_goes_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups that one round left at a border are inside of a block of the next; the same on any number of threads."""
    table = records()
    task, labels = refine.Task(table.space, 3), registry.run(table, k=3, method="mondrian").labels
    errors = [error(task, labels)]
    for rounds in range(1, 5):
        monkeypatch.setattr(repair, "_DOWN", {"fast": rounds})
        found = searched(task, labels)
        assert found.before == pytest.approx(errors[0])
        assert found.after == pytest.approx(error(task, found.labels))
        assert np.bincount(found.labels).min() >= 3
        errors.append(found.after)
        for count in (1, 2, 3):
            with using(count):
                assert (searched(task, labels).labels == found.labels).all()
    assert errors == sorted(errors, reverse=True)
    assert errors[4] < errors[1] < errors[0]


def test_the_rounds_of_each_effort() -> None:
    assert repair.rounds("fast", 400, 0) == [(1, 0), (2, 0)]
    assert repair.rounds("balanced", 400, 0) == [(1, 0), (2, 0), (3, 0), (4, 0), (5, 200)]
    assert [steps for _, steps in repair.rounds("best", 400, 0)] == [0, 0, 0, 0, 400, 400, 400]
    assert [len(repair.rounds(effort, 10**6, 65)) for effort in ("fast", "balanced", "best")] == [1, 2, 2]
    assert len(repair.rounds("balanced", 20_000, 0)) == 4, "fewer steps for each unit than are worth it"
    assert [repair.block_size(nodes) for nodes in (0, 256, 512, 10**6)] == [60, 60, 30, 20]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("members", [1, 3])
def test_demands_households_and_categories(kind: str, members: int) -> None:
    case = drawn(5, kind=kind, rows=180, k=3, members=members, steps=4)
    demands, holds = asked(5, len(case.unit_of))
    case = merged(case, holds)
    units = None if members == 1 else case.units
    task = refine.Task(case.space, case.k, demands, units, None if units is None else case.unit_of)
    labels = case.labels[case.unit_of]
    found = searched(task, labels, "balanced")
    assert found.after <= found.before == pytest.approx(case.error(case.labels))
    grouped = np.empty(len(case.labels), dtype=np.int64)
    grouped[case.unit_of] = found.labels
    assert (grouped[case.unit_of] == found.labels).all(), "a unit stays together"
    assert np.bincount(grouped).min() >= case.k
    assert found.after == pytest.approx(case.error(grouped))
    assert all(holds(np.flatnonzero(found.labels == number)) for number in range(found.labels.max() + 1))


def test_a_search_that_was_stopped_is_made_again() -> None:
    """After so many blocks of so many rounds, as its looks tell."""
    table = records(250)
    task, labels = refine.Task(table.space, 3), registry.run(table, k=3, method="mdav").labels
    whole = searched(task, labels, "balanced")
    assert whole.planned == whole.done > 0
    seen = {whole.after}
    for looks in range(whole.looks):
        part = searched(task, labels, "balanced", looks=looks)
        assert part.looks == looks
        assert whole.after <= part.after <= part.before
        assert 0 <= part.done <= part.planned
        seen.add(part.after)
    assert len(seen) > whole.looks // 4
    same = searched(task, labels, "balanced", looks=whole.looks)
    assert (same.labels == whole.labels).all()


def test_no_time_and_an_interrupt() -> None:
    table = records()
    task, labels = refine.Task(table.space, 3), registry.run(table, k=3, method="mdav").labels
    found = searched(task, labels, "balanced", budget=refine.Budget(1e-9))
    assert (found.looks, found.done, found.after) == (0, 0, pytest.approx(found.before))
    assert (found.labels == labels).all()
    heard = refine.Budget()

    def interrupt(done: int, total: int) -> None:
        if 3 * done > total:
            heard.stopped.set()

    plan = refine.Plan("balanced")
    with using(2):
        part = repair.repair(task, labels, plan, budget=heard, progress=interrupt)
    assert 0 < part.looks < searched(task, labels, "balanced").looks
    again = searched(task, labels, "balanced", looks=part.looks)
    assert (again.labels == part.labels).all()
    assert again.after == part.after


def test_only_large_tables_are_searched_so() -> None:
    asked = Refinement("fast")
    made = group(records(400), Task(3, "mdav", refinement=asked))
    assert made.account == ("Local search worked in blocks of about 60 records at most, 2 times with other borders.",)
    assert made.search is not None
    assert made.search.after < made.search.before
    assert group(records(150), Task(3, "mdav", refinement=asked)).account == ()
