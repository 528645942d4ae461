"""Checks of every method that supports categories."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

from shoal.domain.columns import Kind
from shoal.hierarchy import Hierarchy
from shoal.microaggregation.registry import Method, get_method
from shoal.testing import assertions, strategies
from shoal.testing.assertions import N_EXAMPLES, N_RELEASES, Check, append_to
from shoal.testing.example_tables import DrawnExamples, Example, drawn_examples

CHECKS: list[Check] = []
_check = append_to(CHECKS)


def supports_categories(method: Method) -> bool:
    return any(kind in method.kinds for kind in (Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL))


def _examples(method: Method) -> DrawnExamples:
    return drawn_examples(
        strategies.category_tables,
        N_EXAMPLES // 2 if method.supports_mixed else N_EXAMPLES,  # `checks_mixed` has more examples for such methods
        kinds=method.kinds,
        mixed=method.supports_mixed,
        max_columns=method.max_columns,
    )


def category_example(method: Method, *, rows: int, columns: int = 2) -> Example:
    """Return inner nodes and leaves of a hierarchy if the method supports hierarchies, otherwise nominal values."""
    return _words(rows, min(columns, method.max_columns or columns), Kind.HIERARCHICAL in method.kinds)


@cache
def _words(rows: int, columns: int, hierarchical: bool) -> Example:
    edges = [("b", "a"), ("c", "a"), ("d", "b"), ("e", "b"), ("f", "c"), ("g", "c"), ("h", "g")]
    drawn = np.random.default_rng(0).choice(list("bcdefgh"), size=(rows, columns))
    frame = pl.DataFrame({f"c{j}": drawn[:, j].tolist() for j in range(columns)})
    if not hierarchical:
        return Example(frame, k=3)
    return Example(frame, 3, {"hierarchies": dict.fromkeys(frame.columns, Hierarchy.from_edges(edges))})


@_check
def check_sizes_of_categories(name: str) -> None:
    """Each record has one label, and group sizes are between k and the declared maximum, for every distance."""

    def test(example: Example) -> None:
        for distance in ("wu-palmer", "information"):
            assertions.assert_group_sizes(name, example, distance=distance)

    _examples(get_method(name)).for_each(test)


@_check
def check_release_of_categories_is_k_anonymous(name: str, *, examples: int = N_RELEASES) -> None:
    """The released values are k-anonymous by verification and by a naive count, for every recoding."""

    def test(example: Example) -> None:
        assertions.assert_k_anonymous(name, example, recode=("centroid", "mode", "lcs")[example.rows % 3])

    _examples(get_method(name)).for_each(test, limit=examples)


@_check
def check_deterministic_on_categories(name: str) -> None:
    """The same records give the same labels again, and with all weights doubled."""
    _examples(get_method(name)).for_each(lambda example: assertions.assert_deterministic(name, example))


@_check
def check_categories_are_unchanged(name: str) -> None:
    """A method does not modify its input."""
    assertions.assert_frame_unchanged(name, category_example(get_method(name), rows=40))


@_check
def check_smallest_tables_of_categories(name: str) -> None:
    """n = k, n = 2k - 1, n = 2k and n = 3k - 1 all work, with one column and with two."""
    method = get_method(name)
    assertions.assert_small_tables_grouped(name, lambda rows: category_example(method, rows=rows, columns=1))
    assertions.assert_small_tables_grouped(name, lambda rows: category_example(method, rows=rows))


@_check
def check_equal_and_rare_categories(name: str) -> None:
    """A single value, only distinct values, and one dominant value give valid groups."""
    examples = _equal_and_rare(Kind.NOMINAL in get_method(name).kinds)
    partition = assertions.assert_equal_records_grouped(name, examples, k=(2, 3, 5, 17))
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
    assertions.assert_progress_is_monotonic(name, category_example(get_method(name), rows=300))


@_check
def check_bad_options_on_categories(name: str) -> None:
    """Unknown options and invalid values of k raise an error."""
    assertions.assert_bad_options_raise(name, category_example(get_method(name), rows=10))
