"""Small pairs of tables drawn at random: numbers, intervals and categories of every kind, with gaps and blanks."""

from __future__ import annotations

import numpy as np

from shoal import Hierarchy
from shoal.data.encode.category_codes import flat_hierarchy, rank_distances
from shoal.domain import CategoricalColumn, Kind, Scale, SensitiveColumn
from shoal.domain import stable_mean as mean_of
from shoal.hierarchy.distances import distances
from shoal.metrics import EquivalenceClasses, MetricInputs

TREE = Hierarchy.from_dict({"all": {"b": ["d", "e"], "c": ["f", "g", "h"], "i": []}})


def columns() -> list[CategoricalColumn]:
    """A hierarchy, levels, and words among which missing is one."""
    levels, words = flat_hierarchy(["low", "mid", "high", "top"]), flat_hierarchy(["u", "v", "w", ""])
    return [
        CategoricalColumn("tree", Kind.HIERARCHICAL, TREE, distances(TREE)),
        CategoricalColumn("level", Kind.ORDINAL, levels, rank_distances(levels), n_steps=6),
        CategoricalColumn("word", Kind.NOMINAL, words, 1.0 - np.eye(5), n_steps=1, missing_code=3),
    ]


def draw(seed: int) -> MetricInputs:
    """A table of 1 to 25 records and something that could be its release."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 26)), int(rng.integers(0, 4))
    kept = [column for column in columns() if rng.random() < 0.6]
    values = rng.integers(-3, 4, (n, p)) * rng.choice([0.5, 3.0, 100.0], p)
    if p and rng.random() < 0.2:
        values[:, 0] = 7.3
    shown = np.where(rng.random((n, p)) < 0.4, values, rng.integers(-2, 3, (n, p)) * 1.5)
    gaps, blank = rng.random((n, p)) < 0.15, rng.random((n, p)) < 0.15
    if rng.random() < 0.5:
        gaps[:], blank[:] = False, False
    bounds = {}
    for j in range(p):
        gone = gaps[:, j]
        if j == 1:
            low, high = shown[:, j] - rng.integers(0, 3, n), shown[:, j] + rng.integers(0, 3, n)
            low[blank[:, j]] = high[blank[:, j]] = np.nan
            bounds["n1"], shown[:, j] = (low, high), (low + high) / 2
        middle = mean_of(values[~gone, j])
        values[gone, j] = middle
        shown[:, j] = np.where(gone, values[:, j], np.where(blank[:, j], middle, shown[:, j]))
    codes = np.array([rng.integers(0, len(column.hierarchy) - 1, n) for column in kept], dtype=np.int64).T
    nodes = np.array([rng.integers(0, len(column.hierarchy), n) for column in kept], dtype=np.int64).T
    absent = np.zeros((n, len(kept)), dtype=np.bool_)
    for j, column in enumerate(kept):
        absent[:, j] = codes[:, j] == 3 if column.missing_code else rng.random(n) < 0.1
        nodes[:, j] = np.where(
            (rng.random(n) < 0.3) | (absent[:, j] & (not column.missing_code)), codes[:, j], nodes[:, j]
        )
    numbers = np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 9, n).astype(float))
    names = [*(f"n{j}" for j in range(p)), *(column.name for column in kept)]
    rng.shuffle(names)
    alone = EquivalenceClasses(np.ones(n, dtype=np.int64), 2, labels=np.arange(n))
    return MetricInputs(
        quasi_identifiers=tuple(names),
        original_classes=alone,
        released_classes=alone,
        numeric=tuple(f"n{j}" for j in range(p)),
        original_values=tuple(values.T),
        released_values=tuple(shown.T),
        scale=Scale.standardized(values) if rng.random() < 0.7 else Scale.raw(values),
        original_missing=gaps if gaps.any() else None,
        released_missing=blank if blank.any() else None,
        released_intervals=bounds,
        categories=tuple(kept),
        original_codes=codes if kept else np.empty((n, 0), dtype=np.int64),
        released_codes=nodes if kept else np.empty((n, 0), dtype=np.int64),
        original_codes_missing=absent,
        released_codes_missing=absent,
        weights={name: float(rng.integers(1, 4)) for name in names if rng.random() < 0.5},
        sensitive=(SensitiveColumn("cost", np.zeros(n, dtype=np.int64), 1, True, np.zeros(0), np.zeros(0), numbers),),
    )
