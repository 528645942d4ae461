"""Equivalence classes of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal import data
from shoal.data import Table
from shoal.domain import BoolVector, SurveyDesign
from shoal.metrics.inputs import EquivalenceClasses


def count_classes(
    table: Table,
    names: Sequence[str],
    *,
    k: int | None,
    missing: str,
    alpha: float,
    design: SurveyDesign,
    suppressed: BoolVector | None = None,
    population: Table | None = None,
) -> EquivalenceClasses:
    """Compute the size of each record's class in these columns, and its sampling weight.

    A missing value is a category of its own, unless ``missing`` is ``wildcard``: then compatible records count with
    ``alpha``, except those that are ``suppressed``. In a ``population`` table, missing is always a category.
    """
    labels = data.class_labels(table, names)
    population_sizes = None if population is None else data.population_counts(table, population, names)
    if missing == "wildcard":
        sizes, weighted_sizes = data.separate_wildcard_counts(
            table, names, alpha=alpha, weights=design.sampling_weights, apart=suppressed
        )
        return EquivalenceClasses(
            sizes, k, weighted_sizes, design.households, int(labels.max()) + 1, population_counts=population_sizes
        )
    weighted_sizes = None
    if design.sampling_weights is not None:
        weighted_sizes = np.bincount(labels, design.sampling_weights).astype(np.float64)[labels]
    return EquivalenceClasses(
        np.bincount(labels)[labels],
        k,
        weighted_sizes,
        design.households,
        labels=labels,
        population_counts=population_sizes,
    )
