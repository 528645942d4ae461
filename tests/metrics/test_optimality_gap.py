"""The optimality gap against the best of all partitions of small tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
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
    release = shoal.anonymize(table, k=2 + seed % 2, quasi_identifiers=[0, 1])
    gap = release.evaluate(["optimality_gap"]).optimality_gap
    base = release.metric_inputs.original
    least = min(
        sum(((base[group] - base[group].mean(axis=0)) ** 2).sum() for group in groups)
        for groups in partitions(list(range(8)), release.policy.k)
    )
    assert 0 <= 100 * (release.evaluation.sse - least) / release.evaluation.sse <= gap + 1e-9
    assert gap <= 100


def test_it_is_silent_where_nothing_is_proven() -> None:
    frame = shoal.example_register(rows=60)
    options = {"k": 3, "identifiers": ["person_id", "name"]}
    lacking = shoal.anonymize(frame, quasi_identifiers=["age", "occupation"], **options)
    assert frame["occupation"].null_count()
    assert lacking.evaluation.optimality_gap is None
    hiding = shoal.anonymize(
        frame.with_columns(income=pl.Series([None] * 5 + [1.0, 2.0, 4.0, 8.0, 16.0] * 11)),
        quasi_identifiers=["income"],
        missing_values="suppress",
        **options,
    )
    assert hiding.partition.n_suppressed
    assert hiding.evaluation.optimality_gap is None
    table = np.array([[1.0], [2.0], [3.0]])
    assert shoal.evaluate(table, table, quasi_identifiers=[0], measures=["optimality_gap"]).optimality_gap is None
    broken = shoal.evaluate(table, table, quasi_identifiers=[0], k=2, measures=["optimality_gap"])
    assert broken.optimality_gap is None
    same = shoal.evaluate(np.ones((3, 1)), np.ones((3, 1)), quasi_identifiers=[0], k=3, measures=["optimality_gap"])
    assert same.optimality_gap == 0.0


def test_categories_count_too() -> None:
    """A best partition by hand: the sexes apart, and in each of them neighbors by age."""
    table = pl.DataFrame({"age": [1, 2, 3, 11, 12, 13], "sex": ["f", "f", "f", "m", "m", "m"]})
    release = shoal.anonymize(table, k=3, quasi_identifiers=["age", "sex"])
    assert sorted(release.partition.sizes) == [3, 3]
    assert release.evaluation.optimality_gap == pytest.approx(0, abs=1e-6)
    worse = shoal.anonymize(table, k=2, quasi_identifiers=["age", "sex"], weights={"sex": 3.0}, method="mondrian")
    assert 0 <= worse.evaluation.optimality_gap <= 100


def test_a_bound_that_came_with_the_release_counts() -> None:
    values = np.random.default_rng(1).normal(size=(60, 3))
    best = shoal.anonymize(values, k=3, quasi_identifiers=[0, 1, 2], effort="best")
    bound = best.partition.search.bound
    assert bound.kind == "columns"
    assert best.evaluation.optimality_gap == pytest.approx(bound.gap(best.partition.search.after))
    plain = shoal.anonymize(values, k=3, quasi_identifiers=[0, 1, 2])
    assert best.evaluation.optimality_gap < plain.evaluation.optimality_gap
