"""Leaves of households chunk by chunk, compared with a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.domain import Survey
from shoal.engines.household_leaves import HouseholdLeaves
from shoal.errors import DataError

N_LEAVES, BLOCKS = 6, 3
records = st.lists(st.tuples(st.integers(0, 30).map(lambda key: key * 2**58), st.integers(0, N_LEAVES - 1)), min_size=1)


@given(st.lists(records, min_size=1, max_size=9))
def test_members_join_the_first_of_them(chunks: list[list[tuple[int, int]]]) -> None:
    households, known = HouseholdLeaves(blocks=BLOCKS, max_bytes=10_000), dict[int, list[int]]()
    for chunk in chunks:
        keys, leaves = (np.array(column, dtype=np.int64) for column in zip(*chunk, strict=True))
        for key, leaf in chunk:
            known.setdefault(key, []).append(leaf)
        assert households.assign(keys, leaves).tolist() == [known[key][0] for key, _ in chunk]
    totals = households.totals(leaves=N_LEAVES, largest_household=3)
    sizes = [len(members) for members in known.values()]
    first = [members[0] for members in known.values()]
    assert totals.per_leaf.tolist() == np.bincount(first, minlength=N_LEAVES).tolist()
    assert (totals.largest, totals.too_large) == (max(sizes), sum(size > 3 for size in sizes))
    assert totals.across_strata == sum(len({leaf // BLOCKS for leaf in members}) > 1 for members in known.values())


def test_more_households_than_fit_into_memory_are_refused() -> None:
    households, keys = HouseholdLeaves(blocks=BLOCKS, max_bytes=4800), np.arange(50)
    for _ in range(3):
        households.assign(keys, keys % N_LEAVES)
        households.assign(keys + 50, keys % N_LEAVES)
    with pytest.raises(DataError, match="more than 100 households"):
        households.assign(keys + 51, keys % N_LEAVES)


def test_what_a_table_violates_is_refused_in_the_order_of_a_release_in_memory() -> None:
    households = HouseholdLeaves(blocks=BLOCKS, max_bytes=4800)
    households.assign(np.array([1, 1, 1, 2, 2]), np.array([0, 1, 1, 2, 4]))
    survey = Survey(strata=("s",), households="h", largest_household=2)
    totals = households.totals(leaves=N_LEAVES, largest_household=2)
    with pytest.raises(DataError, match="1 household are in different strata"):
        totals.check(survey, 2, blocks=BLOCKS)
    totals = totals._replace(across_strata=0)
    with pytest.raises(DataError, match="has 3 members, more than the 2 that are allowed"):
        totals.check(survey, 2, blocks=BLOCKS)
    with pytest.raises(DataError, match="1 of 2 strata have fewer than k = 2 households, the smallest 0"):
        totals._replace(too_large=0).check(survey, 2, blocks=BLOCKS)
