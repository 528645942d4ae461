"""Common checks that every method must pass, before any tests of its own.

Third parties run them on their methods::

    import pytest
    from shoal.testing import checks

    @pytest.mark.parametrize("check", checks("my-method"))
    def test_common(check):
        check("my-method")
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from shoal.domain import FloatMatrix, IntVector, Partition, Records
from shoal.errors import OptionError, ShoalError
from shoal.microaggregation import registry
from shoal.microaggregation.registry import Method, get_method
from shoal.testing.example_tables import DrawnExamples, Example, encode, numeric_examples

Check = Callable[[str], None]
CHECKS: list[Check] = []
"""Checks on tables of numbers; checks on categories and on mixed tables are in other modules."""
N_EXAMPLES = 20
"""Number of tables for checks of groups."""
N_RELEASES = 1
"""Number of released tables per kind and method; all methods share the steps after grouping."""
_api = import_module("shoal")


def _check(function: Check) -> Check:
    CHECKS.append(function)
    return function


_RECODINGS: tuple[dict[str, Any], ...] = ({}, {"recode": "median"}, {"exact_means": True})
"""Recoding options; each table is released with only one of them, since every release computes all metrics."""


def _examples(method: Method) -> DrawnExamples:
    return numeric_examples(method.max_columns, N_EXAMPLES)


def assert_group_sizes(partition: Partition, n: int, k: int, method: Method) -> None:
    labels = partition.labels
    assert labels.shape == (n,), f"{method.name}: one label a record"
    assert set(labels.tolist()) == set(range(partition.count)), f"{method.name}: groups are numbered without a gap"
    assert partition.sizes.sum() == n, f"{method.name}: every record is in one group"
    assert partition.sizes.min() >= k, f"{method.name}: every group has at least k records"
    if method.largest_group is not None:
        assert partition.sizes.max() <= method.largest_group(k), f"{method.name}: no group exceeds the declared size"


def _example(method: Method, *, rows: int) -> FloatMatrix:
    matrix: FloatMatrix = _normal(method.max_columns or 3, rows).data.copy()
    return matrix


@cache
def _encode_divided(example: Example) -> Records:
    return encode(example.data / 4.0)


@cache
def _normal(columns: int, rows: int) -> Example:
    return Example(np.random.default_rng(0).normal(size=(rows, columns)), k=3)


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
    method = get_method(name)

    def test(example: Example) -> None:
        for standardize in (True, False):
            assert_group_sizes(example.partition(name, standardize=standardize), example.rows, example.k, method)

    _examples(method).for_each(test)


@_check
def check_release_is_k_anonymous(name: str, *, examples: int | None = None) -> None:
    """The released values are k-anonymous by verification and by a naive count of rows."""
    method = get_method(name)

    def test(example: Example) -> None:
        matrix, k = example.data, example.k
        columns = list(range(matrix.shape[1]))
        options = _RECODINGS[len(matrix) % len(_RECODINGS)]
        release = _api.anonymize(matrix, k=k, quasi_identifiers=columns, method=name, **options)
        assert release.verification.ok, f"{name}: verification"
        assert release.table.shape == matrix.shape, f"{name}: no record lost or added"
        naive = Counter(map(tuple, release.table.tolist()))
        assert min(naive.values()) >= k, f"{name}: naive count"

    _examples(method).for_each(test, limit=N_RELEASES if examples is None else examples)


@_check
def check_deterministic(name: str) -> None:
    """The same records give the same labels: in a second run, another memory layout, and on another scale."""
    method = get_method(name)

    def test(example: Example) -> None:
        first = example.partition(name).labels
        again = registry.run(example.second_encoding(), k=example.k, method=name).labels
        assert np.array_equal(first, again), f"{name}: same labels again"
        matrix = example.data
        if np.abs(matrix[matrix != 0]).min(initial=1.0) > 1e-290:  # below that, division by four loses digits
            divided = registry.run(_encode_divided(example), k=example.k, method=name).labels
            assert np.array_equal(first, divided), f"{name}: same labels on columns divided by four"

    _examples(method).for_each(test)


@_check
def check_refined_groups(name: str) -> None:
    """Local search keeps k, never raises the error, and is deterministic."""
    method = get_method(name)

    def test(example: Example) -> None:
        matrix, k, standardize = example.data, example.k, example.rows % 2 == 0
        refined_partition, again = (
            _api.partition(matrix, k=k, method=name, effort="fast", standardize=standardize) for _ in range(2)
        )
        assert refined_partition.sizes.min() >= k, f"{name}: every refined group has at least k records"
        assert refined_partition.sizes.sum() == len(matrix), f"{name}: every record is in one refined group"
        assert refined_partition.search.after <= refined_partition.search.before, f"{name}: the error does not rise"
        assert np.array_equal(refined_partition.labels, again.labels), f"{name}: same refined labels again"

    _examples(method).for_each(test, limit=N_EXAMPLES // 3)
    matrix = _example(method, rows=40)
    plain, refined = (_api.partition(matrix, k=3, method=name, refine=refine) for refine in (False, True))
    assert refined.information_loss <= plain.information_loss * (1 + 1e-9), f"{name}: no more is lost"


@_check
def check_input_is_unchanged(name: str) -> None:
    """A method does not modify its input."""
    method = get_method(name)
    matrix = _example(method, rows=40)
    original = matrix.copy()
    matrix.setflags(write=False)
    _api.partition(matrix, k=3, method=name)
    assert np.array_equal(matrix, original), f"{name}: the input is as it was"


@_check
def check_smallest_tables(name: str) -> None:
    """n = k, n = 2k - 1, n = 2k and n = 3k - 1 all work."""
    method = get_method(name)
    for k in (2, 3, 5):
        for rows in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k):
            partition = _normal(method.max_columns or 3, rows).with_k(k).partition(name)
            assert_group_sizes(partition, rows, k, method)
            if rows < 2 * k:
                assert partition.count == 1, f"{name}: fewer than 2k records are one group"


@_check
def check_equal_records(name: str) -> None:
    """Constants, duplicates and a table of two values give valid groups."""
    method = get_method(name)
    examples = _equal(method.max_columns or 3)
    for example in examples:
        for k in (2, 3, 5):
            assert_group_sizes(example.with_k(k).partition(name), example.rows, k, method)
    assert _api.partition(examples[0].data, k=2, method=name).information_loss == 0, (
        f"{name}: nothing lost on constants"
    )


@_check
def check_huge_and_tiny_scales(name: str) -> None:
    """Columns of any scale give the same groups, since distances are standardized."""
    method = get_method(name)
    matrix = _example(method, rows=31)
    expected = _api.partition(matrix, k=3, method=name)
    for exponent in (-900, -40, 40, 900):
        scaled = _api.partition(np.ldexp(matrix, exponent), k=3, method=name)
        assert np.array_equal(scaled.labels, expected.labels), f"{name}: groups at 2**{exponent}"
        assert scaled.information_loss == expected.information_loss, f"{name}: loss at 2**{exponent}"


@_check
def check_one_column(name: str) -> None:
    """A single column gives valid groups."""
    method = get_method(name)
    for rows in (8, 30):
        assert_group_sizes(_normal(1, rows).partition(name), rows, 3, method)


@_check
def check_progress(name: str) -> None:
    """Progress is monotonic and never exceeds the total."""
    method = get_method(name)
    steps: list[tuple[int, int]] = []
    _api.partition(_example(method, rows=300), k=3, method=name, progress=lambda *step: steps.append(step))
    done = [step[0] for step in steps]
    assert done == sorted(done), f"{name}: progress does not go back"
    assert all(0 <= part <= total for part, total in steps), f"{name}: progress does not pass the end"


@_check
def check_bad_options(name: str) -> None:
    """Unknown options and invalid values of k raise an error."""
    method = get_method(name)
    matrix = _example(method, rows=10)
    refused: list[dict[str, object]] = [{"k": 3, "no_such_option": 1}, {"k": 1}, {"k": 11}, {"k": 2.5}]
    for options in refused:
        try:
            _api.partition(matrix, method=name, **options)
        except OptionError:
            continue
        raise AssertionError(f"{name}: {options} is refused")


@_check
def check_labels_are_independent(name: str) -> None:
    """Returned labels share no state with the method: changing them does not change a second result."""
    method = get_method(name)
    matrix = _example(method, rows=20)
    try:
        first: IntVector = _api.partition(matrix, k=3, method=name).labels
        expected = first.copy()
        first[:] = 0
        assert np.array_equal(_api.partition(matrix, k=3, method=name).labels, expected), f"{name}: no shared state"
    except ShoalError as error:
        raise AssertionError(f"{name}: {error}") from error
