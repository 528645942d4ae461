"""Assertions shared by the checks on data frames."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from shoal.microaggregation import registry
from shoal.microaggregation.registry import get_method
from shoal.testing.example_tables import Example
from shoal.testing.method_checks import assert_group_sizes

_api = import_module("shoal")


def assert_k_anonymous(name: str, frame: pl.DataFrame, k: int, **options: Any) -> None:
    """Assert that a release is k-anonymous by verification and by a naive count, and has all records."""
    release = _api.anonymize(frame, k=k, quasi_identifiers=frame.columns, method=name, **options)
    assert release.verification.ok, f"{name}: verification"
    assert release.table.shape == frame.shape, f"{name}: no record lost or added"
    assert min(Counter(release.table.rows()).values()) >= k, f"{name}: naive count"


def assert_deterministic(name: str, example: Example) -> None:
    """Assert that the same records give the same labels again, and with all weights doubled."""
    first = example.partition(name).labels
    again = registry.run(example.second_encoding(), k=example.k, method=name).labels
    doubled = example.partition(name, weight=2.0).labels
    assert np.array_equal(first, again), f"{name}: same labels again"
    assert np.array_equal(first, doubled), f"{name}: same labels with all weights doubled"


def assert_input_unchanged(name: str, example: Example) -> None:
    """Assert that a method does not modify its input."""
    frame, original = example.data.clone(), example.data.clone()
    _api.partition(frame, k=3, method=name, **example.column_options)
    assert frame.equals(original), f"{name}: the input is as it was"


def assert_small_table_grouped(name: str, example: Example) -> None:
    """Assert valid group sizes, and a single group for fewer than 2k records."""
    partition = example.partition(name)
    assert_group_sizes(partition, example.rows, example.k, get_method(name))
    if example.rows < 2 * example.k:
        assert partition.count == 1, f"{name}: fewer than 2k records are one group"


def assert_progress_is_monotonic(name: str, example: Example) -> None:
    """Assert that progress is monotonic and never exceeds the total."""
    steps: list[tuple[int, int]] = []
    _api.partition(example.data, k=3, method=name, progress=lambda *step: steps.append(step), **example.column_options)
    done = [step[0] for step in steps]
    assert done == sorted(done), f"{name}: progress does not go back"
    assert all(0 <= part <= total for part, total in steps), f"{name}: progress does not pass the end"
