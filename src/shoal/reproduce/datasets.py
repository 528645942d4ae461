"""The data sets behind printed figures: where they lie, and what they must look like. None of them is shipped."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal import tables
from shoal.errors import ColumnError, DataError, FileError
from shoal.schema import Schema
from shoal.tables import Table
from shoal.values import Records


@dataclass(frozen=True)
class Dataset:
    """A file of numbers, and the columns of it that do not count."""

    name: str
    file: str
    records: int
    columns: int
    total: float
    """The sum of all its numbers, to know it by."""
    without: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """The number of columns that count."""
        return self.columns - len(self.without)

    @property
    def words(self) -> str:
        """What it is, for the reader of a report."""
        return f"{self.name}: {self.file}, {self.records:,} records, {self.width} columns"


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
    if not any(there(dataset, folder) for dataset in DATASETS.values()):
        raise FileError.no_benchmark_data(folder, empty=True)
    return folder


def there(dataset: Dataset, folder: Path) -> bool:
    """Whether the file of a data set lies in the folder, or the thesis that prints it beside it."""
    return (folder / dataset.file).is_file() or (dataset.name == "toy19" and (folder / _THESIS).is_file())


def load(dataset: Dataset, folder: Path) -> Table | None:
    """The columns that count, or None where the file is not there."""
    path = folder / dataset.file
    if not there(dataset, folder):
        return None
    try:
        table = tables.read(path if path.is_file() else _printed_toy(folder / _THESIS))
        shape = (table.height, len(table.names))
        if shape != (dataset.records, dataset.columns):
            raise FileError.not_benchmark_data(
                path,
                f"it has {shape[0]:,} records of {shape[1]} columns, theirs {dataset.records:,} of {dataset.columns}",
            )
        return tables.read(tables.numbers(table, [name for name in table.names if name not in dataset.without]))
    except (DataError, ColumnError) as error:
        raise FileError.not_benchmark_data(path, error.fact) from None


def known(dataset: Dataset, table: Table) -> bool:
    """Whether these are the numbers that the papers used, as far as their sum tells."""
    return math.isclose(float(tables.numbers(table, table.names).sum()), dataset.total, rel_tol=1e-9)


def _printed_toy(thesis: Path) -> Any:
    """The test file of 19 records, from the text of the thesis that prints it."""
    found = _TOY.search(thesis.read_text(encoding="utf-8"))
    if found is None:
        raise FileError.damaged(thesis, "thesis")
    return np.array([line.split() for line in found[1].strip().splitlines()], dtype=float)


def encoded(table: Table, *, standardize: bool) -> Records:
    """All columns as records."""
    schema = Schema.assign(tables.kinds(table), quasi_identifiers=table.names)
    return tables.encode(table, schema, standardize=standardize)
