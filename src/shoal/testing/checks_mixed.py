"""Checks of every method that supports numbers and categories together."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import numpy as np
import polars as pl

from shoal.domain.columns import Kind
from shoal.microaggregation.registry import Method, get_method
from shoal.testing import checks_frames
from shoal.testing.checks_categories import category_example, supports_categories
from shoal.testing.example_tables import DrawnExamples, Example, mixed_examples
from shoal.testing.method_checks import N_RELEASES, Check, assert_group_sizes

CHECKS: list[Check] = []
N_EXAMPLES = 15
"""Fewer than for numbers or categories alone, since those checks find most errors already."""
_api = import_module("shoal")


def _check(function: Check) -> Check:
    CHECKS.append(function)
    return function


def supports_both(method: Method) -> bool:
    return method.supports_mixed and Kind.NUMERIC in method.kinds and supports_categories(method)


def _examples(method: Method) -> DrawnExamples:
    return mixed_examples(method.kinds, method.max_columns, N_EXAMPLES)


def _example(method: Method, *, rows: int) -> Example:
    """Return one categorical and one numeric column."""
    return _with_numbers(category_example(method, rows=rows, columns=1))


@cache
def _with_numbers(words: Example) -> Example:
    numbers = np.random.default_rng(words.rows).normal(size=words.rows)
    return Example(words.data.with_columns(x=numbers), words.k, words.column_options)


@cache
def _equal(some: Example) -> list[Example]:
    """Return tables with equal values in all columns, in the numbers, and in the categories."""
    category, number = pl.lit(some.data["c0"][0]).alias("c0"), pl.lit(0.1).alias("x")
    return [
        Example(some.data.with_columns(*same), 2, some.column_options)
        for same in ([category, number], [number], [category])
    ]


@_check
def check_sizes_of_mixed_tables(name: str) -> None:
    """Each record has one label, and group sizes are between k and the declared maximum, standardized or not."""
    method = get_method(name)

    def test(example: Example) -> None:
        for standardize in (True, False):
            assert_group_sizes(example.partition(name, standardize=standardize), example.rows, example.k, method)

    _examples(method).for_each(test)


@_check
def check_release_of_mixed_tables_is_k_anonymous(name: str, *, examples: int | None = None) -> None:
    """The released values are k-anonymous by verification and by a naive count of rows."""

    def test(example: Example) -> None:
        checks_frames.assert_k_anonymous(name, example.data, example.k, **example.column_options)

    _examples(get_method(name)).for_each(test, limit=N_RELEASES if examples is None else examples)


@_check
def check_deterministic_on_mixed_tables(name: str) -> None:
    """The same records give the same labels again, and with all weights doubled."""
    _examples(get_method(name)).for_each(lambda example: checks_frames.assert_deterministic(name, example))


@_check
def check_mixed_table_is_unchanged(name: str) -> None:
    """A method does not modify its input."""
    checks_frames.assert_input_unchanged(name, _example(get_method(name), rows=40))


@_check
def check_smallest_mixed_tables(name: str) -> None:
    """n = k, n = 2k - 1, n = 2k and n = 3k - 1 all work."""
    method = get_method(name)
    for k in (2, 3, 5):
        for rows in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k):
            checks_frames.assert_small_table_grouped(name, _example(method, rows=rows).with_k(k))


@_check
def check_equal_records_of_mixed_tables(name: str) -> None:
    """Records that are equal in all columns, in the numbers or in the categories give valid groups."""
    method = get_method(name)
    examples = _equal(_example(method, rows=17))
    for one in examples:
        for k in (2, 3, 5, 17):
            assert_group_sizes(one.with_k(k).partition(name), 17, k, method)
    partition = _api.partition(examples[0].data, k=2, method=name, **examples[0].column_options)
    assert partition.information_loss == partition.semantic_loss == 0, f"{name}: nothing lost on equal records"


@_check
def check_progress_on_mixed_tables(name: str) -> None:
    """Progress is monotonic and never exceeds the total."""
    checks_frames.assert_progress_is_monotonic(name, _example(get_method(name), rows=300))


@_check
def check_weights_decide(name: str) -> None:
    """A weight of a million on a column lowers its loss, compared with the same weight on the other column."""
    some = _example(get_method(name), rows=60)
    numbers, categories = (
        _api.partition(some.data, k=4, method=name, weights={column: 1e6}, **some.column_options)
        for column in ("x", "c0")
    )
    assert numbers.information_loss < categories.information_loss, f"{name}: a weight on numbers lowers their loss"
    assert categories.semantic_loss < numbers.semantic_loss, f"{name}: a weight on categories lowers their loss"
