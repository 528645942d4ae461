"""Links to released points: compiled and as plain Python."""

from __future__ import annotations

import numpy as np

from shoal.kernels import links


def test_nearest_tied_and_passed_over() -> None:
    table = 1.0 - np.eye(3)
    squares = links.RowDistance(1, table.ravel(), np.array([0]), np.array([3]))
    records = np.array([[0.0, 0], [2.0, 1], [5.0, 2], [np.nan, 2], [1.0, 0]])
    points = np.array([[0.0, 0], [2.0, 0], [5.0, 2]])
    own, sizes = np.array([0, 0, 2, 2, 0]), np.array([2.0, 3.0, 4.0])
    # its own; another is nearer; its own; its number is not compared; two are as near
    expected = [1 / 2, 0.0, 1 / 4, 1 / 4, 1 / 5]
    for credit in (links.linkage_credit, getattr(links.linkage_credit, "py_func", links.linkage_credit)):
        assert credit(squares, records, points, sizes, own).tolist() == expected


def test_a_distance_is_summed_until_it_exceeds_the_limit() -> None:
    nothing = np.empty(0, dtype=np.int64)
    squares = links.RowDistance(2, np.empty(0), nothing, nothing)
    record, point = np.array([3.0, 4.0]), np.zeros(2)
    assert links.squared_distance(squares, record, point, np.inf) == 25
    assert links.squared_distance(squares, record, point, 8.0) == 9
