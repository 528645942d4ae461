"""Optimal cells on Adult, prepared as in the thesis: values replaced by the synsets of WordNet."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shoal.values import Partition

OPTIMA = {2: 0.0271633, 3: 0.0577092}
"""The least loss that an integer program found, solved outside of Shoal to one part in 10,000: a combination to a
center, at least k records a center, and no other node with a smaller sum of distances."""
BOUNDS = {5: 0.1082, 6: 0.1395, 10: 0.2179}
"""What no partition falls below, by the same program stopped before its end."""


def loss(adult_groups: Callable[[int, str], Partition], k: int, method: str) -> float:
    found = adult_groups(k, method).semantic_loss
    assert found is not None
    return found


@pytest.mark.parametrize("k", [*OPTIMA, *BOUNDS])
def test_loses_at_most_half_of_sa_mdav_and_a_third_from_6_on(adult_groups, k: int) -> None:
    assert loss(adult_groups, k, "optimal-cells") <= loss(adult_groups, k, "sa-mdav") / (2 if k < 6 else 3)


@pytest.mark.parametrize("k", OPTIMA)
def test_lies_within_a_hundredth_of_the_optimum(adult_groups, k: int) -> None:
    assert OPTIMA[k] - 1e-7 <= loss(adult_groups, k, "optimal-cells") <= 1.01 * OPTIMA[k]


@pytest.mark.parametrize("k", BOUNDS)
def test_lies_near_the_bound(adult_groups, k: int) -> None:
    assert BOUNDS[k] <= loss(adult_groups, k, "optimal-cells") <= 1.13 * BOUNDS[k]
