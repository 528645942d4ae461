"""The optimality gap against the best of all partitions of small tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import shoal


def partitions(rows: list[int], k: int) -> Iterator[list[list[int]]]:
    """Every partition into groups of at least k."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for mask in range(2 ** len(rest)):
        group = [first, *(row for place, row in enumerate(rest) if mask >> place & 1)]
        if len(group) >= k:
            for others in partitions([row for row in rest if row not in group], k):
                yield [group, *others]


@pytest.mark.parametrize("seed", range(6))
def test_no_partition_saves_more(seed: int) -> None:
    table = np.random.default_rng(seed).normal(size=(8, 2))
    made = shoal.anonymize(table, k=2 + seed % 2, quasi_identifiers=[0, 1])
    gap = made.evaluate(["optimality_gap"]).optimality_gap
    base = made.pair.was
    least = min(
        sum(((base[group] - base[group].mean(axis=0)) ** 2).sum() for group in groups)
        for groups in partitions(list(range(8)), made.policy.k)
    )
    assert 0 <= 100 * (made.evaluation.sse - least) / made.evaluation.sse <= gap + 1e-9
    assert gap <= 100


def test_it_is_silent_where_nothing_is_proven() -> None:
    frame = shoal.example_register(rows=60)
    asked = {"k": 3, "identifiers": ["person_id", "name"]}
    mixed = shoal.anonymize(frame, quasi_identifiers=["age", "sex"], **asked)
    assert mixed.evaluate(["optimality_gap"]).optimality_gap is None
    table = np.array([[1.0], [2.0], [3.0]])
    assert shoal.evaluate(table, table, quasi_identifiers=[0], measures=["optimality_gap"]).optimality_gap is None
    broken = shoal.evaluate(table, table, quasi_identifiers=[0], k=2, measures=["optimality_gap"])
    assert broken.optimality_gap is None
    same = shoal.evaluate(np.ones((3, 1)), np.ones((3, 1)), quasi_identifiers=[0], k=3, measures=["optimality_gap"])
    assert same.optimality_gap == 0.0
