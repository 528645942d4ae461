"""Record linkage to released points: compiled and as plain Python."""

from __future__ import annotations

import numpy as np

from shoal.kernels import nearest_record


def test_nearest_tied_and_passed_over() -> None:
    table = 1.0 - np.eye(3)
    squares = nearest_record.RowDistance(1, table.ravel(), np.array([0]), np.array([3]))
    records = np.array([[0.0, 0], [2.0, 1], [5.0, 2], [np.nan, 2], [1.0, 0]])
    points = np.array([[0.0, 0], [2.0, 0], [5.0, 2]])
    own, sizes = np.array([0, 0, 2, 2, 0]), np.array([2.0, 3.0, 4.0])
    # its own; another is nearer; its own; its number is not compared; two are as near
    expected = [1 / 2, 0.0, 1 / 4, 1 / 4, 1 / 5]
    for credit in (
        nearest_record.linkage_credit,
        getattr(nearest_record.linkage_credit, "py_func", nearest_record.linkage_credit),
    ):
        assert credit(squares, records, points, sizes, own).tolist() == expected


def test_a_distance_is_summed_until_it_exceeds_the_limit() -> None:
    nothing = np.empty(0, dtype=np.int64)
    squares = nearest_record.RowDistance(2, np.empty(0), nothing, nothing)
    record, point = np.array([3.0, 4.0]), np.zeros(2)
    assert nearest_record.squared_distance(squares, record, point, np.inf) == 25
    assert nearest_record.squared_distance(squares, record, point, 8.0) == 9
