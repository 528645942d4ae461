"""The risk of a record and of a household, against closed forms, the series as it is defined, and an integral."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.metrics import individual_risk
from shoal.metrics.global_risk import HouseholdSums, household_risk
from shoal.metrics.individual_risk import expected_risk
from shoal.metrics.partial_sums import KeyedCounts

CLOSE = 1e-10


def of_households(risk: np.ndarray, household: np.ndarray) -> float | None:
    with np.errstate(divide="ignore"):
        return household_risk(
            HouseholdSums(KeyedCounts.of(household), KeyedCounts.of(household, np.log1p(-risk))), None
        )


def expected(f: float, p: float) -> float:
    return float(expected_risk(np.array([f]), np.array([p]))[0])


def series(f: float, p: float) -> float:
    """p^f / f · ₂F₁(f, f; f + 1; 1 - p), term by term as it is defined, with sixty digits."""
    with localcontext() as context:
        context.prec = 60
        exact, q = Decimal(f), 1 - Decimal(p)
        term, total, n = Decimal(1), Decimal(0), 0
        while term > Decimal(10) ** -30 or n < 100 * f:
            total += term / (exact + n)
            term *= (exact + n) * q / (n + 1)
            n += 1
        return float(Decimal(p) ** exact * total)


def integral(f: float, p: float) -> float:
    """∫ x^(f - 1) · p / (p + (1 - p)x) over x from 0 to 1, with x = e^-s, panel by panel."""
    points, weights = np.polynomial.legendre.leggauss(24)
    starts = np.arange(0.0, 45.0 + math.log(1 / p), 0.1)
    s = starts[:, None] + 0.05 * (points + 1.0)
    return float((np.exp(-f * s) * p / (p + (1 - p) * np.exp(-s)) * weights).sum() * 0.05)


@pytest.mark.parametrize("p", [1e-9, 1e-4, 0.05, 0.3, 0.499, 0.5, 0.7, 0.9])
def test_whole_counts_have_closed_forms(p: float) -> None:
    odds, log = p / (1 - p), math.log(1 / p)
    assert expected(1.0, p) == pytest.approx(odds * log, rel=CLOSE)
    assert expected(2.0, p) == pytest.approx(odds - odds**2 * log, rel=CLOSE)
    assert expected(3.0, p) == pytest.approx(odds / 2 - odds**2 + odds**3 * log, rel=CLOSE)


@pytest.mark.parametrize("f", [1.0, 1.25, 1.5, 2.5, 3.999999, 19.9, 20.1, 60.5])
@pytest.mark.parametrize("p", [0.05, 0.49, 0.51, 0.95])
def test_the_series_is_that_of_the_definition(f: float, p: float) -> None:
    assert expected(f, p) == pytest.approx(series(f, p), rel=CLOSE)


@given(st.floats(1, 200), st.floats(-9, 0).map(lambda power: 10.0**power))
def test_the_risk_is_the_expectation_for_every_count_and_share(f: float, p: float) -> None:
    assert expected(f, p) == pytest.approx(integral(f, p), rel=CLOSE)


@pytest.mark.parametrize("whole", [1, 2, 3, 7])
@pytest.mark.parametrize("p", [1e-6, 0.01, 0.4])
def test_nothing_is_lost_beside_a_whole_number(whole: int, p: float) -> None:
    for gap in (1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 0.99e-3, 1.01e-3, 1e-2, 0.5):
        for f in (whole + gap, whole + 1 - gap):
            assert expected(f, p) == pytest.approx(integral(f, p), rel=CLOSE)


def test_without_weights_the_risk_is_that_of_guessing() -> None:
    assert individual_risk(np.array([1, 2, 4])).tolist() == [1.0, 0.5, 0.25]
    assert individual_risk(np.array([1.0, 2.5])).tolist() == [1.0, 0.4]


def test_the_weighted_example() -> None:
    f, weights = np.array([3, 3, 3, 2, 2]), np.array([60.0, 60, 60, 90, 90])
    result = individual_risk(f, weights)
    assert result.round(8).tolist() == [0.02439024, 0.02439024, 0.02439024, 0.02076102, 0.02076102]


def test_each_count_has_its_formula() -> None:
    f, weights = np.array([1, 2, 3, 50, 2.5]), np.array([10.0, 10, 10, 400, 10])
    p = f / weights
    odds, log = p / (1 - p), np.log(1 / p)
    formulas = [odds[0] * log[0], odds[1] - odds[1] ** 2 * log[1], 0.3 / 2.3, 0.125 / 49.125, series(2.5, 0.25)]
    assert individual_risk(f, weights) == pytest.approx(formulas, rel=CLOSE)


@given(st.lists(st.tuples(st.floats(1, 1e6), st.floats(1e-3, 1e12)), min_size=1, max_size=20))
def test_a_risk_is_a_chance_of_at_most_that_of_guessing(pairs: list[tuple[float, float]]) -> None:
    f, weights = np.array(pairs).T
    result = individual_risk(f, weights)
    assert ((result >= 0) & (result <= (1 / f) * (1 + 1e-12))).all()
    full = weights <= f
    assert result[full] == pytest.approx(1 / f[full], rel=1e-15)


def test_weights_beyond_every_number_leave_no_risk() -> None:
    assert individual_risk(np.array([1.0, 2.5, 3.0]), np.full(3, np.inf)) == pytest.approx([0, 0, 0])


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1)), min_size=1, max_size=12))
def test_a_household_is_found_with_any_of_its_members(members: list[tuple[int, float]]) -> None:
    household, risk = np.array([h for h, _ in members]), np.array([r for _, r in members])
    naive = [1 - math.prod(1 - r for other, r in members if other == h) for h in household]
    assert of_households(risk, household) == pytest.approx(100 * sum(naive) / len(naive), abs=1e-10)


def test_small_risks_add_up_without_loss() -> None:
    assert of_households(np.array([1e-18, 3e-18]), np.array([0, 0])) == pytest.approx(4e-16, rel=1e-12)
