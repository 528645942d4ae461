"""Tables for the checks: generated and encoded once, then used for every method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

from shoal import data as tables
from shoal.domain import Partition, Records, Schema
from shoal.domain.columns import Kind
from shoal.microaggregation import registry
from shoal.release.column_options import resolve_schema
from shoal.release.options import parse_weights
from shoal.testing import strategies

ColumnOptions = Mapping[str, Any]
"""Hierarchies and levels of the columns of a table."""


class Example:
    """A table, a feasible k, and the hierarchies and levels of its columns."""

    def __init__(self, data: Any, k: int, meaning: ColumnOptions | None = None) -> None:
        self.data, self.k, self.column_options = data, k, meaning or {}
        self.rows = len(data)
        self._encoded: dict[tuple[Any, ...], Records] = {}
        self._again: Records | None = None

    def records(self, **options: Any) -> Records:
        """Return the encoded table, cached per set of options; methods do not modify records."""
        key = tuple(sorted(options.items()))
        if key not in self._encoded:
            self._encoded[key] = encode(self.data, **self.column_options, **options)
        return self._encoded[key]

    def second_encoding(self) -> Records:
        """Return a second encoding that shares no memory with the first; matrices are in column order."""
        if self._again is None:
            copied = np.asfortranarray(self.data) if isinstance(self.data, np.ndarray) else self.data.clone()
            self._again = encode(copied, **self.column_options)
        return self._again

    def partition(self, name: str, **options: Any) -> Partition:
        """Run a method."""
        return registry.run(self.records(**options), k=self.k, method=name)

    def with_k(self, k: int) -> Example:
        """Return the same table with another k; the encoding is shared."""
        other = copy(self)
        other.k = k
        return other


def encode(
    data: Any,
    *,
    hierarchies: Any = None,
    levels: Any = None,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weight: float | None = None,
) -> Records:
    """Encode a table with all columns as quasi-identifiers and, if given, one weight for all columns."""
    table = tables.read_table(data)
    schema = Schema.assign(tables.column_kinds(table), quasi_identifiers=table.names)
    schema = resolve_schema(table, schema, hierarchies=hierarchies, levels=levels, kinds=None)
    weights = parse_weights(None if weight is None else dict.fromkeys(table.names, weight))
    return tables.encode_records(
        table, schema, standardize=standardize, distance=distance, weights=weights, missing="refuse"
    )


class DrawnExamples:
    """Examples drawn by hypothesis from a strategy, the same ones in every run."""

    def __init__(self, strategy: SearchStrategy[Any], examples: int) -> None:
        self._strategy = strategy
        self._most = examples
        self._examples: list[Example] = []

    def for_each(self, test: Callable[[Example], None], *, limit: int | None = None) -> None:
        """Run a test on every example, or on the first ``limit``.

        On a failure, hypothesis repeats the test to report a minimal failing table.
        """
        if not self._examples:
            self._run(self._examples.append)
        for example in self._examples[:limit]:
            try:
                test(example)
            except Exception:
                self._run(test)
                raise

    def _run(self, test: Callable[[Example], None]) -> None:
        configured = settings(
            max_examples=self._most,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
        )
        configured(given(self._strategy)(lambda drawn: test(Example(*drawn))))()


@cache
def numeric_examples(max_columns: int | None, examples: int) -> DrawnExamples:
    """Return tables of numbers."""
    return DrawnExamples(strategies.tables(max_columns=max_columns), examples)


@cache
def category_examples(kinds: tuple[Kind, ...], mixed: bool, max_columns: int | None, examples: int) -> DrawnExamples:
    """Return tables of categories, with numeric columns if ``mixed``."""
    return DrawnExamples(strategies.category_tables(kinds=kinds, mixed=mixed, max_columns=max_columns), examples)


@cache
def mixed_examples(kinds: tuple[Kind, ...], max_columns: int | None, examples: int) -> DrawnExamples:
    """Return tables of numbers and categories."""
    return DrawnExamples(strategies.mixed_tables(kinds=kinds, max_columns=max_columns), examples)
