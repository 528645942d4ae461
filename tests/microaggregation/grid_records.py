"""Mixed records that hypothesis draws: numbers with ties, categories of all kinds, weights, and constraints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from category_records import category_records
from hypothesis import strategies as st

from shoal.domain import ModelConstraints, Records, Scale
from shoal.domain.constraints import DISTINCT


@st.composite
def mixed_records(draw: st.DrawFn, *, most: int = 60) -> Records:
    """Up to two columns of numbers and three of categories."""
    given = draw(category_records(most=most))
    seed, columns = draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 2))
    values = np.random.default_rng(seed).integers(0, draw(st.sampled_from([3, 50])), (given.count, columns)) / 2.0
    names = tuple(f"n{j}" for j in range(columns))
    weights = np.concatenate([np.array([1.0, 3.0])[:columns], given.weights])
    return replace(given, names=names + given.names, values=values, scale=Scale.standardized(values), weights=weights)


def diverse(records: Records, least: int, *, values: int = 3, seed: int = 0) -> Records:
    """The same records with a sensitive column, of which every group must have so many different values."""
    codes = np.random.default_rng(seed).integers(0, values, (records.count, 1))
    codes[:values, 0] = np.arange(values)[: records.count]
    constraints = ModelConstraints.none(records.count)._replace(
        codes=codes,
        value_offsets=np.array([0, values]),
        column=np.array([0]),
        rule=np.array([DISTINCT]),
        threshold=np.array([float(least)]),
        factor=np.zeros(1),
        frequencies=np.bincount(codes[:, 0], minlength=values) / records.count,
    )
    return replace(records, constraints=constraints)
