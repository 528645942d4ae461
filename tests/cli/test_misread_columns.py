"""Warnings about misread columns in every interface, in its own words; policies read files as before."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pyreadstat
import pytest

import shoal
from shoal.data import ReadOptions, read_table
from shoal.errors import ColumnError

ROWS = "".join(f"{20 + i},{'a lot' if i == 3 else i},{1 + i}.5{i}7,x\n" for i in range(9))
TEXT = "age,paid,cost,31\n" + ROWS
ROLES = ["-k", 3, "-q", "age", "--keep", "paid", "--method", "mdav", "--quiet", "--header"]


def about_reading(sentences: list[str]) -> list[str]:
    return [sentence for sentence in sentences if "was read as" in sentence or "name of a column" in sentence]


def test_every_interface_says_what_looks_misread(shoal: object, tmp_path: Path) -> None:
    path, out, pieces = tmp_path / "a.csv", tmp_path / "out.csv", tmp_path / "pieces.csv"
    path.write_text(TEXT)
    assert callable(shoal)
    described = about_reading(shoal("describe", path, "--header").err.splitlines())
    anonymized = about_reading(shoal("anonymize", path, *ROLES, "-o", out).err.splitlines())
    in_pieces = about_reading(shoal("anonymize", path, *ROLES, "-o", pieces, "--memory", "1GB").err.splitlines())
    assert described == anonymized == in_pieces
    assert len(anonymized) == 3
    assert "'paid' was read as text although most of its values look like numbers" in anonymized[0]
    assert "--column-format 'paid'=FORMAT" in anonymized[0]
    assert "'cost' was read as numbers with three decimals" in anonymized[1]
    assert "The name of a column is a number or a date ('31')" in anonymized[2]
    assert not any(re.search(r"\w+=($| \()", sentence) for sentence in anonymized)


def test_python_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(TEXT)
    table = shoal.read(path, header=True)
    assert len(shoal.describe(table).warnings) == 3
    with pytest.warns(shoal.ShoalWarning) as caught:
        release = shoal.anonymize(table, k=3, quasi_identifiers=["age"], keep=["paid"], method="mdav")
    messages = about_reading([str(one.message) for one in caught])
    assert len(messages) == len(about_reading(list(release.warnings))) == 3
    assert messages[0].endswith("(such as 1.234,5) with column_formats=.")
    assert not any("--" in sentence for sentence in messages)
    dropped = shoal.anonymize(table, k=3, quasi_identifiers=["age"], identifiers=["paid", "cost", "31"], method="mdav")
    assert about_reading(list(dropped.warnings)) == []


@pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
def test_frames_are_told_to_be_converted() -> None:
    frame = pl.DataFrame({"age": range(20, 29), "born": ["31.12.1980"] * 9})
    release = shoal.anonymize(frame, k=3, quasi_identifiers=["age"], method="mdav")
    assert about_reading(list(release.warnings)) == [
        "Column 'born' was read as text although most of its values look like dates; convert it before."
    ]


@pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
def test_only_columns_that_matter_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("age,seen\n" + "".join(f"{20 + i},0{1 + i}/02/1980\n" for i in range(9)))
    options = {"k": 3, "quasi_identifiers": ["age"], "method": "mdav"}
    shoal.anonymize(path, **options, keep=["seen"])
    shoal.anonymize(path, **options, identifiers=["seen"])
    shoal.anonymize(path, **options | {"quasi_identifiers": ["age", "seen"]}, kinds={"seen": "nominal"})
    for roles in ({"sensitive": ["seen"]}, {"quasi_identifiers": ["age", "seen"]}):
        with pytest.raises(ColumnError, match=r"'seen' has dates in which .* \(DD/MM/YYYY, MM/DD/YYYY, or text\)"):
            shoal.anonymize(path, **options | roles)


@pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
def test_policies_without_the_new_settings_read_as_before(shoal: object, tmp_path: Path) -> None:
    """Text of workbooks as text, and codes as numbers."""
    assert callable(shoal)
    import shoal as package

    frame = pl.DataFrame({"age": [str(20 + i) for i in range(9)], "sex": [1.0, 2.0, 1.0] * 3})
    frame.write_excel(tmp_path / "a.xlsx")
    labels = {"sex": {1: "female", 2: "male"}}
    pyreadstat.write_sav(frame.to_pandas(), str(tmp_path / "a.sav"), variable_value_labels=labels)
    for ending, options in (("xlsx", ReadOptions(typed=True)), ("sav", ReadOptions(value_labels=False))):
        source, old, again = (tmp_path / f"{name}.{ending}" for name in ("a", "old", "again"))
        table = read_table(source, options=options)
        kinds = {name: str(table.cells.content(name).kind) for name in table.names}
        assert kinds == {"age": "nominal", "sex": "numeric"}
        package.anonymize(table, k=3, quasi_identifiers=["age", "sex"], method="mdav").save(old)
        policy = Path(f"{old}.policy.toml")
        text = policy.read_text()
        assert "decimal" not in text
        policy.write_text(text.replace("value_labels = false\n", ""))
        assert shoal("anonymize", source, "--policy", policy, "-o", again, "--quiet").code == 0
        assert again.read_bytes() == old.read_bytes()
        if ending == "sav":
            assert read_table(source).cells.content("sex").type == "labels"
        else:
            assert str(read_table(source).cells.content("age").kind) == "numeric"
