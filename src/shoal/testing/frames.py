"""What the checks look at on frames, whatever their columns hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from shoal.partition.registry import find
from shoal.testing.battery import sized

Meaning = Mapping[str, Any]
"""The hierarchies and levels of a frame's columns."""
_walk = import_module("shoal")


def keeps_its_promise(name: str, frame: pl.DataFrame, k: int, **options: Any) -> None:
    """A release is k-anonymous by verification and by a naive count of rows, and has every record."""
    made = _walk.anonymize(frame, k=k, quasi_identifiers=frame.columns, method=name, **options)
    assert made.verification.ok, f"{name}: verification"
    assert made.table.shape == frame.shape, f"{name}: no record lost or added"
    assert min(Counter(made.table.rows()).values()) >= k, f"{name}: naive count"


def gives_the_same_again(name: str, frame: pl.DataFrame, k: int, meaning: Meaning) -> None:
    """The same records give the same labels, and with all weights doubled too."""
    first = _walk.partition(frame, k=k, method=name, **meaning).labels
    again = _walk.partition(frame.clone(), k=k, method=name, **meaning).labels
    doubled = _walk.partition(frame, k=k, method=name, weights=dict.fromkeys(frame.columns, 2.0), **meaning).labels
    assert np.array_equal(first, again), f"{name}: same labels again"
    assert np.array_equal(first, doubled), f"{name}: same labels with all weights doubled"


def changes_nothing(name: str, frame: pl.DataFrame, meaning: Meaning) -> None:
    """The table that was given is as it was."""
    kept = frame.clone()
    _walk.partition(frame, k=3, method=name, **meaning)
    assert frame.equals(kept), f"{name}: the input is as it was"


def groups_few(name: str, frame: pl.DataFrame, k: int, meaning: Meaning) -> None:
    """Groups have their sizes, and fewer than 2k records are one."""
    made = _walk.partition(frame, k=k, method=name, **meaning)
    sized(made, frame.height, k, find(name))
    if frame.height < 2 * k:
        assert made.count == 1, f"{name}: fewer than 2k records are one group"


def moves_forward(name: str, frame: pl.DataFrame, meaning: Meaning) -> None:
    """Progress never goes back and never beyond the end."""
    steps: list[tuple[int, int]] = []
    _walk.partition(frame, k=3, method=name, progress=lambda *step: steps.append(step), **meaning)
    done = [step[0] for step in steps]
    assert done == sorted(done), f"{name}: progress does not go back"
    assert all(0 <= part <= total for part, total in steps), f"{name}: progress does not pass the end"
