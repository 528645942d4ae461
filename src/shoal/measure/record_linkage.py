"""Record linkage: looking for the released record that is nearest to an original one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal import kernels
from shoal.measure.pair import Pair
from shoal.measure.points import Points, complete, released_points
from shoal.measure.registry import attack
from shoal.values import FloatMatrix, IntVector

if TYPE_CHECKING:
    from shoal.kernels.links import Squares

WORK = 4e9
"""Cells of records and points that are compared, at most: some seconds, since most points are too far after a cell or
two. Beyond that a part of the records is tried."""
_REFERENCE = "Pagliuca and Seri (1999), Some results of individual ranking method on the system of enterprise accounts"


@attack(
    name="record_linkage",
    label="records linked to their own",
    unit="%",
    formula="100 · mean over records tried of 1/(released records at the least distance) where its own is among them,"
    " else 0; distance² = Σ weight · d² over columns",
    range="0 to 100 percent",
    good="at most 100/k",
    reference=_REFERENCE,
    sentence="Who takes the nearest released record finds the right one for {figure} of 100 records.",
    headline=True,
    searching=True,
)
def record_linkage(pair: Pair) -> float | None:
    """The share of the records that are found by taking the nearest released one, in percent.

    Numbers are compared on the base, categories by their distances. Of an interval the middle counts; what shows
    nothing counts for the mean, or for the root of its hierarchy; a number that was missing is not compared. Distances
    that differ by less than a billionth of them are equal. Records are tried evenly spaced where all would take too
    long; `record_linkage_tried` tells their number.
    """
    if not complete(pair):
        return None
    points = released_points(pair)
    rows, sizes = _tried(pair, points), np.bincount(points.labels).astype(np.float64)
    squares, originals, shown = _compared(pair, points, rows)
    step, found = max(1, kernels.jit.SLICE // (points.number * len(pair.names))), []
    for start in range(0, len(rows), step):
        some = slice(start, start + step)
        found.append(kernels.links.credit(squares, originals[some], shown, sizes, points.labels[rows[some]]))
    return 100.0 * float(np.concatenate(found).mean())


@attack(
    name="record_linkage_tried",
    label="records tried to link",
    unit="records",
    formula="n, or evenly spaced records as far as the work allows",
    range="1 to n",
    good="n",
    reference=_REFERENCE,
    sentence="Records for which the nearest released one was looked for: {figure}.",
    searching=True,
)
def record_linkage_tried(pair: Pair) -> float | None:
    """The records for which the nearest released one was looked for."""
    return len(_tried(pair, released_points(pair))) if complete(pair) else None


def _tried(pair: Pair, points: Points) -> IntVector:
    """All records, or as many evenly spaced ones as the work allows."""
    n = pair.records
    number = min(n, max(1, int(WORK / (points.number * len(pair.names)))))
    return np.arange(number, dtype=np.int64) * n // number


def _compared(pair: Pair, points: Points, rows: IntVector) -> tuple[Squares, FloatMatrix, FloatMatrix]:
    """How rows are compared, these records and the points: weighted numbers, NaN where missing, then codes."""
    facts = pair.facts
    weights = np.sqrt([facts.weight_of(name) for name in pair.numeric])
    was = [np.where(pair.gone(j)[rows], np.nan, pair.was[rows, j] * weights[j]) for j in range(len(pair.numeric))]
    shown = [pair.now[points.tellers[:, j], j] * weights[j] for j in range(len(pair.numeric))]
    tables = [column.distance**2 * facts.weight_of(column.name) for column in pair.categories]
    widths = np.array([len(table) for table in tables], dtype=np.int64)
    square = np.concatenate([np.empty(0), *(table.ravel() for table in tables)])
    codes = pair.codes[rows].T if pair.categories else ()
    return (
        kernels.links.Squares(len(pair.numeric), square, np.cumsum(widths**2) - widths**2, widths),
        np.column_stack([*was, *codes]).astype(np.float64),
        np.column_stack([*shown, points.nodes]).astype(np.float64),
    )
