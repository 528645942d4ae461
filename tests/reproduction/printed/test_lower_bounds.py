"""What no partition of the benchmark tables can go below, in percent of their variation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shoal.search import column_bound, elementary_bound


def standardized(path: Path) -> np.ndarray:
    values = np.loadtxt(path, delimiter=",", skiprows=1)
    return np.ascontiguousarray((values - values.mean(axis=0)) / values.std(axis=0, ddof=1))


@pytest.mark.parametrize(("k", "figure"), [(3, 3.444), (4, 4.323), (5, 5.017), (10, 7.336)])
def test_elementary_bounds_of_census(data_folder: Path, k: int, figure: float) -> None:
    points = standardized(data_folder / "census.csv")
    assert 100 * elementary_bound(points, k).value / (points**2).sum() == pytest.approx(figure, abs=5e-4)


def test_column_bound_of_census(data_folder: Path) -> None:
    """Without triples the program of all groups of 3 has a value of 4.646; 4.6684 is the loss of a known partition."""
    points = standardized(data_folder / "census.csv")
    bound = 100 * column_bound(points, 3, effort=200_000_000).bound.value / (points**2).sum()
    assert 4.6455 < bound < 4.6684
