"""All printed cells, the comparisons and the hierarchies of Adult, each computed once."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

import shoal
from shoal.domain import Partition, no_progress
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.wordnet.database import WordNet
from shoal_reproduction import Reproduction, runs
from shoal_reproduction.datasets import DATASETS
from shoal_reproduction.readings import MethodReading
from shoal_reproduction.reproduction import make_plan, run_plan
from shoal_reproduction.runs import RunCache, RunResult

SLOW = "optimal-cells"
ORDERED = {"sa-mdav", "sa-mondrian-strict", "mondrian-strict-improved"}
COMPARED = (ORDERED | {"mondrian-strict"}, ORDERED | {"mondrian-branch", "sa-mdav-plus", SLOW})
"""Methods on categories whose losses tests look at: on Analytics, and on Adult."""
SLOW_LEVELS = range(2, 11) if os.environ.get("SHOAL_TRIES") == "full" else (2, 3, 5, 6, 10)
"""The values of k for which the slowest method has all its rounds on Adult."""
ON_ALL_NUMBERS = "mdav-1"
"""The method that is compared on all data sets of numbers; one of them has all methods."""
OPEN = cache(WordNet.open)
COLUMNS = {"occupation": "occupation", "native-country": "native_country"}


@pytest.fixture(scope="module", autouse=True)
def _wordnet_is_read_once() -> Iterator[None]:
    """Each hierarchy is built from the same files, which take longer to read than the hierarchy to build.

    Only for these tests: others write such files anew.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WordNet, "open", OPEN)
        yield


def compared(dataset: str, method: str, k: int) -> bool:
    """Whether a test looks at a method on a data set.

    On numbers, all methods are compared on one data set and for one k; on categories, those whose losses a test looks
    at for every k.
    """
    if not DATASETS[dataset].categories:
        return k == 10 and (dataset == "tarragona" or method == ON_ALL_NUMBERS)
    return method in COMPARED[dataset == "adult"]


@pytest.fixture(scope="session")
def reproduction(data_folder: Path) -> Reproduction:
    """All that `shoal reproduce` runs, but for what no test looks at.

    The slowest method has no rounds on Analytics, where no paper prints its figures, and for some k on Adult. Nothing
    is run several times to be timed.
    """
    whole, run = make_plan(data_folder, only=()), RunCache.run

    def run_fewer_rounds(runs: RunCache, reading: MethodReading, dataset: str, k: int | None) -> RunResult | None:
        if reading.method == SLOW and not (dataset == "adult" and k in SLOW_LEVELS):
            reading = replace(reading, options={"rounds": 0})
        return run(runs, reading, dataset, k)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunCache, "run", run_fewer_rounds)
        patch.setattr(runs, "REPEATS", 1)
        return run_plan(
            replace(whole, comparisons=[one for one in whole.comparisons if compared(*one)]), progress=no_progress
        )


@pytest.fixture(scope="session")
def fully_searched(reproduction: Reproduction) -> Collection[tuple[str, int]]:
    """The methods and values of k whose losses on Adult are those of the method with all its rounds."""
    on_adult = [(row["method"], row["k"]) for row in reproduction.comparison if row["dataset"] == "adult"]
    return {(method, k) for method, k in on_adult if method != SLOW or k in SLOW_LEVELS}


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
def adult_groups(adult_synsets: Adult) -> Callable[..., Partition]:
    """The groups of these columns, once for each k, method and options."""
    frame, hierarchies = adult_synsets

    @cache
    def group(k: int, method: str, **options: bool) -> Partition:
        return shoal.partition(frame, k=k, method=method, hierarchies=hierarchies, **options)

    return group
