"""Two algorithms as printed: Multi-DSort and XMondrian, in the variants that give the printed figures.

Evidence about papers, not methods: k does not hold in their classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import kernels
from shoal.domain import IntVector, Records, no_progress
from shoal.metrics import total_sum_of_squares
from shoal.microaggregation.p_s import group_pairs, sort_by_ranks

Column = NDArray[Any]


def loss_as_printed(records: Records, k: int) -> float:
    """Return the information loss of Multi-DSort without the leftover records, after pairs of groups while 2k remain.

    Two leftover records are a group of their own.
    """
    labels = group_pairs(
        records, sort_by_ranks(records, rerank=False), k, min_records=2 * k, progress=no_progress
    ).labels.copy()
    leftover = np.flatnonzero(labels < 0)
    if len(leftover) == 2:
        labels[leftover] = labels.max() + 1
    counted, matrix = labels >= 0, records.matrix
    centers = kernels.centroids.centroids(records.space, labels, labels.max() + 1)
    error = float(((matrix[counted] - centers[labels[counted]]) ** 2).sum())
    return 100.0 * error / total_sum_of_squares(matrix)


def sizes_as_printed(records: Records, k: int) -> IntVector:
    """Return the sizes of the classes of section 3 of Padmaja and Santhi 2021, the largest first.

    The widest column of a part is cut until the part has fewer than 2k - 1 records. The text does not define the range
    of categories; here it is the number of distinct values less 1. Ranges are divided by those of the whole table. Of
    equally wide columns, the first is cut, numbers before categories.
    """
    numbers = [*records.values.T]
    columns = [*numbers, *records.codes.T]
    spans = np.array(_ranges(columns, len(numbers)))
    sizes, parts = [], [np.arange(records.count)]
    while parts:
        rows = parts.pop()
        cells = [column[rows] for column in columns]
        widths = np.array(_ranges(cells, len(numbers))) / np.where(spans > 0, spans, 1.0)
        widest = int(widths.argmax())
        if len(rows) < 2 * k - 1 or widths[widest] == 0:
            sizes.append(len(rows))
        else:
            cut = _split_at_median if widest < len(numbers) else _split_by_value
            parts += [rows[side] for side in cut(cells[widest])]
    return np.sort(np.array(sizes))[::-1]


def _ranges(columns: Sequence[Column], numbers: int) -> list[float]:
    """Return the range of each column; the first ``numbers`` columns are numeric."""
    categories = [len(np.unique(column)) - 1.0 for column in columns[numbers:]]
    return [float(np.ptp(column)) for column in columns[:numbers]] + categories


def _split_at_median(cells: Column) -> list[Column]:
    """Split at the median: up to it, or below it if it is the maximum, and the rest."""
    median = np.sort(cells)[(len(cells) - 1) // 2]
    left = cells <= median if median < cells.max() else cells < median
    return [left, ~left]


def _split_by_value(cells: Column) -> list[Column]:
    return [cells == value for value in np.unique(cells)]
