"""Counts where a missing value is compatible with every other, against a plain comparison of all records."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.wildcard
from shoal import data
from shoal.data import equivalence_classes
from shoal.errors import ColumnError, OptionError

ROWS = [("A", "x"), ("A", "x"), ("A", None), ("B", "y"), ("B", "y"), (None, "y")]
WEIGHTS = np.array([10.0, 20, 30, 40, 50, 60])


def table_of(rows, columns: int) -> data.Table:
    names = [f"c{j}" for j in range(columns)]
    return data.read_table(pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row"))


@pytest.mark.parametrize(
    ("alpha", "f", "F"),
    [
        (1.0, [3, 3, 4, 3, 3, 4], [60, 60, 120, 150, 150, 180]),
        (0.5, [2.5, 2.5, 3.5, 2.5, 2.5, 3.5], [45, 45, 90, 120, 120, 165]),
        (0.0, [2, 2, 3, 2, 2, 3], [30, 30, 60, 90, 90, 150]),
    ],
)
def test_the_example_of_six_records(alpha: float, f: list[float], F: list[float]) -> None:  # noqa: N803
    table = table_of(ROWS, 2)
    result = data.wildcard_counts(table, table.names, alpha=alpha, weights=WEIGHTS)
    assert [part.tolist() for part in result] == [f, F]


def tables_with_missing(columns: int) -> st.SearchStrategy[list[tuple[str | None, ...]]]:
    cell = st.sampled_from(["a", "b", "c", "a", "b", "c", "a", None, None, None])
    return st.lists(st.tuples(*[cell] * columns), min_size=1, max_size=30)


@given(st.one_of(tables_with_missing(3), tables_with_missing(4)), st.sampled_from([0.0, 0.5, 1.0]), st.randoms())
def test_counts_are_those_of_comparing_all_records(rows, alpha, random) -> None:
    table = table_of(rows, len(rows[0]))
    weights = np.array([float(random.randint(1, 50)) for _ in rows])
    f, summed = data.wildcard_counts(table, table.names, alpha=alpha, weights=weights)
    assert f.tolist() == naive.wildcard.wildcard_counts(rows, np.ones(len(rows)), alpha)
    assert summed is not None
    assert summed.tolist() == naive.wildcard.wildcard_counts(rows, weights, alpha)


@given(tables_with_missing(3), st.sampled_from([0.0, 0.5, 1.0]), st.randoms())
def test_records_apart_hide_among_their_like_only_and_hide_nobody_else(rows, alpha, random) -> None:
    table = table_of(rows, 3)
    apart = np.array([random.random() < 0.3 for _ in rows])
    weights = np.array([float(random.randint(1, 50)) for _ in rows])
    result = data.separate_wildcard_counts(table, table.names, alpha=alpha, weights=weights, apart=apart)
    for amounts, counts in zip((np.ones(len(rows)), weights), result, strict=True):
        assert counts is not None
        others = naive.wildcard.wildcard_counts(rows, np.where(apart, 0.0, amounts), alpha)
        alike = [sum(amounts[apart & [other == row for other in rows]]) for row in rows]
        assert counts.tolist() == np.where(apart, alike, others).tolist()


@given(st.lists(st.tuples(*[st.sampled_from(["a", "b"])] * 3), min_size=1, max_size=30), st.floats(0, 1))
def test_where_nothing_is_missing_the_counts_are_class_sizes(rows, alpha) -> None:
    table = table_of(rows, 3)
    f, summed = data.wildcard_counts(table, table.names, alpha=alpha)
    assert f.tolist() == data.class_sizes(table, table.names).tolist()
    assert summed is None


def test_both_ways_to_meet_give_the_same_counts() -> None:
    random = np.random.default_rng(3)
    cells = random.integers(0, 4, (300, 8)).astype(float)
    cells[random.random(cells.shape) < 0.3] = np.nan
    table = data.read_table(cells)
    rows = [tuple(None if np.isnan(cell) else cell for cell in row) for row in cells.tolist()]
    with patch.object(equivalence_classes, "_agreeing", wraps=equivalence_classes._agreeing) as compared:
        f, _ = data.wildcard_counts(table, table.names, alpha=0.5)
    assert 0 < compared.call_count < len({*rows})  # some patterns have few keys, others many
    assert f.tolist() == naive.wildcard.wildcard_counts(rows, np.ones(300), 0.5)


def test_a_key_without_any_value_may_be_every_record() -> None:
    table = table_of([(None, None), ("a", "b"), ("a", None)], 2)
    f, summed = data.wildcard_counts(table, table.names, alpha=0.5, weights=np.array([1.0, 2, 4]))
    assert f.tolist() == [3, 2, 2.5]
    assert summed is not None
    assert summed.tolist() == [7, 4.5, 6.5]
    assert data.wildcard_counts(table, [])[0].tolist() == [3, 3, 3]


def test_fractions_do_not_move_a_count_below_a_whole_number() -> None:
    table = table_of([("a", "b")] * 2 + [("a", None)] * 4 + [(None, "b")] * 6, 2)
    assert data.wildcard_counts(table, table.names, alpha=0.1)[0][0] == 3


def test_cells_are_told_apart_as_a_reader_sees_them(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("n,t\n1.0,NA\n1.00,NA\nNA,NA\n,\n")
    table = data.read_table(path)
    assert data.missing_mask(table, table.names).tolist() == [[False, False]] * 2 + [[True, False], [True, True]]
    assert data.wildcard_counts(table, table.names)[0].tolist() == [3, 3, 4, 4]
    assert data.wildcard_counts(table, ["n"])[0].tolist() == [3, 3, 4, 4]


def test_many_columns_of_many_values_fit_into_a_number() -> None:
    cells = np.arange(200.0 * 40).reshape(200, 40)
    cells[1] = cells[0]
    cells[1, 7] = np.nan
    table = data.read_table(cells)
    assert data.wildcard_counts(table, table.names)[0].tolist() == [2, 2, *[1] * 198]


def test_missing_cells_by_record_and_name() -> None:
    table = table_of(ROWS, 2)
    mask = data.missing_mask(table, ["c1", "c0"])
    assert mask.dtype == np.bool_
    assert [tuple(cell) for cell in np.argwhere(mask).tolist()] == [(2, 0), (5, 1)]
    assert data.missing_mask(table, []).shape == (6, 0)


def test_what_cannot_be_counted_is_refused() -> None:
    table = table_of(ROWS, 2)
    with pytest.raises(ColumnError, match="no column"):
        data.wildcard_counts(table, ["nothing"])
    for alpha in (-0.1, 1.1, float("nan"), "half"):
        with pytest.raises(OptionError, match="alpha"):
            data.wildcard_counts(table, table.names, alpha=alpha)
