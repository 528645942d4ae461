"""Columns of categories: their values as codes, with what stands between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from shoal.errors import ColumnError, DataError, HierarchyError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.coverage import coverage
from shoal.hierarchy.semantics import distances, pruned
from shoal.schema.columns import Column, Kind
from shoal.tables.counts import value_counts, words
from shoal.tables.table import Content, Table
from shoal.values import Categories, FloatMatrix, IntMatrix, IntVector

SUPPRESSED = "*"
"""What stands for every value of a column that has no hierarchy, and for the root of one that has."""
MOST_NODES = 6_000
"""A table of distances between so many nodes takes 288 MB."""


def categories(
    table: Table, columns: Sequence[Column], *, distance: str, also: Table | None = None
) -> tuple[Categories, ...]:
    """The meaning of the columns that are no numbers, for the values of this table and those of another."""
    return tuple(_categories(column, table, also, distance) for column in columns)


def _categories(column: Column, table: Table, also: Table | None, distance: str) -> Categories:
    _complete(table, column.name)
    content, counts = table.cells.content(column.name), value_counts(table, column.name)
    others = value_counts(also, column.name) if also else {}
    if column.kind is Kind.DATE:
        raise ColumnError.dates(column.name)
    if column.kind is Kind.NOMINAL:
        return _nominal(column, sorted({*counts, *others}))
    hierarchy = column.hierarchy or flat(_levels(column, content))
    others = {word: count for word, count in others.items() if word in hierarchy}  # what is not, codes() tells
    _check_coverage(column.name, hierarchy, counts)
    if column.kind is Kind.ORDINAL:
        _check_size(column.name, hierarchy)
        steps = 2 * max(len(hierarchy.leaves) - 1, 1)
        return Categories(column.name, column.kind, hierarchy, by_rank(hierarchy), steps)
    used = pruned(hierarchy, {hierarchy.number(word) for word in {**counts, **others}})
    _check_size(column.name, used)
    return Categories(
        column.name,
        column.kind,
        used,
        distances(used, distance=distance, counts=counts, levels=hierarchy.levels),
        steps=2 * (hierarchy.levels - 1) if distance == "path" else None,
    )


def _complete(table: Table, name: str) -> pl.Series:
    """The words of a column in which none is missing."""
    found = words(table, name)
    if found.null_count():
        gone = found.is_null()
        raise DataError.missing_values(name, rows=int(gone.sum()), of=len(found), first=int(gone.arg_true()[0]) + 1)
    return found


def _nominal(column: Column, values: Sequence[str]) -> Categories:
    """Values that are equal or not."""
    hierarchy = flat(values)
    _check_size(column.name, hierarchy)
    return Categories(column.name, column.kind, hierarchy, 1.0 - np.eye(len(hierarchy)), steps=1)


def flat(values: Sequence[str]) -> Hierarchy:
    """The values in their order under the one node that stands for all."""
    below = [value for value in values if value != SUPPRESSED]
    return Hierarchy((*below, SUPPRESSED), (len(below),) * (len(below) + 1))


def _levels(column: Column, content: Content) -> Sequence[str]:
    """The order of an ordinal column: by its type, or by its numbers."""
    if content.levels:
        if len(set(content.levels)) < len(content.levels) or SUPPRESSED in content.levels:
            raise ColumnError.no_levels(column.name)
        return content.levels
    if content.kind is not Kind.NUMERIC or content.numbers is None:
        raise ColumnError.no_levels(column.name)
    both = pl.DataFrame({"number": content.numbers, "word": content.words}).unique().sort("number", "word")
    return both["word"].to_list()


def by_rank(hierarchy: Hierarchy) -> FloatMatrix:
    """The share of the levels between two nodes; a node above several levels stands in the middle of them."""
    leaves = {name: rank for rank, name in enumerate(hierarchy.leaves)}
    low = [leaves.get(name, len(leaves)) for name in hierarchy.nodes]
    high = [leaves.get(name, -1) for name in hierarchy.nodes]
    for number, parent in enumerate(hierarchy.parents[:-1]):
        low[parent], high[parent] = min(low[parent], low[number]), max(high[parent], high[number])
    rank = (np.array(low) + np.array(high)) / 2
    table: FloatMatrix = np.abs(rank[:, None] - rank[None, :]) / max(len(leaves) - 1, 1)
    return table


def _check_coverage(name: str, hierarchy: Hierarchy, counts: Mapping[str, int]) -> None:
    found = coverage(hierarchy, counts)
    if not found:
        raise HierarchyError.uncovered(
            name,
            values=found.missing_values,
            of=found.values,
            records=found.missing_records,
            near=len(found.mappings),
        )


def _check_size(name: str, hierarchy: Hierarchy) -> None:
    if len(hierarchy) > MOST_NODES:
        raise HierarchyError.too_many_values(name, nodes=len(hierarchy), most=MOST_NODES)


def codes(table: Table, columns: Sequence[Categories]) -> IntMatrix:
    """The number of the node that each cell names, a column for each of the categories."""
    found = [_codes(table, column) for column in columns]
    return np.column_stack(found) if found else np.empty((table.height, 0), dtype=np.int64)


def _codes(table: Table, column: Categories) -> IntVector:
    cells = _complete(table, column.name)
    values = cells.unique().to_list()
    numbers = {SUPPRESSED: len(column.hierarchy) - 1, **column.hierarchy.numbers}
    if any(word not in numbers for word in values):
        _check_coverage(column.name, column.hierarchy, value_counts(table, column.name))
    places = [numbers[word] for word in values]
    return cells.replace_strict(values, places, return_dtype=pl.Int64).to_numpy().astype(np.int64)
