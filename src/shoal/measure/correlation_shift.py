"""Correlation shift: how far the correlations of the numbers moved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.measure.pair import Facts, Pair
from shoal.measure.registry import loss
from shoal.values import BoolMatrix, FloatMatrix

_TINY = 1e-12
_REFERENCE = "Templ, Kowarik and Meindl (2015), Statistical disclosure control with sdcMicro, JSS 67(4)"


class Moments(NamedTuple):
    """For any two columns, over the records that have both: their number, and sums of the first one, of its squares
    and of the products of both."""

    counts: FloatMatrix
    sums: FloatMatrix
    squares: FloatMatrix
    products: FloatMatrix


class Both(NamedTuple):
    """The moments of the original and of the released numbers."""

    before: Moments
    after: Moments


def moments(matrix: FloatMatrix, known: BoolMatrix | None) -> Moments:
    """Of columns that are centered, so that nothing is lost by their squares; without the cells not known."""
    rows, size = np.ascontiguousarray(matrix.T), (matrix.shape[1],) * 2
    if known is None:
        products = _products(rows, rows, symmetric=True)
        sums, squares = np.broadcast_to(rows.sum(axis=1), size).T, np.broadcast_to(np.diag(products), size).T
        return Moments(np.full(size, float(len(matrix))), sums, squares, products)
    here = np.ascontiguousarray(known.T).astype(np.float64)
    rows = np.where(known.T, rows, 0.0)
    counts, products = (_products(part, part, symmetric=True) for part in (here, rows))
    return Moments(counts, _products(rows, here), _products(rows**2, here), products)


def _products(rows: FloatMatrix, others: FloatMatrix, *, symmetric: bool = False) -> FloatMatrix:
    """The sums of the products of any two rows, by pairwise summation: no library decides their order."""
    found = np.empty((len(rows), len(others)))
    for i, row in enumerate(rows):
        for j, other in enumerate(others[: i + 1] if symmetric else others):
            found[i, j] = (row * other).sum()
            if symmetric:
                found[j, i] = found[i, j]
    return found


def both(block: Pair) -> Both | None:
    """Of a block, in standard deviations about the means of the table."""
    if len(block.numeric) < 2:
        return None
    facts, known = block.facts, None if block.gaps is None else ~block.gaps
    spread = np.where(facts.spread > 0, facts.spread, 1.0)
    return Both(*(moments((numbers - facts.center) / spread, known) for numbers in (block.was, block.now)))


def correlations(sums: Moments) -> FloatMatrix:
    """Of any two columns; NaN where one of them does not vary."""
    n = np.maximum(sums.counts, 1.0)
    variance = sums.squares - sums.sums**2 / n
    variance = np.where(variance > _TINY * sums.squares, variance, np.nan)
    found: FloatMatrix = (sums.products - sums.sums * sums.sums.T / n) / np.sqrt(variance * variance.T)
    return np.clip(found, -1.0, 1.0)


def differences(sums: Both) -> FloatMatrix:
    """What the correlation of each pair moved by, a pair once; only those that have one before and after."""
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
    part=both,
)
def correlation_shift(sums: Both, _: Facts) -> float | None:
    """The largest difference of a correlation of two numeric columns.

    A record counts for two columns where neither was missing; where the release shows nothing, the mean stands in.
    """
    moved = differences(sums)
    return float(moved.max()) if len(moved) else None


@loss(
    name="correlation_shift_mean",
    label="mean shift of a correlation",
    formula="mean over pairs of numeric columns of |r − r′|",
    range="0 to 2",
    good="near 0",
    reference=_REFERENCE,
    sentence="The correlation of two columns moved by {figure} on average.",
    part=both,
)
def correlation_shift_mean(sums: Both, _: Facts) -> float | None:
    """The mean difference of the correlations of two numeric columns."""
    moved = differences(sums)
    return float(moved.mean()) if len(moved) else None


@loss(
    name="eigenvalue_shift",
    label="shift of the eigenvalues",
    formula="Σ |λ − λ′| / λ over the eigenvalues of the correlation matrices in their order, where λ > 0",
    range="0 and up",
    good="near 0",
    reference=f"{_REFERENCE}: dUtility, method eigen",
    sentence="The eigenvalues of the correlations moved by {figure} of themselves in all.",
    part=both,
)
def eigenvalue_shift(sums: Both, _: Facts) -> float | None:
    """How far the eigenvalues of the correlations moved, as sdcMicro has it; columns of one value are left out."""
    matrices = [correlations(part) for part in sums]
    varied = ~np.isnan(sum(np.diag(matrix) for matrix in matrices))
    kept = [matrix[np.ix_(varied, varied)] for matrix in matrices]
    if varied.sum() < 2 or any(np.isnan(matrix).any() for matrix in kept):
        return None
    before, after = (np.linalg.eigvalsh(matrix) for matrix in kept)
    there = before > _TINY * len(before)
    return float((np.abs(before - after)[there] / before[there]).sum())
