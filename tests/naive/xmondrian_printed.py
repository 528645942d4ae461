"""A naive version of XMondrian exactly as printed, on plain lists."""

from __future__ import annotations

from typing import Any

Rows = list[tuple[Any, ...]]


def sizes(rows: Rows, numbers: int, k: int) -> list[int]:
    """The sizes of the classes, the largest first; the first so many columns are numbers."""

    def width(part: Rows, j: int) -> float:
        values = [row[j] for row in part]
        return max(values) - min(values) if j < numbers else len(set(values)) - 1

    def classes(part: Rows) -> list[int]:
        wide = [width(part, j) / (width(rows, j) or 1) for j in range(len(rows[0]))]
        j = wide.index(max(wide))
        if len(part) < 2 * k - 1 or wide[j] == 0:
            return [len(part)]
        keys = [row[j] for row in part]
        if j < numbers:
            median = sorted(keys)[(len(keys) - 1) // 2]
            keys = [value < median if median == max(keys) else value <= median for value in keys]
        sides = [[row for row, key in zip(part, keys, strict=True) if key == side] for side in set(keys)]
        return [size for side in sides for size in classes(side)]

    return sorted(classes(rows), reverse=True)
