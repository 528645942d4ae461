"""Checks of every method that supports numbers and categories together."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

from shoal.domain.columns import Kind
from shoal.microaggregation.registry import Method, get_method
from shoal.testing import assertions, strategies
from shoal.testing.assertions import N_RELEASES, Check, append_to
from shoal.testing.checks_categories import category_example, supports_categories
from shoal.testing.example_tables import DrawnExamples, Example, drawn_examples

CHECKS: list[Check] = []
_check = append_to(CHECKS)
_N_EXAMPLES = 15
"""Fewer than for numbers or categories alone, since those checks find most errors already."""


def supports_both(method: Method) -> bool:
    return method.supports_mixed and Kind.NUMERIC in method.kinds and supports_categories(method)


def _examples(method: Method) -> DrawnExamples:
    return drawn_examples(strategies.mixed_tables, _N_EXAMPLES, kinds=method.kinds, max_columns=method.max_columns)


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

    def test(example: Example) -> None:
        for standardize in (True, False):
            assertions.assert_group_sizes(name, example, standardize=standardize)

    _examples(get_method(name)).for_each(test)


@_check
def check_release_of_mixed_tables_is_k_anonymous(name: str, *, examples: int = N_RELEASES) -> None:
    """The released values are k-anonymous by verification and by a naive count of rows."""
    _examples(get_method(name)).for_each(lambda example: assertions.assert_k_anonymous(name, example), limit=examples)


@_check
def check_deterministic_on_mixed_tables(name: str) -> None:
    """The same records give the same labels again, and with all weights doubled."""
    _examples(get_method(name)).for_each(lambda example: assertions.assert_deterministic(name, example))


@_check
def check_mixed_table_is_unchanged(name: str) -> None:
    """A method does not modify its input."""
    assertions.assert_frame_unchanged(name, _example(get_method(name), rows=40))


@_check
def check_smallest_mixed_tables(name: str) -> None:
    """n = k, n = 2k - 1, n = 2k and n = 3k - 1 all work."""
    method = get_method(name)
    assertions.assert_small_tables_grouped(name, lambda rows: _example(method, rows=rows))


@_check
def check_equal_records_of_mixed_tables(name: str) -> None:
    """Records that are equal in all columns, in the numbers or in the categories give valid groups."""
    examples = _equal(_example(get_method(name), rows=17))
    partition = assertions.assert_equal_records_grouped(name, examples, k=(2, 3, 5, 17))
    assert partition.information_loss == partition.semantic_loss == 0, f"{name}: nothing lost on equal records"


@_check
def check_progress_on_mixed_tables(name: str) -> None:
    """Progress is monotonic and never exceeds the total."""
    assertions.assert_progress_is_monotonic(name, _example(get_method(name), rows=300))


@_check
def check_weights_decide(name: str) -> None:
    """A weight of a million on a column lowers its loss, compared with the same weight on the other column."""
    example = _example(get_method(name), rows=60).with_k(4)
    numbers, categories = (example.public_partition(name, weights={column: 1e6}) for column in ("x", "c0"))
    assert numbers.information_loss is not None
    assert categories.information_loss is not None
    assert numbers.information_loss < categories.information_loss, f"{name}: a weight on numbers lowers their loss"
    assert numbers.semantic_loss is not None
    assert categories.semantic_loss is not None
    assert categories.semantic_loss < numbers.semantic_loss, f"{name}: a weight on categories lowers their loss"
