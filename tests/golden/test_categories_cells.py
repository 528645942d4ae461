"""Optimal cells on Adult, prepared as in the thesis: values replaced by the synsets of WordNet."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.hierarchy import Hierarchy

COLUMNS = {"occupation": "occupation", "native-country": "native_country"}
OPTIMA = {2: 0.0271633, 3: 0.0577092}
"""The least loss that an integer program found, solved outside of Shoal to one part in 10,000: a combination to a
center, at least k records a center, and no other node with a smaller sum of distances."""
BOUNDS = {5: 0.1082, 6: 0.1395, 10: 0.2179}
"""What no partition falls below, by the same program stopped before its end."""


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> tuple[pl.DataFrame, dict[str, Hierarchy]]:
    frame = pl.read_csv(data_folder / "adult.csv").select(*COLUMNS)
    hierarchies = {}
    for column, name in COLUMNS.items():
        with (data_folder / "vgh" / f"{name}_edges.csv").open(encoding="utf-8", newline="") as file:
            parents = {row["child"]: row["parent"] for row in csv.DictReader(file)}
        synsets = {value: parents.pop(value) for value in frame[column].unique().sort()}
        frame = frame.with_columns(pl.col(column).replace(synsets))
        hierarchies[column] = Hierarchy.from_edges(parents.items())
    return frame, hierarchies


def loss(adult: tuple[pl.DataFrame, dict[str, Hierarchy]], k: int, method: str) -> float:
    frame, hierarchies = adult
    found = shoal.partition(frame, k=k, method=method, hierarchies=hierarchies).semantic_loss
    assert found is not None
    return found


@pytest.mark.parametrize("k", range(2, 11))
def test_loses_at_most_half_of_sa_mdav_and_a_third_from_6_on(adult, k: int) -> None:
    assert loss(adult, k, "optimal-cells") <= loss(adult, k, "sa-mdav") / (2 if k < 6 else 3)


@pytest.mark.parametrize("k", OPTIMA)
def test_lies_within_a_hundredth_of_the_optimum(adult, k: int) -> None:
    assert OPTIMA[k] - 1e-7 <= loss(adult, k, "optimal-cells") <= 1.01 * OPTIMA[k]


@pytest.mark.parametrize("k", BOUNDS)
def test_lies_near_the_bound(adult, k: int) -> None:
    assert BOUNDS[k] <= loss(adult, k, "optimal-cells") <= 1.13 * BOUNDS[k]
