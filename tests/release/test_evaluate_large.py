"""Files that are evaluated in pieces, compared with the evaluation of the same tables in memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import ColumnError, DataError, OptionError, ShoalError
from shoal.release import large_tables

NAMES = ["age", "sex", "region", "birth_date", "height_cm"]
NOT_ADDITIVE = {"query_means", "query_regression", "interval_disclosure"}
"""Measures that use sensitive columns or the released standard deviation in memory only."""
SENSITIVE = ["diagnosis", "visits"]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = large_tables.memory_budget
    monkeypatch.setattr(
        large_tables, "memory_budget", lambda *a, **b: budget(*a, **b)._replace(chunk_rows=97, chunk_bytes=20_000)
    )


@pytest.fixture
def register(tmp_path: Path) -> Path:
    shoal.example_register(400).write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


def different(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> set[str]:
    """The measures whose figures differ."""
    return {
        name
        for name, figure in mine.items()
        if figure is not theirs[name]
        and (
            figure is None
            or theirs[name] is None
            or not math.isclose(figure, theirs[name], rel_tol=1e-9, abs_tol=1e-12)
        )
    }


def released(register: Path, ending: str = ".csv", **options: Any) -> Path:
    options = {"k": 4, "quasi_identifiers": NAMES, "identifiers": ["person_id", "name"], **options}
    release = shoal.anonymize(register, method="mondrian", sensitive=SENSITIVE, **options)
    place = register.with_name(f"released{ending}")
    release.save(place)
    return place


@pytest.mark.parametrize(
    ("release_options", "options"),
    [
        ({}, {}),
        ({"recode": "interval"}, {"standardize": False}),
        ({"max_suppression": 0.05}, {"weights": {"age": 2.0}}),
        ({"missing_values": "impute"}, {"missing_values": "impute", "k": None}),
        ({}, {"models": {"diagnosis": ["distinct-l(2)", "t-equal(0.4)"]}, "sensitive": "visits"}),
        ({"ending": ".parquet"}, {"kinds": {"sex": "nominal"}}),
    ],
)
def test_files_in_pieces_are_measured_as_in_memory(
    register: Path, release_options: dict[str, Any], options: dict[str, Any]
) -> None:
    release = released(register, **release_options)
    options = {"k": 4, "quasi_identifiers": NAMES, "sensitive": SENSITIVE, **options}
    whole = shoal.evaluate(register, release, **options)
    pieces = shoal.evaluate(register, release, memory="1GB", **options)
    assert pieces.notes[-1] == "attacks, and queries about sensitive columns, are not measured in pieces"
    assert pieces.notes[:-1] == whole.notes
    assert (pieces.records, pieces.k, pieces.base, pieces.distance) == (
        whole.records,
        whole.k,
        whole.base,
        whole.distance,
    )
    assert pieces.disclosures == whole.disclosures
    for mine, theirs in ((pieces.before, whole.before), (pieces.after, whole.after), (pieces.loss, whole.loss)):
        assert mine
        assert different(mine, theirs) <= NOT_ADDITIVE
    for column, figures in pieces.changes.items():
        assert different(figures, whole.changes[column]) <= NOT_ADDITIVE
    assert [(check.model, check.violations) for check in pieces.models] == [
        (check.model, check.violations) for check in whole.models
    ]
    assert {"information_loss", "semantic_loss", "c_avg"} <= pieces.loss.keys()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"missing_values": "wildcard"}, OptionError, "missing_values='wildcard' needs the whole table"),
        ({"population": "x.csv"}, OptionError, "population needs the whole table"),
        ({"sampling_weights": "visits"}, OptionError, "sampling_weights needs the whole table"),
        ({"measures": "all"}, OptionError, "measures needs the whole table"),
        ({"quasi_identifiers": "agee"}, ColumnError, "no column 'agee'"),
        ({"sensitive": "agee"}, ColumnError, "no column 'agee'"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    register: Path, options: dict[str, Any], error: type[ShoalError], words: str
) -> None:
    with pytest.raises(error, match=words):
        shoal.evaluate(register, register, **{"quasi_identifiers": NAMES, "memory": "1GB", **options})


def test_files_that_do_not_fit_together_are_refused(register: Path) -> None:
    frame, other = pl.read_csv(register), register.with_name("other.csv")
    options = {"quasi_identifiers": NAMES, "memory": "1GB"}
    frame[:-1].write_csv(other)
    with pytest.raises(DataError, match="has 400 records and the release 399"):
        shoal.evaluate(register, other, **options)
    frame.drop("sex").write_csv(other)
    with pytest.raises(ColumnError, match="sex"):
        shoal.evaluate(register, other, **options)
    frame.sort("diagnosis", "visits").write_csv(other)
    with pytest.raises(DataError, match="are shuffled"):
        shoal.evaluate(register, other, **options)
    with pytest.raises(DataError, match="are shuffled"):
        shoal.evaluate(register, other, quasi_identifiers=NAMES)
    frame.with_columns(pl.col("age").cast(pl.String) + "?").write_csv(other)
    notes = shoal.evaluate(register, other, **options).notes
    assert "no loss by squared error: 1 quasi-identifier without a number in every record of both tables" in notes
