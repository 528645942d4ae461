"""Releases written chunk by chunk have the bytes of a release that is written at once."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from chunked_tables import cuts, frames, opened, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import data
from shoal.data import ReadOptions, Table
from shoal.data.chunked import ChunkedFile, ChunkWriter, open_chunked, profile_file, with_column_types
from shoal.domain import DateColumn, IntegerColumn, TextColumn
from shoal.domain.columns import Kind, Schema
from shoal.errors import DataError, OutputError


def new_columns(table: Table, how: str) -> dict[str, Any]:
    """Return a new column for each old one, as recoding returns them."""
    columns: dict[str, Any] = {}
    for at, (name, kind) in enumerate(data.column_kinds(table)):
        rows = np.arange(table.height) // 2 + at
        gone = rows % 5 == 4
        if kind is Kind.DATE and how != "words":
            columns[name] = DateColumn(np.where(gone, np.nan, rows * 100.0))
        elif kind is Kind.NUMERIC and how == "numbers":
            columns[name] = np.where(gone, np.nan, rows / 4) if at % 2 else IntegerColumn(np.where(gone, np.nan, rows))
        elif kind is Kind.NUMERIC and how == "intervals":
            columns[name] = TextColumn(("[1-2.5]", "[3-3.5]", "[4-9]"), np.where(gone, -1, rows % 3), numeric=True)
        else:
            values = list(data.value_counts(table, name)) if how != "strange" else ["*", "a,b", 'say "so"']
            if values:
                columns[name] = TextColumn(tuple(values), np.where(gone, -1, rows % len(values)))
    return columns


def part_of(column: Any, start: int, stop: int) -> Any:
    if isinstance(column, TextColumn):
        return TextColumn(column.words, column.codes[start:stop], column.numeric)
    if isinstance(column, DateColumn):
        return DateColumn(column.days[start:stop])
    return IntegerColumn(column.numbers[start:stop]) if isinstance(column, IntegerColumn) else column[start:stop]


def written_in_chunks(source: ChunkedFile, schema: Schema, columns: Mapping[str, Any], path: Path) -> None:
    found, start = profile_file(source), 0
    with ChunkWriter(path, folder=path.parent / "scratch") as writer:
        for chunk in source.chunks():
            stop = start + chunk.height
            part = {name: part_of(column, start, stop) for name, column in columns.items()}
            writer.write(data.replace_columns(with_column_types(chunk, found), schema, part))
            start = stop
        writer.close()
    assert not list((path.parent / "scratch").glob("*"))


ways = st.sampled_from(["numbers", "intervals", "words", "strange"])


@settings(max_examples=max(settings().max_examples // 4, 1))
@given(texts(), cuts, ways, st.sampled_from([".csv", ".tsv", ".csv.gz"]))
def test_text_has_the_bytes_of_the_whole_release(content: bytes, cut: tuple[int, int], how: str, ending: str) -> None:
    with opened(content, cut) as (whole, source), tempfile.TemporaryDirectory() as folder:
        kinds = data.column_kinds(whole)
        identifiers = [whole.names[-1]] if len(whole.names) > 2 else []
        schema = Schema.assign(kinds, quasi_identifiers=[whole.names[0]], identifiers=identifiers)
        columns = new_columns(whole, how)
        if len(kinds) > 1:
            columns.pop(whole.names[1], None)
        once, chunked = Path(folder) / f"once{ending}", Path(folder) / f"chunked{ending}"
        try:
            data.write_table(data.replace_columns(whole, schema, columns), once)
        except OutputError as error:
            with pytest.raises(OutputError, match=error.fact.split("once")[0].split("'")[0]):
                written_in_chunks(source, schema, columns, chunked)
            return
        written_in_chunks(source, schema, columns, chunked)
        assert chunked.read_bytes() == once.read_bytes()


@settings(max_examples=max(settings().max_examples // 8, 1))
@given(frames(), cuts, ways, st.sampled_from([".parquet", ".arrow", ".feather", ".csv"]))
def test_columns_are_those_of_the_whole_release(
    frame: pl.DataFrame, cut: tuple[int, int], how: str, ending: str
) -> None:
    with opened(frame, cut) as (whole, source), tempfile.TemporaryDirectory() as folder:
        schema = Schema.assign(data.column_kinds(whole), quasi_identifiers=["whole"], identifiers=["truth"])
        columns = new_columns(whole, how)
        columns.pop("text", None)
        once, chunked = Path(folder) / f"once{ending}", Path(folder) / f"chunked{ending}"
        data.write_table(data.replace_columns(whole, schema, columns), once)
        written_in_chunks(source, schema, columns, chunked)
        if ending == ".csv":
            assert chunked.read_bytes() == once.read_bytes()
        else:
            expected, found = data.read_table(once).cells.frame(), data.read_table(chunked).cells.frame()
            assert found.schema == expected.schema
            assert found.equals(expected)
            again = Path(folder) / f"again{ending}"
            written_in_chunks(open_chunked(source.path), schema, columns, again)
            assert again.read_bytes() == chunked.read_bytes()


def test_levels_that_are_gone_are_gone_from_the_type(tmp_path: Path) -> None:
    levels = pl.Enum(["low", "middle", "high"])
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pl.DataFrame({"a": pl.Series(["low", "middle", "high"] * 4, dtype=levels)}).write_parquet(path)
    source = open_chunked(path, rows=5)
    schema = Schema.assign(profile_file(source).kinds(), quasi_identifiers=["a"])
    places = np.array([0] * 6 + [2] * 6)
    written_in_chunks(source, schema, {"a": TextColumn(("low", "middle", "high"), places)}, out)
    assert pl.read_parquet(out)["a"].dtype == pl.Enum(["low", "high"])


def test_row_groups_do_not_depend_on_chunks(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.integers(0, 50, 300_000), "b": rng.random(300_000).round(3)})
    path = tmp_path / "a.parquet"
    frame.write_parquet(path)
    made = []
    for rows in (70_000, 300_000):
        out = tmp_path / f"{rows}.parquet"
        with ChunkWriter(out, folder=tmp_path / "scratch") as writer:
            for chunk in open_chunked(path, rows=rows).chunks():
                writer.write(chunk)
            writer.close()
        made.append(out.read_bytes())
    assert made[0] == made[1]
    assert pl.read_parquet(tmp_path / "70000.parquet").equals(frame)


def test_headless_files_stay_headless(tmp_path: Path) -> None:
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_bytes(b'\xef\xbb\xbf1;"x"\r\n2;y\r\n3;z')
    source = open_chunked(path, options=ReadOptions(header=False), rows=1)
    with ChunkWriter(out, folder=tmp_path) as writer:
        for chunk in source.chunks():
            writer.write(chunk)
        writer.close()
    assert out.read_bytes() == path.read_bytes()


def test_what_cannot_be_written_in_pieces_is_refused(tmp_path: Path) -> None:
    for name in ("a.xlsx", "a.sav", "a.dta"):
        with pytest.raises(OutputError, match="cannot be written in pieces"):
            ChunkWriter(tmp_path / name, folder=tmp_path)
    with pytest.raises(OutputError, match="cannot be written"):
        ChunkWriter(tmp_path / "no" / "a.csv", folder=tmp_path)
    with pytest.raises(DataError, match="no record"), ChunkWriter(tmp_path / "a.parquet", folder=tmp_path) as writer:
        writer.close()


def test_a_full_disk_is_told_and_scratch_files_are_gone(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": np.random.default_rng(0).random(300_000)}).write_parquet(path)
    full = tmp_path / "full.parquet"
    full.symlink_to("/dev/full")
    writer = ChunkWriter(full, folder=tmp_path / "scratch")
    with writer:
        for chunk in open_chunked(path).chunks():
            writer.write(chunk)
        with pytest.raises(OutputError, match="no space left"):
            writer.close()
    assert not list((tmp_path / "scratch").iterdir())
