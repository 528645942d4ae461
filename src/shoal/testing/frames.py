"""What the checks look at on frames, whatever their columns hold."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from shoal.partition import registry
from shoal.partition.registry import find
from shoal.testing.battery import sized
from shoal.testing.examples import Example

_walk = import_module("shoal")


def keeps_its_promise(name: str, frame: pl.DataFrame, k: int, **options: Any) -> None:
    """A release is k-anonymous by verification and by a naive count of rows, and has every record."""
    made = _walk.anonymize(frame, k=k, quasi_identifiers=frame.columns, method=name, **options)
    assert made.verification.ok, f"{name}: verification"
    assert made.table.shape == frame.shape, f"{name}: no record lost or added"
    assert min(Counter(made.table.rows()).values()) >= k, f"{name}: naive count"


def gives_the_same_again(name: str, example: Example) -> None:
    """The same records give the same labels, and with all weights doubled too."""
    first = example.partition(name).labels
    again = registry.run(example.again(), k=example.k, method=name).labels
    doubled = example.partition(name, weight=2.0).labels
    assert np.array_equal(first, again), f"{name}: same labels again"
    assert np.array_equal(first, doubled), f"{name}: same labels with all weights doubled"


def changes_nothing(name: str, example: Example) -> None:
    """The table that was given is as it was."""
    frame, kept = example.data.clone(), example.data.clone()
    _walk.partition(frame, k=3, method=name, **example.meaning)
    assert frame.equals(kept), f"{name}: the input is as it was"


def groups_few(name: str, example: Example) -> None:
    """Groups have their sizes, and fewer than 2k records are one."""
    made = example.partition(name)
    sized(made, example.rows, example.k, find(name))
    if example.rows < 2 * example.k:
        assert made.count == 1, f"{name}: fewer than 2k records are one group"


def moves_forward(name: str, example: Example) -> None:
    """Progress never goes back and never beyond the end."""
    steps: list[tuple[int, int]] = []
    _walk.partition(example.data, k=3, method=name, progress=lambda *step: steps.append(step), **example.meaning)
    done = [step[0] for step in steps]
    assert done == sorted(done), f"{name}: progress does not go back"
    assert all(0 <= part <= total for part, total in steps), f"{name}: progress does not pass the end"
