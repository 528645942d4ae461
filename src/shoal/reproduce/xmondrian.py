"""XMondrian as it is printed: one part for every value, whatever its size.

This is evidence about a paper and no method: most tables get classes of fewer than k records. It gives the sizes of
classes and nothing that could be released.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.values import IntVector, Records

Column = NDArray[Any]


def sizes_as_printed(records: Records, k: int) -> IntVector:
    """The sizes of the classes that section 3 of Padmaja and Santhi 2021 describes, the largest first.

    The widest column of a part is cut until the part has fewer than 2k - 1 records. The text does not say what the
    range of categories is; here it is the number of their different values less 1. Ranges are divided by those of the
    whole table, and of equally wide columns the first is cut, numbers before categories.
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
            cut = _at_median if widest < len(numbers) else _one_by_one
            parts += [rows[side] for side in cut(cells[widest])]
    return np.sort(np.array(sizes))[::-1]


def _ranges(columns: Sequence[Column], numbers: int) -> list[float]:
    """How wide each column is, the first so many of them numbers."""
    categories = [len(np.unique(column)) - 1.0 for column in columns[numbers:]]
    return [float(np.ptp(column)) for column in columns[:numbers]] + categories


def _at_median(cells: Column) -> list[Column]:
    """The numbers up to the median and the others; below it and the others, where it is the largest."""
    median = np.sort(cells)[(len(cells) - 1) // 2]
    left = cells <= median if median < cells.max() else cells < median
    return [left, ~left]


def _one_by_one(cells: Column) -> list[Column]:
    return [cells == value for value in np.unique(cells)]
