"""All printed cells, the comparisons and the hierarchies of Adult, each computed once."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

import shoal
from shoal.hierarchy import Hierarchy
from shoal.reproduce import Reproduction
from shoal.reproduce.datasets import DATASETS
from shoal.reproduce.readings import Reading
from shoal.reproduce.reproduction import carry_out, plan
from shoal.reproduce.runs import Run, Runs
from shoal.values import Partition, silent

SLOW = "optimal-cells"
ORDERED = {"sa-mdav", "sa-mondrian-strict", "mondrian-strict-improved"}
COMPARED = (ORDERED | {"mondrian-strict"}, ORDERED | {"mondrian-branch", "sa-mdav-plus", SLOW})
"""Methods on categories whose losses tests look at: on Analytics, and on Adult."""
COLUMNS = {"occupation": "occupation", "native-country": "native_country"}


@pytest.fixture(scope="session")
def found(data_folder: Path) -> Reproduction:
    """All that `shoal reproduce` runs, but for what no test looks at.

    On numbers, all methods are compared for one k; on categories, those whose losses a test looks at for every k. The
    slowest method has no rounds on Analytics: no paper prints its figures there.
    """
    whole, run = plan(data_folder, only=()), Runs.run
    compared = [
        (dataset, method, k)
        for dataset, method, k in whole.compared
        if (method in COMPARED[dataset == "adult"] if DATASETS[dataset].categories else k == 10)
    ]

    def run_fewer_rounds(runs: Runs, reading: Reading, dataset: str, k: int | None) -> Run | None:
        if reading.method == SLOW and dataset.startswith("analytics"):
            reading = replace(reading, options={"rounds": 0})
        return run(runs, reading, dataset, k)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Runs, "run", run_fewer_rounds)
        return carry_out(replace(whole, compared=compared), progress=silent)


class Adult(NamedTuple):
    frame: pl.DataFrame
    hierarchies: dict[str, Hierarchy]


@pytest.fixture(scope="session")
def adult_synsets(data_folder: Path) -> Adult:
    """Two columns of Adult, values replaced by the synsets of WordNet, as in the thesis."""
    frame = pl.read_csv(data_folder / "adult.csv").select(*COLUMNS)
    hierarchies = {}
    for column, name in COLUMNS.items():
        with (data_folder / "vgh" / f"{name}_edges.csv").open(encoding="utf-8", newline="") as file:
            parents = {row["child"]: row["parent"] for row in csv.DictReader(file)}
        synsets = {value: parents.pop(value) for value in frame[column].unique().sort()}
        frame = frame.with_columns(pl.col(column).replace(synsets))
        hierarchies[column] = Hierarchy.from_edges(parents.items())
    return Adult(frame, hierarchies)


@pytest.fixture(scope="session")
def adult_groups(adult_synsets: Adult) -> Callable[[int, str], Partition]:
    """The groups of these columns, once for each k and method."""
    frame, hierarchies = adult_synsets

    @cache
    def made(k: int, method: str) -> Partition:
        return shoal.partition(frame, k=k, method=method, hierarchies=hierarchies)

    return made
