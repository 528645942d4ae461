"""The tables that checks run on: drawn and encoded once, then used for every method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

from shoal import tables
from shoal.decisions import column_weights
from shoal.partition import registry
from shoal.schema import Schema
from shoal.schema.columns import Kind
from shoal.testing import strategies
from shoal.understanding import understood
from shoal.values import Partition, Records

Meaning = Mapping[str, Any]
"""The hierarchies and levels of a table's columns."""


class Example:
    """A table, a k that it can be protected with, and what its columns mean."""

    def __init__(self, data: Any, k: int, meaning: Meaning | None = None) -> None:
        self.data, self.k, self.meaning = data, k, meaning or {}
        self.rows = len(data)
        self._encoded: dict[tuple[Any, ...], Records] = {}
        self._again: Records | None = None

    def records(self, **asked: Any) -> Records:
        """The table as methods see it; encoded once for each set of arguments, since methods change no records."""
        key = tuple(sorted(asked.items()))
        if key not in self._encoded:
            self._encoded[key] = encoded(self.data, **self.meaning, **asked)
        return self._encoded[key]

    def again(self) -> Records:
        """A second encoding that shares no memory with the first; a matrix has its columns in order this time."""
        if self._again is None:
            copied = np.asfortranarray(self.data) if isinstance(self.data, np.ndarray) else self.data.clone()
            self._again = encoded(copied, **self.meaning)
        return self._again

    def partition(self, name: str, **asked: Any) -> Partition:
        """The groups of a method, without what they lose."""
        return registry.run(self.records(**asked), k=self.k, method=name)

    def with_k(self, k: int) -> Example:
        """The same table, encoded once for all k."""
        other = copy(self)
        other.k = k
        return other


def encoded(
    data: Any,
    *,
    hierarchies: Any = None,
    levels: Any = None,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weight: float | None = None,
) -> Records:
    """A table as methods see it, with every column a quasi-identifier and, if given, one weight for all columns."""
    table = tables.read(data)
    schema = Schema.assign(tables.kinds(table), quasi_identifiers=table.names)
    schema = understood(table, schema, hierarchies=hierarchies, levels=levels, kinds=None)
    weights = column_weights(None if weight is None else dict.fromkeys(table.names, weight))
    return tables.encode(table, schema, standardize=standardize, distance=distance, weights=weights, missing="refuse")


class Drawn:
    """Examples that hypothesis draws from a strategy, the same ones in every run."""

    def __init__(self, strategy: SearchStrategy[Any], examples: int) -> None:
        self._strategy = strategy
        self._most = examples
        self._examples: list[Example] = []

    def each(self, test: Callable[[Example], None], *, most: int | None = None) -> None:
        """Run a test on every example, or on the first so many.

        If one fails, hypothesis runs the test on tables of its own, to report the smallest that fails.
        """
        if not self._examples:
            self._run(self._examples.append)
        for example in self._examples[:most]:
            try:
                test(example)
            except Exception:
                self._run(test)
                raise

    def _run(self, test: Callable[[Example], None]) -> None:
        quiet = settings(
            max_examples=self._most,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
        )
        quiet(given(self._strategy)(lambda drawn: test(Example(*drawn))))()


@cache
def of_numbers(most_columns: int | None, examples: int) -> Drawn:
    """Tables of numbers."""
    return Drawn(strategies.tables(most_columns=most_columns), examples)


@cache
def of_categories(kinds: tuple[Kind, ...], mixed: bool, most_columns: int | None, examples: int) -> Drawn:
    """Tables of categories, with numbers beside them if they may be mixed."""
    return Drawn(strategies.category_tables(kinds=kinds, mixed=mixed, most_columns=most_columns), examples)


@cache
def of_both(kinds: tuple[Kind, ...], most_columns: int | None, examples: int) -> Drawn:
    """Tables of numbers and categories."""
    return Drawn(strategies.mixed_tables(kinds=kinds, most_columns=most_columns), examples)
