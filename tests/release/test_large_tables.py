"""Tables that are verified in pieces, compared with the same tables in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import ColumnError, OptionError, ShoalError

MODELS = {"diagnosis": ["distinct-l(2)", "t-equal(0.9)"]}
NAMES = ["age", "sex", "region"]


@pytest.fixture
def register(tmp_path: Path) -> Path:
    shoal.example_register(500).with_columns((pl.int_range(500) // 3).alias("home")).write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"models": MODELS},
        {"models": {"diagnosis": "t-ordered(0.5)"}, "levels": {"diagnosis": "order.txt"}},
        {"strata": "education", "models": MODELS},
        {"households": "home"},
    ],
    ids=["classes", "models", "levels", "strata", "households"],
)
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_a_file_in_pieces_is_verified_as_in_memory(register: Path, options: dict[str, Any], ending: str) -> None:
    frame, path = pl.read_csv(register), register.with_suffix(ending)
    if ending == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path, separator="\t" if ending == ".tsv" else ",")
    if "levels" in options:
        order = register.parent / "order.txt"
        order.write_text("\n".join(frame["diagnosis"].drop_nulls().unique().sort(descending=True)))
        options = {**options, "levels": {"diagnosis": str(order)}}
    whole = shoal.verify(path, k=3, quasi_identifiers=NAMES, **options)
    assert shoal.verify(path, k=3, quasi_identifiers=NAMES, memory="1GB", **options) == whole


def test_import_settings_count_in_pieces_too(tmp_path: Path) -> None:
    path = tmp_path / "people.txt"
    path.write_text("note\nage;ill\n1;a\n1;b\n2;c\n")
    options = shoal.data.ReadOptions(delimiter=";", skip=1, format="csv")
    proof = shoal.verify(path, k=2, quasi_identifiers="age", memory="1GB", options=options)
    assert (proof.records, proof.classes) == (3, 2)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"missing_values": "wildcard"}, OptionError, "cannot be counted in pieces"),
        ({"against": "other.csv"}, OptionError, "against needs the whole table in memory"),
        ({"sensitive": "diagnosis"}, OptionError, "against"),
        ({"quasi_identifiers": "agee"}, ColumnError, "no column 'agee'"),
        ({"strata": "agee"}, ColumnError, "no column 'agee'"),
        ({"households": "agee"}, ColumnError, "no column 'agee'"),
        ({"models": {"agee": "distinct-l(2)"}}, ColumnError, "no column 'agee'"),
        ({"memory": "1MB"}, OptionError, "memory"),
        ({"table": shoal.example_register(10)}, OptionError, "for tables that are read from files"),
    ],
)
def test_what_cannot_be_counted_is_refused(
    register: Path, options: dict[str, Any], error: type[ShoalError], words: str
) -> None:
    arguments = {"table": register, "k": 2, "quasi_identifiers": NAMES, "memory": "1GB", **options}
    with pytest.raises(error, match=words):
        shoal.verify(arguments.pop("table"), **arguments)


def test_no_file_is_left(register: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    assert shoal.verify(register, k=2, quasi_identifiers=NAMES, households="home", memory="1GB").records == 500
    assert not [path for path in folder.rglob("*") if path.suffix == ".arrow"]
