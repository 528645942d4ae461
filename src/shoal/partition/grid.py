"""The grid of a mixed table: numbers and categories as ranks, equal records as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shoal import kernels
from shoal.partition.stages import stage
from shoal.values import Demands, FloatVector, IntMatrix, IntVector, Progress, Records, by_first_row
from shoal.values.arrays import dense

Step = Callable[[Any, int], None]
_MOST = 2**62
"""Combinations are numbered anew before their number could pass this."""


def lay(records: Records, *, codes: IntMatrix | None = None, together: bool = True) -> tuple[Any, IntVector]:
    """The grid of the records, and for each record its combination; or each by itself where not ``together``.

    Numbers have ranks and the values of the matrix; categories have places, only those that occur, in the order of
    their codes or of other ones. Records of one combination also agree in the sensitive columns that are asked about.
    """
    codes = records.codes if codes is None else codes
    columns = [np.unique(column, return_inverse=True) for column in records.matrix.T] if records.numeric else []
    columns += [_places(codes[:, j]) for j in range(len(records.categories))]
    columns += [_places(records.gone(name).astype(np.int64)) for name in apart(records)]
    demands = Demands.none(records.count) if records.demands is None else records.demands
    values = [values for values, _ in columns]
    if together and max(map(len, values)) < records.count:
        record, combination = _distinct([ranks for _, ranks in columns] + [*demands.codes.T])
    else:
        record = combination = np.arange(records.count)
    reach = np.array([column[-1] - column[0] for column in values])
    weights = column_weights(records)
    grid = kernels.grid.Grid(
        ranks=np.column_stack([ranks.astype(np.int32)[record] for _, ranks in columns]),
        counts=np.bincount(combination),
        record=record,
        values=np.concatenate(values),
        first=np.cumsum([0, *(len(column) for column in values)]),
        spans=reach / np.sqrt(weights / weights.max()),
        demands=demands,
    )
    return grid, combination


def column_weights(records: Records) -> FloatVector:
    """The weights of the columns in the order of a grid: numbers, categories, then whether numbers are missing."""
    return records.weights_of([*records.numeric, *(column.name for column in records.categories), *apart(records)])


def apart(records: Records) -> tuple[str, ...]:
    """The numbers of which some are missing, where that is a category of its own."""
    return tuple(name for name in records.numeric if records.apart and records.gone(name).any())


def _places(codes: IntVector) -> tuple[FloatVector, IntVector]:
    """The places of the categories that occur, and the place of each record."""
    place = np.cumsum(np.bincount(codes) > 0) - 1
    return np.arange(place[-1] + 1.0), place[codes]


def _distinct(columns: Sequence[IntVector]) -> tuple[IntVector, IntVector]:
    """The first record of each combination, and the combination of each record."""
    key, size = np.zeros_like(columns[0]), 1
    for column in columns:
        width = int(column.max()) + 1
        if size * width > _MOST:
            key = dense(key)
            size = int(key.max()) + 1
        key, size = key * width + column, size * width
    return by_first_row(key)


def cut(records: Records, grid: Any, step: Step, *, stages: int = 1, progress: Progress) -> IntVector:
    """Cut the combinations of a grid as the step does it, the first of so many stages; the labels of combinations."""
    parts = kernels.parts.begin(grid.ranks)
    labels: IntVector = kernels.parts.carry_on(parts, step, progress=stage(progress, records, 0, stages))
    return labels
