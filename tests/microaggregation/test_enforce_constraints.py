"""Constraints enforced on groups that were formed without them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from category_records import category_records
from hypothesis import given
from hypothesis import strategies as st

from naive import enforce_constraints as naive_enforcement
from naive import renumbered
from naive.sensitive_tables import Case, cases
from shoal.domain import ModelConstraints, Records, Scale, no_progress
from shoal.domain.constraints import EQUAL
from shoal.microaggregation.enforce_constraints import enforce_constraints


@st.composite
def broken(draw: st.DrawFn) -> tuple[Records, np.ndarray, Case]:
    """Records with numbers, categories or both, with constraints, and groups formed without them."""
    case = draw(cases(most=30))
    n = len(case.cells)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.integers(0, draw(st.sampled_from([2, 1000])), (n, draw(st.integers(0, 2)))).astype(float)
    drawn = draw(category_records()) if not values.shape[1] or draw(st.booleans()) else None
    numbers = tuple(f"n{j}" for j in range(values.shape[1]))
    scale, weights = Scale.standardized(values), rng.choice([1.0, 2.0], len(numbers))
    records = Records(numbers, values, scale, weights, constraints=case.demands)
    if drawn is not None:
        rows = rng.integers(0, drawn.count, n)
        records = replace(
            records,
            names=numbers + drawn.names,
            weights=np.concatenate([weights, drawn.weights]),
            categories=drawn.categories,
            codes=drawn.codes[rows],
        )
    return records, rng.integers(0, draw(st.integers(1, 12)), n), case


@given(broken(), st.integers(1, 5))
def test_every_group_stands_and_is_a_union_of_groups(made, k: int) -> None:
    records, labels, case = made
    found = enforce_constraints(records, labels, k=k, progress=no_progress)
    assert renumbered(found) == found.tolist()
    for label in np.unique(labels):
        assert len(set(found[labels == label])) == 1
    feasible = case.holds(case.cells) and len(case.cells) >= k
    for group in range(found.max() + 1):
        rows = np.flatnonzero(found == group)
        assert not feasible or (len(rows) >= k and case.holds([case.cells[row] for row in rows]))
    if not feasible:
        assert found.max() == 0, "what nobody can meet ends in one group"


@given(broken(), st.integers(1, 5))
def test_merges_as_the_naive_code_does(made, k: int) -> None:
    records, labels, _ = made
    found = enforce_constraints(records, labels, k=k, progress=no_progress)
    assert found.tolist() == renumbered(naive_enforcement.enforce(records, renumbered(labels), k))


@given(broken())
def test_groups_that_stand_stay(made) -> None:
    records, labels, _ = made
    once = enforce_constraints(records, labels, k=2, progress=no_progress)
    assert enforce_constraints(records, once, k=2, progress=no_progress).tolist() == once.tolist()
    free = replace(records, constraints=ModelConstraints.none(records.count))
    assert enforce_constraints(free, once, k=1, progress=no_progress).tolist() == once.tolist()
    assert enforce_constraints(replace(records, constraints=None), labels, k=2, progress=no_progress) is labels


def test_the_near_group_is_taken_that_makes_it_hold() -> None:
    """The first group has one value: with the next it is still too far from the table, with the third it is not."""
    groups = {0.0: [0, 0], 10.0: [0, 0, 0, 1], 25.0: [0, 1, 1, 1], 100.0: [0, 1, 1, 1]}
    values = np.array([place for place, cells in groups.items() for _ in cells])[:, None]
    constraints = ModelConstraints.none(14)._replace(
        codes=np.array([cell for cells in groups.values() for cell in cells])[:, None],
        value_offsets=np.array([0, 2]),
        column=np.array([0]),
        rule=np.array([EQUAL]),
        threshold=np.array([0.25]),
        factor=np.ones(1),
        frequencies=np.array([0.5, 0.5]),
        node_offsets=np.zeros(2, dtype=np.int64),
    )
    records = Records(("a",), values, Scale.raw(values), np.ones(1), constraints=constraints)
    labels = np.repeat(np.arange(4), [2, 4, 4, 4])
    assert (
        enforce_constraints(records, labels, k=2, progress=no_progress).tolist()
        == [0] * 2 + [1] * 4 + [0] * 4 + [2] * 4
    )


def test_progress_is_told_to_the_end() -> None:
    reported: list[tuple[int, int]] = []
    values = np.arange(8.0)[:, None]
    records = Records(("a",), values, Scale.raw(values), np.ones(1), constraints=ModelConstraints.none(8))
    enforce_constraints(records, np.arange(8), k=3, progress=lambda done, total: reported.append((done, total)))
    assert reported[-1] == (8, 8)
