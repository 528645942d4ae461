"""Table statistics from one pass over chunks, compared with those of the whole table."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from chunked_tables import cuts, frames, limits, opened, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import data
from shoal.data import Table
from shoal.data.chunked import (
    ChunkedFile,
    TableStatistics,
    merge_statistics,
    open_chunked,
    profile_chunk,
    profile_file,
    with_column_types,
)
from shoal.data.chunked.column_sketch import normalized_cells
from shoal.data.chunked.column_statistics import DistinctSketch
from shoal.data.table import ColumnContent
from shoal.errors import ColumnError, DataError, FileError

bounds = st.tuples(st.sampled_from([0, 2, 1000]), st.sampled_from([1, 3, 1000]))
"""Limits of distinct cells and sampled records."""


def content_facts(contents: list[ColumnContent]) -> tuple[object, ...]:
    """Return the type and all cells of the concatenated contents of a column."""
    first = contents[0]

    def listed(part: str) -> list[str] | None:
        found = [getattr(content, part) for content in contents]
        return None if found[0] is None else [repr(cell) for cells in found for cell in cells.to_list()]

    parts = {part: listed(part) for part in ("values", "numbers", "non_numeric", "text_values")}
    return first.kind, first.type, first.levels, first.values.dtype, parts


def check(whole: Table, source: ChunkedFile, found: TableStatistics) -> None:
    """Compare the statistics with those of the table in memory."""
    assert found.kinds() == data.column_kinds(whole)
    assert (found.records, found.sha256, found.names) == (whole.height, whole.sha256, whole.names)
    exact = [profile for profile in data.profile_columns(whole) if profile.name not in found.estimated_columns]
    assert exact == [profile for profile in found.column_profiles() if profile.name not in found.estimated_columns]
    chunks = [with_column_types(chunk, found) for chunk in source.chunks()]
    sample, missing = found.sample, data.missing_mask(whole, whole.names).sum(axis=0).tolist()
    assert found.missing_counts() == {name: count for name, count in zip(whole.names, missing, strict=True) if count}
    for name in whole.names:
        content = whole.cells.content(name)
        assert content_facts([chunk.cells.content(name) for chunk in chunks]) == content_facts([content])
        counts = found.value_counts(name)
        assert counts is None or list(counts.items()) == list(data.value_counts(whole, name).items())
        assert normalized_cells(sample, name).to_list() == normalized_cells(whole, name).to_list()[:: found.step]
        assert sample.cells.content(name).text_values.to_list() == content.text_values.to_list()[:: found.step]


def facts(found: TableStatistics) -> list[object]:
    """Return the statistics of each column."""
    return [(column.name, column.sketch, column.consecutive, column.profile(found.records)) for column in found.columns]


@settings(max_examples=max(settings().max_examples // 4, 1))
@given(texts(), cuts, bounds)
def test_text_is_surveyed_as_a_whole_however_it_is_cut(
    content: bytes, cut: tuple[int, int], most: tuple[int, int]
) -> None:
    with limits(*most), opened(content, cut) as (whole, source):
        found = profile_file(source)
        check(whole, source, found)
        check(whole, source, TableStatistics.from_bytes(found.to_bytes()))
        assert found.sample.height <= most[1]
        whole_cut = profile_file(open_chunked(source.path, options=data.ReadOptions(header_known=True)))
        assert facts(found) == facts(whole_cut)


@settings(max_examples=max(settings().max_examples // 8, 1))
@given(frames(), cuts, bounds, st.sampled_from([".parquet", ".arrow"]))
def test_columns_are_surveyed_as_a_whole_however_they_are_cut(
    frame: pl.DataFrame, cut: tuple[int, int], most: tuple[int, int], ending: str
) -> None:
    with limits(*most), opened(frame, cut, ending=ending) as (whole, source):
        found = profile_file(source)
        check(whole, source, found)
        check(whole, source, TableStatistics.from_bytes(found.to_bytes()))


def profile_with_small_sample(source: ChunkedFile) -> TableStatistics:
    """Profile a file with a sample of at most four records."""
    with limits(1000, 4):
        return profile_file(source)


def test_doubts_about_columns_are_kept_in_a_survey(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "01/02/1980,x\n" * 9)
    found = TableStatistics.from_bytes(profile_file(open_chunked(path, rows=4)).to_bytes())
    assert data.find_misread_columns(found.sample).dates == ("a",)
    with pytest.raises(ColumnError, match=r"DD/MM/YYYY, MM/DD/YYYY"):
        data.check_unambiguous(found.sample, ["b", "a"])


def test_text_in_the_last_chunk_makes_a_column_text(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "1,1\n" * 50 + "x,2.5\n")
    source = open_chunked(path, rows=10)
    found, first = profile_file(source), next(source.chunks())
    assert dict(data.column_kinds(first)) == {"a": "numeric", "b": "numeric"}
    assert [with_column_types(first, found).cells.content(name).type for name in "ab"] == ["text", "number"]
    for sample in (found.sample, profile_with_small_sample(source).sample):  # the text is not in the second one
        with pytest.raises(DataError, match=r"text .* in 1 of 51 records \(the first is record 51\)"):
            data.check_not_mixed(sample, ["b", "a"])
        data.check_not_mixed(sample, ["b"])
    assert found.range("b") == (1.0, 2.5)
    assert found.range("a") is None


def test_parts_of_a_table_add_up_and_others_do_not(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "".join(f"{i},{i % 5}\n" for i in range(100)))
    chunks = list(open_chunked(path, rows=30).chunks())
    starts = np.cumsum([0, *(chunk.height for chunk in chunks)])[:-1].tolist()
    parts = [profile_chunk(chunk, start=start) for chunk, start in zip(chunks, starts, strict=True)]
    one, other = (
        merge_statistics(merge_statistics(parts[0], parts[1]), merge_statistics(parts[2], parts[3])),
        profile_file(open_chunked(path)),
    )
    assert facts(one) == facts(other)
    assert one.column_profiles()[0].is_consecutive
    for wrong in ((parts[1], parts[0]), (parts[0], parts[2]), (parts[0], profile_chunk(chunks[1]))):
        with pytest.raises(DataError, match="not of two adjacent parts of a table"):
            merge_statistics(*wrong)


def test_only_the_columns_that_are_asked_for_are_surveyed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b,c\n1,x,2\n3,y,4\n")
    reports: list[tuple[int, int]] = []
    found = profile_file(open_chunked(path, rows=1), columns=["c", "a"], progress=lambda *done: reports.append(done))
    assert found.names == found.sample.names == ("a", "c")
    assert [done for done, _ in reports] == [1, 2]
    with pytest.raises(ColumnError, match="no column 'b'"):
        found.value_counts("b")


def test_the_sample_has_few_records_and_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": np.arange(5000), "b": ["é" * 10_000] * 5000}).write_parquet(path)
    found = profile_file(open_chunked(path, size=1 << 20))
    assert found.step == 8
    assert normalized_cells(found.sample, "a").to_list() == list(range(0, 5000, 8))


def survey_bytes(facts: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    np.savez(file, facts=np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8))
    return file.getvalue()


def test_bytes_that_are_no_survey_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    good = profile_file(open_chunked(path)).to_bytes()
    facts = json.loads(np.load(io.BytesIO(good))["facts"].tobytes())
    other_version = survey_bytes({**facts, "form": 1})
    other_class = survey_bytes({**facts, "table": {"Popen": {"args": "secret"}}})
    for bad in (b"", b"secret", good[: len(good) // 2], other_version, other_class):
        with pytest.raises(FileError, match="not a readable survey"):
            TableStatistics.from_bytes(bad)


@pytest.mark.parametrize("share", [0.2, 0.9, 1.0])
def test_many_different_values_are_estimated(share: float) -> None:
    rng = np.random.default_rng(5)
    values = rng.permutation(200_000) if share == 1.0 else rng.integers(0, int(200_000 * share), 200_000)
    exact, ones = len(np.unique(values)), np.ones(50_000, dtype=np.int64)
    parts = [DistinctSketch.of(pl.Series(part), ones) for part in np.split(values, 4)]
    found = (parts[0] + parts[1]) + (parts[2] + parts[3])
    whole = DistinctSketch.of(pl.Series(values), np.ones(200_000, dtype=np.int64))
    assert found.hashes.tolist() == whole.hashes.tolist()
    assert found.counts.tolist() == whole.counts.tolist()
    if share == 1.0:
        assert found.estimate(200_000) == 200_000
    else:
        assert abs(found.estimate(200_000) / exact - 1) < 0.06
        assert found.estimate(200_000) < 200_000
