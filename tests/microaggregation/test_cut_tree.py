"""Cut trees: compact blocks of at least a minimum size, equal points together, the same from a sample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.microaggregation.cut_tree import build_cut_tree

SIZES = st.integers(1, 300)
SEEDS = st.integers(0, 2**32 - 1)


def points(seed: int, rows: int, columns: int = 3, steps: int = 0) -> np.ndarray:
    """Normal points; with so many steps, rounded to a few values."""
    found = np.random.default_rng(seed).normal(size=(rows, columns))
    return np.round(found * steps) / steps if steps else found


def naive(cuts, row: np.ndarray) -> int:
    """The block of one point, down the tree by hand; blocks are numbered as their nodes are."""
    reached, left_to_see = set(), [0]
    while left_to_see:
        node = left_to_see.pop()
        reached.add(node)
        if cuts.column[node] >= 0:
            left_to_see += [cuts.left[node], cuts.right[node]]
    blocks = sorted(node for node in reached if cuts.column[node] < 0)
    node = 0
    while cuts.column[node] >= 0:
        lower = row[cuts.column[node]] <= cuts.threshold[node]
        node = cuts.left[node] if lower else cuts.right[node]
    return blocks.index(node)


@given(seed=SEEDS, rows=SIZES, steps=st.sampled_from([0, 1, 3]), turn=st.integers(0, 8), least=st.integers(1, 10))
def test_blocks_have_their_size_and_equal_points_stay_together(
    seed: int, rows: int, steps: int, turn: int, least: int
) -> None:
    table = points(seed, rows, steps=steps)
    most = 3 * least
    cuts = build_cut_tree(table, most, least, turn)
    block = cuts.block_of(table)
    assert block.tolist() == [naive(cuts, row) for row in table]
    sizes = np.bincount(block)
    assert len(sizes) == cuts.n_blocks
    assert sizes.min() >= min(least, rows)
    _, point = np.unique(table, axis=0, return_inverse=True)
    assert len(set(zip(point.ravel(), block, strict=True))) == point.max() + 1
    for number in np.flatnonzero(sizes > most):  # what is too large could not be cut
        part = table[block == number]
        for column in part.T:
            below = [int((column <= value).sum()) for value in np.unique(column)[:-1]]
            assert not any(least <= size <= len(part) - least for size in below)


def test_a_turn_makes_other_borders() -> None:
    table = points(0, 4_000, columns=2)
    found = [build_cut_tree(table, 500, 50, turn).block_of(table) for turn in range(4)]
    for number, one in enumerate(found):
        for other in found[:number]:
            pairs = len(set(zip(one.tolist(), other.tolist(), strict=True)))
            assert pairs > 1.5 * max(one.max() + 1, other.max() + 1)
    assert (build_cut_tree(table, 500, 50, 2).block_of(table) == found[2]).all()


def test_the_widest_column_is_cut_in_the_middle() -> None:
    table = np.column_stack([np.arange(100.0), np.arange(100.0)[::-1] * 3, np.ones(100)])
    cuts = build_cut_tree(table, 50, 10)
    assert (cuts.column.tolist(), cuts.threshold[0], cuts.n_blocks) == ([1, -1, -1], 147.0, 2)
    assert np.bincount(cuts.block_of(table)).tolist() == [50, 50]


def test_cuts_of_a_sample_hold_for_all() -> None:
    table = points(1, 20_000)
    cuts = build_cut_tree(table[::20], 100, 20)
    whole = cuts.block_of(table)
    assert (whole[::20] == cuts.block_of(table[::20])).all()
    parts = np.concatenate([cuts.block_of(chunk) for chunk in np.array_split(table, 7)])
    assert (parts == whole).all()
    sizes = np.bincount(whole, minlength=cuts.n_blocks)
    assert cuts.n_blocks >= 10
    assert 20 * 20 / 2 < sizes.min() <= sizes.max() < 20 * 100 * 2


@pytest.mark.parametrize(
    "table",
    [np.ones((50, 2)), np.empty((50, 0)), np.full((50, 2), np.nan), np.ones((1, 2))],
    ids=["equal", "no columns", "no numbers", "one record"],
)
def test_what_cannot_be_cut_is_one_block(table: np.ndarray) -> None:
    cuts = build_cut_tree(table, 10, 2)
    assert cuts.n_blocks == 1
    assert not cuts.block_of(table).any()


def test_most_records_equal() -> None:
    """Nine of ten are zero: they are one block, however large, and the others are cut."""
    table = np.concatenate([np.zeros((900, 1)), 1 + points(2, 100, columns=1) ** 2])
    sizes = np.bincount(build_cut_tree(table, 50, 10).block_of(table))
    assert 900 in sizes
    assert sorted(sizes)[-2] <= 100


def test_blocks_that_lack_something_are_joined() -> None:
    table = np.arange(64.0)[:, None]
    cuts = build_cut_tree(table, 8, 4)
    assert cuts.n_blocks == 8
    home = cuts.block_of(table)
    first = int(home[0])
    kept = cuts.merge_until(lambda blocks: list(blocks) != [first])
    sizes = np.bincount(kept.block_of(table))
    assert kept.n_blocks == 7
    assert sorted(sizes.tolist()) == [8] * 6 + [16]
    assert len(set(kept.block_of(table)[:16].tolist())) == 1
    needs = cuts.merge_until(lambda blocks: first not in blocks or len(blocks) >= 4)
    assert needs.n_blocks == 5
    assert cuts.merge_until(lambda _: False).n_blocks == 1
    assert cuts.merge_until(lambda _: True).n_blocks == 8
