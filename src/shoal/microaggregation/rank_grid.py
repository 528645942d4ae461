"""Rank grid of a mixed table: numbers and categories as ranks, equal records merged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shoal import kernels
from shoal.domain import FloatVector, IntMatrix, IntVector, ModelConstraints, Progress, Records, number_by_first_row
from shoal.domain.arrays import dense_ranks
from shoal.microaggregation.stages import stage_progress

_MAX_KEY = 2**62
"""Maximum key; keys are compacted before they can exceed it."""


def build_rank_grid(
    records: Records, *, codes: IntMatrix | None = None, merge_equal: bool = True
) -> tuple[Any, IntVector]:
    """Build the rank grid, and return the tuple of each record; without ``merge_equal`` each record is a tuple.

    Numbers have ranks and the values of the matrix. Categories that occur have positions in the order of their codes,
    or of the given ``codes``. Records of one tuple also agree in the constrained sensitive columns.
    """
    codes = records.codes if codes is None else codes
    columns = [np.unique(column, return_inverse=True) for column in records.matrix.T] if records.numeric else []
    columns += [_positions(codes[:, j]) for j in range(len(records.categories))]
    columns += [_positions(records.is_missing(name).astype(np.int64)) for name in missing_indicators(records)]
    constraints = ModelConstraints.none(records.count) if records.constraints is None else records.constraints
    values = [values for values, _ in columns]
    if merge_equal and max(map(len, values)) < records.count:
        record, combination = _distinct([ranks for _, ranks in columns] + [*constraints.codes.T])
    else:
        record = combination = np.arange(records.count)
    ranges = np.array([column[-1] - column[0] for column in values])
    weights = grid_weights(records)
    grid = kernels.splits.rank_cuts.RankGrid(
        ranks=np.column_stack([ranks.astype(np.int32)[record] for _, ranks in columns]),
        counts=np.bincount(combination),
        record=record,
        values=np.concatenate(values),
        first=np.cumsum([0, *(len(column) for column in values)]),
        spans=ranges / np.sqrt(weights / weights.max()),
        constraints=constraints,
    )
    return grid, combination


def grid_weights(records: Records) -> FloatVector:
    """Return the column weights in grid order: numbers, categories, then missing-value indicators of numbers."""
    return records.weights_of(
        [*records.numeric, *(column.name for column in records.categories), *missing_indicators(records)]
    )


def missing_indicators(records: Records) -> tuple[str, ...]:
    """Return the numeric columns with missing values, if these form a category of their own."""
    return tuple(name for name in records.numeric if records.separate_missing and records.is_missing(name).any())


def _positions(codes: IntVector) -> tuple[FloatVector, IntVector]:
    """Return the positions of the categories that occur, and the position of each record."""
    position = np.cumsum(np.bincount(codes) > 0) - 1
    return np.arange(position[-1] + 1.0), position[codes]


def _distinct(columns: Sequence[IntVector]) -> tuple[IntVector, IntVector]:
    """Return the first record of each tuple, and the tuple of each record."""
    key, size = np.zeros_like(columns[0]), 1
    for column in columns:
        width = int(column.max()) + 1
        if size * width > _MAX_KEY:
            key = dense_ranks(key)
            size = int(key.max()) + 1
        key, size = key * width + column, size * width
    return number_by_first_row(key)


def cut_grid(
    records: Records, grid: Any, split: Callable[..., None], *arguments: Any, stages: int = 1, progress: Progress
) -> IntVector:
    """Cut the tuples of a grid by a kernel, as the first of several stages; return labels of tuples."""
    parts, first_progress = kernels.splits.recursion.init(grid.ranks), stage_progress(progress, records, 0, stages)
    return kernels.splits.recursion.run(parts, split, grid, *arguments, progress=first_progress)
