"""Assertions that checks share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.domain import Partition
from shoal.errors import OptionError
from shoal.microaggregation import registry
from shoal.microaggregation.registry import get_method
from shoal.testing.example_tables import Example

Check = Callable[[str], None]
N_EXAMPLES = 20
"""Number of tables for checks of groups."""
N_RELEASES = 1
"""Number of released tables per kind and method; all methods share the steps after grouping."""


def append_to(checks: list[Check]) -> Callable[[Check], Check]:
    """Return a decorator that appends a check to the list."""

    def append(check: Check) -> Check:
        checks.append(check)
        return check

    return append


def assert_group_sizes(name: str, example: Example, **options: Any) -> Partition:
    """Assert that each record has one label and that group sizes are between k and the declared maximum."""
    method, partition = get_method(name), example.partition(name, **options)
    labels, sizes = partition.labels, partition.sizes
    assert labels.shape == (example.rows,), f"{name}: one label a record"
    assert set(labels.tolist()) == set(range(partition.count)), f"{name}: groups are numbered without a gap"
    assert sizes.sum() == example.rows, f"{name}: every record is in one group"
    assert sizes.min() >= example.k, f"{name}: every group has at least k records"
    if method.largest_group is not None:
        assert sizes.max() <= method.largest_group(example.k), f"{name}: no group exceeds the declared size"
    return partition


def assert_small_tables_grouped(name: str, table: Callable[[int], Example]) -> None:
    """Assert valid groups of tables with k to 3k records, and a single group for fewer than 2k records."""
    for k in (2, 3, 5):
        for rows in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k):
            partition = assert_group_sizes(name, table(rows).with_k(k))
            if rows < 2 * k:
                assert partition.count == 1, f"{name}: fewer than 2k records are one group"


def assert_equal_records_grouped(name: str, examples: Sequence[Example], k: Sequence[int]) -> Partition:
    """Assert valid groups of every table for every k. Return the groups of the first table by the public function."""
    for example in examples:
        for each in k:
            assert_group_sizes(name, example.with_k(each))
    return examples[0].public_partition(name)


def assert_k_anonymous(name: str, example: Example, **options: Any) -> None:
    """Assert that a release is k-anonymous by verification and by a naive count, and has all records."""
    data, is_frame = example.data, isinstance(example.data, pl.DataFrame)
    release = shoal.anonymize(
        data,
        k=example.k,
        quasi_identifiers=data.columns if is_frame else list(range(data.shape[1])),
        method=name,
        **example.column_options,
        **options,
    )
    naive = Counter(release.table.rows() if is_frame else map(tuple, release.table.tolist()))
    assert release.verification.ok, f"{name}: verification"
    assert release.table.shape == data.shape, f"{name}: no record lost or added"
    assert min(naive.values()) >= example.k, f"{name}: naive count"


def assert_deterministic(name: str, example: Example) -> None:
    """Assert that the same records give the same labels again, and with all weights doubled."""
    first = assert_repeatable(name, example)
    doubled = example.partition(name, weight=2.0)
    assert np.array_equal(first.labels, doubled.labels), f"{name}: same labels with all weights doubled"


def assert_repeatable(name: str, example: Example) -> Partition:
    """Assert that the same records give the same labels again, in another memory layout."""
    first, again = example.partition(name), registry.run(example.second_encoding, k=example.k, method=name)
    assert np.array_equal(first.labels, again.labels), f"{name}: same labels again"
    return first


def assert_frame_unchanged(name: str, example: Example) -> None:
    """Assert that a method does not modify its input."""
    original = example.data.clone()
    example.public_partition(name)
    assert example.data.equals(original), f"{name}: the input is as it was"


def assert_progress_is_monotonic(name: str, example: Example) -> None:
    """Assert that progress is monotonic and never exceeds the total."""
    steps: list[tuple[int, int]] = []
    example.public_partition(name, progress=lambda *step: steps.append(step))
    done = [step[0] for step in steps]
    assert done == sorted(done), f"{name}: progress does not go back"
    assert all(0 <= part <= total for part, total in steps), f"{name}: progress does not pass the end"


def assert_bad_options_raise(name: str, example: Example) -> None:
    """Assert that unknown options and values of k that do not fit ten records raise an error."""
    assert example.rows == 10
    refused: list[dict[str, Any]] = [{"k": 3, "no_such_option": 1}, {"k": 1}, {"k": 11}, {"k": 2.5}]
    for options in refused:
        try:
            shoal.partition(example.data, method=name, **example.column_options, **options)
        except OptionError:
            continue
        raise AssertionError(f"{name}: {options} is refused")
