"""The checks that every method on categories must pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import OptionError
from shoal.hierarchy import Hierarchy
from shoal.partition.registry import Method, find
from shoal.schema.columns import Kind
from shoal.testing.battery import EXAMPLES, Check, repeated, sized
from shoal.testing.strategies import category_tables

CHECKS: list[Check] = []
_walk = import_module("shoal.anonymize")
Meaning = Mapping[str, Any]


def _check(function: Check) -> Check:
    CHECKS.append(function)
    return function


def takes_categories(method: Method) -> bool:
    return any(kind in method.kinds for kind in (Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL))


def _drawn(test: Callable[[pl.DataFrame, int, Meaning], None], method: Method) -> None:
    # where numbers may stand beside them, the checks of mixed tables draw more
    examples = EXAMPLES // 2 if method.mixes else EXAMPLES
    drawn = category_tables(kinds=method.kinds, mixed=method.mixes, most_columns=method.most_columns)
    repeated(drawn, test, examples=examples)


def example(method: Method, *, rows: int, columns: int = 2, seed: int = 0) -> tuple[pl.DataFrame, Meaning]:
    """Values that are inner nodes and leaves of a tree where the method takes trees; else plain categories."""
    edges = [("b", "a"), ("c", "a"), ("d", "b"), ("e", "b"), ("f", "c"), ("g", "c"), ("h", "g")]
    drawn = np.random.default_rng(seed).choice(
        list("bcdefgh"), size=(rows, min(columns, method.most_columns or columns))
    )
    frame = pl.DataFrame({f"c{j}": drawn[:, j].tolist() for j in range(drawn.shape[1])})
    if Kind.HIERARCHICAL not in method.kinds:
        return frame, {}
    return frame, {"hierarchies": dict.fromkeys(frame.columns, Hierarchy.from_edges(edges))}


@_check
def check_sizes_of_categories(name: str) -> None:
    """Each record is labelled once, and groups have k records and at most the declared number, by every distance."""
    method = find(name)

    def test(frame: pl.DataFrame, k: int, meaning: Meaning) -> None:
        for distance in ("wu-palmer", "information"):
            made = _walk.partition(frame, k=k, method=name, distance=distance, **meaning)
            sized(made, frame.height, k, method)

    _drawn(test, method)


@_check
def check_release_of_categories_is_k_anonymous(name: str) -> None:
    """The released values keep the promise: by verification, and by a naive count of rows, however they are recoded."""
    method = find(name)

    def test(frame: pl.DataFrame, k: int, meaning: Meaning) -> None:
        for recode in ("centroid", "mode", "lcs"):
            made = _walk.anonymize(frame, k=k, quasi_identifiers=frame.columns, method=name, recode=recode, **meaning)
            assert made.verification.ok, f"{name}: verification"
            assert made.table.shape == frame.shape, f"{name}: no record lost or added"
            assert min(Counter(made.table.rows()).values()) >= k, f"{name}: naive count"

    _drawn(test, method)


@_check
def check_same_categories_same_labels(name: str) -> None:
    """The same records give the same labels again, with all weights doubled, and under other names of the values."""
    method = find(name)

    def test(frame: pl.DataFrame, k: int, meaning: Meaning) -> None:
        first = _walk.partition(frame, k=k, method=name, **meaning).labels
        again = _walk.partition(frame.clone(), k=k, method=name, **meaning).labels
        doubled = _walk.partition(frame, k=k, method=name, weights=dict.fromkeys(frame.columns, 2.0), **meaning).labels
        assert np.array_equal(first, again), f"{name}: same labels again"
        assert np.array_equal(first, doubled), f"{name}: same labels with all weights doubled"

    _drawn(test, method)


@_check
def check_categories_are_not_changed(name: str) -> None:
    """A method leaves the table that it was given as it was."""
    method = find(name)
    frame, meaning = example(method, rows=40)
    kept = frame.clone()
    _walk.partition(frame, k=3, method=name, **meaning)
    assert frame.equals(kept), f"{name}: the input is as it was"


@_check
def check_smallest_tables_of_categories(name: str) -> None:
    """n = k, n = 2k - 1, n = 2k and n = 3k - 1 all work, with one column and with two."""
    method = find(name)
    for k in (2, 3, 5):
        for rows in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k):
            for columns in (1, 2):
                frame, meaning = example(method, rows=rows, columns=columns)
                made = _walk.partition(frame, k=k, method=name, **meaning)
                sized(made, rows, k, method)
                if rows < 2 * k:
                    assert made.count == 1, f"{name}: fewer than 2k records are one group"


@_check
def check_equal_and_rare_categories(name: str) -> None:
    """One value for all, a value of its own for each, and one that has nearly all records do not confuse a method."""
    method = find(name)
    words = {"equal": ["a"] * 17, "rare": [f"v{i:02}" for i in range(17)], "large": ["a"] * 14 + ["b", "c", "c"]}
    for column in words.values():
        for k in (2, 3, 5, 17):
            frame = pl.DataFrame({"c": column})
            meaning = _flat(frame, method)
            made = _walk.partition(frame, k=k, method=name, **meaning)
            sized(made, frame.height, k, method)
            assert len(set(column)) > 1 or made.semantic_loss == 0, f"{name}: nothing lost on equal records"


def _flat(frame: pl.DataFrame, method: Method) -> Meaning:
    """Nominal where the method takes that, else a tree of two levels."""
    if Kind.NOMINAL in method.kinds:
        return {}
    return {"hierarchies": {"c": Hierarchy.from_edges((value, "*") for value in sorted(set(frame["c"])))}}


@_check
def check_progress_on_categories(name: str) -> None:
    """Progress never goes back and never beyond the end."""
    method = find(name)
    steps: list[tuple[int, int]] = []
    frame, meaning = example(method, rows=300)
    _walk.partition(frame, k=3, method=name, progress=lambda *step: steps.append(step), **meaning)
    done = [step[0] for step in steps]
    assert done == sorted(done), f"{name}: progress does not go back"
    assert all(0 <= part <= total for part, total in steps), f"{name}: progress does not pass the end"


@_check
def check_bad_options_on_categories(name: str) -> None:
    """An option that a method does not have, and a k that cannot be, are refused."""
    method = find(name)
    frame, meaning = example(method, rows=10)
    refused: list[dict[str, object]] = [{"k": 3, "no_such_option": 1}, {"k": 1}, {"k": 11}, {"k": 2.5}]
    for options in refused:
        try:
            _walk.partition(frame, method=name, **meaning, **options)
        except OptionError:
            continue
        raise AssertionError(f"{name}: {options} is refused")
