"""Embedding of mixed records into numeric points that never increases a distance."""

from __future__ import annotations

import numpy as np

from shoal.domain import BoolVector, FloatMatrix, Space

MAX_COORDINATES = 64
"""Maximum number of coordinates of a category."""
_MAX_NODES = 1_000
"""Maximum number of nodes of an embedded column; the time is cubic in the nodes."""
_TOLERANCE = 1e-9


def embed(space: Space, *, max_coordinates: int = MAX_COORDINATES) -> FloatMatrix:
    """Embed records as points whose squared distances never exceed those of the space.

    Numbers stay unchanged; categories get coordinates. For any node c as the center of a group, the cost in a category
    is at least Σ |x - c|² in the coordinates of the nodes, which is minimal at the mean of the coordinates. The SSE of
    the points around their mean is thus at most the cost of the group, so a lower bound for the points holds for the
    records.
    """
    columns = [space.matrix[:, : space.n_numeric]]
    for j, (start, width) in enumerate(zip(space.table_offsets, space.widths, strict=True)):
        codes = space.matrix[:, space.n_numeric + j].astype(np.int64)
        square = space.squared_distances[start : start + width * width].reshape(width, width)
        used = np.bincount(codes, minlength=width) > 0
        columns.append(_coordinates(square, used, max_coordinates)[codes])
    points = np.column_stack(columns)
    varied = (points != points[:1]).any(axis=0)
    return np.ascontiguousarray(points[:, varied])


def _coordinates(square: FloatMatrix, used: BoolVector, most: int) -> FloatMatrix:
    """Compute principal coordinates of nodes, scaled down until no distance from a used node exceeds the table.

    Nodes at distance 0 get the same coordinates. If their distances to other nodes differ, no coordinates exist.
    """
    size = len(square)
    first = np.argmax(square == 0.0, axis=1)  # each node, or the first node at distance 0 from it
    largest = float(square.max(initial=0.0))
    if not 2 <= size <= _MAX_NODES or largest == 0.0 or not (square[first][:, first] == square).all():
        return np.zeros((size, 0))
    centered = square / largest - (square / largest).mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (centered - centered.mean(axis=1)[:, None]))
    axes = [j for j in range(size - 1, -1, -1) if values[j] > _TOLERANCE][:most]
    coordinates = (vectors[:, axes] * np.sqrt(values[axes]))[first]
    embedded_square = ((coordinates[used][:, None, :] - coordinates[None, :, :]) ** 2).sum(axis=2)
    table_square = square[used] / largest
    ratio = float(
        np.divide(embedded_square, table_square, out=np.zeros_like(embedded_square), where=table_square > 0.0).max(
            initial=0.0
        )
    )
    return np.asarray(coordinates * np.sqrt(largest * (1.0 - _TOLERANCE) / max(ratio, 1.0)))
