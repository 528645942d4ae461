"""Certainty penalty: the uncertainty of a released cell relative to its column.

A released value has penalty 0, whatever the value, and so has a mean or a centroid; `extent` measures how much of a
column the records of a class cover. The penalty of an interval is its width as a fraction of the column's range. The
penalty of an inner node is the number of leaves below it as a fraction of all leaves of the hierarchy. Both refer to
the values that occur. A cell that lost its value has penalty 1. Cells that were missing before do not count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import CategoricalColumn, FloatVector
from shoal.metrics.inputs import MetricInputs, TableFacts
from shoal.metrics.registry import change, loss
from shoal.metrics.squared_error import map_columns

_XU = "Xu, Wang, Pei, Wang, Shi and Fu (2006), Utility-based anonymization using local recoding, KDD"
_GHINITA = "Ghinita, Karras, Kalnis and Mamoulis (2007), Fast data anonymization with low information loss, VLDB"


class Penalties(NamedTuple):
    """The sum of the penalties and the number of cells of each column, numeric before categorical."""

    penalty: FloatVector
    cells: FloatVector


def penalty_sums(block: MetricInputs) -> Penalties | None:
    """Partial sums of a block."""
    sums = [_numeric_penalty(block, j) for j in range(len(block.numeric))]
    sums += [_node_penalty(block, j) for j in range(len(block.categories))]
    return Penalties(*np.array(sums, dtype=np.float64).T) if sums else None


def _numeric_penalty(block: MetricInputs, j: int) -> tuple[float, int]:
    known, facts = ~block.is_original_missing(j), block.facts
    penalty = block.is_released_missing(j).astype(np.float64)
    interval, range_ = block.scaled_intervals(j), facts.maxima[j] - facts.minima[j]
    if interval is not None and range_ > 0:
        penalty = np.where(block.is_released_missing(j), 1.0, np.clip((interval[1] - interval[0]) / range_, 0.0, 1.0))
    return float(penalty[known].sum()), int(known.sum())


def _node_penalty(block: MetricInputs, j: int) -> tuple[float, int]:
    known, codes, nodes = ~block.is_original_code_missing(j), block.original_codes[:, j], block.released_codes[:, j]
    penalty = np.where(nodes == codes, 0.0, node_penalties(block.categories[j])[nodes])
    return float(penalty[known].sum()), int(known.sum())


def node_penalties(column: CategoricalColumn) -> FloatVector:
    """The penalty of each node: 0 for a leaf, 1 for the root and for the node of missing values."""
    below = np.zeros(len(column.hierarchy))
    inner = np.zeros(len(column.hierarchy), dtype=np.bool_)
    for node, parent in enumerate(column.hierarchy.parents[:-1]):
        if node != column.missing_code:
            below[parent] += below[node] if inner[node] else 1
            inner[parent] = True
    penalties: FloatVector = np.where(inner, below / max(below[-1], 1.0), 0.0)
    if column.missing_code is not None:
        penalties[[column.missing_code, -1]] = 1.0
    return penalties


@loss(
    name="ncp",
    label="certainty penalty (NCP)",
    formula="Σ over cells of width / range, or leaves below the node / leaves; 0 for a value, 1 for nothing",
    range="0 to the number of cells",
    good="low",
    reference=_XU,
    sentence="What the cells leave open adds up to that of {figure} cells that show nothing.",
    partial=penalty_sums,
)
def ncp(sums: Penalties, _: TableFacts) -> float | None:
    """Normalized certainty penalty: the sum over all cells."""
    return float(sums.penalty.sum())


@loss(
    name="gcp",
    label="mean certainty penalty (GCP)",
    formula="NCP / number of cells that were not missing",
    range="0 to 1",
    good="low",
    reference=_GHINITA,
    sentence="A cell leaves a share of {figure} of its column open on average.",
    partial=penalty_sums,
)
def gcp(sums: Penalties, _: TableFacts) -> float | None:
    """Global certainty penalty: the mean over all cells.

    A mean or a centroid has no penalty: `extent` tells what its class covers.
    """
    return float(sums.penalty.sum() / max(sums.cells.sum(), 1.0))


@change(
    name="certainty_penalty",
    label="certainty penalty",
    formula="mean over the cells of the column of width / range, or leaves below the node / leaves",
    range="0 to 1",
    good="low",
    reference=_XU,
    sentence="A cell of {column} leaves a share of {figure} of it open on average.",
    partial=penalty_sums,
)
def certainty_penalty(sums: Penalties, facts: TableFacts) -> dict[str, float]:
    """Mean penalty of the cells of each column."""
    return map_columns(sums.penalty / np.maximum(sums.cells, 1.0), facts)
