"""Small pairs of tables drawn at random: numbers, intervals and categories of every kind, with gaps and blanks."""

from __future__ import annotations

import numpy as np

from shoal import Hierarchy
from shoal.hierarchy.semantics import distances
from shoal.measure import Classes, Pair
from shoal.schema import Kind
from shoal.tables.categories import by_rank, flat
from shoal.values import Categories, Scale, Sensitive
from shoal.values import middle as mean_of

TREE = Hierarchy.from_dict({"all": {"b": ["d", "e"], "c": ["f", "g", "h"], "i": []}})


def columns() -> list[Categories]:
    """A hierarchy, levels, and words among which missing is one."""
    levels, words = flat(["low", "mid", "high", "top"]), flat(["u", "v", "w", ""])
    return [
        Categories("tree", Kind.HIERARCHICAL, TREE, distances(TREE)),
        Categories("level", Kind.ORDINAL, levels, by_rank(levels), steps=6),
        Categories("word", Kind.NOMINAL, words, 1.0 - np.eye(5), steps=1, gap=3),
    ]


def draw(seed: int) -> Pair:
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
        absent[:, j] = codes[:, j] == 3 if column.gap else rng.random(n) < 0.1
        nodes[:, j] = np.where((rng.random(n) < 0.3) | (absent[:, j] & (not column.gap)), codes[:, j], nodes[:, j])
    numbers = np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 9, n).astype(float))
    names = [*(f"n{j}" for j in range(p)), *(column.name for column in kept)]
    rng.shuffle(names)
    alone = Classes(np.ones(n, dtype=np.int64), 2, numbers=np.arange(n))
    return Pair(
        names=tuple(names),
        before=alone,
        after=alone,
        numeric=tuple(f"n{j}" for j in range(p)),
        values=tuple(values.T),
        shown=tuple(shown.T),
        scale=Scale.standardized(values) if rng.random() < 0.7 else Scale.raw(values),
        gaps=gaps if gaps.any() else None,
        blank=blank if blank.any() else None,
        bounds=bounds,
        categories=tuple(kept),
        codes=codes if kept else np.empty((n, 0), dtype=np.int64),
        nodes=nodes if kept else np.empty((n, 0), dtype=np.int64),
        absent=absent,
        untold=absent,
        weights={name: float(rng.integers(1, 4)) for name in names if rng.random() < 0.5},
        sensitive=(Sensitive("cost", np.zeros(n, dtype=np.int64), 1, True, np.zeros(0), np.zeros(0), numbers),),
    )
