"""Counting: the classes of a table as the risks see them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal import tables
from shoal.measure.pair import Classes
from shoal.tables import Table
from shoal.values import BoolVector, Design


def count_classes(
    table: Table,
    names: Sequence[str],
    *,
    k: int | None,
    missing: str,
    alpha: float,
    design: Design,
    apart: BoolVector | None = None,
    population: Table | None = None,
) -> Classes:
    """How many records look like each one in these columns, and how many persons they stand for.

    A missing value is a value of its own, unless it is a ``wildcard``, which counts by ``alpha``.
    No wildcard reaches records that are ``apart``, such as suppressed ones. In a ``population`` they are counted as
    they are shown, missing as a value.
    """
    numbers = tables.class_numbers(table, names)
    known = None if population is None else tables.population_counts(table, population, names)
    if missing == "wildcard":
        sizes, persons = tables.alike_counts(table, names, alpha=alpha, weights=design.sampling, apart=apart)
        return Classes(sizes, k, persons, design.households, int(numbers.max()) + 1, population=known)
    persons = None
    if design.sampling is not None:
        persons = np.bincount(numbers, design.sampling).astype(np.float64)[numbers]
    return Classes(np.bincount(numbers)[numbers], k, persons, design.households, numbers=numbers, population=known)
