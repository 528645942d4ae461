"""Exact pricing finds every column that a search of all subsets finds."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from naive.bounds import savings
from shoal.kernels import pricing
from shoal.search.master_problem import group_costs, triples_by_record


def drawn(seed: int, *, inside: bool = False) -> tuple[pricing.PricingProblem, list[tuple[int, ...]]]:
    """Random points, often with equal ones, random prices and random fines of triples."""
    draw = np.random.default_rng(seed)
    low = int(draw.integers(2, 5))
    n = int(draw.integers(low, 11))
    points = draw.normal(size=(n, 2)).round(int(draw.integers(0, 3)))
    every = list(combinations(range(n), 3))
    triples = [every[i] for i in draw.permutation(len(every))[: draw.integers(0, 5)]]
    high = int(draw.integers(low, min(2 * low - 1, n) + 1))
    begin, listed = triples_by_record(np.array(triples, dtype=np.int64).reshape(-1, 3), n)
    pairs = np.zeros((high, n))
    if inside:  # half of the distances to the nearest ones, as any bound of this kind
        apart = np.sort(((points[:, None] - points[None]) ** 2).sum(axis=2), axis=1)
        for r in range(2, high):
            pairs[r] = 0.5 * apart[:, 1:r].sum(axis=1)
    offer = pricing.PricingProblem(
        points=points,
        duals=draw.normal(0.5, 0.5, size=n),
        neighbor_bounds=np.zeros((high, n)),
        pair_bounds=pairs if inside else np.empty((0, n)),
        cut_duals=draw.random(len(triples)),
        triples=listed,
        starts=begin,
        min_size=low,
        max_size=high,
        slack=1e-9,
    )
    return offer, triples


@pytest.mark.parametrize("inside", [False, True])
def test_every_bargain_is_found(inside: bool) -> None:
    some = 0
    for seed in range(150):
        offer, triples = drawn(seed, inside=inside)
        found, left = pricing.solve_pricing(offer, 10**9)
        assert found is not None
        assert 0 < left < 10**9
        expected = savings(
            offer.points, offer.duals, range(offer.min_size, offer.max_size + 1), triples, list(offer.cut_duals)
        )
        assert found.savings == pytest.approx(np.where(expected > 1e-8, expected, 0.0), abs=1e-8)
        some += int(found.n_found[0])
    assert some > 1000


def test_a_group_that_is_kept_saves_what_is_said() -> None:
    for seed in range(60):
        offer, triples = drawn(seed)
        found, _ = pricing.solve_pricing(offer, 10**9)
        assert found is not None
        for row in np.flatnonzero(found.sizes):
            group = found.groups[row]
            assert (group >= 0).sum() == found.sizes[row]
            members = group[group >= 0]
            assert row in members
            assert len(set(members.tolist())) == len(members)
            fined = sum(
                f for t, f in zip(triples, offer.cut_duals, strict=True) if len({*t} & {*members.tolist()}) >= 2
            )
            over = offer.duals[members].sum() - group_costs(offer.points, group[None])[0] - fined
            assert over / len(members) == pytest.approx(found.savings[row])


def test_all_bargains_are_listed_where_there_is_room() -> None:
    offer, _ = drawn(10)
    found, _ = pricing.solve_pricing(offer, 10**9, max_columns=10_000)
    assert found is not None
    listed = {tuple(sorted(group[group >= 0].tolist())) for group in found.columns[: int(found.n_found[0])]}
    assert len(listed) == found.n_found[0] > 0
    few, _ = pricing.solve_pricing(offer, 10**9, max_columns=2)
    assert few is not None
    assert few.n_found == found.n_found
    assert len(few.columns) == 2


def test_a_search_that_takes_too_long_is_given_up() -> None:
    offer, _ = drawn(10)
    assert pricing.solve_pricing(offer, 5) == (None, 0)


def test_what_is_found_quickly_are_bargains() -> None:
    many = 0
    for seed in range(60):
        offer, _ = drawn(seed)
        offer = offer._replace(
            max_size=offer.min_size, cut_duals=np.empty(0), triples=np.empty(0, dtype=np.int64), starts=0 * offer.starts
        )
        others = np.array([[j for j in range(len(offer.duals)) if j != i] for i in range(len(offer.duals))])
        quick = pricing.price_heuristically(offer, others, 3)
        every, _ = pricing.solve_pricing(offer, 10**9)
        assert every is not None
        assert (quick.savings <= every.savings + 1e-12).all()
        many += int((quick.sizes > 0).sum())
    assert many > 100
