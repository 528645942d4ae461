"""Households: their members stay in one group, so each household is grouped as one record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal import kernels
from shoal.domain import BoolVector, FloatVector, IntVector, Records
from shoal.errors import DataError


def check_household_sizes(households: IntVector, *, max_size: int) -> None:
    """Raise an error for too large households, which usually share a placeholder code."""
    sizes = np.bincount(households)
    if sizes.max() > max_size:
        raise DataError.household_too_large(
            largest=int(sizes.max()), most=max_size, households=int((sizes > max_size).sum())
        )


def merge_households(records: Records, households: IntVector) -> Records:
    """Merge the members of each household into one record: means of numbers, centers of categories.

    A value is missing only if all members miss it. Constraints on sensitive values are about persons and are dropped.
    """
    count = int(households.max()) + 1
    member_missing = (
        np.zeros((records.count, len(records.names)), dtype=np.bool_) if records.missing is None else records.missing
    )
    missing = np.ones((count, len(records.names)), dtype=np.bool_)
    np.logical_and.at(missing, households, member_missing)
    numbers = [
        _means(records.values[:, j], member_missing[:, records.names.index(name)], households)
        for j, name in enumerate(records.numeric)
    ]
    space, centers = records.space, kernels.centroids.centroids(records.space, households, count)
    for j, column in enumerate(records.categories):
        column_missing = member_missing[:, records.names.index(column.name)]
        if column_missing.any():
            known = kernels.centroids.centroids(space, np.where(column_missing, -1, households), count)
            partly_known = ~missing[:, records.names.index(column.name)]
            centers[partly_known, space.n_numeric + j] = known[partly_known, space.n_numeric + j]
    codes = centers[:, space.n_numeric : space.n_numeric + len(records.categories)].astype(np.int64)
    units = replace(
        records,
        values=np.column_stack(numbers) if numbers else np.empty((count, 0)),
        codes=codes if records.categories else records.codes,
        constraints=None,
        missing=None if records.missing is None else missing,
    )
    if records.numeric:
        centers[:, : space.n_numeric] = units.matrix
    centers[:, space.n_numeric + len(records.categories) :] = missing[
        :, [records.names.index(name) for name in records.missing_indicators]
    ]
    return units.with_space(space.with_points(centers))


def _means(values: FloatVector, missing: BoolVector, households: IntVector) -> FloatVector:
    """Return the mean of the known values of each household, or of the imputed values if none is known."""
    exponent = np.frexp(np.abs(values).max(initial=0.0))[1]
    scaled = np.ldexp(values, -exponent)
    anchor = scaled[0]  # relative to one value, so that large numbers lose no digits
    n_known = np.bincount(households, ~missing)
    known = np.bincount(households, np.where(missing, 0.0, scaled - anchor)) / np.maximum(n_known, 1.0)
    all_of_them = np.bincount(households, scaled - anchor) / np.bincount(households)
    means = np.ldexp(anchor + np.where(n_known > 0, known, all_of_them), exponent)
    return np.clip(means, values.min(), values.max())
