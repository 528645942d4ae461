"""New records in the groups of an earlier table."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import new_records
from shoal.errors import EstimatorError
from shoal.microaggregation.new_records import assign_new_records


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    """Points and centers, often with ties, and a k that the points can keep."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values, columns = draw(st.sampled_from([2, 6, 10**6])), draw(st.integers(1, 3))
    k = draw(st.integers(2, 6))
    points = rng.integers(0, values, (draw(st.integers(k, 40)), columns)).astype(float)
    return points, rng.integers(0, values, (draw(st.integers(1, 50)), columns)).astype(float), k


@given(arrivals())
def test_merges_as_the_naive_code_does(made) -> None:
    points, centers, k = made
    labels = assign_new_records(points, centers, k=k, undersized="merge")
    assert labels.tolist() == new_records.merged(points, centers, k)
    assert min(Counter(labels.tolist()).values()) >= k


@given(arrivals())
def test_refuses_just_what_the_nearest_centers_would_break(made) -> None:
    points, centers, k = made
    near = [new_records.nearest(point, centers, list(range(len(centers)))) for point in points]
    small = [size for size in Counter(near).values() if size < k]
    if not small:
        assert assign_new_records(points, centers, k=k, undersized="raise").tolist() == near
        return
    fact = rf"^{sum(small)} of {len(points)} records would be in {len(small)} groups? of fewer than k = {k};"
    with pytest.raises(EstimatorError, match=fact):
        assign_new_records(points, centers, k=k, undersized="raise")


def test_many_centers_are_searched_as_the_naive_code_does() -> None:
    rng = np.random.default_rng(2)
    points, centers = rng.normal(size=(300, 4)), rng.normal(size=(400, 4))
    assert assign_new_records(points, centers, k=3, undersized="merge").tolist() == new_records.merged(
        points, centers, 3
    )


def test_what_is_too_far_for_distances_is_refused() -> None:
    points, centers = np.array([[0.0], [1.0], [1e200], [-np.inf]]), np.zeros((1, 1))
    with pytest.raises(EstimatorError, match=r"^2 of 4 records are so far .* \(the first is record 3\);"):
        assign_new_records(points, centers, k=2, undersized="merge")
    assert assign_new_records(points[:2] + 9e14, centers, k=2, undersized="raise").tolist() == [0, 0]
