"""Points of numbers alone that are nowhere farther apart than the records."""

from __future__ import annotations

import numpy as np

from shoal.values import BoolVector, FloatMatrix, Space

MOST = 64
"""Coordinates of a category."""
_NODES = 1_000
"""Nodes of a column for which coordinates are sought: that takes the cube of their number in time."""
_SAFE = 1e-9


def embedded(space: Space, *, most: int = MOST) -> FloatMatrix:
    """Points whose squared distances never exceed those of the space: numbers as they are, coordinates for categories.

    Whatever node c is the center of a group in one category, its records are there at least Σ |x - c|² from it in the
    coordinates of the nodes, and that is least for the mean of the coordinates. So the SSE of means of these points is
    at most the cost of the group, and what no partition of the points can go below no partition of the records can.
    """
    columns = [space.matrix[:, : space.numbers]]
    for j, (start, width) in enumerate(zip(space.starts, space.widths, strict=True)):
        codes = space.matrix[:, space.numbers + j].astype(np.int64)
        square = space.square[start : start + width * width].reshape(width, width)
        taken = np.bincount(codes, minlength=width) > 0
        columns.append(_coordinates(square, taken, most)[codes])
    points = np.column_stack(columns)
    varied = (points != points[:1]).any(axis=0)
    return np.ascontiguousarray(points[:, varied])


def _coordinates(square: FloatMatrix, taken: BoolVector, most: int) -> FloatMatrix:
    """Coordinates of nodes: of those that are taken to all others never farther than the table says.

    The principal coordinates of the table, shrunk until they nowhere exceed it. Nodes without a distance have the same
    place; where their distances to others differ, there are no coordinates at all.
    """
    size = len(square)
    first = np.argmax(square == 0.0, axis=1)  # each node, or the first one that is equal to it
    largest = float(square.max(initial=0.0))
    if not 2 <= size <= _NODES or largest == 0.0 or not (square[first][:, first] == square).all():
        return np.zeros((size, 0))
    centered = square / largest - (square / largest).mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (centered - centered.mean(axis=1)[:, None]))
    kept = [j for j in range(size - 1, -1, -1) if values[j] > _SAFE][:most]
    found = (vectors[:, kept] * np.sqrt(values[kept]))[first]
    apart = ((found[taken][:, None, :] - found[None, :, :]) ** 2).sum(axis=2)
    told = square[taken] / largest
    ratio = float(np.divide(apart, told, out=np.zeros_like(apart), where=told > 0.0).max(initial=0.0))
    return np.asarray(found * np.sqrt(largest * (1.0 - _SAFE) / max(ratio, 1.0)))
