"""Correlation shift: the change of the correlations between numeric columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import BoolMatrix, FloatMatrix
from shoal.metrics.inputs import MetricInputs, TableFacts
from shoal.metrics.registry import loss

_TINY = 1e-12
_REFERENCE = "Templ, Kowarik and Meindl (2015), Statistical disclosure control with sdcMicro, JSS 67(4)"


class CrossMoments(NamedTuple):
    """For each pair of columns, over the records with both: the count, the sum of the first column, the sum of its
    squares, and the sum of products.
    """

    counts: FloatMatrix
    sums: FloatMatrix
    squares: FloatMatrix
    products: FloatMatrix


class CrossMomentsPair(NamedTuple):
    """Moments of the original and of the released numbers."""

    before: CrossMoments
    after: CrossMoments


def cross_moments(matrix: FloatMatrix, known: BoolMatrix | None) -> CrossMoments:
    """Moments of centered columns (centering avoids cancellation), without missing values."""
    rows, size = np.ascontiguousarray(matrix.T), (matrix.shape[1],) * 2
    if known is None:
        products = _products(rows, rows, symmetric=True)
        sums, squares = np.broadcast_to(rows.sum(axis=1), size).T, np.broadcast_to(np.diag(products), size).T
        return CrossMoments(np.full(size, float(len(matrix))), sums, squares, products)
    here = np.ascontiguousarray(known.T).astype(np.float64)
    rows = np.where(known.T, rows, 0.0)
    counts, products = (_products(part, part, symmetric=True) for part in (here, rows))
    return CrossMoments(counts, _products(rows, here), _products(rows**2, here), products)


def _products(rows: FloatMatrix, others: FloatMatrix, *, symmetric: bool = False) -> FloatMatrix:
    """Dot products of all pairs of rows, by pairwise summation so that no BLAS decides the order of additions."""
    products = np.empty((len(rows), len(others)))
    for i, row in enumerate(rows):
        for j, other in enumerate(others[: i + 1] if symmetric else others):
            products[i, j] = (row * other).sum()
            if symmetric:
                products[j, i] = products[i, j]
    return products


def cross_moments_pair(block: MetricInputs) -> CrossMomentsPair | None:
    """Partial sums of a block, in standard deviations from the means of the table."""
    if len(block.numeric) < 2:
        return None
    facts, known = block.facts, None if block.original_missing is None else ~block.original_missing
    spread = np.where(facts.stds > 0, facts.stds, 1.0)
    return CrossMomentsPair(
        *(cross_moments((numbers - facts.means) / spread, known) for numbers in (block.original, block.released))
    )


def correlations(sums: CrossMoments) -> FloatMatrix:
    """Correlation matrix; NaN where a column does not vary."""
    n = np.maximum(sums.counts, 1.0)
    variance = sums.squares - sums.sums**2 / n
    variance = np.where(variance > _TINY * sums.squares, variance, np.nan)
    matrix: FloatMatrix = (sums.products - sums.sums * sums.sums.T / n) / np.sqrt(variance * variance.T)
    return np.clip(matrix, -1.0, 1.0)


def correlation_changes(sums: CrossMomentsPair) -> FloatMatrix:
    """Absolute change of each correlation that is defined before and after; each pair of columns once."""
    moved = np.abs(correlations(sums.before) - correlations(sums.after))[np.triu_indices(len(sums.before.sums), 1)]
    return moved[~np.isnan(moved)]


@loss(
    name="correlation_shift",
    label="largest shift of a correlation",
    formula="max over pairs of numeric columns of |r − r′|; columns of one value left out",
    range="0 to 2",
    good="near 0",
    reference=_REFERENCE,
    sentence="No correlation of two columns moved by more than {figure}.",
    headline=True,
    partial=cross_moments_pair,
)
def correlation_shift(sums: CrossMomentsPair, _: TableFacts) -> float | None:
    """Largest change of a correlation of two numeric columns.

    A record counts for two columns if neither was missing; a missing released value counts as the mean.
    """
    moved = correlation_changes(sums)
    return float(moved.max()) if len(moved) else None


@loss(
    name="correlation_shift_mean",
    label="mean shift of a correlation",
    formula="mean over pairs of numeric columns of |r − r′|",
    range="0 to 2",
    good="near 0",
    reference=_REFERENCE,
    sentence="The correlation of two columns moved by {figure} on average.",
    partial=cross_moments_pair,
)
def correlation_shift_mean(sums: CrossMomentsPair, _: TableFacts) -> float | None:
    """Mean change of the correlations of two numeric columns."""
    moved = correlation_changes(sums)
    return float(moved.mean()) if len(moved) else None


@loss(
    name="eigenvalue_shift",
    label="shift of the eigenvalues",
    formula="Σ |λ − λ′| / λ over the eigenvalues of the correlation matrices in their order, where λ > 0",
    range="0 and up",
    good="near 0",
    reference=f"{_REFERENCE}: dUtility, method eigen",
    sentence="The eigenvalues of the correlations moved by {figure} of themselves in all.",
    partial=cross_moments_pair,
)
def eigenvalue_shift(sums: CrossMomentsPair, _: TableFacts) -> float | None:
    """Total relative change of the eigenvalues of the correlation matrix, as in sdcMicro, without constant columns."""
    matrices = [correlations(part) for part in sums]
    varied = ~np.isnan(sum(np.diag(matrix) for matrix in matrices))
    reduced = [matrix[np.ix_(varied, varied)] for matrix in matrices]
    if varied.sum() < 2 or any(np.isnan(matrix).any() for matrix in reduced):
        return None
    before, after = (np.linalg.eigvalsh(matrix) for matrix in reduced)
    positive = before > _TINY * len(before)
    return float((np.abs(before - after)[positive] / before[positive]).sum())
