"""The checks that every method on categories must pass."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import numpy as np
import polars as pl

from shoal.errors import OptionError
from shoal.hierarchy import Hierarchy
from shoal.partition.registry import Method, find
from shoal.schema.columns import Kind
from shoal.testing import frames
from shoal.testing.battery import EXAMPLES, RELEASES, Check, sized
from shoal.testing.examples import Drawn, Example, of_categories

CHECKS: list[Check] = []
_walk = import_module("shoal")


def _check(function: Check) -> Check:
    CHECKS.append(function)
    return function


def takes_categories(method: Method) -> bool:
    return any(kind in method.kinds for kind in (Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL))


def _drawn(method: Method) -> Drawn:
    # where numbers may stand beside them, the checks of mixed tables draw more
    examples = EXAMPLES // 2 if method.mixes else EXAMPLES
    return of_categories(method.kinds, method.mixes, method.most_columns, examples)


def example(method: Method, *, rows: int, columns: int = 2) -> Example:
    """Values that are inner nodes and leaves of a tree where the method takes trees; else plain categories."""
    return _words(rows, min(columns, method.most_columns or columns), Kind.HIERARCHICAL in method.kinds)


@cache
def _words(rows: int, columns: int, trees: bool) -> Example:
    edges = [("b", "a"), ("c", "a"), ("d", "b"), ("e", "b"), ("f", "c"), ("g", "c"), ("h", "g")]
    drawn = np.random.default_rng(0).choice(list("bcdefgh"), size=(rows, columns))
    frame = pl.DataFrame({f"c{j}": drawn[:, j].tolist() for j in range(columns)})
    if not trees:
        return Example(frame, k=3)
    return Example(frame, 3, {"hierarchies": dict.fromkeys(frame.columns, Hierarchy.from_edges(edges))})


@_check
def check_sizes_of_categories(name: str) -> None:
    """Each record is labelled once, and groups have k records and at most the declared number, by every distance."""
    method = find(name)

    def test(example: Example) -> None:
        for distance in ("wu-palmer", "information"):
            sized(example.partition(name, distance=distance), example.rows, example.k, method)

    _drawn(method).each(test)


@_check
def check_release_of_categories_is_k_anonymous(name: str, *, examples: int | None = None) -> None:
    """The released values keep the promise: by verification, and by a naive count of rows, however they are recoded."""

    def test(example: Example) -> None:
        recode = ("centroid", "mode", "lcs")[example.rows % 3]
        frames.keeps_its_promise(name, example.data, example.k, recode=recode, **example.meaning)

    _drawn(find(name)).each(test, most=RELEASES if examples is None else examples)


@_check
def check_same_categories_same_labels(name: str) -> None:
    """The same records give the same labels again, and with all weights doubled."""
    _drawn(find(name)).each(lambda example: frames.gives_the_same_again(name, example))


@_check
def check_categories_are_not_changed(name: str) -> None:
    """A method leaves the table that it was given as it was."""
    frames.changes_nothing(name, example(find(name), rows=40))


@_check
def check_smallest_tables_of_categories(name: str) -> None:
    """n = k, n = 2k - 1, n = 2k and n = 3k - 1 all work, with one column and with two."""
    method = find(name)
    for k in (2, 3, 5):
        for rows in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k):
            for columns in (1, 2):
                frames.groups_few(name, example(method, rows=rows, columns=columns).with_k(k))


@_check
def check_equal_and_rare_categories(name: str) -> None:
    """One value for all, a value of its own for each, and one that has nearly all records do not confuse a method."""
    method = find(name)
    examples = _equal_and_rare(Kind.NOMINAL in method.kinds)
    for one in examples:
        for k in (2, 3, 5, 17):
            sized(one.with_k(k).partition(name), one.rows, k, method)
    made = _walk.partition(examples[0].data, k=2, method=name, **examples[0].meaning)
    assert made.semantic_loss == 0, f"{name}: nothing lost on equal records"


@cache
def _equal_and_rare(nominal: bool) -> list[Example]:
    """Nominal columns where the method takes them, else trees of two levels."""
    equal, rare, large = ["a"] * 17, [f"v{i:02}" for i in range(17)], ["a"] * 14 + ["b", "c", "c"]
    return [
        Example(
            pl.DataFrame({"c": column}),
            2,
            {} if nominal else {"hierarchies": {"c": Hierarchy.from_edges((v, "*") for v in sorted(set(column)))}},
        )
        for column in (equal, rare, large)
    ]


@_check
def check_progress_on_categories(name: str) -> None:
    """Progress never goes back and never beyond the end."""
    frames.moves_forward(name, example(find(name), rows=300))


@_check
def check_bad_options_on_categories(name: str) -> None:
    """An option that a method does not have, and a k that cannot be, are refused."""
    few = example(find(name), rows=10)
    refused: list[dict[str, object]] = [{"k": 3, "no_such_option": 1}, {"k": 1}, {"k": 11}, {"k": 2.5}]
    for options in refused:
        try:
            _walk.partition(few.data, method=name, **few.meaning, **options)
        except OptionError:
            continue
        raise AssertionError(f"{name}: {options} is refused")
