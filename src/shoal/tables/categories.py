"""Columns of categories: their values as codes, with what stands between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.errors import ColumnError, DataError, HierarchyError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.coverage import coverage
from shoal.hierarchy.semantics import distances, pruned
from shoal.schema.columns import Column, Kind
from shoal.tables.counts import value_counts, words
from shoal.tables.spelling import by_node, node_names
from shoal.tables.table import Content, Table, where
from shoal.threads import share
from shoal.values import Categories, FloatMatrix, IntMatrix, IntVector

SUPPRESSED = "*"
"""What stands for every value of a column that has no hierarchy, and for the root of one that has."""
MOST_NODES = 6_000
"""A table of distances between so many nodes takes 288 MB."""


def categories(
    table: Table,
    columns: Sequence[Column],
    *,
    distance: str,
    also: Table | None = None,
    gaps: bool = False,
    apart: bool = False,
) -> tuple[Categories, ...]:
    """The meaning of the columns that are no numbers, for the values of this table and those of another.

    Missing cells are refused unless there may be ``gaps``; where these are ``apart``, missing is a value of its own.
    """
    found = []
    for column in columns:
        if not gaps:
            _complete(table, column.name)
        others = value_counts(also, column.name) if also else {}
        counts = value_counts(table, column.name)
        meaning = category(column, table.cells.content(column.name), counts, others=others, distance=distance)
        both = [words(one, column.name) for one in (table, *([also] if also else []))]
        found.append(with_gap(meaning) if apart and any(cells.null_count() for cells in both) else meaning)
    return tuple(found)


def with_gap(meaning: Categories) -> Categories:
    """The same categories with a node for missing values, as far from all others as can be."""
    old, root, name = meaning.hierarchy, len(meaning.hierarchy) - 1, ""
    while name in old:
        name += "-"
    parents = tuple(root + 1 if parent == root else parent for parent in old.parents[:-1])
    order = [*range(root), root + 1]
    distance = np.ones((root + 2, root + 2))
    distance[np.ix_(order, order)], distance[root, root] = meaning.distance, 0.0
    hierarchy = Hierarchy((*old.nodes[:-1], name, old.nodes[-1]), (*parents, root + 1, root + 1))
    return replace(meaning, hierarchy=hierarchy, distance=distance, gap=root)


def category(
    column: Column, content: Content, counts: Mapping[str, int], *, others: Mapping[str, int], distance: str
) -> Categories:
    """The meaning of one column with these values, and those of another table."""
    if column.kind is Kind.NOMINAL or not {*counts, *others}:
        return _nominal(column, sorted({*counts, *others}))
    hierarchy = column.hierarchy or flat(_levels(column, content))
    check_coverage(column.name, hierarchy, counts)
    counts, others = by_node(hierarchy, counts), by_node(hierarchy, others)
    others = {word: count for word, count in others.items() if word in hierarchy}  # what is not, codes() tells
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
        raise DataError.missing_values(name, **where(found.is_null()))
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
    both = pl.DataFrame({"number": content.numbers, "word": content.words}).drop_nulls().unique().sort("number", "word")
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


def check_coverage(name: str, hierarchy: Hierarchy, counts: Mapping[str, int]) -> None:
    """Refuse values that the hierarchy lacks; one that only its spelling tells from a single node is that node."""
    if len(node_names(hierarchy, counts)) == len(counts):
        return
    found = coverage(hierarchy, by_node(hierarchy, counts))
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
    found = np.empty((table.height, len(columns)), dtype=np.int64)
    # taken as they come, so that there is no second copy of all
    for j, coded in enumerate(share(lambda column: _codes(table, column), columns, records=table.height)):
        found[:, j] = coded
    return found


def node_numbers(column: Categories, values: Sequence[str]) -> dict[str, int]:
    """The number of the node of each value; what has none is left out. Nominal values are nodes as they are spelled."""
    numbers = {SUPPRESSED: len(column.hierarchy) - 1, **column.hierarchy.numbers}
    found = {value: numbers[value] for value in values if value in numbers}
    if len(found) == len(values) or column.kind is Kind.NOMINAL:
        return found
    names = node_names(column.hierarchy, [value for value in values if value not in found])
    return found | {value: numbers[name] for value, name in names.items()}


def node_counts(column: Categories, counts: Mapping[str, int]) -> IntVector:
    """The records of each node, from those of the values."""
    numbers, found = node_numbers(column, list(counts)), np.zeros(len(column.hierarchy), dtype=np.int64)
    for value, records in counts.items():
        found[numbers[value]] += records
    return found


def _codes(table: Table, column: Categories) -> IntVector:
    """Missing cells have the code of missing, where there is one, or else that of the center of all others."""
    cells = words(table, column.name)
    gone, cells = cells.is_null().to_numpy(), cells.drop_nulls()
    values = cells.unique().to_list()
    numbers = node_numbers(column, values)
    if len(numbers) < len(values):
        check_coverage(column.name, column.hierarchy, value_counts(table, column.name))
    places = [numbers[word] for word in values]
    known = cells.replace_strict(values, places, return_dtype=pl.Int64).to_numpy().astype(np.int64)
    if not gone.any():
        return known
    counts = np.bincount(known, minlength=len(column.hierarchy))
    codes = np.full(len(gone), int(np.argmin(counts @ column.rounded())) if column.gap is None else column.gap)
    codes[~gone] = known
    return codes
