"""The ten example records of the XMondrian paper (Figure 8): the first ten of Adult."""

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

from shoal import data
from shoal.data import ReadOptions, Table
from shoal.data.csv.read_delimited import read_delimited
from shoal.domain import Records, Schema
from shoal.errors import ColumnError, DataError, FileError, HierarchyError
from shoal.hierarchy import Hierarchy
from shoal_reproduction.errors import BenchmarkDataError
from shoal_reproduction.hierarchies import HIERARCHY_BUILDERS, WORDNET

EXAMPLE_COLUMNS = ("age", "workclass", "marital-status", "native-country")
"""Quasi-identifiers in the order of the figure, with their names in Adult."""
EXAMPLE_RECORDS = (
    "39,State-gov,Never-married,US",
    "50,Self-emp-not-inc,Married-civ-spouse,US",
    "38,Private,Divorced,US",
    "53,Private,Married-civ-spouse,US",
    "28,Private,Married-civ-spouse,Cuba",
    "37,Private,Married-civ-spouse,US",
    "49,Private,Married-spouse-absent,Jamaica",
    "52,Self-emp-not-inc,Married-civ-spouse,US",
    "31,Private,Never-married,US",
    "42,Private,Married-civ-spouse,US",
)


def example_table() -> Table:
    """Return the records as a table."""
    text = "\n".join([",".join(EXAMPLE_COLUMNS), *EXAMPLE_RECORDS])
    cells, settings = read_delimited(text.encode(), options=ReadOptions(), tabs=False, path=Path("example10.csv"))
    return Table("csv", cells, settings=settings)


SAMPLE_SIZE = 10_000
"""Number of records of a sample."""


@dataclass(frozen=True)
class Dataset:
    """A dataset: its file, and its columns, which are numeric, categorical or mixed."""

    name: str
    file: str
    """Empty for the records of the example."""
    records: int
    columns: int
    checksum: float
    """Checksum: the sum of all its numbers, or of the class sizes of all records."""
    excluded: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    """Categorical columns, with hierarchies built from WordNet."""
    mixed: tuple[str, ...] = ()
    """Numeric and categorical columns, without hierarchies."""
    seed: int | None = None
    """Seed of a sample without replacement."""
    rule: str = "alphabetical"
    """Rule of the WordNet hierarchies for synsets with several hypernyms."""

    @property
    def selected_columns(self) -> tuple[str, ...]:
        """The selected columns; empty if all numeric ones are used."""
        return self.categories or self.mixed

    @property
    def n_columns(self) -> int:
        """Number of columns used."""
        return len(self.selected_columns) or self.columns - len(self.excluded)

    @property
    def description(self) -> str:
        """Description for the report."""
        drawn = "" if self.seed is None else f"{SAMPLE_SIZE:,} drawn with seed {self.seed} from "
        rule = f", hypernyms by rule {self.rule}" if self.categories else ""
        file = self.file or "printed in its paper"
        return f"{self.name}: {file}, {drawn}{self.records:,} records, {self.n_columns} columns{rule}"


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
        Dataset("eia-10", "eia.csv", 4092, 11, 6620529031, excluded=("UTILITYID",)),
        Dataset("eia-12", "eia_full.csv", 4092, 15, 6661336458, excluded=("UTILNAME", "STATE", "YEAR")),
        Dataset("eia-13", "eia_full.csv", 4092, 15, 6661729290, excluded=("UTILNAME", "STATE")),
        Dataset("toy19", "toy19.csv", 19, 2, 199),
        _adult("adult", "alphabetical"),
        _adult("adult-first", "first"),
        _analytics("analytics", 2528885895),
        _analytics("analytics-sample-one", 4400912, seed=1),
        _analytics("analytics-sample-two", 4240678, seed=2),
        Dataset("adult-mixed", "adult.csv", 30162, 15, 4601346, mixed=EXAMPLE_COLUMNS),
        Dataset("example10", "", 10, 4, 10, mixed=EXAMPLE_COLUMNS),
    )
}
_DEFAULT_FOLDER = Path("..", "shared", "data")
_TOY = re.compile(r"Var1\s+Var2\s*\n((?:\s*\d+\s+\d+\s*\n){19})")
_THESIS = Path("..", "papers", "hac-thesis.txt")


def data_folder(given: str | os.PathLike[str] | None) -> Path:
    """Return the given folder, else that of SHOAL_DATA, else the default one; it must have some of the files."""
    named = given or os.environ.get("SHOAL_DATA")
    folder = Path(named or _DEFAULT_FOLDER)
    if not folder.is_dir():
        raise BenchmarkDataError.missing(folder if named else None)
    if not any(is_available(dataset, folder) for dataset in DATASETS.values() if dataset.file):
        raise BenchmarkDataError.missing(folder, empty=True)
    return folder


def is_available(dataset: Dataset, folder: Path) -> bool:
    """Whether a dataset is in the folder. ``toy19`` can also be read from the text of the thesis that prints it."""
    printed = dataset.name == "toy19" and (folder / _THESIS).is_file()
    return printed or (folder / dataset.file).exists()


def has_hierarchies(dataset: Dataset, folder: Path) -> bool:
    """Whether the hierarchies of a dataset can be built; a numeric one needs none."""
    return not dataset.categories or (folder / WORDNET).exists()


def load(dataset: Dataset, folder: Path) -> Table | None:
    """Load the columns used; None if the file is missing."""
    path = folder / dataset.file
    if not is_available(dataset, folder):
        return None
    try:
        table = data.read_table(_source(dataset, folder))
        shape = (table.height, len(table.names))
        if shape != (dataset.records, dataset.columns):
            raise BenchmarkDataError.different(
                path,
                f"it has {shape[0]:,} records of {shape[1]} columns, theirs {dataset.records:,} of {dataset.columns}",
            )
        if dataset.selected_columns:
            return _select_columns(table, dataset)
        return data.read_table(
            data.numeric_matrix(table, [name for name in table.names if name not in dataset.excluded])
        )
    except (DataError, ColumnError) as error:
        raise BenchmarkDataError.different(path, error.fact) from None


def _source(dataset: Dataset, folder: Path) -> Any:
    if not dataset.file:
        return example_table()
    path = folder / dataset.file
    return path if path.is_file() else _parse_toy(folder / _THESIS)


def _select_columns(table: Table, dataset: Dataset) -> Table:
    for name in dataset.selected_columns:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    frame = table.native().select(dataset.selected_columns)
    if dataset.seed is not None:
        frame = frame[sorted(random.Random(dataset.seed).sample(range(table.height), SAMPLE_SIZE))]  # noqa: S311
    return data.read_table(frame)


def build_hierarchies(dataset: Dataset, table: Table, folder: Path) -> dict[str, Hierarchy]:
    """Build the hierarchies of the categorical columns for the values of the table."""
    try:
        return {
            name: HIERARCHY_BUILDERS[name](data.value_counts(table, name), folder / WORDNET, dataset.rule)
            for name in dataset.categories
        }
    except HierarchyError as error:
        raise BenchmarkDataError.different(folder / dataset.file, error.fact) from None


def matches_checksum(dataset: Dataset, table: Table) -> bool:
    """Whether the values have the checksum of the data in the papers."""
    if dataset.selected_columns:
        return int(data.class_sizes(table, table.names).sum()) == dataset.checksum
    return math.isclose(float(data.numeric_matrix(table, table.names).sum()), dataset.checksum, rel_tol=1e-9)


def _parse_toy(thesis: Path) -> Any:
    """Parse the test file of 19 records from the text of the thesis."""
    match = _TOY.search(thesis.read_text(encoding="utf-8"))
    if match is None:
        raise FileError.damaged(thesis, "thesis")
    return np.array([line.split() for line in match[1].strip().splitlines()], dtype=float)


def encode_table(
    table: Table, *, standardize: bool = True, hierarchies: Mapping[str, Hierarchy] | None = None
) -> Records:
    """Encode all columns as records."""
    schema = Schema.assign(data.column_kinds(table), quasi_identifiers=table.names)
    trees = {name: (tree, "") for name, tree in (hierarchies or {}).items()}
    return data.encode_records(table, schema.with_column_options(hierarchies=trees), standardize=standardize)
