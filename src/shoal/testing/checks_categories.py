"""Checks of every method that supports categories."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import numpy as np
import polars as pl

from shoal.domain.columns import Kind
from shoal.errors import OptionError
from shoal.hierarchy import Hierarchy
from shoal.microaggregation.registry import Method, get_method
from shoal.testing import checks_frames
from shoal.testing.example_tables import DrawnExamples, Example, category_examples
from shoal.testing.method_checks import N_EXAMPLES, N_RELEASES, Check, assert_group_sizes

CHECKS: list[Check] = []
_api = import_module("shoal")


def _check(function: Check) -> Check:
    CHECKS.append(function)
    return function


def supports_categories(method: Method) -> bool:
    return any(kind in method.kinds for kind in (Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL))


def _examples(method: Method) -> DrawnExamples:
    # methods that support mixed tables are checked on more examples there
    examples = N_EXAMPLES // 2 if method.supports_mixed else N_EXAMPLES
    return category_examples(method.kinds, method.supports_mixed, method.max_columns, examples)


def category_example(method: Method, *, rows: int, columns: int = 2) -> Example:
    """Return inner nodes and leaves of a hierarchy if the method supports hierarchies, otherwise nominal values."""
    return _words(rows, min(columns, method.max_columns or columns), Kind.HIERARCHICAL in method.kinds)


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
    """Each record has one label, and group sizes are between k and the declared maximum, for every distance."""
    method = get_method(name)

    def test(example: Example) -> None:
        for distance in ("wu-palmer", "information"):
            assert_group_sizes(example.partition(name, distance=distance), example.rows, example.k, method)

    _examples(method).for_each(test)


@_check
def check_release_of_categories_is_k_anonymous(name: str, *, examples: int | None = None) -> None:
    """The released values are k-anonymous by verification and by a naive count, for every recoding."""

    def test(example: Example) -> None:
        recode = ("centroid", "mode", "lcs")[example.rows % 3]
        checks_frames.assert_k_anonymous(name, example.data, example.k, recode=recode, **example.column_options)

    _examples(get_method(name)).for_each(test, limit=N_RELEASES if examples is None else examples)


@_check
def check_deterministic_on_categories(name: str) -> None:
    """The same records give the same labels again, and with all weights doubled."""
    _examples(get_method(name)).for_each(lambda example: checks_frames.assert_deterministic(name, example))


@_check
def check_categories_are_unchanged(name: str) -> None:
    """A method does not modify its input."""
    checks_frames.assert_input_unchanged(name, category_example(get_method(name), rows=40))


@_check
def check_smallest_tables_of_categories(name: str) -> None:
    """n = k, n = 2k - 1, n = 2k and n = 3k - 1 all work, with one column and with two."""
    method = get_method(name)
    for k in (2, 3, 5):
        for rows in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k):
            for columns in (1, 2):
                checks_frames.assert_small_table_grouped(
                    name, category_example(method, rows=rows, columns=columns).with_k(k)
                )


@_check
def check_equal_and_rare_categories(name: str) -> None:
    """A single value, only distinct values, and one dominant value give valid groups."""
    method = get_method(name)
    examples = _equal_and_rare(Kind.NOMINAL in method.kinds)
    for one in examples:
        for k in (2, 3, 5, 17):
            assert_group_sizes(one.with_k(k).partition(name), one.rows, k, method)
    partition = _api.partition(examples[0].data, k=2, method=name, **examples[0].column_options)
    assert partition.semantic_loss == 0, f"{name}: nothing lost on equal records"


@cache
def _equal_and_rare(nominal: bool) -> list[Example]:
    """Return nominal columns if the method supports them, otherwise two-level hierarchies."""
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
    """Progress is monotonic and never exceeds the total."""
    checks_frames.assert_progress_is_monotonic(name, category_example(get_method(name), rows=300))


@_check
def check_bad_options_on_categories(name: str) -> None:
    """Unknown options and invalid values of k raise an error."""
    few = category_example(get_method(name), rows=10)
    refused: list[dict[str, object]] = [{"k": 3, "no_such_option": 1}, {"k": 1}, {"k": 11}, {"k": 2.5}]
    for options in refused:
        try:
            _api.partition(few.data, method=name, **few.column_options, **options)
        except OptionError:
            continue
        raise AssertionError(f"{name}: {options} is refused")
