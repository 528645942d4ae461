"""No partition beats the bound, and the bound is what its formula says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from shoal.partition import registry
from shoal.refine import elementary_bound
from shoal.values import Records, Scale


def records(values: np.ndarray, *, standardized: bool = False) -> Records:
    names = tuple(f"c{j}" for j in range(values.shape[1]))
    scale = Scale.standardized(values) if standardized else Scale.raw(values)
    return Records(names=names, values=values, scale=scale, weights=np.ones(len(names)))


def partitions(rows: list[int], k: int) -> Iterator[list[list[int]]]:
    """Every partition of the rows into groups of at least k."""
    if len(rows) < 2 * k:
        yield [rows]
        return
    first, rest = rows[0], rows[1:]
    for chosen in range(2 ** len(rest)):
        group = [first, *(row for i, row in enumerate(rest) if chosen >> i & 1)]
        others = [row for i, row in enumerate(rest) if not chosen >> i & 1]
        if len(group) >= k and len(others) >= k:
            yield from ([group, *more] for more in partitions(others, k))
    yield [rows]


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 9), k=st.integers(2, 3), spread=st.sampled_from([3, 1000]))
def test_no_partition_beats_the_bound(seed: int, n: int, k: int, spread: int) -> None:
    given = records(np.random.default_rng(seed).integers(0, spread, (n, 2)).astype(float))
    best = min(
        sum(((given.matrix[g] - given.matrix[g].mean(axis=0)) ** 2).sum() for g in groups)
        for groups in partitions(list(range(n)), k)
    )
    bound = elementary_bound(given, k)
    assert bound <= best * (1 + 1e-9)
    assert bound > 0 or best < 1e-12 or spread == 3


@pytest.mark.parametrize(("n", "k"), [(40, 2), (40, 5), (7, 4), (5, 5)])
def test_the_bound_is_what_its_formula_says(n: int, k: int) -> None:
    given = records(np.random.default_rng(n * k).normal(size=(n, 3)), standardized=True)
    expected = 0.0
    for row in given.matrix:
        near = np.sort(naive.distances(given.matrix, row))[1:]
        expected += min(near[: s - 1].sum() / (2 * s) for s in range(k, min(2 * k - 1, n) + 1))
    assert elementary_bound(given, k) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", [name for name, one in registry.methods().items() if "numeric" in one.kinds])
def test_every_method_stays_above_the_bound(name: str) -> None:
    columns = registry.find(name).most_columns or 3
    given = records(np.random.default_rng(4).normal(size=(120, columns)), standardized=True)
    labels = registry.run(given, k=4, method=name).labels
    assert naive.sse(given.matrix, labels) >= elementary_bound(given, 4)
