"""Households: records whose members stay together are grouped as one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal import kernels
from shoal.errors import DataError
from shoal.values import BoolVector, FloatVector, IntVector, Records


def check_sizes(households: IntVector, *, most: int) -> None:
    """Refuse households with more members than allowed: mostly one code that stands for many."""
    sizes = np.bincount(households)
    if sizes.max() > most:
        raise DataError.large_household(largest=int(sizes.max()), most=most, households=int((sizes > most).sum()))


def as_one(records: Records, households: IntVector) -> Records:
    """A record for each household: the means of its members' numbers, and the centers of their categories.

    What only some members are missing is known from the others. Demands on sensitive values are about persons and
    are left out here.
    """
    count = int(households.max()) + 1
    gone = np.zeros((records.count, len(records.names)), dtype=np.bool_) if records.missing is None else records.missing
    missing = np.ones((count, len(records.names)), dtype=np.bool_)
    np.logical_and.at(missing, households, gone)
    numbers = [
        _means(records.values[:, j], gone[:, records.names.index(name)], households)
        for j, name in enumerate(records.numeric)
    ]
    space, found = records.space, kernels.groups.centroids(records.space, households, count)
    for j, column in enumerate(records.categories):
        unknown = gone[:, records.names.index(column.name)]
        if unknown.any():
            known = kernels.groups.centroids(space, np.where(unknown, -1, households), count)
            some = ~missing[:, records.names.index(column.name)]
            found[some, space.numbers + j] = known[some, space.numbers + j]
    codes = found[:, space.numbers : space.numbers + len(records.categories)].astype(np.int64)
    units = replace(
        records,
        values=np.column_stack(numbers) if numbers else np.empty((count, 0)),
        codes=codes if records.categories else records.codes,
        demands=None,
        missing=None if records.missing is None else missing,
    )
    if records.numeric:
        found[:, : space.numbers] = units.matrix
    found[:, space.numbers + len(records.categories) :] = missing[
        :, [records.names.index(name) for name in records.lacking]
    ]
    units.__dict__["space"] = space.with_points(found)  # with the tables and sketches of the persons
    return units


def _means(values: FloatVector, gone: BoolVector, households: IntVector) -> FloatVector:
    """The mean of the known values of each household, or of all stand-ins where none is known."""
    exponent = np.frexp(np.abs(values).max(initial=0.0))[1]
    small = np.ldexp(values, -exponent)
    anchor = small[0]  # relative to one value, so that large numbers lose no digits
    members = np.bincount(households, ~gone)
    known = np.bincount(households, np.where(gone, 0.0, small - anchor)) / np.maximum(members, 1.0)
    all_of_them = np.bincount(households, small - anchor) / np.bincount(households)
    means = np.ldexp(anchor + np.where(members > 0, known, all_of_them), exponent)
    bounded: FloatVector = np.clip(means, values.min(), values.max())
    return bounded
