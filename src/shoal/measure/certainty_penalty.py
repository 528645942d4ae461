"""Certainty penalty: how much of its column a released cell leaves open.

A cell that shows a value is certain, whatever the value: 0. So is a mean or a centroid, which is shown exactly although
it stands for several records; how much of a column the records of a class cover is told by `extent`. An interval costs
its width as a share of the column's range, an inner node the leaves below it as a share of all leaves of the column's
hierarchy, both over the values that occur; a cell that shows nothing where something was costs 1. Cells that were
missing before do not count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.measure.column_loss import by_name
from shoal.measure.pair import Facts, Pair
from shoal.measure.registry import change, loss
from shoal.values import Categories, FloatVector

_XU = "Xu, Wang, Pei, Wang, Shi and Fu (2006), Utility-based anonymization using local recoding, KDD"
_GHINITA = "Ghinita, Karras, Kalnis and Mamoulis (2007), Fast data anonymization with low information loss, VLDB"


class Penalties(NamedTuple):
    """For each column, numbers before categories, the sum of the penalties, and the cells that count."""

    penalty: FloatVector
    cells: FloatVector


def penalties(block: Pair) -> Penalties | None:
    """Of a block."""
    found = [_numbers(block, j) for j in range(len(block.numeric))]
    found += [_nodes(block, j) for j in range(len(block.categories))]
    return Penalties(*np.array(found, dtype=np.float64).T) if found else None


def _numbers(block: Pair, j: int) -> tuple[float, int]:
    known, facts = ~block.gone(j), block.facts
    penalty = block.empty(j).astype(np.float64)
    ends, range_ = block.ends(j), facts.high[j] - facts.low[j]
    if ends is not None and range_ > 0:
        penalty = np.where(block.empty(j), 1.0, np.clip((ends[1] - ends[0]) / range_, 0.0, 1.0))
    return float(penalty[known].sum()), int(known.sum())


def _nodes(block: Pair, j: int) -> tuple[float, int]:
    known, codes, nodes = ~block.lacked(j), block.codes[:, j], block.nodes[:, j]
    penalty = np.where(nodes == codes, 0.0, open_shares(block.categories[j])[nodes])
    return float(penalty[known].sum()), int(known.sum())


def open_shares(column: Categories) -> FloatVector:
    """For each node the share of the leaves that it may mean: 0 for a leaf, 1 for the root and for what is missing."""
    below = np.zeros(len(column.hierarchy))
    inner = np.zeros(len(column.hierarchy), dtype=np.bool_)
    for number, parent in enumerate(column.hierarchy.parents[:-1]):
        if number != column.gap:
            below[parent] += below[number] if inner[number] else 1
            inner[parent] = True
    shares: FloatVector = np.where(inner, below / max(below[-1], 1.0), 0.0)
    if column.gap is not None:
        shares[[column.gap, -1]] = 1.0
    return shares


@loss(
    name="ncp",
    label="certainty penalty (NCP)",
    formula="Σ over cells of width / range, or leaves below the node / leaves; 0 for a value, 1 for nothing",
    range="0 to the number of cells",
    good="low",
    reference=_XU,
    sentence="What the cells leave open adds up to that of {figure} cells that show nothing.",
    part=penalties,
)
def ncp(sums: Penalties, _: Facts) -> float | None:
    """The normalized certainty penalty of all cells, summed."""
    return float(sums.penalty.sum())


@loss(
    name="gcp",
    label="mean certainty penalty (GCP)",
    formula="NCP / number of cells that were not missing",
    range="0 to 1",
    good="low",
    reference=_GHINITA,
    sentence="A cell leaves a share of {figure} of its column open on average.",
    part=penalties,
)
def gcp(sums: Penalties, _: Facts) -> float | None:
    """The global certainty penalty: the mean over cells.

    A mean or a centroid is shown exactly and costs nothing: `extent` tells what its class covers.
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
    part=penalties,
)
def certainty_penalty(sums: Penalties, facts: Facts) -> dict[str, float]:
    """The mean penalty of the cells of each column."""
    return by_name(sums.penalty / np.maximum(sums.cells, 1.0), facts)
