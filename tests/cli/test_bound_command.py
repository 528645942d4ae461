"""`shoal bound`."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import shoal as front_door


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    half = pl.Series("half", ["1"] * 119 + ["one"])  # a number column with a word in it
    front_door.example_register(rows=120).with_columns(half).write_csv(path)
    return path


def test_it_is_the_bound_of_these_columns(tmp_path: Path, shoal) -> None:
    people = tmp_path / "few.csv"  # its program is small
    front_door.example_register(rows=60).write_csv(people)
    done = shoal("bound", people, "-k", 3, "-q", "age,income", "--json")
    bound = front_door.bound(front_door.read(people).native().select("age", "income"), k=3)
    facts = json.loads(done.out)
    assert done.code == 0
    assert facts["kind"] == "columns"
    assert facts["value"] == pytest.approx(bound.value)
    groups = front_door.partition(front_door.read(people).native().select("age", "income"), k=3)
    assert 0 < facts["loss"] <= groups.information_loss


def test_one_column_has_its_least_loss(people: Path, shoal) -> None:
    done = shoal("bound", people, "-k", 3, "-q", "age")
    least = front_door.partition(front_door.read(people).native().select("age"), k=3, method="hm").information_loss
    assert done.code == 0
    assert "the least loss there is" in done.out
    assert float(done.out.split()[0]) == pytest.approx(least, rel=1e-5)


def test_categories_have_a_bound_too(people: Path, shoal) -> None:
    done = shoal("bound", people, "-k", 2, "-q", "age,sex,education", "--effort", "fast")
    assert done.code == 0
    assert "a lower bound of the loss" in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-q", "age"], "k"),
        (["-k", 3], "quasi-identifier"),
        (["-k", 3, "-q", "aeg"], "aeg"),
        (["-k", 3, "-q", "age", "--effort", "hard"], "effort"),
        (["-k", 500, "-q", "age"], "500"),
        (["-k", "many", "-q", "age"], "whole"),
        (["-k", 3, "-q", "age,age"], "age"),
        (["-k", 3, "-q", "half"], "text where numbers are needed"),
    ],
)
def test_bad_input_is_one_sentence(people: Path, shoal, options: list[object], message: str) -> None:
    done = shoal("bound", people, *options)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
