"""The first records of a file are read as in the whole file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from shoal import data
from shoal.data import ReadOptions
from shoal.errors import FileError

MANY = 130_000


def large(encoding: str = "utf-8") -> bytes:
    """A text of more bytes than a head, with titles above its header and a total at its end."""
    rows = [f"Köln {n % 7};{n % 28 + 1:02}.{n % 12 + 1:02}.1980;1.{n % 900 + 100},50" for n in range(MANY)]
    return "\r\n".join(["Auszug", "", "Ort;Tag;Kosten", *rows, "Summe;;9"]).encode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_large_file_is_read_by_its_first_records(tmp_path: Path, encoding: str, packed: bool) -> None:
    path = tmp_path / ("large.csv.gz" if packed else "large.csv")
    raw = large(encoding)
    path.write_bytes(gzip.compress(raw, 1) if packed else raw)
    head = data.read_head(path)
    whole = data.read_table(path, options=ReadOptions(skip_footer=1))
    assert 10_000 < head.height < whole.height
    assert head.names == whole.names == ("Ort", "Tag", "Kosten")
    other = {"skip_footer": 1}
    assert {**head.settings, **other} | {"encoding": ""} == {**whole.settings, **other} | {"encoding": ""}
    assert data.column_formats(head) == {"Tag": "DD.MM.YYYY", "Kosten": "1.234,5"}
    some = [data.preview_column(table, "Tag", rows=50).first for table in (head, whole)]
    assert some[0] == some[1]


def test_a_small_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text("a,b\n1,2\n3,4")
    assert data.read_head(path).height == 2
    path.write_text("a,b\n" + "1,2\n" * 20 + "Total,40\n")
    with pytest.raises(FileError, match="looks like a total"):
        data.read_head(path)


def test_a_record_that_is_cut_off_by_the_head_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "quoted.csv"
    long = '"' + "line\n" * 1000 + '"'
    path.write_text("a,b\n" + f"1,{long}\n" * 1500)
    assert 100 < data.read_head(path).height < 1500


def test_other_formats_are_read_as_they_are(tmp_path: Path) -> None:
    frame = data.read_table(data.example_register(30, 0))
    data.write_table(frame, tmp_path / "x.parquet")
    assert data.read_head(tmp_path / "x.parquet").height == 30
    assert data.sheet_names(tmp_path / "x.parquet") == ()
    with pytest.raises(FileError, match="does not exist"):
        data.read_head(tmp_path / "none.csv")


def test_sheets_are_named(tmp_path: Path) -> None:
    data.write_table(data.read_table(data.example_register(30, 0)), tmp_path / "x.xlsx")
    assert len(data.sheet_names(tmp_path / "x.xlsx")) == 1


def test_what_can_be_read_in_two_ways_is_a_question(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("born;x\n" + "".join(f"0{n % 9 + 1}/0{n % 8 + 1}/1980;1\n" for n in range(30)))
    result = data.ambiguous_formats(data.read_head(path))
    assert result["born"].kind == "day or month"
    assert result["born"].formats == ("DD/MM/YYYY", "MM/DD/YYYY")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_the_first_lines_are_shown_as_they_are(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "lines.csv"
    path.write_bytes("Größe;b\n\n1;2;3\n4;5\n".encode(encoding))
    assert data.first_lines(path, lines=3) == ("Größe;b", "", "1;2;3")
    assert data.first_lines(tmp_path / "x.parquet") == ()
