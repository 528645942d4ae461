"""Partition a table of quasi-identifiers, and compute a lower bound of the squared error of any partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from shoal import data as tables
from shoal import kernels, metrics
from shoal.data import Table
from shoal.domain import (
    Bound,
    IntVector,
    Names,
    Partition,
    Progress,
    Records,
    Schema,
    check_choice,
    check_k,
    no_progress,
)
from shoal.microaggregation import registry
from shoal.microaggregation.blockwise import check_block_size
from shoal.microaggregation.group import GroupingTask, group
from shoal.options.table import check_option
from shoal.recode import centroid, mean
from shoal.release.arguments import public_function
from shoal.release.column_options import Hierarchies, Levels, resolve_schema
from shoal.release.options import parse_refinement
from shoal.search.column_generation import lower_bound
from shoal.system.threads import parallel_map, use_threads


@public_function()
def partition(
    data: Any,
    *,
    k: int,
    method: str | None = None,
    refine: bool | None = None,
    effort: str | None = None,
    time_limit: float | None = None,
    blocks: int | None = None,
    seed: int = 0,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    kinds: Mapping[str, str] | None = None,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weights: Mapping[str, float] | None = None,
    missing_values: str = "refuse",
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Partition:
    """Partition the records of a table into groups of at least k. Every column is a quasi-identifier.

    Parameters
    ----------
    data : path, DataFrame, array or Table
    k : int
    missing_values : str
        ``refuse``, ``category``, ``wildcard`` or ``impute``. The last two are the same here: a missing value gets the
        mean or the center of its column.
    method, refine, effort, time_limit, blocks, seed, hierarchies, levels, kinds, standardize, distance, weights
        As for `shoal.anonymize`.
    threads : int, optional
        Number of threads.
    progress : callable, optional
        Called with the number of records done and the total.
    **options
        Options of the method.

    Returns
    -------
    Partition

    Raises
    ------
    ShoalError
        If the table or an option cannot be used.
    """
    table = tables.read_table(data)
    schema = Schema.assign(tables.column_kinds(table), quasi_identifiers=table.names)
    schema = resolve_schema(table, schema, hierarchies=hierarchies, levels=levels, kinds=kinds)
    k = check_k(k, table.height)
    records = _encode(table, schema, standardize, distance, weights, missing_values)
    refinement = parse_refinement(method, refine=refine, effort=effort, time_limit=time_limit)
    task = GroupingTask(
        k,
        registry.AUTO if method is None else method,
        check_option("seed", seed),
        options,
        refinement=refinement,
        blocks=check_block_size(blocks, k),
    )
    with use_threads(threads):
        groups = group(records, task, progress=progress or no_progress)
    return add_losses(replace(groups, suppressed=None), records)


@public_function()
def bound(
    data: Any,
    *,
    k: int,
    quasi_identifiers: Names | None = None,
    effort: str = "balanced",
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    kinds: Mapping[str, str] | None = None,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weights: Mapping[str, float] | None = None,
    missing_values: str = "refuse",
    progress: Progress | None = None,
) -> Bound:
    """Compute a lower bound of the squared error of any partition into groups of at least k.

    It is the minimum squared error itself for one numeric column, and for a few records.

    Parameters
    ----------
    data : path, DataFrame, array or Table
    k : int
    quasi_identifiers : str or sequence of str, optional
        Default: all columns.
    effort : str
        ``fast`` uses the nearest neighbors of each record. ``balanced`` (seconds) and ``best`` (minutes) solve a linear
        program over groups if there are at most 5,000 records.
    hierarchies, levels, kinds, standardize, distance, weights, missing_values
        As for `partition`.
    progress : callable, optional
        Called with the number of records done and the total.

    Returns
    -------
    Bound

    Raises
    ------
    ShoalError
        If the table or an option cannot be used.
    """
    check_option("effort", effort)
    table = tables.read_table(data)
    names = table.names if quasi_identifiers is None else quasi_identifiers
    schema = Schema.assign(tables.column_kinds(table), quasi_identifiers=names)
    schema = resolve_schema(table, schema, hierarchies=hierarchies, levels=levels, kinds=kinds)
    k = check_k(k, table.height)
    records = _encode(table, schema, standardize, distance, weights, missing_values)
    lowest = lower_bound(records.space, k, effort=effort, progress=progress or no_progress)
    total = float(kernels.centroids.squared_error(records.space, np.zeros(records.count, dtype=np.int64)))
    return replace(lowest, loss=100.0 * lowest.value / total if total > 0.0 else 0.0)


def _encode(
    table: Table, schema: Schema, standardize: Any, distance: Any, weights: Any, missing_values: Any
) -> Records:
    return tables.encode_records(
        table,
        schema,
        standardize=check_option("standardize", standardize),
        distance=check_option("distance", distance),
        weights=check_option("weights", weights) or {},
        missing=check_choice("missing_values", missing_values, ("refuse", "category", "wildcard", "impute")),
    )


def add_losses(groups: Partition, records: Records) -> Partition:
    """Add the information loss of the groups' centers to the partition, without weights."""
    if records.numeric:
        sums = [_squared_error(records, j, groups) for j in range(len(records.numeric))]
        error, total = (sum(part) for part in zip(*sums, strict=True))
        groups = replace(groups, information_loss=metrics.percent(error, total))
    if not records.categories:
        return groups

    def center(j: int) -> IntVector:
        column = records.categories[j]
        return centroid(records.codes[:, j], groups.labels, groups.count, column.exact_distance(), column.hierarchy)

    centers = parallel_map(center, range(len(records.categories)), records=len(groups.labels))
    released = np.column_stack([nodes[groups.labels] for nodes in centers])
    codes = metrics.CategoryCodes(records.categories, records.codes, released)
    return replace(groups, semantic_loss=metrics.semantic_loss(codes))


def _squared_error(records: Records, j: int, groups: Partition) -> tuple[float, float]:
    """Squared error of one numeric column within groups, and its total variation.

    Column by column, so that the table is not copied.
    """
    base = records.scale.column(j).apply(records.values[:, j : j + 1])
    centers = mean(base, groups.labels, groups.count)[groups.labels]
    return float(((base - centers) ** 2).sum()), metrics.total_sum_of_squares(base)
