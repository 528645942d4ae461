"""Individual risk: the probability that an intruder who knows the quasi-identifiers re-identifies a record."""

from __future__ import annotations

import numpy as np

from shoal.domain import FloatVector, IntVector

_TERMS = 60
"""Sufficient for every series below: terms fall by half, or as 1 / C(20 + n, n)."""
_LARGE_F = 20.0
_SMALL = 1e-3


def individual_risk(f: FloatVector | IntVector, F: FloatVector | None = None) -> FloatVector:  # noqa: N803
    """The risk of each record, from its class size f and the sum F of the sampling weights of the class.

    Without weights the table is the population: the risk is 1/f, also where F is at most f. With weights, F estimates
    the unknown class size in the population, and the risk is the expectation of its inverse given f (Benedetti and
    Franconi, 1998), with p = f/F. For integer f above 2 it is p/(f - (1 - p)), as in sdcMicro.
    """
    f = np.asarray(f, dtype=np.float64)
    if F is None:
        return np.clip(1.0 / f, 0.0, 1.0)
    p = np.clip(f / F, np.finfo(np.float64).tiny, 1.0)
    integral = (f > 2) & (f == np.floor(f))
    risk = np.empty_like(p)
    risk[integral] = p[integral] / (f[integral] - (1.0 - p[integral]))
    risk[~integral] = expected_risk(f[~integral], p[~integral])
    return np.clip(risk, 0.0, 1.0)


def expected_risk(f: FloatVector, p: FloatVector) -> FloatVector:
    """p^f / f · ₂F₁(f, f; f + 1; 1 - p) for real f of at least 1 and p above 0.

    Euler's transformation gives p/f · ₂F₁(1, 1; f + 1; 1 - p); its series is used where it converges fast.
    """
    near = (p >= 0.5) | (f >= _LARGE_F)
    risk = np.empty_like(p)
    risk[near] = _around_one(f[near], p[near])
    risk[~near] = _around_zero(f[~near], p[~near])
    return risk


def _around_one(f: FloatVector, p: FloatVector) -> FloatVector:
    """p/f · Σ n! / (f + 1)_n · (1 - p)^n."""
    term = p / f
    total = term.copy()
    for n in range(1, _TERMS):
        term = term * (n * (1.0 - p) / (f + n))
        total += term
    return total


def _around_zero(f: FloatVector, p: FloatVector) -> FloatVector:
    """Recursion from 1 + e up to f: r(f + 1) = p/(1 - p) · (1/f - r(f)), where e is f minus the nearest integer.

    The start is the series in p instead of 1 - p, with f = 1 + e:
    r = (p · Σ n! / (1 - e)_n · p^n - πe / sin(πe) · (p/(1 - p))^f) / e. Both terms have a pole at e = 0, where f is
    an integer; it is removed analytically from each, which avoids cancellation.
    """
    odds = p / (1.0 - p)
    steps = np.rint(f) - 1.0
    e = f - np.rint(f)
    slope, series, power = np.zeros_like(p), np.zeros_like(p), p
    for n in range(1, _TERMS):
        slope = (slope * n + 1.0) / (n - e)  # (n! / (1 - e)_n - 1) / e
        power = power * p
        series += slope * power
    rate = np.log(odds) + _sine_slope(e)
    grown = e * rate
    quotient = np.divide(np.expm1(grown), grown, out=np.ones_like(grown), where=grown != 0)
    risk = series - odds * rate * quotient
    for step in range(int(steps.max(initial=0.0))):
        risk = np.where(step < steps, odds * (1.0 / (1.0 + e + step) - risk), risk)
    return risk


def _sine_slope(e: FloatVector) -> FloatVector:
    """ln(πe / sin(πe)) / e, by its series for small e."""
    small = np.abs(e) < _SMALL
    safe = np.where(small, 0.5, e)
    series: FloatVector = np.pi**2 * e / 6.0 * (1.0 + np.pi**2 * e * e / 30.0)
    return np.where(small, series, -np.log(np.sinc(safe)) / safe)
