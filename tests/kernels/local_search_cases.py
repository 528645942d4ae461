"""Cases for tests of local search kernels, and checks of a mutable partition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from naive.local_search import KINDS, Case, draw_case
from shoal.kernels.local_search import mutable_partition as kernels
from shoal.kernels.local_search.category_centroids import NONE
from shoal.kernels.local_search.mutable_partition import SearchState

SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Numbers, categories or both, of records or households, from all equal to all different."""
    return draw_case(
        draw(SEEDS),
        kind=draw(st.sampled_from(KINDS)),
        rows=draw(st.sampled_from([9, 24])),
        k=draw(st.integers(2, 3)),
        members=draw(st.sampled_from([1, 1, 3])),
        steps=draw(st.sampled_from([1, 2, 5, 10**6])),
    )


def init_state(case: Case, constraints: Any = None) -> SearchState:
    return kernels.init(case.space, case.labels, case.k, unit_of=case.unit_of, constraints=constraints)


def check_state(state: SearchState, case: Case) -> None:
    """The state is that of a partition that begins with the labels that stand now."""
    now = state.partition
    fresh = kernels.init(case.space, now.labels, case.k, unit_of=case.unit_of, constraints=None)
    groups, close = len(now.sizes), {"rel": 1e-9, "abs": 1e-9}
    assert len(fresh.partition.sizes) <= groups
    fewer = len(fresh.partition.sizes)
    for name in ("sizes", "group_weights", "centers"):
        mine, its = getattr(now, name), getattr(fresh.partition, name)
        assert mine[:fewer] == pytest.approx(its, **close), name
        assert not mine[fewer:].any()
    if len(state.centroids.centers):
        for name in ("costs", "squares", "errors"):
            mine, its = getattr(state.centroids, name), getattr(fresh.centroids, name)
            assert mine[:fewer] == pytest.approx(its, **close), name
    for group in range(groups):
        chain, unit, last = [], now.head[group], NONE
        while unit != NONE:
            assert now.previous_unit[unit] == last
            chain.append(int(unit))
            unit, last = now.next_unit[unit], unit
        assert sorted(chain) == np.flatnonzero(now.labels == group).tolist()
    empty = now.empty_groups[: now.counts[kernels.N_EMPTY]].tolist()
    assert sorted(empty) == np.flatnonzero(now.sizes == 0).tolist()


def check_groups(state: SearchState, case: Case, holds: Callable[[Sequence[int]], bool] | None) -> None:
    """Every group has k units and satisfies the constraints."""
    labels = state.partition.labels
    for group in np.unique(labels):
        units = np.flatnonzero(labels == group).tolist()
        assert len(units) >= case.k
        assert holds is None or holds(case.rows(units))
