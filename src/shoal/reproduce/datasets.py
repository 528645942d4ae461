"""The data sets behind printed figures: where they lie, and what they must look like. None of them is shipped."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal import tables
from shoal.errors import DataError, FileError
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
        Dataset("tarragona", "tarragona.csv", 834, 13),
        Dataset("census", "census.csv", 1080, 13),
        Dataset("eia", "eia.csv", 4092, 11),
        Dataset("eia-10", "eia.csv", 4092, 11, without=("UTILITYID",)),
        Dataset("eia-12", "eia_full.csv", 4092, 15, without=("UTILNAME", "STATE", "YEAR")),
        Dataset("eia-13", "eia_full.csv", 4092, 15, without=("UTILNAME", "STATE")),
        Dataset("toy19", "toy19.csv", 19, 2),
    )
}
_BESIDE = Path("..", "shared", "data")
_TOY = re.compile(r"Var1\s+Var2\s*\n((?:\s*\d+\s+\d+\s*\n){19})")
_THESIS = Path("..", "papers", "hac-thesis.txt")


def data_folder(given: str | os.PathLike[str] | None) -> Path:
    """The folder that is given, or named by SHOAL_DATA, or lies beside the working folder."""
    folder = Path(given or os.environ.get("SHOAL_DATA") or _BESIDE)
    if not folder.is_dir():
        raise FileError.no_benchmark_data(None if given is None and "SHOAL_DATA" not in os.environ else folder)
    return folder


def load(dataset: Dataset, folder: Path) -> Table | None:
    """The columns that count, or None where the file is not there."""
    path = folder / dataset.file
    if path.is_file():
        table = tables.read(path)
    elif dataset.name == "toy19" and (folder / _THESIS).is_file():
        table = tables.read(_printed_toy(folder / _THESIS))
    else:
        return None
    if (table.height, len(table.names)) != (dataset.records, dataset.columns):
        raise DataError.other_data(path, (dataset.records, dataset.columns), (table.height, len(table.names)))
    return tables.read(tables.numbers(table, [name for name in table.names if name not in dataset.without]))


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
