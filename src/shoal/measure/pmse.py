"""pMSE: how well a regression can tell the released records from the original ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.measure.once import once
from shoal.measure.pair import Pair
from shoal.measure.registry import loss
from shoal.values import FloatMatrix, FloatVector

MOST = 50_000
"""Records that are looked at; of more, every so many-th one."""
_STEPS = 25
_NEAR = 1e-8
"""A step that moves the figure by less is the last."""
_STEEP = 30.0
_RIDGE = 1e-6
_TINY = 1e-9
_FAR = 1e3
"""Standard deviations from which on it makes no difference how far a number is away."""
_DIGITS = 10
_REFERENCE = (
    "Snoke, Raab, Nowok, Dibben and Slavkovic (2018), General and specific utility measures for synthetic data,"
    " JRSS A 181(3)"
)


class Propensity(NamedTuple):
    """The mean squared error of the propensity scores, and its expectation if nothing told the tables apart."""

    error: float
    expected: float


@once
def propensity(pair: Pair) -> Propensity | None:
    """By logistic regression on main effects.

    Numbers give z and z², a missing one as its stand-in; categories an indicator for each of the most frequent of the
    original and one for all others. The regression is by iteratively reweighted least squares with a small ridge, so
    that tables that are wholly apart have an answer too.
    """
    design = _design(pair)
    if not design.shape[1]:
        return None
    records = len(design) // 2
    matrix = _independent(design)
    released = np.repeat([0.0, 1.0], records)
    scores = _scores(matrix, released)
    # libraries differ in the last digits
    error = float(f"{_error(scores):.{_DIGITS}g}")
    return Propensity(error, matrix.shape[1] * 0.5**3 / len(design))


def _error(scores: FloatVector) -> float:
    return float(np.mean((scores - 0.5) ** 2))


def _design(pair: Pair) -> FloatMatrix:
    """The original records above the released ones, a column for each effect."""
    facts, rows = pair.facts, slice(None, None, -(-pair.records // MOST))
    some = pair.some(rows)
    both = [some.was, some.now]
    effects: list[FloatVector] = []
    for j in range(len(pair.numeric)):
        spread = facts.spread[j] if facts.spread[j] > 0 else 1.0
        z = np.clip((np.concatenate([part[:, j] for part in both]) - facts.center[j]) / spread, -_FAR, _FAR)
        effects += [z, z**2]
    for j, frequent in enumerate(facts.frequent):
        nodes = np.concatenate([some.codes[:, j], some.nodes[:, j]])
        effects += [(nodes == node).astype(np.float64) for node in frequent]
        effects.append((~np.isin(nodes, frequent)).astype(np.float64))
    return np.column_stack(effects) if effects else np.empty((2 * some.records, 0))


def _independent(design: FloatMatrix) -> FloatMatrix:
    """Uncorrelated columns of variance 1 that say the same as these, as few as can be."""
    centered = design - design.mean(axis=0)
    size = np.sqrt((centered**2).mean(axis=0))
    varied = size > _TINY
    centered = centered[:, varied] / size[varied]
    values, directions = np.linalg.eigh(centered.T @ centered / len(design))
    kept = values > _TINY * max(values.max(initial=0.0), 1.0)
    independent: FloatMatrix = centered @ (directions[:, kept] / np.sqrt(values[kept]))
    return independent


def _scores(matrix: FloatMatrix, released: FloatVector) -> FloatVector:
    """For each record the chance that it is a released one."""
    design = np.column_stack([np.ones(len(matrix)), matrix])
    ridge = _RIDGE * len(design) * np.eye(design.shape[1])
    effects = np.zeros(design.shape[1])
    scores = np.full(len(design), 0.5)
    for _ in range(_STEPS):
        weighted = design * np.sqrt(scores * (1.0 - scores))[:, None]
        slope = design.T @ (released - scores) - ridge @ effects
        effects = effects + np.linalg.solve(weighted.T @ weighted + ridge, slope)
        before, scores = scores, 1.0 / (1.0 + np.exp(-np.clip(design @ effects, -_STEEP, _STEEP)))
        if abs(_error(scores) - _error(before)) < _NEAR:
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
def pmse(pair: Pair) -> float | None:
    """How well a regression tells the released records from the original ones."""
    found = propensity(pair)
    return None if found is None else found.error


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
def pmse_ratio(pair: Pair) -> float | None:
    """pMSE as a multiple of what is expected where both tables come from the same source."""
    found = propensity(pair)
    return None if found is None or not found.expected else found.error / found.expected
