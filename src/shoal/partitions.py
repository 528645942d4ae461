"""Partitions of a table that is quasi-identifiers alone, and what no partition of it can go below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from shoal import kernels, measure, tables
from shoal.decisions import asked_refinement, column_weights, whole_seed
from shoal.hierarchy.semantics import DISTANCES
from shoal.partition import registry
from shoal.partition.blockwise import whole_blocks
from shoal.partition.grouping import Task, group
from shoal.recode import centroid, mean
from shoal.refine.lowest import lower_bound
from shoal.schema import EFFORTS, Names, Schema
from shoal.tables import Table
from shoal.threads import share, using
from shoal.understanding import Hierarchies, Levels, understood
from shoal.values import (
    Bound,
    IntMatrix,
    IntVector,
    Partition,
    Progress,
    Records,
    one_of,
    silent,
    true_or_false,
    whole_k,
)


def partition(
    data: Any,
    *,
    k: int,
    method: str | None = None,
    refine: bool | None = None,
    effort: str | None = None,
    seconds: float | None = None,
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
    """Group the records of a table; every column of it is a quasi-identifier.

    Missing values are refused, unless they are said to be a ``category``, or a ``wildcard`` or to ``impute``, which
    is the same here: they are where the mean or the center of their column is. ``blocks`` and ``threads`` are as in
    `shoal.anonymize`.
    """
    table = tables.read(data)
    meaning = (hierarchies, levels, kinds)
    records, k = _encoded(table, table.names, k, *meaning, standardize, distance, weights, missing_values)
    asked = asked_refinement(method, refine=refine, effort=effort, seconds=seconds)
    task = Task(
        k,
        registry.AUTO if method is None else method,
        whole_seed(seed),
        options,
        refinement=asked,
        blocks=whole_blocks(blocks, k),
    )
    with using(threads):
        groups = group(records, task, progress=progress or silent)
    return measured(replace(groups, suppressed=None), records)


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
    """What no partition of a table into groups of at least k can go below.

    Where no quasi-identifiers are named, every column is one. With the effort ``fast`` the bound comes from the nearest
    neighbors of each record alone, in a moment. Else it comes from a linear program over groups, where there are at
    most 5,000 records, within seconds (``balanced``) or minutes (``best``). Of one column of numbers, and of a few
    records, it is the least squared error itself.
    """
    one_of("effort", effort, EFFORTS)
    table = tables.read(data)
    names = table.names if quasi_identifiers is None else quasi_identifiers
    meaning = (hierarchies, levels, kinds)
    records, k = _encoded(table, names, k, *meaning, standardize, distance, weights, missing_values)
    found = lower_bound(records.space, k, effort=effort, progress=progress or silent)
    total = float(kernels.groups.errors(records.space, np.zeros(records.count, dtype=np.int64), 1).sum())
    return replace(found, loss=100.0 * found.value / total if total > 0.0 else 0.0)


def _encoded(
    table: Table,
    quasi_identifiers: Names,
    k: Any,
    hierarchies: Hierarchies,
    levels: Levels,
    kinds: Mapping[str, str] | None,
    standardize: Any,
    distance: Any,
    weights: Mapping[str, float] | None,
    missing_values: Any,
) -> tuple[Records, int]:
    """The table as methods see it, and k."""
    schema = Schema.assign(tables.kinds(table), quasi_identifiers=quasi_identifiers)
    schema = understood(table, schema, hierarchies=hierarchies, levels=levels, kinds=kinds)
    level = whole_k(k, table.height)
    records = tables.encode(
        table,
        schema,
        standardize=true_or_false("standardize", standardize),
        distance=one_of("distance", distance, DISTANCES),
        weights=column_weights(weights),
        missing=one_of("missing_values", missing_values, ("refuse", "category", "wildcard", "impute")),
    )
    return records, level


def measured(groups: Partition, records: Records) -> Partition:
    """The partition with what the centers of its groups lose, without weights."""
    if records.numeric:
        parts = [_squares(records, j, groups) for j in range(len(records.numeric))]
        error, total = (sum(part) for part in zip(*parts, strict=True))
        groups = replace(groups, information_loss=measure.percent(error, total))

    def center(j: int) -> IntVector:
        column = records.categories[j]
        return centroid(records.codes[:, j], groups.labels, groups.count, column.rounded(), column.hierarchy)

    centers = share(center, range(len(records.categories)), records=len(groups.labels))
    released = [nodes[groups.labels] for nodes in centers]
    meaning = _meaning(records, np.column_stack(released)) if released else None
    return replace(groups, semantic_loss=measure.semantic_loss(meaning)) if meaning else groups


def _squares(records: Records, j: int, groups: Partition) -> tuple[float, float]:
    """The squared differences of one column of numbers to the means of the groups, and to the mean of all.

    One column after another: no other copy of the table is needed.
    """
    base = records.scale.column(j).apply(records.values[:, j : j + 1])
    centers = mean(base, groups.labels, groups.count)[groups.labels]
    return float(((base - centers) ** 2).sum()), measure.variation(base)


def _meaning(records: Records, released: IntMatrix) -> measure.Meaning | None:
    """The categories of the records beside those released, if there are any."""
    return measure.Meaning(records.categories, records.codes, released) if records.categories else None
