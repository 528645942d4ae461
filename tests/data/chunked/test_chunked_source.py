"""Files read in chunks: the same cells, settings and errors as of the whole file, for chunks of any size."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import polars as pl
import pytest
from chunked_tables import cuts, frames, opened, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data import ReadOptions, Table, read_table
from shoal.data.chunked import open_chunked
from shoal.data.chunked.column_sketch import normalized_cells
from shoal.data.csv import text_chunks
from shoal.errors import ColumnError, DataError, FileError, OptionError, ShoalError
from shoal.system import threads


def cells(tables: list[Table]) -> dict[str, list[object]]:
    names = tables[0].names
    return {name: [cell for table in tables for cell in normalized_cells(table, name).to_list()] for name in names}


@given(texts(), cuts)
def test_chunks_of_text_hold_the_fields_of_the_file(content: bytes, cut: tuple[int, int]) -> None:
    with opened(content, cut) as (whole, source):
        chunks = list(source.chunks())
        assert cells(chunks) == cells([whole])
        assert (source.kind, source.names, source.sha256) == (whole.kind, whole.names, whole.sha256)
        assert dict(source.settings) == dict(whole.settings)
        assert [chunk.settings for chunk in chunks] == [source.settings] * len(chunks)


@settings(max_examples=max(settings().max_examples // 5, 1))
@given(frames(), cuts, st.sampled_from([".parquet", ".arrow"]))
def test_chunks_of_columns_hold_the_cells_of_the_file(frame: pl.DataFrame, cut: tuple[int, int], ending: str) -> None:
    with opened(frame, cut, ending=ending) as (whole, source):
        chunks = list(source.chunks())
        assert all(chunk.height <= cut[0] for chunk in chunks)
        assert cells(chunks) == cells([whole])
        some = list(source.chunks(columns=["whole", "time"]))
        assert [chunk.names for chunk in some] == [("time", "whole")] * len(some)
        assert cells(some) == {name: cells([whole])[name] for name in ("time", "whole")}


def test_chunks_have_at_most_so_many_records_and_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "".join(f"{i},{i % 7}\n" for i in range(10_000)))
    by_rows = list(open_chunked(path, rows=300).chunks())
    assert {chunk.height for chunk in by_rows[:-1]} == {300}
    by_size = list(open_chunked(path, size=2_000).chunks())
    assert all(chunk.height <= 600 for chunk in by_size)
    assert cells(by_rows) == cells(by_size) == cells([read_table(path)])
    wide = tmp_path / "a.parquet"
    pl.DataFrame({"a": ["x" * 1000] * 6000}).write_parquet(wide)
    chunks = list(open_chunked(wide, size=100_000).chunks())
    assert max(chunk.height for chunk in chunks[1:]) <= 100


def test_columns_of_text_that_are_not_named_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b,c\n1,2,3\n4,5,6\n")
    source = open_chunked(path, rows=1)
    assert cells(list(source.chunks(columns=["c", "a"]))) == {"a": ["1", "4"], "c": ["3", "6"]}
    with pytest.raises(ColumnError, match="no column 'd'"):
        next(source.chunks(columns=["d"]))


@pytest.mark.parametrize("count", [1, 2])
def test_the_number_of_threads_changes_nothing(tmp_path: Path, count: int) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n" + "\n".join(map(str, range(100))))
    with threads.use_threads(count):
        assert cells(list(open_chunked(path, rows=7).chunks())) == {"a": [str(i) for i in range(100)]}


@pytest.mark.parametrize("size", [1, 10, 1000])
def test_packed_text_is_unpacked_on_the_way(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.csv.gz"
    # two members, as parallel packers write them
    path.write_bytes(gzip.compress(b"a,b\n1,x\n2,") + gzip.compress(b'"y\nz"\n3,q\n'))
    source = open_chunked(path, size=size)
    assert cells(list(source.chunks())) == {"a": ["1", "2", "3"], "b": ["x", "y\nz", "q"]}
    assert source.sha256 == read_table(path).sha256
    path.write_bytes(path.read_bytes()[:-6])
    with pytest.raises(FileError, match="not a readable gzip"):
        open_chunked(path, size=size)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "shift-jis", "gb18030", "utf-8"])
@pytest.mark.parametrize("size", [1, 3, 500])
def test_other_encodings_are_read_at_any_cut(tmp_path: Path, encoding: str, size: int) -> None:
    words = {"shift-jis": "表,ソ,能", "gb18030": "你,好,码"}.get(encoding, "é,ü,ß")
    path = tmp_path / "a.csv"
    path.write_bytes(f"a,b,c\n{words}\n{words}\n".encode(encoding))
    options = ReadOptions(encoding=encoding)
    source = open_chunked(path, options=options, size=size)
    assert cells(list(source.chunks())) == cells([read_table(path, options=options)])


def test_one_late_byte_makes_the_file_latin(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a\n" + "é\n".encode() * 60_000 + b"\xff\n")
    source = open_chunked(path)
    assert source.settings["encoding"] == "latin-1"
    assert normalized_cells(next(source.chunks()), "a")[0] == "Ã©"


def test_errors_are_those_of_the_whole_file_with_the_numbers_of_records_in_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    good = "".join(f"{i},x\n" for i in range(1, 1000))

    def error_of(text: str, **more: object) -> str:
        path.write_text(text)
        with pytest.raises(ShoalError) as caught:
            list(open_chunked(path, size=100, options=ReadOptions(**more)).chunks())  # type: ignore[arg-type]
        assert "secret" not in str(caught.value)
        return str(caught.value)

    assert "Record 1,000 of" in error_of(f"a,b\n{good}secret\n{good}")
    assert "has 1 field where the header has 2" in error_of(f"a,b\n{good}secret\n{good}")
    assert "Record 1,000 of" in error_of(f"{good}secret\n", header=False)
    assert "Record 1,000 of" in error_of(f'a,b\n{good}1,sec"ret secret\n{good}')
    assert "Record 1,000 of" in error_of(f'a,b\n{good}1,"secret\n{good}')
    assert "Record 1,000 of" in error_of(f"a,b\n{good}\n{good}")
    assert "a header and no record" in error_of("a,b\n\n\n")
    assert "has no name" in error_of("\n\na\n")
    assert "is empty" in error_of("\n\n")


def test_blank_lines_are_records_of_one_column_but_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n\n\n\n1\n\n\n")
    for size in (1, 2, 3, 100):
        assert cells(list(open_chunked(path, size=size).chunks())) == {"a": ["", "", "", "1"]}


def test_a_record_that_never_ends_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_chunks, "_LONGEST", 1 << 20)
    path = tmp_path / "a.csv"
    path.write_text('a,b\n1,2\n3,"' + "4,secret\n" * 300_000)
    with pytest.raises(FileError, match=r"Record 2 .* does not end within 1 MB") as caught:
        list(open_chunked(path, size=1000).chunks())
    assert "secret" not in str(caught.value)
    path.write_text('a,"b\n' + "4,secret\n" * 300_000)
    with pytest.raises(FileError, match="The header of"):
        open_chunked(path)


def test_a_file_that_changes_is_noticed_before_and_after_a_pass(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n2\n3\n")
    source = open_chunked(path, rows=1)
    passing = source.chunks()
    next(passing)
    path.write_text("a\n1\n2\n4\n")
    os.utime(path, ns=(1, 1))
    with pytest.raises(FileError, match="changed while"):
        list(passing)
    with pytest.raises(FileError, match="changed while"):
        next(source.chunks())
    path.unlink()
    with pytest.raises(FileError, match="changed while"):
        next(source.chunks())


def test_other_formats_and_broken_files_are_refused(tmp_path: Path) -> None:
    for name in ("a.xlsx", "a.sav", "a.dta", "a.xpt"):
        (tmp_path / name).write_bytes(b"x")
        with pytest.raises(FileError, match="cannot be read in pieces"):
            open_chunked(tmp_path / name)
    for name in ("a.parquet", "a.arrow"):
        (tmp_path / name).write_bytes(b"secret" * 100)
        with pytest.raises(FileError, match="not a readable"):
            open_chunked(tmp_path / name)
    (tmp_path / "a.parquet").write_bytes(b"")
    with pytest.raises(FileError, match="is empty"):
        open_chunked(tmp_path / "a.parquet")
    with pytest.raises(FileError, match="does not exist"):
        open_chunked(tmp_path / "b.csv")
    (tmp_path / "a.what").write_bytes(b"x")
    with pytest.raises(FileError, match="is no format"):
        open_chunked(tmp_path / "a.what")
    with pytest.raises(OptionError, match="options"):
        open_chunked(tmp_path / "b.csv", options="x")  # type: ignore[arg-type]
    pl.DataFrame({"a": []}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataError, match="no record"):
        open_chunked(tmp_path / "a.parquet")


def test_names_that_look_like_patterns_are_names(tmp_path: Path) -> None:
    path = tmp_path / "a[1].parquet"
    pl.DataFrame({"^a$": [1], "*": [2], "a": [3]}).write_parquet(path)
    assert cells(list(open_chunked(path).chunks(columns=["^a$", "*"]))) == {"^a$": [1], "*": [2]}
