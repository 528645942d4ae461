"""The search finds every bargain, as looking at all subsets does."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from naive.bounds import savings
from shoal.kernels import bargains
from shoal.refine.master import by_record, costs


def drawn(seed: int, *, inside: bool = False) -> tuple[bargains.Offer, list[tuple[int, ...]]]:
    """Random points, often with equal ones, random prices and random fines of triples."""
    draw = np.random.default_rng(seed)
    low = int(draw.integers(2, 5))
    n = int(draw.integers(low, 11))
    points = draw.normal(size=(n, 2)).round(int(draw.integers(0, 3)))
    every = list(combinations(range(n), 3))
    triples = [every[i] for i in draw.permutation(len(every))[: draw.integers(0, 5)]]
    high = int(draw.integers(low, min(2 * low - 1, n) + 1))
    begin, listed = by_record(np.array(triples, dtype=np.int64).reshape(-1, 3), n)
    pairs = np.zeros((high, n))
    if inside:  # half of the distances to the nearest ones, as any bound of this kind
        apart = np.sort(((points[:, None] - points[None]) ** 2).sum(axis=2), axis=1)
        for r in range(2, high):
            pairs[r] = 0.5 * apart[:, 1:r].sum(axis=1)
    offer = bargains.Offer(
        points=points,
        prices=draw.normal(0.5, 0.5, size=n),
        near=np.zeros((high, n)),
        inside=pairs if inside else np.empty((0, n)),
        fines=draw.random(len(triples)),
        triples=listed,
        begin=begin,
        low=low,
        high=high,
        slack=1e-9,
    )
    return offer, triples


@pytest.mark.parametrize("inside", [False, True])
def test_every_bargain_is_found(inside: bool) -> None:
    some = 0
    for seed in range(150):
        offer, triples = drawn(seed, inside=inside)
        found, left = bargains.all_bargains(offer, 10**9)
        assert found is not None
        assert 0 < left < 10**9
        expected = savings(offer.points, offer.prices, range(offer.low, offer.high + 1), triples, list(offer.fines))
        assert found.saving == pytest.approx(np.where(expected > 1e-8, expected, 0.0), abs=1e-8)
        some += int(found.total[0])
    assert some > 1000


def test_a_group_that_is_kept_saves_what_is_said() -> None:
    for seed in range(60):
        offer, triples = drawn(seed)
        found, _ = bargains.all_bargains(offer, 10**9)
        assert found is not None
        for row in np.flatnonzero(found.sizes):
            group = found.groups[row]
            assert (group >= 0).sum() == found.sizes[row]
            members = group[group >= 0]
            assert row in members
            assert len(set(members.tolist())) == len(members)
            fined = sum(f for t, f in zip(triples, offer.fines, strict=True) if len({*t} & {*members.tolist()}) >= 2)
            over = offer.prices[members].sum() - costs(offer.points, group[None])[0] - fined
            assert over / len(members) == pytest.approx(found.saving[row])


def test_all_bargains_are_listed_where_there_is_room() -> None:
    offer, _ = drawn(10)
    found, _ = bargains.all_bargains(offer, 10**9, room=10_000)
    assert found is not None
    listed = {tuple(sorted(group[group >= 0].tolist())) for group in found.every[: int(found.total[0])]}
    assert len(listed) == found.total[0] > 0
    few, _ = bargains.all_bargains(offer, 10**9, room=2)
    assert few is not None
    assert few.total == found.total
    assert len(few.every) == 2


def test_a_search_that_takes_too_long_is_given_up() -> None:
    offer, _ = drawn(10)
    assert bargains.all_bargains(offer, 5) == (None, 0)


def test_what_is_found_quickly_are_bargains() -> None:
    many = 0
    for seed in range(60):
        offer, _ = drawn(seed)
        offer = offer._replace(
            high=offer.low, fines=np.empty(0), triples=np.empty(0, dtype=np.int64), begin=0 * offer.begin
        )
        others = np.array([[j for j in range(len(offer.prices)) if j != i] for i in range(len(offer.prices))])
        quick = bargains.some_bargains(offer, others, 3)
        every, _ = bargains.all_bargains(offer, 10**9)
        assert every is not None
        assert (quick.saving <= every.saving + 1e-12).all()
        many += int((quick.sizes > 0).sum())
    assert many > 100
