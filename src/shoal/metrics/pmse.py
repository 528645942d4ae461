"""pMSE: how well a logistic regression separates released from original records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatMatrix, FloatVector
from shoal.metrics.inputs import MetricInputs, memoize
from shoal.metrics.registry import loss

MAX_SAMPLE_RECORDS = 50_000
"""Largest number of records used; larger tables are sampled at regular intervals."""
_MAX_ITERATIONS = 25
_CONVERGED = 1e-8
_MAX_LOGIT = 30.0
_RIDGE = 1e-6
_TINY = 1e-9
_CLIP = 1e3
"""Standardized values are clipped to this many standard deviations."""
_DIGITS = 10
_REFERENCE = (
    "Snoke, Raab, Nowok, Dibben and Slavkovic (2018), General and specific utility measures for synthetic data,"
    " JRSS A 181(3)"
)


class PropensityErrors(NamedTuple):
    """The mean squared error of the propensity scores, and its expectation for indistinguishable tables."""

    error: float
    expected: float


@memoize
def propensity(inputs: MetricInputs) -> PropensityErrors | None:
    """Fit a logistic regression on main effects.

    Numeric columns enter as z and z², missing values as their placeholders; categorical columns as indicators of the
    most frequent original categories and of all others. The fit uses iteratively reweighted least squares with a small
    ridge, so that separable tables have a solution too.
    """
    design = _design_matrix(inputs)
    if not design.shape[1]:
        return None
    records = len(design) // 2
    matrix = _whitened(design)
    is_released = np.repeat([0.0, 1.0], records)
    scores = _scores(matrix, is_released)
    # BLAS libraries differ in the last digits
    error = float(f"{_error(scores):.{_DIGITS}g}")
    return PropensityErrors(error, matrix.shape[1] * 0.5**3 / len(design))


def _error(scores: FloatVector) -> float:
    return float(np.mean((scores - 0.5) ** 2))


def _design_matrix(inputs: MetricInputs) -> FloatMatrix:
    """Design matrix: original records above released ones, one column per effect."""
    facts, rows = inputs.facts, slice(None, None, -(-inputs.records // MAX_SAMPLE_RECORDS))
    sample = inputs.take(rows)
    both = [sample.original, sample.released]
    effects: list[FloatVector] = []
    for j in range(len(inputs.numeric)):
        spread = facts.stds[j] if facts.stds[j] > 0 else 1.0
        z = np.clip((np.concatenate([values[:, j] for values in both]) - facts.means[j]) / spread, -_CLIP, _CLIP)
        effects += [z, z**2]
    for j, frequent in enumerate(facts.frequent_codes):
        nodes = np.concatenate([sample.original_codes[:, j], sample.released_codes[:, j]])
        effects += [(nodes == node).astype(np.float64) for node in frequent]
        effects.append((~np.isin(nodes, frequent)).astype(np.float64))
    return np.column_stack(effects) if effects else np.empty((2 * sample.records, 0))


def _whitened(design: FloatMatrix) -> FloatMatrix:
    """Uncorrelated columns of variance 1 with the same span, as few as possible."""
    centered = design - design.mean(axis=0)
    size = np.sqrt((centered**2).mean(axis=0))
    varied = size > _TINY
    centered = centered[:, varied] / size[varied]
    values, directions = np.linalg.eigh(centered.T @ centered / len(design))
    positive = values > _TINY * max(values.max(initial=0.0), 1.0)
    independent: FloatMatrix = centered @ (directions[:, positive] / np.sqrt(values[positive]))
    return independent


def _scores(matrix: FloatMatrix, is_released: FloatVector) -> FloatVector:
    """The probability of each record to be a released one."""
    design = np.column_stack([np.ones(len(matrix)), matrix])
    ridge = _RIDGE * len(design) * np.eye(design.shape[1])
    effects = np.zeros(design.shape[1])
    scores = np.full(len(design), 0.5)
    for _ in range(_MAX_ITERATIONS):
        weighted = design * np.sqrt(scores * (1.0 - scores))[:, None]
        slope = design.T @ (is_released - scores) - ridge @ effects
        effects = effects + np.linalg.solve(weighted.T @ weighted + ridge, slope)
        previous, scores = scores, 1.0 / (1.0 + np.exp(-np.clip(design @ effects, -_MAX_LOGIT, _MAX_LOGIT)))
        if abs(_error(scores) - _error(previous)) < _CONVERGED:
            break
    return scores


@loss(
    name="pmse",
    label="propensity score error (pMSE)",
    formula="mean over original and released records of (p − ½)², p the chance to be released by logistic regression",
    range="0 to 0.25",
    good="near 0",
    reference=_REFERENCE,
    sentence="A regression that tells released from original records has a pMSE of {figure}; 0.25 is telling all.",
    searching=True,
)
def pmse(inputs: MetricInputs) -> float | None:
    """Mean squared error of the propensity scores that separate released from original records."""
    result = propensity(inputs)
    return None if result is None else result.error


@loss(
    name="pmse_ratio",
    label="pMSE / expectation",
    formula="pMSE / ((p − 1)(1 − c)²c / N), c = ½, p parameters, N records of both tables",
    range="0 and up",
    good="near 1 or below",
    reference=_REFERENCE,
    sentence="The pMSE is {figure} × what chance makes of two tables from one source.",
    searching=True,
)
def pmse_ratio(inputs: MetricInputs) -> float | None:
    """pMSE relative to its expectation if both tables come from the same source."""
    result = propensity(inputs)
    return None if result is None or not result.expected else result.error / result.expected
