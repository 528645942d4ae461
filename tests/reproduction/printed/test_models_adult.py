"""Privacy models on Adult: enforced on groups of its numbers, and verified by naive code."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from naive import models as naive
from shoal import data
from shoal.data import Table
from shoal.domain import Records, Schema, no_progress
from shoal.domain.privacy_models import parse_models
from shoal.errors import OptionError
from shoal.microaggregation import registry
from shoal.microaggregation.enforce_constraints import enforce_constraints

NUMBERS = ["age", "education-num", "hours-per-week"]


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> tuple[Table, Schema, Records]:
    return prepared(pl.read_csv(data_folder / "adult.csv"))


@pytest.fixture(scope="module")
def part(data_folder: Path) -> tuple[Table, Schema, Records]:
    """A part of Adult for a method whose time grows with the square of the records."""
    return prepared(pl.read_csv(data_folder / "adult.csv", n_rows=12_000))


def prepared(frame: pl.DataFrame) -> tuple[Table, Schema, Records]:
    table = data.read_table(frame)
    schema = Schema.assign(data.column_kinds(table), quasi_identifiers=NUMBERS, sensitive="income")
    return table, schema, data.encode_records(table, schema)


@pytest.mark.parametrize(
    ("method", "written"),
    [
        ("mondrian", "distinct-l(2)"),
        ("mondrian", "entropy-l(1.5)"),
        ("mondrian", "recursive-l(4,2)"),
        ("mondrian", "t-equal(0.2)"),
        ("mdav", "t-equal(0.2)"),
    ],
)
def test_enforced_groups_hold(adult, part, method: str, written: str) -> None:
    table, schema, records = part if method == "mdav" else adult
    models = parse_models({"income": written})
    constraints = data.encode_constraints(table, models, schema)
    data.check_feasible(constraints, models)
    labels = registry.run(records, k=5, method=method).labels
    enforced = enforce_constraints(replace(records, constraints=constraints), labels, k=5, progress=no_progress)
    cells = table.cells.content("income").text_values.to_list()
    counts, values = Counter(cells), sorted(set(cells))
    groups = np.split(np.argsort(enforced, kind="stable"), np.cumsum(np.bincount(enforced))[:-1])
    assert sorted(row for rows in groups for row in rows) == list(range(len(cells)))
    for rows in groups:
        assert len(rows) >= 5
        assert naive.holds(models[0], [cells[row] for row in rows], counts, naive.equal, values)
    assert 500 < len(groups) < labels.max() + 1


def test_verification_of_many_columns(adult) -> None:
    table, _, _ = adult
    names = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
    models = {"income": ["distinct-l(2)", "t-equal(0.2)"]}
    proof = shoal.verify(table, k=2, quasi_identifiers=names, models=models)
    assert (proof.records, proof.classes) == (30162, 18109)
    assert [check.violations for check in proof.models] == [23430, 27229]


def test_no_groups_of_adult_have_three_incomes(adult) -> None:
    table, schema, _ = adult
    for written, most in {"distinct-l(3)": "l = 2", "entropy-l(2)": "l = 1.7526"}.items():
        models = parse_models({"income": written})
        with pytest.raises(OptionError, match=f"The table as a whole reaches {most} on column 'income'"):
            data.check_feasible(data.encode_constraints(table, models, schema), models)
