"""A few rows before and after: the cells of the right records, and only in outputs for internal use."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.cli import terminal
from shoal.cli.main import main
from shoal.errors import OptionError
from shoal.report import text

OPTIONS: dict[str, Any] = {
    "k": 5,
    "quasi_identifiers": ["age", "sex", "postcode", "birth_date"],
    "identifiers": ["person_id"],
    "keep": ["name", "note"],
    "method": "mdav",
}


@pytest.fixture(scope="module")
def register() -> pl.DataFrame:
    frame = shoal.example_register(rows=400)
    return frame.select("person_id", "age", "sex", "postcode", "birth_date", "diagnosis", "name").with_columns(
        pl.Series("note", [f"n{row}" for row in range(400)])
    )


def data_of(kind: str, register: pl.DataFrame, folder: Path) -> Any:
    if kind == "csv":
        register.write_csv(folder / "in.csv")
        return folder / "in.csv"
    return {
        "polars": register,
        "pandas": pd.DataFrame(register.to_dict(as_series=False)),
        "arrow": register.to_arrow(),
    }[kind]


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow", "csv"])
def test_rows_are_those_of_one_record(kind: str, shuffle: bool, register: pl.DataFrame, tmp_path: Path) -> None:
    release = shoal.anonymize(data_of(kind, register, tmp_path), **OPTIONS, shuffle=shuffle)
    result = release.row_comparison(rows=6)
    assert result.names == ("age", "sex", "postcode", "birth_date", "diagnosis", "name", "note")
    assert result.changed == ("age", "sex", "postcode", "birth_date")
    assert (len(result.records), len(result.before), len(result.after)) == (6, 6, 6)
    frame = release.released.cells.frame()
    places = {note: row for row, note in enumerate(frame["note"].to_list())}
    written = release.released.cells.content("age").text_values.to_list()
    groups = release.partition.labels
    assert len({int(groups[record - 1]) for record in result.records}) == 6
    for record, before, after in zip(result.records, result.before, result.after, strict=True):
        row = register.row(record - 1, named=True)
        assert before == tuple("" if row[name] is None else str(row[name]) for name in result.names)
        assert before[4:] == after[4:]
        assert before[:4] != after[:4]
        assert after[6] == f"n{record - 1}"
        assert float(after[0]) == float(written[places[after[6]]])
        assert after[2] == str(frame["postcode"][places[after[6]]])
    assert release.row_comparison(rows=6).after == result.after


def test_the_frame_has_each_column_before_and_after(register: pl.DataFrame) -> None:
    release = shoal.anonymize(
        register.rename({"note": "age (released)", "name": "record"}),
        **{**OPTIONS, "keep": ["record", "age (released)"]},
    )
    frame = release.compare_rows()
    assert frame.columns[:4] == ["record_", "age", "age (released)_", "sex"]
    assert frame.columns[-3:] == ["diagnosis", "record", "age (released)"]
    assert frame.height == 5
    assert release.compare_rows(rows=10_000).height == release.partition.count
    for wrong in (0, -1, 1.5, True, "5"):
        with pytest.raises(OptionError, match="a whole number from 1"):
            release.compare_rows(rows=wrong)  # type: ignore[arg-type]


def test_rows_where_nothing_changed() -> None:
    frame = pl.DataFrame({"sex": ["f", "m"] * 6, "x": range(12)})
    release = shoal.anonymize(frame, k=3, quasi_identifiers="sex", keep="x")
    assert release.compare_rows().height == release.partition.count


def test_the_text_fits_a_terminal_and_obeys_nobody() -> None:
    wide = "病院" * 30
    frame = pl.DataFrame(
        {
            "a column with a name that is much too long for a line": [f"{wide}{row}" for row in range(12)],
            "town": [f"\x1b[31mtown\r\n{row} {'x' * 80}" for row in range(12)],
            "age": range(12),
        }
    )
    release = shoal.anonymize(frame, k=3, quasi_identifiers=frame.columns)
    for rows in (1, 2, 3, 5, 12):
        lines = text.compared_rows(release.row_comparison(rows)).splitlines()
        assert len(lines) == 5
        assert max(sum(2 if ord(letter) > 0x2E80 else 1 for letter in line) for line in lines) <= 100
        assert "\x1b" not in "".join(lines)
        assert "internal use" in lines[0]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["shoal", *map(str, arguments)])
    with pytest.raises(SystemExit):
        main()


def test_only_a_terminal_shows_rows(
    register: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not a pipe, a log, JSON, a quiet run, or the standard error."""
    data_of("csv", register, tmp_path)
    options = [
        "anonymize",
        tmp_path / "in.csv",
        "-k",
        5,
        "-q",
        "age,sex,postcode,birth_date",
        "--identifiers",
        "person_id",
        "--keep",
        "name,note",
    ]
    options += ["--method", "mdav", "-o", tmp_path / "out.csv", "--force"]
    cells = set(register["birth_date"].cast(pl.String))
    for terminal_there, more in ((False, []), (True, ["--json"]), (True, ["--quiet"])):
        monkeypatch.setattr(terminal, "is_terminal", lambda there=terminal_there: there)
        monkeypatch.setattr("shoal.cli.anonymize.is_terminal", lambda there=terminal_there: there)
        run(monkeypatch, *options, *more, "--external-report", tmp_path / "external.html")
        printed = capsys.readouterr()
        said = printed.out + printed.err + (tmp_path / "external.html").read_text(encoding="utf-8")
        assert not [cell for cell in cells if cell in said]
        if "--json" in more:
            json.loads(printed.out)
    monkeypatch.setenv("NO_COLOR", "1")
    run(monkeypatch, *options)
    printed = capsys.readouterr()
    assert "Before → after (internal use: shows original values)" in printed.out
    assert [cell for cell in cells if cell in printed.out]
    assert not [cell for cell in cells if cell in printed.err]
