"""Sums over the classes of a release that all measures of attribute disclosure share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Self, get_type_hints

import numpy as np

from shoal.data.model_checks import (
    ClassDistribution,
    entropy_diversity,
    equal_closeness,
    hierarchical_closeness,
    ordered_closeness,
)
from shoal.domain import FloatVector
from shoal.errors.messages import pluralize, quote_names
from shoal.metrics.partial_sums import MergeByMax, MergeByMin, merge_partials


class DisclosureSums(NamedTuple):
    """Sums and extremes over classes for one sensitive column."""

    records: int
    min_distinct: MergeByMin
    min_entropy: MergeByMin
    """Smallest exponential of the entropy."""
    homogeneous_records: int
    homogeneous_classes: int
    most_frequent: int
    """Records that have the most frequent value of their class."""
    max_frequency: MergeByMax
    """Frequency of the most frequent value of the table."""
    max_distance: MergeByMax
    """Largest distance to the distribution in the table, as the column is measured."""
    max_ratio: MergeByMax
    """Largest frequency of a value in a class over that in the table."""
    max_log_ratio: MergeByMax
    """Largest absolute logarithm of such a ratio."""

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Self:
        """Build from the numbers of a tuple, such as from JSON."""
        types = get_type_hints(cls).values()
        return cls(*(kind(number) for kind, number in zip(types, numbers, strict=True)))


def disclosure_sums(block: ClassDistribution) -> DisclosureSums:
    """Sums over whole classes; they do not depend on how the classes are divided into blocks."""
    classes = block.classes
    most_frequent = np.maximum.reduceat(classes.records, classes.starts)
    homogeneous = most_frequent == classes.sizes
    ratio = classes.proportion / block.frequencies[classes.value]
    return DisclosureSums(
        records=int(classes.sizes.sum()),
        min_distinct=MergeByMin(np.bincount(classes.group).min()),
        min_entropy=MergeByMin(entropy_diversity(classes).min()),
        homogeneous_records=int(classes.sizes[homogeneous].sum()),
        homogeneous_classes=int(homogeneous.sum()),
        most_frequent=int(most_frequent.sum()),
        max_frequency=MergeByMax(block.frequencies.max()),
        max_distance=MergeByMax(_distance(block).max()),
        max_ratio=MergeByMax(ratio.max()),
        max_log_ratio=MergeByMax(np.abs(np.log(ratio)).max()),
    )


def _distance(block: ClassDistribution) -> FloatVector:
    """The distance of each class, computed as by the privacy models."""
    column = block.column
    if column.ordered:
        return ordered_closeness(block.classes, block.frequencies)
    if len(column.parent):
        return hierarchical_closeness(block.classes, block.frequencies, column.parent, column.height)
    return equal_closeness(block.classes, block.frequencies)


def sum_disclosures(blocks: Iterable[ClassDistribution]) -> dict[str, DisclosureSums]:
    """Merge the sums of all blocks of each sensitive column."""
    sums: dict[str, DisclosureSums] = {}
    for block in blocks:
        of_block, name = disclosure_sums(block), block.column.name
        sums[name] = merge_partials([sums[name], of_block]) if name in sums else of_block
    return sums


def unmeasured_notes(sensitive: Sequence[str], measured: Mapping[str, DisclosureSums]) -> list[str]:
    """Return a note on sensitive columns whose distinct values are too many to be counted in pieces."""
    names = [name for name in sensitive if name not in measured]
    if not names:
        return []
    columns = f"{pluralize(len(names), 'sensitive column')} ({quote_names(names)})"
    return [f"what classes disclose about {columns} is not measured in pieces: there are too many different values"]
