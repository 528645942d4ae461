"""The checks that every method on numbers and categories together must pass."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import numpy as np
import polars as pl

from shoal.partition.registry import Method, find
from shoal.schema.columns import Kind
from shoal.testing import frames
from shoal.testing.battery import Check, repeated, sized
from shoal.testing.categories import example, takes_categories
from shoal.testing.frames import Meaning
from shoal.testing.strategies import mixed_tables

CHECKS: list[Check] = []
EXAMPLES = 15
"""Fewer than of numbers or categories alone, since those tables have shown most already."""
_walk = import_module("shoal")


def _check(function: Check) -> Check:
    CHECKS.append(function)
    return function


def takes_both(method: Method) -> bool:
    return method.mixes and Kind.NUMERIC in method.kinds and takes_categories(method)


def _drawn(test: Callable[[pl.DataFrame, int, Meaning], None], method: Method) -> None:
    repeated(mixed_tables(kinds=method.kinds, most_columns=method.most_columns), test, examples=EXAMPLES)


def _example(method: Method, *, rows: int) -> tuple[pl.DataFrame, Meaning]:
    """A column of categories and one of numbers."""
    frame, meaning = example(method, rows=rows, columns=1)
    return frame.with_columns(x=np.random.default_rng(rows).normal(size=rows)), meaning


@_check
def check_sizes_of_mixed_tables(name: str) -> None:
    """Each record is labelled once, and groups have k records and at most the declared number, on every base."""
    method = find(name)

    def test(frame: pl.DataFrame, k: int, meaning: Meaning) -> None:
        for standardize in (True, False):
            made = _walk.partition(frame, k=k, method=name, standardize=standardize, **meaning)
            sized(made, frame.height, k, method)

    _drawn(test, method)


@_check
def check_release_of_mixed_tables_is_k_anonymous(name: str) -> None:
    """The released values keep the promise: by verification, and by a naive count of rows."""
    method = find(name)

    def test(frame: pl.DataFrame, k: int, meaning: Meaning) -> None:
        frames.keeps_its_promise(name, frame, k, **meaning)

    _drawn(test, method)


@_check
def check_same_mixed_table_same_labels(name: str) -> None:
    """The same records give the same labels again, and with all weights doubled."""
    method = find(name)

    def test(frame: pl.DataFrame, k: int, meaning: Meaning) -> None:
        frames.gives_the_same_again(name, frame, k, meaning)

    _drawn(test, method)


@_check
def check_mixed_table_is_not_changed(name: str) -> None:
    """A method leaves the table that it was given as it was."""
    frames.changes_nothing(name, *_example(find(name), rows=40))


@_check
def check_smallest_mixed_tables(name: str) -> None:
    """n = k, n = 2k - 1, n = 2k and n = 3k - 1 all work."""
    method = find(name)
    for k in (2, 3, 5):
        for rows in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k):
            frame, meaning = _example(method, rows=rows)
            frames.groups_few(name, frame, k, meaning)


@_check
def check_equal_records_of_both(name: str) -> None:
    """Records that are equal in all columns, in the numbers or in the categories do not confuse a method."""
    method = find(name)
    frame, meaning = _example(method, rows=17)
    category = pl.lit(frame["c0"][0])
    constant = frame.with_columns(category.alias("c0"), x=pl.lit(0.1))
    for table in (constant, frame.with_columns(x=pl.lit(0.1)), frame.with_columns(category.alias("c0"))):
        for k in (2, 3, 5, 17):
            sized(_walk.partition(table, k=k, method=name, **meaning), 17, k, method)
    made = _walk.partition(constant, k=2, method=name, **meaning)
    assert made.information_loss == made.semantic_loss == 0, f"{name}: nothing lost on equal records"


@_check
def check_progress_on_mixed_tables(name: str) -> None:
    """Progress never goes back and never beyond the end."""
    frames.moves_forward(name, *_example(find(name), rows=300))


@_check
def check_weights_decide(name: str) -> None:
    """The column that counts a million times as much as the other loses less than it does where the other counts."""
    frame, meaning = _example(find(name), rows=60)
    numbers, categories = (
        _walk.partition(frame, k=4, method=name, weights={column: 1e6}, **meaning) for column in ("x", "c0")
    )
    assert numbers.information_loss < categories.information_loss, f"{name}: a weight on numbers lowers their loss"
    assert categories.semantic_loss < numbers.semantic_loss, f"{name}: a weight on categories lowers their loss"
