"""Encode categorical columns as hierarchy nodes with distances between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.data.chunked.column_statistics import MAX_DISTINCT
from shoal.data.chunked.table_statistics import TableStatistics
from shoal.data.spelling import match_nodes, sum_by_node
from shoal.data.table import ColumnContent, Table, affected_rows, text_values, value_counts
from shoal.domain import CategoricalColumn, FloatMatrix, IntMatrix, IntVector
from shoal.domain.columns import Column, Kind
from shoal.errors import ColumnError, DataError, HierarchyError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.coverage import coverage
from shoal.hierarchy.distances import distances, prune
from shoal.system.threads import parallel_map

SUPPRESSED = "*"
"""Released value of a fully generalized cell: the root of every hierarchy."""
MAX_NODES = 6_000
"""Maximum size of a distance table: 288 MB."""


def encode_categories(
    table: Table,
    columns: Sequence[Column],
    *,
    distance: str,
    other: Table | None = None,
    allow_missing: bool = False,
    separate_missing: bool = False,
) -> tuple[CategoricalColumn, ...]:
    """Encode the categorical columns, for the values of this table and of another one.

    Missing cells are refused unless they are allowed; they may be a category of their own.
    """
    encoded = []
    for column in columns:
        missing = text_values(table, column.name).is_null()
        if not allow_missing and missing.any():
            raise DataError.missing_values(column.name, **affected_rows(missing))
        others = value_counts(other, column.name) if other else {}
        counts = value_counts(table, column.name)
        categorical = encode_category(
            column, table.cells.content(column.name), counts, other_counts=others, distance=distance
        )
        any_missing = missing.any() or (other is not None and text_values(other, column.name).null_count() > 0)
        encoded.append(with_missing_node(categorical) if separate_missing and any_missing else categorical)
    return tuple(encoded)


def categories_from_statistics(
    statistics: TableStatistics,
    other: TableStatistics,
    columns: Sequence[Column],
    *,
    distance: str,
    separate_missing: bool,
) -> tuple[CategoricalColumn, ...]:
    """Encode the categorical columns as `encode_categories` does; missing cells are allowed."""
    encoded = []
    for column in columns:
        contents = [table.column_type(column.name).distinct_content for table in (statistics, other)]
        counts = [table.value_counts(column.name) for table in (statistics, other)]
        if contents[0] is None or counts[0] is None or counts[1] is None:
            raise HierarchyError.too_many_values(column.name, nodes=MAX_DISTINCT + 1, most=MAX_NODES)
        category = encode_category(column, contents[0], counts[0], other_counts=counts[1], distance=distance)
        any_missing = any(table.column_type(column.name).missing.count for table in (statistics, other))
        encoded.append(with_missing_node(category) if separate_missing and any_missing else category)
    return tuple(encoded)


def with_missing_node(column: CategoricalColumn) -> CategoricalColumn:
    """Add a node for missing values, at the maximum distance from all others."""
    old, root, name = column.hierarchy, len(column.hierarchy) - 1, ""
    while name in old:
        name += "-"
    parents = tuple(root + 1 if parent == root else parent for parent in old.parents[:-1])
    order = [*range(root), root + 1]
    distance = np.ones((root + 2, root + 2))
    distance[np.ix_(order, order)], distance[root, root] = column.distance, 0.0
    hierarchy = Hierarchy((*old.nodes[:-1], name, old.nodes[-1]), (*parents, root + 1, root + 1))
    return replace(column, hierarchy=hierarchy, distance=distance, missing_code=root)


def encode_category(
    column: Column, content: ColumnContent, counts: Mapping[str, int], *, other_counts: Mapping[str, int], distance: str
) -> CategoricalColumn:
    """Encode one column with these values, and those of another table."""
    if column.kind is Kind.NOMINAL or not {*counts, *other_counts}:
        return _nominal(column, sorted({*counts, *other_counts}))
    hierarchy = column.hierarchy or flat_hierarchy(_levels(column, content))
    check_coverage(column.name, hierarchy, counts)
    counts, other_counts = sum_by_node(hierarchy, counts), sum_by_node(hierarchy, other_counts)
    other_counts = {
        word: count for word, count in other_counts.items() if word in hierarchy
    }  # category_codes refuses the others
    if column.kind is Kind.ORDINAL:
        _check_size(column.name, hierarchy)
        steps = 2 * max(len(hierarchy.leaves) - 1, 1)
        return CategoricalColumn(column.name, column.kind, hierarchy, rank_distances(hierarchy), steps)
    used = prune(hierarchy, {hierarchy.number(word) for word in {**counts, **other_counts}})
    _check_size(column.name, used)
    return CategoricalColumn(
        column.name,
        column.kind,
        used,
        distances(used, distance=distance, counts=counts, levels=hierarchy.levels),
        n_steps=2 * (hierarchy.levels - 1) if distance == "path" else None,
    )


def _nominal(column: Column, values: Sequence[str]) -> CategoricalColumn:
    """Encode nominal values: distance 0 if equal, else 1."""
    hierarchy = flat_hierarchy(values)
    _check_size(column.name, hierarchy)
    return CategoricalColumn(column.name, column.kind, hierarchy, 1.0 - np.eye(len(hierarchy)), n_steps=1)


def flat_hierarchy(values: Sequence[str]) -> Hierarchy:
    """Return a hierarchy with all values, in order, below one root."""
    leaves = [value for value in values if value != SUPPRESSED]
    return Hierarchy((*leaves, SUPPRESSED), (len(leaves),) * (len(leaves) + 1))


def _levels(column: Column, content: ColumnContent) -> Sequence[str]:
    """Return the levels of an ordinal column, by its type or by its numbers."""
    if content.levels:
        if len(set(content.levels)) < len(content.levels) or SUPPRESSED in content.levels:
            raise ColumnError.no_levels(column.name)
        return content.levels
    if content.kind is not Kind.NUMERIC or content.numbers is None:
        raise ColumnError.no_levels(column.name)
    both = (
        pl.DataFrame({"number": content.numbers, "word": content.text_values})
        .drop_nulls()
        .unique()
        .sort("number", "word")
    )
    return both["word"].to_list()


def rank_distances(hierarchy: Hierarchy) -> FloatMatrix:
    """Return rank distances between nodes, from 0 to 1; an inner node has the middle rank of its leaves."""
    leaves = {name: rank for rank, name in enumerate(hierarchy.leaves)}
    low = [leaves.get(name, len(leaves)) for name in hierarchy.nodes]
    high = [leaves.get(name, -1) for name in hierarchy.nodes]
    for number, parent in enumerate(hierarchy.parents[:-1]):
        low[parent], high[parent] = min(low[parent], low[number]), max(high[parent], high[number])
    rank = (np.array(low) + np.array(high)) / 2
    distances: FloatMatrix = np.abs(rank[:, None] - rank[None, :]) / max(len(leaves) - 1, 1)
    return distances


def check_coverage(name: str, hierarchy: Hierarchy, counts: Mapping[str, int]) -> None:
    """Raise an error for values missing from the hierarchy; a unique match up to spelling is accepted."""
    if len(match_nodes(hierarchy, counts)) == len(counts):
        return
    uncovered = coverage(hierarchy, sum_by_node(hierarchy, counts))
    if not uncovered:
        raise HierarchyError.uncovered(
            name,
            values=uncovered.missing_values,
            of=uncovered.values,
            records=uncovered.missing_records,
            near=len(uncovered.mappings),
        )


def _check_size(name: str, hierarchy: Hierarchy) -> None:
    if len(hierarchy) > MAX_NODES:
        raise HierarchyError.too_many_values(name, nodes=len(hierarchy), most=MAX_NODES)


def node_codes(table: Table, columns: Sequence[CategoricalColumn]) -> IntMatrix:
    """Return the hierarchy node of each cell, one column per categorical column; -1 for missing cells."""
    codes = np.empty((table.height, len(columns)), dtype=np.int64)
    # filled one by one, to avoid a second copy of the matrix
    for j, column_codes in enumerate(
        parallel_map(lambda column: _column_codes(table, column), columns, records=table.height)
    ):
        codes[:, j] = column_codes
    return codes


def central_node(column: CategoricalColumn, counts: IntVector) -> int:
    """Return the node of missing cells: the node for missing values, or else the medoid, given the counts of nodes."""
    if column.missing_code is not None:
        return column.missing_code
    return int(np.argmin(counts @ column.exact_distance()))


def node_numbers(column: CategoricalColumn, values: Sequence[str]) -> dict[str, int]:
    """Return the node number of each value that has one; nominal values must match exactly."""
    numbers = {SUPPRESSED: len(column.hierarchy) - 1, **column.hierarchy.numbers}
    known = {value: numbers[value] for value in values if value in numbers}
    if len(known) == len(values) or column.kind is Kind.NOMINAL:
        return known
    names = match_nodes(column.hierarchy, [value for value in values if value not in known])
    return known | {value: numbers[name] for value, name in names.items()}


def node_counts(column: CategoricalColumn, counts: Mapping[str, int]) -> IntVector:
    """Return the number of records of each node, given the counts of values."""
    numbers, node_totals = node_numbers(column, list(counts)), np.zeros(len(column.hierarchy), dtype=np.int64)
    for value, records in counts.items():
        node_totals[numbers[value]] += records
    return node_totals


def _column_codes(table: Table, column: CategoricalColumn) -> IntVector:
    """Return the node of each cell; -1 for missing cells."""
    cells = text_values(table, column.name)
    missing, cells = cells.is_null().to_numpy(), cells.drop_nulls()
    values = cells.unique().to_list()
    numbers = node_numbers(column, values)
    if len(numbers) < len(values):
        check_coverage(column.name, column.hierarchy, value_counts(table, column.name))
    nodes = [numbers[word] for word in values]
    known = cells.replace_strict(values, nodes, return_dtype=pl.Int64).to_numpy().astype(np.int64)
    if not missing.any():
        return known
    codes = np.full(len(missing), -1)
    codes[~missing] = known
    return codes
