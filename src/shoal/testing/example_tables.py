"""Tables for the checks: generated and encoded once, then used for every method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import cache, cached_property
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

import shoal
from shoal import data as tables
from shoal.domain import Partition, Records, Schema
from shoal.microaggregation import registry
from shoal.options.checks import parse_weights
from shoal.release.column_options import resolve_schema

ColumnOptions = Mapping[str, Any]
"""Hierarchies and levels of the columns of a table."""


class Example:
    """A table, a feasible k, and the hierarchies and levels of its columns."""

    def __init__(self, data: Any, k: int, column_options: ColumnOptions | None = None) -> None:
        self.data, self.k, self.column_options = data, k, column_options or {}
        self.rows = len(data)
        self._encoded: dict[tuple[Any, ...], Records] = {}

    def records(self, **options: Any) -> Records:
        """Return the encoded table, cached per set of options; methods do not modify records."""
        key = tuple(sorted(options.items()))
        if key not in self._encoded:
            self._encoded[key] = encode(self.data, **self.column_options, **options)
        return self._encoded[key]

    @cached_property
    def second_encoding(self) -> Records:
        """An encoding that shares no memory with the first; matrices are in column order."""
        copied = np.asfortranarray(self.data) if isinstance(self.data, np.ndarray) else self.data.clone()
        return encode(copied, **self.column_options)

    def partition(self, name: str, **options: Any) -> Partition:
        """Run a method; the options are those of the encoding."""
        return registry.run(self.records(**options), k=self.k, method=name)

    def public_partition(self, name: str, **options: Any) -> Partition:
        """Run a method by `shoal.partition`."""
        return shoal.partition(self.data, k=self.k, method=name, **self.column_options, **options)

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

    def __init__(self, strategy: SearchStrategy[Any], n_examples: int) -> None:
        self._strategy = strategy
        self._n_examples = n_examples
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
            max_examples=self._n_examples,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
        )
        configured(given(self._strategy)(lambda drawn: test(Example(*drawn))))()


@cache
def drawn_examples(strategy: Callable[..., SearchStrategy[Any]], n_examples: int, **options: Any) -> DrawnExamples:
    """Return the examples of a strategy with these options, shared by all methods that support such tables."""
    return DrawnExamples(strategy(**options), n_examples)
