"""Uniqueness, compared with naive counting."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import combinations, count

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import ColumnError, OptionError
from shoal.release.uniqueness import UniqueCombination

NAMES = ["age", "sex", "job", "town"]
ROWS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 4)),
        st.sampled_from(["f", "m"]),
        st.sampled_from(["baker", "cook", None]),
        st.floats(0, 1, width=16),
    ),
    min_size=1,
    max_size=40,
)


def framed(rows) -> pl.DataFrame:
    types = {"age": pl.Int64, "sex": pl.String, "job": pl.String, "town": pl.Float64}
    return pl.DataFrame(rows, schema=types, orient="row")


def alone(rows, columns, below: int = 2) -> int:
    """The records that share these columns with fewer than ``below``, themselves counted."""
    keys = [tuple(row[j] for j in columns) for row in rows]
    times = Counter(keys)
    return sum(times[key] < below for key in keys)


@given(ROWS, st.integers(2, 6), st.integers(0, 4))
def test_counts_are_those_of_naive_code(rows, k, most) -> None:
    result = shoal.uniqueness(framed(rows), quasi_identifiers=NAMES, k=k, max_columns=most)
    assert (result.records, result.quasi_identifiers, result.k) == (len(rows), tuple(NAMES), k)
    assert result.unique == alone(rows, range(4))
    assert result.below_k == alone(rows, range(4), below=k)
    sizes = range(1, min(most, 3) + 1)
    every = [columns for size in sizes for columns in combinations(range(4), size)]
    assert result.n_evaluated == result.n_combinations == len(every)
    expected = {tuple(NAMES[j] for j in columns): alone(rows, columns) for columns in every}
    assert {one.columns: one.unique for one in result.combinations} == {
        columns: count for columns, count in expected.items() if count
    }
    order = [(len(one.columns), -one.unique) for one in result.combinations]
    assert order == sorted(order)


def test_sorting_counting_and_long_keys_agree(monkeypatch) -> None:
    draw = np.random.default_rng(0)
    frame = pl.DataFrame({name: draw.integers(0, 30, 400) for name in NAMES})
    result = shoal.uniqueness(frame, quasi_identifiers=NAMES)
    module = sys.modules["shoal.release.uniqueness"]  # the function has its name
    monkeypatch.setattr(module, "_MAX_CELLS_PER_RECORD", 0)
    assert shoal.uniqueness(frame, quasi_identifiers=NAMES) == result
    monkeypatch.setattr(module, "_MAX_KEY", 100)
    assert shoal.uniqueness(frame, quasi_identifiers=NAMES) == result


def test_missing_is_a_value_and_order_is_that_of_the_table() -> None:
    frame = pl.DataFrame({"b": [None, 1, 1], "a": ["x", "x", "x"]})
    result = shoal.uniqueness(frame, quasi_identifiers=["a", "b"], k=2)
    assert result.quasi_identifiers == ("b", "a")
    assert (result.unique, result.below_k) == (1, 1)
    assert result.combinations[0] == UniqueCombination(("b",), 1)


def test_beyond_twelve_columns_only_pairs_are_combined() -> None:
    frame = pl.DataFrame({f"c{j}": [0, 1, j % 2, 1] for j in range(13)})
    result = shoal.uniqueness(frame, quasi_identifiers=frame.columns)
    assert result.n_combinations == 13 + 78
    assert max(len(one.columns) for one in result.combinations) == 2


def test_without_time_only_all_columns_are_counted() -> None:
    frame = framed([(1, "f", "cook", 0.5), (2, "m", None, 0.5)])
    result = shoal.uniqueness(frame, quasi_identifiers=NAMES, time_limit=0)
    assert (result.unique, result.n_evaluated, result.n_combinations, result.combinations) == (2, 0, 14, ())
    assert result.below_k is None


def test_a_budget_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count(100)
    monkeypatch.setattr(sys.modules["shoal.release.uniqueness"].time, "monotonic", lambda: float(next(seconds)))
    draw = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{j}": draw.integers(0, 50, 50) for j in range(12)})
    result = shoal.uniqueness(frame, quasi_identifiers=frame.columns, time_limit=20)
    assert (result.n_evaluated, result.n_combinations) == (19, 12 + 66 + 220), "each look at the clock takes a second"
    whole = shoal.uniqueness(frame, quasi_identifiers=frame.columns, max_columns=1)
    counted = {one.columns: one.unique for one in result.combinations if len(one.columns) == 1}
    assert counted == {one.columns: one.unique for one in whole.combinations}


def test_plain_data_has_counts_and_names_only() -> None:
    frame = framed([(77, "f", "cook", 0.5), (2, "m", None, 0.5)])
    facts = shoal.uniqueness(frame, quasi_identifiers=NAMES, k=3).to_dict()
    assert list(facts) == ["records", "quasi_identifiers", "k", "unique", "below_k", "combinations", "looked", "of"]
    assert facts["below_k"] == 2
    assert "cook" not in str(facts)
    assert "77" not in str(facts)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"quasi_identifiers": []}, ColumnError),
        ({"quasi_identifiers": ["agee"]}, ColumnError),
        ({"quasi_identifiers": ["age", "age"]}, ColumnError),
        ({"quasi_identifiers": ["age"], "k": 1}, OptionError),
        ({"quasi_identifiers": ["age"], "max_columns": -1}, OptionError),
        ({"quasi_identifiers": ["age"], "max_columns": 1.5}, OptionError),
        ({"quasi_identifiers": ["age"], "time_limit": -1}, OptionError),
        ({"quasi_identifiers": ["age"], "time_limit": float("nan")}, OptionError),
        ({"quasi_identifiers": ["age"], "time_limit": "soon"}, OptionError),
    ],
)
def test_what_cannot_be_asked_is_refused(options, error) -> None:
    with pytest.raises(error):
        shoal.uniqueness(framed([(1, "f", "cook", 0.5)]), **options)
