"""Nearest-next order: every record once, every group contiguous, in slices of any size."""

from __future__ import annotations

import numpy as np
import pytest

from naive import orders
from shoal.domain import Space, no_progress
from shoal.kernels.orders import nearest_next
from shoal.kernels.sequential import farthest_pair, unassigned


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("size", [1, 4, 300])
def test_the_order_is_that_of_the_plain_loop(ties: bool, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = np.random.default_rng(size)
    matrix = noise.integers(0, 4, (300, 3)).astype(float) if ties else noise.standard_normal((300, 3))
    groups = noise.permutation(np.arange(300) // size)
    whole = nearest_next.nearest_next(
        unassigned.init(Space.of_numbers(matrix)), groups, 17, progress=no_progress
    ).tolist()
    assert whole == orders.tour(matrix, groups, 17)
    assert np.count_nonzero(np.diff(groups[whole])) == len(set(groups)) - 1
    monkeypatch.setattr(unassigned, "SLICE", 1)
    assert (
        nearest_next.nearest_next(unassigned.init(Space.of_numbers(matrix)), groups, 17, progress=no_progress).tolist()
        == whole
    )


@pytest.mark.parametrize("values", [2, 5, 10**6])
def test_the_most_distant_pair(values: int) -> None:
    matrix = np.random.default_rng(values).integers(0, values, (150, 2)).astype(float)
    assert farthest_pair.farthest_pair(unassigned.init(Space.of_numbers(matrix)), progress=no_progress) == orders.ends(
        matrix, list(range(150))
    )
