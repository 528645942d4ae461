"""Families of tables for the checks: numbers, categories, and both together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from shoal.domain import Records
from shoal.domain.columns import Kind
from shoal.hierarchy import Hierarchy
from shoal.microaggregation.registry import Method
from shoal.testing import strategies
from shoal.testing.example_tables import DrawnExamples, Example, drawn_examples, encode

N_EXAMPLES = 20
"""Number of random tables."""
_N_MIXED = 15
"""Fewer than for numbers or categories alone, since those find most errors already."""


class TableFamily(ABC):
    """Tables with some kinds of columns, for all methods that support these."""

    name: str
    encodings: Sequence[dict[str, Any]] = ({"standardize": True}, {"standardize": False})
    """Options of the encoding; each table is grouped with all of them."""
    releases: Sequence[dict[str, Any]] = ({},)
    """Options of a release; each table is released with only one of them, since every release computes all metrics."""

    @abstractmethod
    def supports(self, method: Method) -> bool: ...

    @abstractmethod
    def random(self, method: Method) -> DrawnExamples: ...

    @abstractmethod
    def examples(self, method: Method, rows: int) -> list[Example]:
        """Return tables of this size with k = 3; the last one is typical."""

    @abstractmethod
    def equal(self, method: Method) -> list[Example]:
        """Return tables of at least 17 records with many equal ones; in the first table all are equal."""

    def same_groups(self, example: Example) -> Records:
        """Return other records that must give the same groups."""
        return example.records(weight=2.0)


class _Numbers(TableFamily):
    name = "numbers"
    releases = ({}, {"recode": "median"}, {"exact_means": True})

    def supports(self, method: Method) -> bool:
        return Kind.NUMERIC in method.kinds

    def random(self, method: Method) -> DrawnExamples:
        return drawn_examples(strategies.tables, N_EXAMPLES, max_columns=method.max_columns)

    def examples(self, method: Method, rows: int) -> list[Example]:
        return [normal_table(method.max_columns or 3, rows)]

    def equal(self, method: Method) -> list[Example]:
        return _equal_numbers(method.max_columns or 3)

    def same_groups(self, example: Example) -> Records:
        """Return the numbers on another scale."""
        numbers = example.data[example.data != 0]
        digits_are_lost = np.abs(numbers).min(initial=1.0) <= 1e-290
        return example.records() if digits_are_lost else _divided_by_four(example)


@cache
def normal_table(columns: int, rows: int) -> Example:
    matrix = np.random.default_rng(0).normal(size=(rows, columns))
    matrix.setflags(write=False)
    return Example(matrix, k=3)


@cache
def _divided_by_four(example: Example) -> Records:
    return encode(example.data / 4.0)


@cache
def _equal_numbers(columns: int) -> list[Example]:
    """Constants, duplicates, and a table of two values."""
    constant = np.full((17, columns), 0.1)
    duplicates = np.repeat(normal_table(columns, 6).data, 3, axis=0)
    two_values = np.repeat([[0.0], [1.0]], [9, 11], axis=0) * np.ones(columns)
    return [Example(matrix, k=2) for matrix in (constant, duplicates, two_values)]


class _Categories(TableFamily):
    name = "categories"
    encodings = ({"distance": "wu-palmer"}, {"distance": "information"})
    releases = ({"recode": "centroid"}, {"recode": "mode"}, {"recode": "lcs"})

    def supports(self, method: Method) -> bool:
        return any(kind in method.kinds for kind in (Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL))

    def random(self, method: Method) -> DrawnExamples:
        return drawn_examples(
            strategies.category_tables,
            N_EXAMPLES // 2 if method.supports_mixed else N_EXAMPLES,  # mixed tables are further examples
            kinds=method.kinds,
            mixed=method.supports_mixed,
            max_columns=method.max_columns,
        )

    def examples(self, method: Method, rows: int) -> list[Example]:
        widths = (1, min(2, method.max_columns or 2))
        return [_words(rows, columns, Kind.HIERARCHICAL in method.kinds) for columns in widths]

    def equal(self, method: Method) -> list[Example]:
        return _equal_words(Kind.NOMINAL in method.kinds)


@cache
def _words(rows: int, columns: int, hierarchical: bool) -> Example:
    """Return inner nodes and leaves of a hierarchy, otherwise the same words as nominal values."""
    edges = [("b", "a"), ("c", "a"), ("d", "b"), ("e", "b"), ("f", "c"), ("g", "c"), ("h", "g")]
    drawn = np.random.default_rng(0).choice(list("bcdefgh"), size=(rows, columns))
    frame = pl.DataFrame({f"c{j}": drawn[:, j].tolist() for j in range(columns)})
    trees = dict.fromkeys(frame.columns, Hierarchy.from_edges(edges)) if hierarchical else {}
    return Example(frame, 3, {"hierarchies": trees})


@cache
def _equal_words(nominal: bool) -> list[Example]:
    """A single value, only distinct values, and one dominant value; nominal or with a hierarchy of two levels."""
    equal, rare, large = ["a"] * 17, [f"v{i:02}" for i in range(17)], ["a"] * 14 + ["b", "c", "c"]
    return [
        Example(
            pl.DataFrame({"c": column}),
            2,
            {} if nominal else {"hierarchies": {"c": Hierarchy.from_edges((v, "*") for v in sorted(set(column)))}},
        )
        for column in (equal, rare, large)
    ]


class _Mixed(TableFamily):
    name = "mixed_tables"

    def supports(self, method: Method) -> bool:
        return method.supports_mixed and NUMBERS.supports(method) and CATEGORIES.supports(method)

    def random(self, method: Method) -> DrawnExamples:
        return drawn_examples(strategies.mixed_tables, _N_MIXED, kinds=method.kinds, max_columns=method.max_columns)

    def examples(self, method: Method, rows: int) -> list[Example]:
        """Return one categorical and one numeric column."""
        return [_with_numbers(CATEGORIES.examples(method, rows)[0])]

    def equal(self, method: Method) -> list[Example]:
        return _equal_mixed(self.examples(method, rows=17)[0])


@cache
def _with_numbers(words: Example) -> Example:
    numbers = np.random.default_rng(words.rows).normal(size=words.rows)
    return Example(words.data.with_columns(x=numbers), words.k, words.column_options)


@cache
def _equal_mixed(some: Example) -> list[Example]:
    """Return tables with equal values in all columns, in the numbers, and in the categories."""
    category, number = pl.lit(some.data["c0"][0]).alias("c0"), pl.lit(0.1).alias("x")
    return [
        Example(some.data.with_columns(*same), 2, some.column_options)
        for same in ([category, number], [number], [category])
    ]


NUMBERS, CATEGORIES, MIXED = _Numbers(), _Categories(), _Mixed()
