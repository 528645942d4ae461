"""The random generators are those of the paper, and all numbers are equally frequent."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shoal.kernels import rng

FIRST, SECOND = 2_147_483_563, 2_147_483_399


def naive(one: int, other: int) -> tuple[int, int, int]:
    """The next state and number, in whole numbers of any size."""
    one, other = 40014 * one % FIRST, 40692 * other % SECOND
    return one, other, (one - other - 1) % (FIRST - 1) + 1


@pytest.mark.parametrize("seed", [0, 1, 7, 2**31, 2**63 - 1])
def test_numbers_are_those_of_the_paper(seed: int) -> None:
    begun = rng.init_rng(seed)
    one, other = (int(part) for part in begun.state)
    for _ in range(1000):
        one, other, expected = naive(one, other)
        assert rng.next_int(begun.state) == expected
        assert begun.state.tolist() == [one, other]
        assert 0 < expected < FIRST


@pytest.mark.parametrize("seed", [0, FIRST - 2, FIRST - 1, FIRST, FIRST * (SECOND - 2), 2**63 - 1])
def test_no_seed_stands_still(seed: int) -> None:
    state = rng.init_rng(seed).state
    assert 0 < state[0] < FIRST
    assert 0 < state[1] < SECOND
    assert len({int(rng.next_int(state)) for _ in range(100)}) > 95


def test_seeds_differ() -> None:
    firsts = {rng.next_int(rng.init_rng(seed).state) for seed in range(1000)}
    assert len(firsts) > 990


@pytest.mark.parametrize("limit", [1, 2, 7, 100])
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_all_numbers_come_as_often(limit: int, seed: int) -> None:
    """Chi-squared, which with these seeds stays below its mean and five standard deviations."""
    state = rng.init_rng(seed).state
    counts = np.bincount([rng.random_below(state, limit) for _ in range(20_000)], minlength=limit)
    assert len(counts) == limit
    off = ((counts - 20_000 / limit) ** 2 / (20_000 / limit)).sum()
    assert off <= limit - 1 + 5 * math.sqrt(2 * (limit - 1))


def test_the_first_numbers_of_near_seeds_have_nothing_in_common() -> None:
    drawn = np.array([[rng.random_below(rng.init_rng(seed).state, 1000)] for seed in range(2000)])[:, 0]
    counts = np.bincount(drawn // 100, minlength=10)
    assert ((counts - 200) ** 2 / 200).sum() < 9 + 5 * math.sqrt(18)
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.1


def test_ends_of_the_range() -> None:
    """The least number that is drawn gives 0 and the largest one the limit less 1."""
    assert [(number - 1) * 10 // (FIRST - 1) for number in (1, FIRST - 1)] == [0, 9]
    state = rng.init_rng(0).state
    assert {int(rng.random_below(state, 3)) for _ in range(100)} == {0, 1, 2}


def test_waits_are_those_of_the_exponential_distribution() -> None:
    waits = rng.init_rng(0).exponentials
    assert len(waits) == rng.N_EXPONENTIALS
    assert (waits * 2**20 == np.rint(waits * 2**20)).all()
    assert waits.mean() == pytest.approx(1, abs=1e-3)
    for wait in (0.1, 1.0, 3.0):
        assert (waits > wait).mean() == pytest.approx(math.exp(-wait), abs=1e-3)
    assert waits.min() > 0
