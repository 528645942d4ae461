"""The data sets behind printed figures: where they lie, and what they must look like.

None of them is shipped, but for ten records that a paper prints.
"""

from __future__ import annotations

import math
import os
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal import tables
from shoal.errors import ColumnError, DataError, FileError, HierarchyError
from shoal.hierarchy import Hierarchy
from shoal.reproduce.example import COLUMNS, example
from shoal.reproduce.trees import TREES, WORDNET
from shoal.schema import Schema
from shoal.tables import Table
from shoal.values import Records

SAMPLE = 10_000
"""The number of records of a sample."""


@dataclass(frozen=True)
class Dataset:
    """A file, and the columns of it that count: all but some of numbers, some of categories, or some of both."""

    name: str
    file: str
    """Empty if its records are those of the example."""
    records: int
    columns: int
    total: float
    """The sum of all its numbers, or of the sizes of the classes of all records, to know it by."""
    without: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    """Their hierarchies are built from WordNet."""
    mixed: tuple[str, ...] = ()
    """Numbers and categories, without hierarchies."""
    seed: int | None = None
    """That of a sample without replacement."""
    rule: str = "alphabetical"
    """How a hierarchy from WordNet chooses between hypernyms."""

    @property
    def chosen(self) -> tuple[str, ...]:
        """The columns that count, where they are not all of numbers."""
        return self.categories or self.mixed

    @property
    def width(self) -> int:
        """The number of columns that count."""
        return len(self.chosen) or self.columns - len(self.without)

    @property
    def words(self) -> str:
        """What it is, for the reader of a report."""
        drawn = "" if self.seed is None else f"{SAMPLE:,} drawn with seed {self.seed} from "
        rule = f", hypernyms by rule {self.rule}" if self.categories else ""
        file = self.file or "printed in its paper"
        return f"{self.name}: {file}, {drawn}{self.records:,} records, {self.width} columns{rule}"


def _adult(name: str, rule: str) -> Dataset:
    return Dataset(name, "adult.csv", 30162, 15, 80518372, categories=("occupation", "native-country"), rule=rule)


def _analytics(name: str, total: int, *, seed: int | None = None) -> Dataset:
    return Dataset(name, "analytics.csv.gz", 243545, 2, total, categories=("os", "country"), seed=seed)


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset("tarragona", "tarragona.csv", 834, 13, 1118735908),
        Dataset("census", "census.csv", 1080, 13, 516352498),
        Dataset("eia", "eia.csv", 4092, 11, 6661309878),
        Dataset("eia-10", "eia.csv", 4092, 11, 6620529031, without=("UTILITYID",)),
        Dataset("eia-12", "eia_full.csv", 4092, 15, 6661336458, without=("UTILNAME", "STATE", "YEAR")),
        Dataset("eia-13", "eia_full.csv", 4092, 15, 6661729290, without=("UTILNAME", "STATE")),
        Dataset("toy19", "toy19.csv", 19, 2, 199),
        _adult("adult", "alphabetical"),
        _adult("adult-first", "first"),
        _analytics("analytics", 2528885895),
        _analytics("analytics-sample-one", 4400912, seed=1),
        _analytics("analytics-sample-two", 4240678, seed=2),
        Dataset("adult-mixed", "adult.csv", 30162, 15, 4601346, mixed=COLUMNS),
        Dataset("example10", "", 10, 4, 10, mixed=COLUMNS),
    )
}
_BESIDE = Path("..", "shared", "data")
_TOY = re.compile(r"Var1\s+Var2\s*\n((?:\s*\d+\s+\d+\s*\n){19})")
_THESIS = Path("..", "papers", "hac-thesis.txt")


def data_folder(given: str | os.PathLike[str] | None) -> Path:
    """The folder that is given, or named by SHOAL_DATA, or lies beside the working folder; it has some of the files."""
    named = given or os.environ.get("SHOAL_DATA")
    folder = Path(named or _BESIDE)
    if not folder.is_dir():
        raise FileError.no_benchmark_data(folder if named else None)
    if not any(there(dataset, folder) for dataset in DATASETS.values() if dataset.file):
        raise FileError.no_benchmark_data(folder, empty=True)
    return folder


def there(dataset: Dataset, folder: Path) -> bool:
    """Whether a data set lies in the folder; for the file that a thesis prints, its text beside the folder will do."""
    printed = dataset.name == "toy19" and (folder / _THESIS).is_file()
    return printed or (folder / dataset.file).exists()


def has_trees(dataset: Dataset, folder: Path) -> bool:
    """Whether the hierarchies of a data set can be built; one of numbers needs none."""
    return not dataset.categories or (folder / WORDNET).exists()


def load(dataset: Dataset, folder: Path) -> Table | None:
    """The columns that count, or None where the file is not there."""
    path = folder / dataset.file
    if not there(dataset, folder):
        return None
    try:
        table = tables.read(_source(dataset, folder))
        shape = (table.height, len(table.names))
        if shape != (dataset.records, dataset.columns):
            raise FileError.not_benchmark_data(
                path,
                f"it has {shape[0]:,} records of {shape[1]} columns, theirs {dataset.records:,} of {dataset.columns}",
            )
        if dataset.chosen:
            return _chosen(table, dataset)
        return tables.read(tables.numbers(table, [name for name in table.names if name not in dataset.without]))
    except (DataError, ColumnError) as error:
        raise FileError.not_benchmark_data(path, error.fact) from None


def _source(dataset: Dataset, folder: Path) -> Any:
    if not dataset.file:
        return example()
    path = folder / dataset.file
    return path if path.is_file() else _printed_toy(folder / _THESIS)


def _chosen(table: Table, dataset: Dataset) -> Table:
    for name in dataset.chosen:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    frame = table.native().select(dataset.chosen)
    if dataset.seed is not None:
        frame = frame[sorted(random.Random(dataset.seed).sample(range(table.height), SAMPLE))]  # noqa: S311
    return tables.read(frame)


def hierarchies(dataset: Dataset, table: Table, folder: Path) -> dict[str, Hierarchy]:
    """The trees of the categories, built for the values that the table has."""
    try:
        return {
            name: TREES[name](tables.value_counts(table, name), folder / WORDNET, dataset.rule)
            for name in dataset.categories
        }
    except HierarchyError as error:
        raise FileError.not_benchmark_data(folder / dataset.file, error.fact) from None


def known(dataset: Dataset, table: Table) -> bool:
    """Whether these are the values that the papers used, as far as their sum tells."""
    if dataset.chosen:
        return int(tables.class_sizes(table, table.names).sum()) == dataset.total
    return math.isclose(float(tables.numbers(table, table.names).sum()), dataset.total, rel_tol=1e-9)


def _printed_toy(thesis: Path) -> Any:
    """The test file of 19 records, from the text of the thesis that prints it."""
    found = _TOY.search(thesis.read_text(encoding="utf-8"))
    if found is None:
        raise FileError.damaged(thesis, "thesis")
    return np.array([line.split() for line in found[1].strip().splitlines()], dtype=float)


def encoded(table: Table, *, standardize: bool = True, hierarchies: Mapping[str, Hierarchy] | None = None) -> Records:
    """All columns as records."""
    schema = Schema.assign(tables.kinds(table), quasi_identifiers=table.names)
    trees = {name: (tree, "") for name, tree in (hierarchies or {}).items()}
    return tables.encode(table, schema.understood(hierarchies=trees), standardize=standardize)
