"""Diversity and closeness of classes: what the sensitive values of each class reach.

Counted on the values that occur in each class, for all classes at once; the kernels, which look at one group after
another, have no part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from shoal.schema.models import Model
from shoal.values import BoolVector, Demands, FloatVector, IntVector, ModelCheck
from shoal.values.demands import DISTINCT, ENTROPY, EQUAL, ORDERED, RECURSIVE, TOLERANCE


class Occurrences(NamedTuple):
    """The different values of each class and how many records have them, class by class and in the order of values."""

    group: IntVector
    value: IntVector
    records: IntVector
    sizes: IntVector
    """The records of each class."""

    @classmethod
    def of(cls, keys: IntVector, records: IntVector, width: int) -> Self:
        """From the different keys, class · width + value, in their order, and the records of each."""
        group = keys // width
        return cls(group, keys % width, records, np.bincount(group, records).astype(np.int64))

    @property
    def share(self) -> FloatVector:
        """What each value has of the records of its class."""
        part: FloatVector = self.records / self.sizes[self.group]
        return part

    def summed(self, weights: FloatVector) -> FloatVector:
        """The sum for each class."""
        return np.asarray(np.bincount(self.group, weights, minlength=len(self.sizes)), dtype=np.float64)

    def cumulated(self) -> IntVector:
        """The records of the class with this value or an earlier one in the order in which they stand here."""
        total = np.cumsum(self.records)
        before: IntVector = total[self.starts] - self.records[self.starts]
        return total - before[self.group]

    @property
    def starts(self) -> IntVector:
        """Where each class begins."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))


def check(demands: Demands, models: Sequence[Model], classes: IntVector) -> tuple[ModelCheck, ...]:
    """Each model with the figure of the worst class and the number of records in classes that break it."""
    sizes, found = np.bincount(classes), []
    for d, model in enumerate(models):
        figures = reached(demands, d, classes)
        worst = figures.max() if model.close else figures.min()
        violations = int(sizes[~meets(demands, d, figures)].sum())
        found.append(ModelCheck(model.column, model.written, float(worst), violations))
    return tuple(found)


def meets(demands: Demands, d: int, figures: FloatVector) -> BoolVector:
    """Which figures are enough for rule d."""
    if demands.rule[d] in (DISTINCT, ENTROPY, RECURSIVE):
        return np.asarray(figures >= demands.least[d] * (1 - TOLERANCE))
    return np.asarray(figures <= demands.least[d] + TOLERANCE)


def reached(demands: Demands, d: int, classes: IntVector) -> FloatVector:
    """The l or the t that each class reaches by rule d; classes are numbered from 0 without gaps."""
    s = int(demands.column[d])
    width = int(demands.first[s + 1] - demands.first[s])
    return figures(demands, d, _occurrences(classes, demands.codes[:, s], width))


def figures(demands: Demands, d: int, cells: Occurrences) -> FloatVector:
    """The same by the values that occur in each class."""
    s, rule = int(demands.column[d]), demands.rule[d]
    shares = demands.shares[demands.first[s] : demands.first[s + 1]]
    if rule == DISTINCT:
        return cells.summed(np.ones(len(cells.group)))
    if rule == ENTROPY:
        return np.exp(-cells.summed(cells.share * np.log(cells.share)))
    if rule == RECURSIVE:
        return _recursive(cells, float(demands.factor[d]))
    if rule == EQUAL:
        return equal_closeness(cells, shares)
    if rule == ORDERED:
        return ordered_closeness(cells, shares)
    nodes = slice(demands.nodes[s], demands.nodes[s + 1])
    return hierarchical_closeness(cells, shares, demands.above[nodes], demands.height[nodes])


def _occurrences(classes: IntVector, values: IntVector, width: int) -> Occurrences:
    keys, records = np.unique(classes * width + values, return_counts=True)
    return Occurrences.of(keys, records, width)


def _recursive(cells: Occurrences, factor: float) -> FloatVector:
    """The last rank from which on the values have together more than the most frequent one divided by c; or 0."""
    order = np.lexsort((-cells.records, cells.group))
    falling = cells._replace(records=cells.records[order])
    rank = np.arange(len(order)) - falling.starts[falling.group] + 1
    rest = falling.sizes[falling.group] - falling.cumulated() + falling.records
    most = falling.records[falling.starts][falling.group]
    holds = most < factor * rest * (1 - TOLERANCE)
    figures = np.zeros(len(cells.sizes))
    np.maximum.at(figures, falling.group[holds], rank[holds])
    return figures


def equal_closeness(cells: Occurrences, shares: FloatVector) -> FloatVector:
    """What each class has more of its values than the table."""
    return cells.summed(np.maximum(cells.share - shares[cells.value], 0.0))


def ordered_closeness(cells: Occurrences, shares: FloatVector) -> FloatVector:
    """The mean difference of the cumulated shares of the class and of the table.

    That of the class is level from each of its values to the next, and that of the table rises: on such a stretch the
    one crosses the other once, and sums over both parts tell the difference.
    """
    table = np.cumsum(shares)
    summed = np.concatenate([[0.0], np.cumsum(table)])
    level, start = cells.cumulated() / cells.sizes[cells.group], cells.value
    stop = np.full(len(start), len(shares))
    inside = np.flatnonzero(cells.group[1:] == cells.group[:-1])
    stop[inside] = start[inside + 1]
    cross = np.clip(np.searchsorted(table, level), start, stop)
    below, above = level * (cross - start), level * (stop - cross)
    parts = below - (summed[cross] - summed[start]) + (summed[stop] - summed[cross]) - above
    figures: FloatVector = (summed[start[cells.starts]] + cells.summed(parts)) / max(len(shares) - 1, 1)
    return figures


def hierarchical_closeness(
    cells: Occurrences, shares: FloatVector, above: IntVector, height: FloatVector
) -> FloatVector:
    """What has to pass each edge of the tree times half of what the edge rises, which comes to the distance of values.

    Edges above no value of a class pass what the table has below them; so the sum over all edges is that of an empty
    class and what the nodes above its values change of it.
    """
    rise, table = (height[above] - height) / 2, np.zeros(len(above))
    table[: len(shares)] = shares
    for lower in np.flatnonzero(rise > 0):  # all but the root rise
        table[above[lower]] += table[lower]
    keys, counts, node = [], [], cells.value
    while (rise[node] > 0).any():
        keys.append(cells.group * len(above) + node)
        counts.append(cells.records)
        node = above[node]
    key, place = np.unique(np.concatenate(keys), return_inverse=True)
    group, node = key // len(above), key % len(above)
    share = np.bincount(place, np.concatenate(counts)) / cells.sizes[group]
    change = rise[node] * (np.abs(share - table[node]) - table[node])
    figures: FloatVector = (rise * table).sum() + np.bincount(group, change, minlength=len(cells.sizes))
    return figures
