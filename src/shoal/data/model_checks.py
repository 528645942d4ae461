"""l-diversity and t-closeness of equivalence classes.

Computed from the value counts of all classes at once; shares no code with the kernels, which process group by group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from shoal.domain import BoolVector, FloatVector, IntVector, ModelCheck, ModelConstraints, SensitiveColumn
from shoal.domain.constraints import DISTINCT, ENTROPY, EQUAL, ORDERED, RECURSIVE, TOLERANCE
from shoal.domain.privacy_models import PrivacyModel


class ClassValueCounts(NamedTuple):
    """Value counts of each class, sorted by class and value."""

    group: IntVector
    value: IntVector
    records: IntVector
    sizes: IntVector

    @classmethod
    def from_keys(cls, keys: IntVector, records: IntVector, width: int) -> Self:
        """Build from the sorted distinct keys, class · width + value, and their counts."""
        group = keys // width
        return cls(group, keys % width, records, np.bincount(group, records).astype(np.int64))

    @classmethod
    def of(cls, classes: IntVector, values: IntVector, width: int, records: IntVector | None = None) -> Self:
        """Count the values, all below ``width``, in each class; ``records`` are those of each row, 1 by default."""
        keys, rows = np.unique(classes * width + values, return_inverse=True)
        return cls.from_keys(keys, np.bincount(rows, records).astype(np.int64), width)

    @property
    def proportion(self) -> FloatVector:
        proportions: FloatVector = self.records / self.sizes[self.group]
        return proportions

    def sum_by_class(self, weights: FloatVector) -> FloatVector:
        """Return the sum of the weights for each class."""
        return np.asarray(np.bincount(self.group, weights, minlength=len(self.sizes)), dtype=np.float64)

    def cumulative_counts(self) -> IntVector:
        """Return cumulative counts within each class."""
        total = np.cumsum(self.records)
        before: IntVector = total[self.starts] - self.records[self.starts]
        return total - before[self.group]

    @property
    def starts(self) -> IntVector:
        """Index of the first value of each class."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))


class ClassDistribution(NamedTuple):
    """One sensitive column: its value counts in some classes, and its distribution in the whole table."""

    column: SensitiveColumn
    classes: ClassValueCounts
    frequencies: FloatVector

    @classmethod
    def of(cls, column: SensitiveColumn, classes: IntVector) -> Self:
        """Count the values of a whole table in its classes."""
        counts = ClassValueCounts.of(classes, column.codes, column.n_values)
        return cls(column, counts, np.bincount(column.codes, minlength=column.n_values) / len(classes))


def check_models(
    constraints: ModelConstraints, models: Sequence[PrivacyModel], classes: IntVector
) -> tuple[ModelCheck, ...]:
    """Check each model: the value of the worst class, and the number of records in violating classes."""
    sizes, checks = np.bincount(classes), []
    for d, model in enumerate(models):
        values = class_values(constraints, d, classes)
        worst = values.max() if model.is_closeness else values.min()
        violations = int(sizes[~satisfies(constraints, d, values)].sum())
        checks.append(ModelCheck(model.column, model.notation, float(worst), violations))
    return tuple(checks)


def satisfies(constraints: ModelConstraints, rule: int, values: FloatVector) -> BoolVector:
    """Return which values satisfy rule d."""
    if constraints.rule[rule] in (DISTINCT, ENTROPY, RECURSIVE):
        return np.asarray(values >= constraints.threshold[rule] * (1 - TOLERANCE))
    return np.asarray(values <= constraints.threshold[rule] + TOLERANCE)


def class_values(constraints: ModelConstraints, rule: int, classes: IntVector) -> FloatVector:
    """Return the l or t of each class by rule d; classes are numbered from 0 without gaps."""
    s = int(constraints.column[rule])
    width = int(constraints.value_offsets[s + 1] - constraints.value_offsets[s])
    return values_of_counts(constraints, rule, ClassValueCounts.of(classes, constraints.codes[:, s], width))


def values_of_counts(constraints: ModelConstraints, index: int, counts: ClassValueCounts) -> FloatVector:
    """Return the l or t of each class by one rule, from value counts."""
    s, rule = int(constraints.column[index]), constraints.rule[index]
    shares = constraints.frequencies[constraints.value_offsets[s] : constraints.value_offsets[s + 1]]
    if rule == DISTINCT:
        return counts.sum_by_class(np.ones(len(counts.group)))
    if rule == ENTROPY:
        return entropy_diversity(counts)
    if rule == RECURSIVE:
        return _recursive(counts, float(constraints.factor[index]))
    if rule == EQUAL:
        return equal_closeness(counts, shares)
    if rule == ORDERED:
        return ordered_closeness(counts, shares)
    nodes = slice(constraints.node_offsets[s], constraints.node_offsets[s + 1])
    return hierarchical_closeness(counts, shares, constraints.parent[nodes], constraints.height[nodes])


def _recursive(cells: ClassValueCounts, factor: float) -> FloatVector:
    """Return the last rank from which the values together exceed the most frequent one divided by c; or 0."""
    order = np.lexsort((-cells.records, cells.group))
    by_count = cells._replace(records=cells.records[order])
    rank = np.arange(len(order)) - by_count.starts[by_count.group] + 1
    tail = by_count.sizes[by_count.group] - by_count.cumulative_counts() + by_count.records
    largest = by_count.records[by_count.starts][by_count.group]
    holds = largest < factor * tail * (1 - TOLERANCE)
    l_values = np.zeros(len(cells.sizes))
    np.maximum.at(l_values, by_count.group[holds], rank[holds])
    return l_values


def entropy_diversity(counts: ClassValueCounts) -> FloatVector:
    """Return the exponential of the entropy of each class."""
    return np.exp(-counts.sum_by_class(counts.proportion * np.log(counts.proportion)))


def equal_closeness(counts: ClassValueCounts, frequencies: FloatVector) -> FloatVector:
    """Return the total variation distance between each class and the table."""
    return counts.sum_by_class(np.maximum(counts.proportion - frequencies[counts.value], 0.0))


def ordered_closeness(counts: ClassValueCounts, frequencies: FloatVector) -> FloatVector:
    """Return the mean difference of the cumulative proportions of the class and the table.

    Between two values of the class, its cumulative proportion is constant and that of the table rises: they cross at
    most once, so the sums on both sides of the crossing give the difference.
    """
    table = np.cumsum(frequencies)
    prefix_sums = np.concatenate([[0.0], np.cumsum(table)])
    level, start = counts.cumulative_counts() / counts.sizes[counts.group], counts.value
    stop = np.full(len(start), len(frequencies))
    inside = np.flatnonzero(counts.group[1:] == counts.group[:-1])
    stop[inside] = start[inside + 1]
    cross = np.clip(np.searchsorted(table, level), start, stop)
    below, above = level * (cross - start), level * (stop - cross)
    areas = below - (prefix_sums[cross] - prefix_sums[start]) + (prefix_sums[stop] - prefix_sums[cross]) - above
    distances: FloatVector = (prefix_sums[start[counts.starts]] + counts.sum_by_class(areas)) / max(
        len(frequencies) - 1, 1
    )
    return distances


def hierarchical_closeness(
    counts: ClassValueCounts, frequencies: FloatVector, parent: IntVector, height: FloatVector
) -> FloatVector:
    """Return the earth mover's distance in the tree: flow over each edge times half of its rise in height.

    An edge above no value of a class carries the table's proportion below it. The result is therefore the sum for an
    empty class, corrected at the ancestors of the values of the class.
    """
    rise, table = (height[parent] - height) / 2, np.zeros(len(parent))
    table[: len(frequencies)] = frequencies
    for lower in np.flatnonzero(rise > 0):  # all but the root rise
        table[parent[lower]] += table[lower]
    keys, records, node = [], [], counts.value
    while (rise[node] > 0).any():
        keys.append(counts.group * len(parent) + node)
        records.append(counts.records)
        node = parent[node]
    key, position = np.unique(np.concatenate(keys), return_inverse=True)
    group, node = key // len(parent), key % len(parent)
    share = np.bincount(position, np.concatenate(records)) / counts.sizes[group]
    change = rise[node] * (np.abs(share - table[node]) - table[node])
    distances: FloatVector = (rise * table).sum() + np.bincount(group, change, minlength=len(counts.sizes))
    return distances
