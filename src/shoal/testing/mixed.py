"""The checks that every method on numbers and categories together must pass."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import numpy as np
import polars as pl

from shoal.partition.registry import Method, find
from shoal.schema.columns import Kind
from shoal.testing import frames
from shoal.testing.battery import RELEASES, Check, sized
from shoal.testing.categories import example, takes_categories
from shoal.testing.examples import Drawn, Example, of_both

CHECKS: list[Check] = []
EXAMPLES = 15
"""Fewer than of numbers or categories alone, since those tables have shown most already."""
_walk = import_module("shoal")


def _check(function: Check) -> Check:
    CHECKS.append(function)
    return function


def takes_both(method: Method) -> bool:
    return method.mixes and Kind.NUMERIC in method.kinds and takes_categories(method)


def _drawn(method: Method) -> Drawn:
    return of_both(method.kinds, method.most_columns, EXAMPLES)


def _example(method: Method, *, rows: int) -> Example:
    """A column of categories and one of numbers."""
    return _with_numbers(example(method, rows=rows, columns=1))


@cache
def _with_numbers(words: Example) -> Example:
    numbers = np.random.default_rng(words.rows).normal(size=words.rows)
    return Example(words.data.with_columns(x=numbers), words.k, words.meaning)


@cache
def _equal(some: Example) -> list[Example]:
    """Equal in all columns, in the numbers, and in the categories."""
    category, number = pl.lit(some.data["c0"][0]).alias("c0"), pl.lit(0.1).alias("x")
    return [
        Example(some.data.with_columns(*same), 2, some.meaning) for same in ([category, number], [number], [category])
    ]


@_check
def check_sizes_of_mixed_tables(name: str) -> None:
    """Each record is labelled once, and groups have k records and at most the declared number, on every base."""
    method = find(name)

    def test(example: Example) -> None:
        for standardize in (True, False):
            sized(example.partition(name, standardize=standardize), example.rows, example.k, method)

    _drawn(method).each(test)


@_check
def check_release_of_mixed_tables_is_k_anonymous(name: str, *, examples: int | None = None) -> None:
    """The released values keep the promise: by verification, and by a naive count of rows."""

    def test(example: Example) -> None:
        frames.keeps_its_promise(name, example.data, example.k, **example.meaning)

    _drawn(find(name)).each(test, most=RELEASES if examples is None else examples)


@_check
def check_same_mixed_table_same_labels(name: str) -> None:
    """The same records give the same labels again, and with all weights doubled."""
    _drawn(find(name)).each(lambda example: frames.gives_the_same_again(name, example))


@_check
def check_mixed_table_is_not_changed(name: str) -> None:
    """A method leaves the table that it was given as it was."""
    frames.changes_nothing(name, _example(find(name), rows=40))


@_check
def check_smallest_mixed_tables(name: str) -> None:
    """n = k, n = 2k - 1, n = 2k and n = 3k - 1 all work."""
    method = find(name)
    for k in (2, 3, 5):
        for rows in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k):
            frames.groups_few(name, _example(method, rows=rows).with_k(k))


@_check
def check_equal_records_of_both(name: str) -> None:
    """Records that are equal in all columns, in the numbers or in the categories do not confuse a method."""
    method = find(name)
    examples = _equal(_example(method, rows=17))
    for one in examples:
        for k in (2, 3, 5, 17):
            sized(one.with_k(k).partition(name), 17, k, method)
    made = _walk.partition(examples[0].data, k=2, method=name, **examples[0].meaning)
    assert made.information_loss == made.semantic_loss == 0, f"{name}: nothing lost on equal records"


@_check
def check_progress_on_mixed_tables(name: str) -> None:
    """Progress never goes back and never beyond the end."""
    frames.moves_forward(name, _example(find(name), rows=300))


@_check
def check_weights_decide(name: str) -> None:
    """The column that counts a million times as much as the other loses less than it does where the other counts."""
    some = _example(find(name), rows=60)
    numbers, categories = (
        _walk.partition(some.data, k=4, method=name, weights={column: 1e6}, **some.meaning) for column in ("x", "c0")
    )
    assert numbers.information_loss < categories.information_loss, f"{name}: a weight on numbers lowers their loss"
    assert categories.semantic_loss < numbers.semantic_loss, f"{name}: a weight on categories lowers their loss"
