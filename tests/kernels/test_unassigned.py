"""Long work is done in slices, which only affect progress."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.domain import Records, Scale, Space
from shoal.kernels.sequential import unassigned
from shoal.microaggregation.registry import run


@pytest.mark.parametrize("method", ["mdav", "md", "cbfs", "v-mdav", "p-s"])
def test_slices_change_nothing(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(11).standard_normal((400, 3))
    records = Records(names=("a", "b", "c"), values=values, scale=Scale.raw(values), weights=np.ones(3))
    whole = run(records, k=3, method=method).labels
    reported: list[int] = []
    monkeypatch.setattr(unassigned, "SLICE", 1)
    sliced = run(records, k=3, method=method, progress=lambda done, total: reported.append(done)).labels
    assert sliced.tolist() == whole.tolist()
    assert len(reported) > 60
    assert reported == sorted(reported)
    assert reported[-1] <= 400


def test_the_centroid_is_that_of_the_records_left() -> None:
    matrix = np.random.default_rng(12).standard_normal((200, 4))
    state = unassigned.init(Space.of_numbers(matrix))
    for row in range(0, 200, 3):
        unassigned.assign(state, row, 0)
        left = unassigned.unassigned_rows(state)
        assert unassigned.centroid(state) == pytest.approx(matrix[left].mean(axis=0), abs=1e-12)
