"""Run any method block by block, for tables that are too large for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shoal.domain import IntVector, Partition, Progress, Records, no_progress, number_by_first_row
from shoal.errors import OptionError
from shoal.errors.messages import pluralize
from shoal.microaggregation import registry
from shoal.microaggregation.cut_tree import CutTree, build_cut_tree
from shoal.microaggregation.enforce_constraints import enforce_constraints, satisfies
from shoal.options.table import check_option
from shoal.system.threads import parallel_map

_GROUPS_PER_BLOCK = 4
"""Minimum block size in multiples of k, unless the maximum block size is too small for it."""


def run(
    records: Records,
    *,
    k: int,
    method: str,
    max_records: int,
    seed: int = 0,
    progress: Progress = no_progress,
    options: Mapping[str, Any] | None = None,
) -> Partition:
    """Run a method in blocks of at most ``max_records`` records, on all threads.

    Every block satisfies the constraints on sensitive values, and so does every group.
    """
    space = records.space
    cuts = build_cut_tree(space.sketched_points, max_records, min(_GROUPS_PER_BLOCK * k, max_records // 2))
    if records.constraints is not None:
        constraints, fine_parts = records.constraints, rows_by_block(cuts.block_of(space.sketched_points))
        cuts = cuts.merge_until(
            lambda blocks: satisfies(constraints, np.concatenate([fine_parts[block] for block in blocks]))
        )
    parts = rows_by_block(cuts.block_of(space.sketched_points))
    labels, groups, done = np.empty(records.count, dtype=np.int64), 0, 0

    def group_block(rows: IntVector) -> IntVector:
        part = records.take(rows) if len(parts) > 1 else records
        block_progress = progress if len(parts) == 1 else no_progress
        result = registry.run(part, k=k, method=method, seed=seed, options=options, progress=block_progress)
        return enforce_constraints(part, result.labels, k=k, progress=no_progress)

    for rows, block_labels in zip(parts, parallel_map(group_block, parts), strict=True):
        labels[rows] = groups + block_labels
        groups, done = groups + int(block_labels.max()) + 1, done + len(rows)
        progress(done, records.count)
    return Partition(number_by_first_row(labels)[1], k, method, account=(_describe(method, cuts, parts),))


def check_block_size(blocks: Any, k: int) -> int | None:
    """Check the maximum number of records per block."""
    number: int | None = check_option("blocks", blocks)
    if number is not None and number < 2 * k:
        raise OptionError.blocks_too_small(number, k=k)
    return number


def rows_by_block(block: IntVector) -> list[IntVector]:
    """Return the rows of each block in ascending order."""
    return np.split(np.argsort(block, kind="stable"), np.cumsum(np.bincount(block))[:-1])


def _describe(method: str, cuts: CutTree, parts: list[IntVector]) -> str:
    largest = max(len(rows) for rows in parts)
    return f"{method} ran in {pluralize(cuts.n_blocks, 'block')} of at most {pluralize(largest, 'record')}."
