"""The default method: it takes extreme tables, and loses no more than any of the methods that it starts from."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.domain import Policy

RNG = np.random.default_rng(5)
WORDS = ["a", "b", "c", "d"] * 6
EDGES: dict[str, tuple[Any, int]] = {
    "as many records as k": (RNG.normal(size=(3, 2)), 3),
    "one column, as many records as k": (RNG.normal(size=(4, 1)), 4),
    "one group only": (RNG.normal(size=(9, 2)), 5),
    "all records equal": (np.full((12, 2), 0.1), 3),
    "a constant column": (np.column_stack([np.ones(20), RNG.normal(size=20)]), 3),
    "two points": (np.repeat([[0.0, 1.0], [1.0, 0.0]], [2, 12], axis=0), 3),
    "huge": (1.7e308 * RNG.uniform(-1, 1, (20, 2)), 3),
    "huge, one column": (np.array([[-1.7e308], [-1.6e308], [1.0], [2.0], [3.0], [1.7e308]]), 2),
    "tiny": (RNG.integers(0, 9, (20, 2)) * 5e-324, 3),
    "one that is huge": (np.vstack([RNG.normal(size=(20, 2)), [[1e308, -1e308]]]), 3),
    "all cells missing": (pl.DataFrame({"x": pl.Series([None] * 24, dtype=pl.Float64), "y": range(24)}), 3),
    "nothing but missing numbers": (pl.DataFrame({"x": pl.Series([None] * 24, dtype=pl.Float64)}), 3),
    "nothing but missing words": (pl.DataFrame({"w": pl.Series([None] * 24, dtype=pl.String)}), 3),
    "one word": (pl.DataFrame({"w": ["a"] * 24}), 5),
    "words that all differ": (pl.DataFrame({"w": [f"w{row}" for row in range(24)]}), 5),
    "words and huge numbers": (pl.DataFrame({"w": WORDS, "x": 1.7e308 * RNG.uniform(-1, 1, 24)}), 3),
    "words and a constant": (pl.DataFrame({"w": WORDS, "x": [1.0] * 24}), 13),
    "dates with gaps": (pl.DataFrame({"d": [None if row % 5 else date(2020, 1, 1 + row) for row in range(24)]}), 3),
}


def columns(table: Any) -> list[Any]:
    return table.columns if isinstance(table, pl.DataFrame) else list(range(table.shape[1]))


@pytest.mark.parametrize("said", [{}, {"standardize": False}, {"effort": "fast"}, {"refine": False}], ids=str)
@pytest.mark.parametrize("edge", EDGES)
def test_tables_at_the_edge_are_taken(edge: str, said: dict[str, Any]) -> None:
    table, k = EDGES[edge]
    release = shoal.anonymize(table, k=k, quasi_identifiers=columns(table), **said)
    assert release.verification.ok
    assert release.policy.method == release.partition.method == "auto"
    assert release.partition.account
    assert (release.partition.search is None) == ("refine" in said)


@pytest.mark.parametrize(("edge", "seconds"), [
    ("as many records as k", None), ("one group only", None), ("all records equal", None), ("one word", None),
    ("one group only", 5.0), ("all records equal", 5.0),
])  # fmt: skip
def test_nothing_is_searched_where_no_groups_could_be_better(edge: str, seconds: float | None) -> None:
    table, k = EDGES[edge]
    release = shoal.anonymize(table, k=k, quasi_identifiers=columns(table), time_limit=seconds)
    search = release.partition.search
    assert search is not None
    assert (search.steps_planned, search.steps_done) == ((0,), (0,))
    assert search.timed == (seconds is not None)
    assert "stopped" not in search.sentence
    assert search.after == search.before


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_no_more_is_lost_than_by_any_of_the_starts(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, rng.choice([3, 1000]), (int(rng.integers(k, 40)), int(rng.integers(1, 4)))).astype(float)
    lost = shoal.partition(table, k=k).information_loss
    assert lost is not None
    for start in ("tour-mhm", "ward-mhm", "mdav"):
        assert lost <= (shoal.partition(table, k=k, method=start).information_loss or 0.0) + 1e-9


def test_it_comes_out_the_same_again_and_from_its_policy() -> None:
    frame = shoal.example_register(rows=60, seed=2).select("age", "income", "sex")
    options = {"k": 3, "quasi_identifiers": ["age", "income", "sex"]}
    release, again = (shoal.anonymize(frame, **options) for _ in range(2))
    assert again.table.equals(release.table)
    kept = Policy.from_toml(release.policy.to_toml().encode(), path="policy.toml")
    assert kept.refinement == release.policy.refinement
    assert shoal.replay(frame, policy=kept).table.equals(release.table)
