"""The roles that are proposed for the Adult data, with and without its records that lack something."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import shoal
from shoal.domain import Role


@pytest.mark.parametrize("file", ["adult.csv", "adult_train_raw.csv.gz"])
def test_nine_of_fifteen_columns_are_quasi_identifiers(data_folder: Path, tmp_path: Path, file: str) -> None:
    path = data_folder / file
    if path.suffix == ".gz":
        path = tmp_path / "raw.csv"
        path.write_bytes(gzip.decompress((data_folder / file).read_bytes()))
    schema = shoal.describe(path).schema
    assert len(schema.columns) == 15
    assert schema.quasi_identifiers == (
        "age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex",
        "native-country",
    )  # fmt: skip
    assert schema.names_with_role(Role.IDENTIFIER) == ("education-num",)
    assert schema.names_with_role(Role.INSENSITIVE) == ("fnlwgt", "hours-per-week")
    assert schema.names_with_role(Role.SENSITIVE) == ("capital-gain", "capital-loss", "income")
