"""Checks of every method that supports numbers, and of the docstring of every method."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np

from shoal.domain import Records
from shoal.errors import ShoalError
from shoal.microaggregation import registry
from shoal.microaggregation.registry import Method, get_method
from shoal.testing import assertions, strategies
from shoal.testing.assertions import N_EXAMPLES, N_RELEASES, Check, append_to, assert_group_sizes
from shoal.testing.example_tables import DrawnExamples, Example, drawn_examples, encode

CHECKS: list[Check] = []
_check = append_to(CHECKS)
_RECODINGS: tuple[dict[str, Any], ...] = ({}, {"recode": "median"}, {"exact_means": True})
"""Recoding options; each table is released with only one of them, since every release computes all metrics."""


def _examples(method: Method) -> DrawnExamples:
    return drawn_examples(strategies.tables, N_EXAMPLES, max_columns=method.max_columns)


def _example(method: Method, *, rows: int) -> Example:
    return _normal(method.max_columns or 3, rows)


@cache
def _normal(columns: int, rows: int) -> Example:
    return Example(np.random.default_rng(0).normal(size=(rows, columns)), k=3)


@cache
def _divided_by_four(example: Example) -> Records:
    return encode(example.data / 4.0)


@cache
def _equal(columns: int) -> list[Example]:
    constant = np.full((17, columns), 0.1)
    duplicates = np.repeat(_normal(columns, 6).data, 3, axis=0)
    two_values = np.repeat([[0.0], [1.0]], [9, 11], axis=0) * np.ones(columns)
    return [Example(matrix, k=2) for matrix in (constant, duplicates, two_values)]


def check_docstring(name: str) -> None:
    """A method declares its paper and cost, and its docstring has the required sections."""
    method = get_method(name)
    assert method.summary, f"{name}: a docstring with a first line"
    assert method.paper, f"{name}: a paper"
    assert method.cost, f"{name}: a cost"
    assert re.search(r"\b(19|20)\d\d\b", str(method.year)), f"{name}: a year"
    for word in ("Steps", "Departures", "Cost"):
        assert word in method.docstring, f"{name}: the docstring tells its {word.lower()}"


@_check
def check_sizes(name: str) -> None:
    """Each record has one label, and group sizes are between k and the declared maximum."""

    def test(example: Example) -> None:
        for standardize in (True, False):
            assert_group_sizes(name, example, standardize=standardize)

    _examples(get_method(name)).for_each(test)


@_check
def check_release_is_k_anonymous(name: str, *, examples: int = N_RELEASES) -> None:
    """The released values are k-anonymous by verification and by a naive count of rows."""

    def test(example: Example) -> None:
        assertions.assert_k_anonymous(name, example, **_RECODINGS[example.rows % len(_RECODINGS)])

    _examples(get_method(name)).for_each(test, limit=examples)


@_check
def check_deterministic(name: str) -> None:
    """The same records give the same labels: in a second run, another memory layout, and on another scale."""

    def test(example: Example) -> None:
        first = assertions.assert_repeatable(name, example).labels
        matrix = example.data
        if np.abs(matrix[matrix != 0]).min(initial=1.0) > 1e-290:  # below that, division by four loses digits
            divided = registry.run(_divided_by_four(example), k=example.k, method=name).labels
            assert np.array_equal(first, divided), f"{name}: same labels on columns divided by four"

    _examples(get_method(name)).for_each(test)


@_check
def check_refined_groups(name: str) -> None:
    """Local search keeps k, never raises the error, and is deterministic."""
    method = get_method(name)

    def test(example: Example) -> None:
        options = {"effort": "fast", "standardize": example.rows % 2 == 0}
        refined, again = (example.public_partition(name, **options) for _ in range(2))
        assert refined.sizes.min() >= example.k, f"{name}: every refined group has at least k records"
        assert refined.sizes.sum() == example.rows, f"{name}: every record is in one refined group"
        assert refined.search is not None
        assert refined.search.after <= refined.search.before, f"{name}: the error does not rise"
        assert np.array_equal(refined.labels, again.labels), f"{name}: same refined labels again"

    _examples(method).for_each(test, limit=N_EXAMPLES // 3)
    example = _example(method, rows=40)
    plain, refined = (example.public_partition(name, refine=refine).information_loss for refine in (False, True))
    assert plain is not None
    assert refined is not None
    assert refined <= plain * (1 + 1e-9), f"{name}: no more is lost"


@_check
def check_input_is_unchanged(name: str) -> None:
    """A method does not modify its input."""
    original = _example(get_method(name), rows=40).data
    matrix = original.copy()
    matrix.setflags(write=False)
    Example(matrix, k=3).public_partition(name)
    assert np.array_equal(matrix, original), f"{name}: the input is as it was"


@_check
def check_smallest_tables(name: str) -> None:
    """n = k, n = 2k - 1, n = 2k and n = 3k - 1 all work."""
    method = get_method(name)
    assertions.assert_small_tables_grouped(name, lambda rows: _example(method, rows=rows))


@_check
def check_equal_records(name: str) -> None:
    """Constants, duplicates and a table of two values give valid groups."""
    examples = _equal(get_method(name).max_columns or 3)
    partition = assertions.assert_equal_records_grouped(name, examples, k=(2, 3, 5))
    assert partition.information_loss == 0, f"{name}: nothing lost on constants"


@_check
def check_huge_and_tiny_scales(name: str) -> None:
    """Columns of any scale give the same groups, since distances are standardized."""
    example = _example(get_method(name), rows=31)
    expected = example.public_partition(name)
    for exponent in (-900, -40, 40, 900):
        scaled = Example(np.ldexp(example.data, exponent), k=3).public_partition(name)
        assert np.array_equal(scaled.labels, expected.labels), f"{name}: groups at 2**{exponent}"
        assert scaled.information_loss == expected.information_loss, f"{name}: loss at 2**{exponent}"


@_check
def check_one_column(name: str) -> None:
    """A single column gives valid groups."""
    for rows in (8, 30):
        assert_group_sizes(name, _normal(1, rows))


@_check
def check_progress(name: str) -> None:
    """Progress is monotonic and never exceeds the total."""
    assertions.assert_progress_is_monotonic(name, _example(get_method(name), rows=300))


@_check
def check_bad_options(name: str) -> None:
    """Unknown options and invalid values of k raise an error."""
    assertions.assert_bad_options_raise(name, _example(get_method(name), rows=10))


@_check
def check_labels_are_independent(name: str) -> None:
    """Returned labels share no state with the method: changing them does not change a second result."""
    example = _example(get_method(name), rows=20)
    try:
        first = example.public_partition(name).labels
        expected = first.copy()
        first[:] = 0
        assert np.array_equal(example.public_partition(name).labels, expected), f"{name}: no shared state"
    except ShoalError as error:
        raise AssertionError(f"{name}: {error}") from error
