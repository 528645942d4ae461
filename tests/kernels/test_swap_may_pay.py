"""The quick test of a swap rejects none that lowers the error."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from local_search_cases import SEEDS, init_state

from naive.local_search import draw_case, scale
from shoal.kernels.jit import kernel
from shoal.kernels.local_search import mutable_partition as kernels


@kernel
def looked(standing, unit, other, limit):
    return kernels.swap_may_pay(standing, unit, other, limit)


@given(seed=SEEDS, members=st.sampled_from([1, 3]), steps=st.sampled_from([2, 10**6]), part=st.floats(-0.1, 0.1))
def test_no_swap_that_pays_is_passed_over(seed: int, members: int, steps: int, part: float) -> None:
    case = draw_case(seed, kind="numbers", rows=12, members=members, steps=steps)
    standing, size = init_state(case).partition, scale(case.table)
    limit, labels, passed = part * size, case.labels, 0
    for unit in range(len(labels)):
        for other in np.flatnonzero(labels != labels[unit]):
            swapped = labels.copy()
            swapped[[unit, other]] = labels[[other, unit]]
            rise = case.error(swapped) - case.error(labels)
            may = looked(standing, unit, other, limit)
            assert may or rise >= limit - 1e-9 * size
            passed += not may
            if standing.unit_weights[unit] == standing.unit_weights[other]:
                assert not may or rise <= limit + 1e-6 * size
