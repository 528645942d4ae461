"""Errors for bad input: the right error, with its numbers and without a cell of the data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from shoal.data import (
    ReadOptions,
    check_not_mixed,
    class_sizes,
    column_kinds,
    encode_records,
    numeric_matrix,
    read_table,
)
from shoal.domain.columns import Schema
from shoal.errors import ColumnError, DataError, FileError, OptionError, ShoalError

SECRET = b"secret"

BAD: dict[str, tuple[bytes, ReadOptions, type[ShoalError], str]] = {
    "empty": (b"", ReadOptions(), FileError, "is empty"),
    "only newlines": (b"\n\r\n\n", ReadOptions(), FileError, "is empty"),
    "only a mark": (b"\xef\xbb\xbf", ReadOptions(), FileError, "is empty"),
    "header only": (b"a,b\n", ReadOptions(), FileError, "a header and no record"),
    "no header": (b"1,2.5\n3,4\n", ReadOptions(), FileError, "holds only numbers"),
    "short": (b"a,b\n1,2\n3\n4,5\n6\n", ReadOptions(), FileError, r"2 records .* 2 fields .* record 2 with 1\)"),
    "long": (b"a,b\r\n1,2,secret\r\n", ReadOptions(), FileError, r"1 record .* \(the first is record 1 with 3\)"),
    "blank line": (b"a,b\n1,2\n\n3,4\n", ReadOptions(), FileError, r"record 2 with 1\)"),
    "long with semicolons": (b"a;b\n1;2;secret\n", ReadOptions(), FileError, "record 1 with 3"),
    "quote inside": (b'a,b\n1,2\n3,sec"ret secret\n', ReadOptions(), FileError, "Record 2 .* quotation mark"),
    "quote not closed": (b'a,b\n1,2\n3,"secret\n4,5\n', ReadOptions(), FileError, "Record 2 .* quotation mark"),
    "text after quote": (b'a,b\r\n1,"x" secret\r\n', ReadOptions(), FileError, "Record 1 .* quotation mark"),
    "quote in header": (b'a,"b\n1,secret\n', ReadOptions(), FileError, "header .* quotation mark"),
    "quote after newline in quotes": (
        b'a,b\n"x\ny",1\nz,secret"\n',
        ReadOptions(),
        FileError,
        "Record 2 .* quotation mark",
    ),
    "headless quote": (b'1,"secret\n', ReadOptions(header=False), FileError, "Record 1 .* quotation mark"),
    "headless short": (b"1,2\nsecret\n", ReadOptions(header=False), FileError, r"record 2 with 1\)"),
    "half of a letter of utf-16": ("a,b\n1,secret\n".encode("utf-16")[:-1], ReadOptions(), FileError, "utf-16-le text"),
    "nul": (b"a,b\n1,sec\0ret\n", ReadOptions(), FileError, "NUL"),
    "not utf-8": (b"a\nsecret\xff\n", ReadOptions(encoding="utf-8"), FileError, "not utf-8 text"),
    "not ascii": (b"a\nsecret\xff\n", ReadOptions(encoding="ascii"), FileError, "not ascii text"),
    "mark, then not utf-8": (b"\xef\xbb\xbfa\nsecret\xff\n", ReadOptions(), FileError, "not utf-8 text"),
    "not shift-jis": (b"a\nsecret\x81\n", ReadOptions(encoding="shift-jis"), FileError, "not shift-jis text"),
    "names twice": (b"a,b,a\n1,2,secret\n", ReadOptions(), ColumnError, r"1 column name .* \('a'\)"),
    "name that swallowed a record": (
        b'id,"name\n1,secret",5\n2,b,6\n3,c,7\n',
        ReadOptions(),
        FileError,
        "name of column 2 .* several lines",
    ),
    "only name that swallowed a record": (b'"name\nsecret"\nx\n', ReadOptions(), FileError, "name of column 1 "),
    "record for a header": (b"secret " * 50 + b",2\nx,3\n", ReadOptions(), FileError, "name of column 1 "),
    "no name": (b",,\n1,2,secret\n", ReadOptions(), ColumnError, "Column 1 has no name"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(tmp_path: Path, case: str) -> None:
    raw, options, error, words = BAD[case]
    path = tmp_path / "bad.csv"
    path.write_bytes(raw)
    with pytest.raises(error, match=words) as caught:
        read_table(path, options=options)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


COLUMNS: dict[str, tuple[list[str], type[ShoalError], str]] = {
    "text": (["1", "secret", "3", "secret"], DataError, r"text .* in 2 of 4 records \(the first is record 2\)"),
    "missing": (["1", "NA", "3", ""], DataError, r"missing values in 2 of 4 records \(the first is record 2\)"),
    "all missing": (["", "", ""], DataError, "missing values in 3 of 3"),
    "infinite": (["1", "2", "-inf"], DataError, r"infinite values in 1 of 3 records \(the first is record 3\)"),
    "huge": (["1", "1e999"], DataError, "infinite values in 1 of 2"),
    "dates, one missing": (["2024-01-01", ""], ShoalError, "missing values in 1 of 2|is date"),
    "text before missing": (["", "secret", "1"], DataError, r"text .* in 1 of 3 records \(the first is record 2\)"),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_columns_that_are_not_numbers(tmp_path: Path, case: str) -> None:
    cells, error, words = COLUMNS[case]
    path = tmp_path / "a.csv"
    path.write_text("n,x\n" + "".join(f"0,{cell}\n" for cell in cells))
    table = read_table(path)
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["n", "x"])
    for attempt in (
        lambda: check_not_mixed(table, ["x"]) or encode_records(table, schema),
        lambda: numeric_matrix(table, ["x"]),
    ):
        with pytest.raises(error, match=words) as caught:
            attempt()
        assert "secret" not in str(caught.value)
        assert "'x'" in str(caught.value)


def test_unknown_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,x\n1,2\n")
    table = read_table(tmp_path / "a.csv")
    for attempt in (numeric_matrix, class_sizes):
        with pytest.raises(ColumnError, match="no column 'aeg'"):
            attempt(table, ["aeg"])


def test_paths_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError, match="does not exist"):
        read_table(tmp_path / "no.csv")
    with pytest.raises(FileError, match="does not exist"):
        read_table(str(tmp_path / "no" / "no.csv"))
    with pytest.raises(FileError, match="does not exist"):
        read_table("nul\0byte.csv")
    with pytest.raises(FileError, match="is a folder"):
        read_table(tmp_path)
    (tmp_path / "a.xyz").write_bytes(SECRET)
    with pytest.raises(FileError, match=r"is no format .*\.csv"):
        read_table(tmp_path / "a.xyz")
    (tmp_path / "a.csv").write_bytes(b"a\n1\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(FileError, match="permission denied"):
        read_table(tmp_path / "a.csv")
    if os.geteuid() != 0:
        (tmp_path / "a.csv").chmod(0)
        with pytest.raises(FileError, match="permission denied"):
            read_table(tmp_path / "a.csv")


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ""},
        {"delimiter": "ab"},
        {"delimiter": "é"},
        {"delimiter": "\n"},
        {"delimiter": "x"},
        {"quote": "ab"},
        {"quote": ",", "delimiter": ","},
        {"decimal": "x"},
        {"encoding": "klingon"},
        {"encoding": "x\0"},
        {"format": "doc"},
        *({name: 5} for name in ("delimiter", "quote", "encoding", "decimal", "missing", "sheet", "format")),
        {"missing": [1]},
        {"header": "no"},
        {"header_known": 1},
        {"thousands": "x"},
        {"thousands": ",", "decimal": ","},
        {"skip": -1},
        {"skip": True},
        {"row_numbers": "no"},
        {"missing_in": ["999"]},
        {"column_formats": "text"},
        {"detect": None},
    ],
)
def test_options_out_of_range(options: dict[str, Any]) -> None:
    (name,) = list(options)[:1]
    with pytest.raises(OptionError, match=f"'{name}' has a value that it cannot take"):
        ReadOptions(**options)


@pytest.mark.parametrize(
    "settings", [{"header": "yes"}, {"delimiter": 5}, {"missing": 5}, {"encoding": ["utf-8"]}, 5, "header", None, [1]]
)
def test_damaged_settings(settings: Any) -> None:
    with pytest.raises(OptionError, match="has a value that it cannot take"):
        ReadOptions.from_settings(settings)


def test_options_of_another_type(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="'options'"):
        read_table(tmp_path / "a.csv", options={"header": True})  # type: ignore[arg-type]


def test_one_word_may_mean_missing() -> None:
    assert ReadOptions(missing="NA").missing == ReadOptions(missing=["NA"]).missing == ("NA",)


def test_a_line_break_in_a_name_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'id,"Amount\nin euros"\n1,2\n')
    assert read_table(tmp_path / "a.csv").names == ("id", "Amount\nin euros")
    (tmp_path / "a.csv").write_bytes(b'id,"Amount,\nin euros"\n1,2\n')
    known = read_table(tmp_path / "a.csv", options=ReadOptions(header_known=True))
    assert known.names == ("id", "Amount,\nin euros")


def test_a_format_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_bytes(b"a\tb\n1\t2\n")
    assert read_table(tmp_path / "a.dat", options=ReadOptions(format="tsv")).names == ("a", "b")
    with pytest.raises(OptionError, match="'format'"):
        read_table(tmp_path / "a.dat", options=ReadOptions(format="doc"))
    assert ReadOptions(delimiter="tab").delimiter == "\t"
    assert ReadOptions(quote=None).quote == ReadOptions(quote="none").quote == ""
