"""The checks that every method on categories must pass."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import numpy as np
import polars as pl

from shoal.errors import OptionError
from shoal.hierarchy import Hierarchy
from shoal.partition.registry import Method, find
from shoal.schema.columns import Kind
from shoal.testing import frames
from shoal.testing.battery import EXAMPLES, Check, repeated, sized
from shoal.testing.frames import Meaning
from shoal.testing.strategies import category_tables

CHECKS: list[Check] = []
_walk = import_module("shoal")


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
        recode = ("centroid", "mode", "lcs")[len(frame) % 3]
        frames.keeps_its_promise(name, frame, k, recode=recode, **meaning)

    _drawn(test, method)


@_check
def check_same_categories_same_labels(name: str) -> None:
    """The same records give the same labels again, and with all weights doubled."""
    method = find(name)

    def test(frame: pl.DataFrame, k: int, meaning: Meaning) -> None:
        frames.gives_the_same_again(name, frame, k, meaning)

    _drawn(test, method)


@_check
def check_categories_are_not_changed(name: str) -> None:
    """A method leaves the table that it was given as it was."""
    frames.changes_nothing(name, *example(find(name), rows=40))


@_check
def check_smallest_tables_of_categories(name: str) -> None:
    """n = k, n = 2k - 1, n = 2k and n = 3k - 1 all work, with one column and with two."""
    method = find(name)
    for k in (2, 3, 5):
        for rows in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k):
            for columns in (1, 2):
                frame, meaning = example(method, rows=rows, columns=columns)
                frames.groups_few(name, frame, k, meaning)


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
    frames.moves_forward(name, *example(find(name), rows=300))


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
