"""Constraints on value counts against naive privacy models and against verification, which counts differently."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from naive.sensitive_tables import Case, cases
from shoal.data import model_checks
from shoal.kernels import constraint_counts as kernels


def tally_of(case: Case, rows: np.ndarray) -> np.ndarray:
    value_counts = kernels.zero_counts(case.demands)
    for row in rows:
        kernels.add(case.demands, value_counts, row, 1)
    return value_counts


@given(cases())
def test_kernels_naive_code_and_verification_agree(case: Case) -> None:
    figures = model_checks.class_values(case.demands, 0, case.classes)
    kept = model_checks.satisfies(case.demands, 0, figures)
    for number, group in enumerate(case.groups()):
        value_counts = tally_of(case, np.flatnonzero(case.classes == number))
        figure = kernels.reached_value(case.demands, value_counts, 0)
        figure = math.floor(figure) if case.model.name == "recursive-l" else figure
        assert figure == pytest.approx(figures[number], rel=1e-13, abs=1e-13)
        assert kernels.satisfied(case.demands, value_counts) == kept[number] == case.holds(group)
        assert (kernels.shortfall(case.demands, value_counts) == 0) == case.holds(group)


@given(cases())
def test_a_union_of_groups_that_hold_holds(case: Case) -> None:
    kept = [row for group in range(case.classes.max() + 1) for row in rows_if_held(case, group)]
    if kept:
        assert kernels.satisfied(case.demands, tally_of(case, np.array(kept)))


def rows_if_held(case: Case, group: int) -> np.ndarray:
    rows = np.flatnonzero(case.classes == group)
    return rows if kernels.satisfied(case.demands, tally_of(case, rows)) else rows[:0]


@given(cases())
def test_what_is_taken_away_again_leaves_no_trace(case: Case) -> None:
    value_counts = tally_of(case, np.arange(len(case.cells)))
    assert value_counts.sum() == len(case.cells)
    for row in range(len(case.cells)):
        kernels.add(case.demands, value_counts, row, -1)
    assert not value_counts.any()


def test_figures_of_a_small_group() -> None:
    """By hand: values of 4, 2, 1 and 1 records."""
    counts = np.array([2, 1, 4, 1, 0])
    assert kernels.distinct_l(counts) == 4
    assert kernels.entropy_l(counts) == pytest.approx(2**1.75)
    reached = [kernels.recursive_l(counts, c) for c in (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 5.0)]
    assert reached == pytest.approx([0.25, 0.5, 1.5, 2.375, 2.5, 3.3125, 4])
    table = np.array([0.0, 0.0, 0.5, 0.0, 0.5])
    assert kernels.equal_emd(counts, table) == pytest.approx(0.5)
    assert kernels.ordered_emd(counts, table) == pytest.approx((2 + 3 + 3 + 4) / 8 / 4)
    # the first two values under one node of height 1, the others under the root of height 2
    above, height = np.array([5, 5, 6, 6, 6, 6, 6]), np.array([0, 0, 0, 0, 0, 0.5, 1])
    assert kernels.hierarchical_emd(counts, table, above, height) == pytest.approx(0.5)
    assert (
        kernels.hierarchical_emd(np.array([1, 0]), np.array([0.0, 1.0]), above[[0, 0, 1]] - 3, height[[0, 0, 6]]) == 1
    )
