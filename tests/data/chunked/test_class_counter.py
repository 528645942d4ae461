"""Classes counted chunk by chunk, compared with those of the whole table."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from chunked_tables import cuts, frames, opened, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import data
from shoal.data import Table
from shoal.data.chunked import ChunkedFile, ClassCounter, open_chunked
from shoal.errors import ColumnError, DataError, PromiseError

memory_limits = st.sampled_from([0, 300, 1 << 20])
"""Memory limits: 0, at which every chunk is spilled, to enough for all chunks."""


def compare(whole: Table, source: ChunkedFile, memory_limit: int) -> None:
    names = whole.names[:3]
    with tempfile.TemporaryDirectory() as folder:
        counter = ClassCounter(Path(folder) / "counter", names, parts=3, max_bytes=memory_limit)
        for chunk in source.chunks():
            counter.add(chunk)
        sizes = Counter(data.class_sizes(whole, names).tolist())
        assert counter.counts.records == sizes
        assert counter.counts.sizes == {size: count // size for size, count in sizes.items()}
        assert list(counter.counts.sizes) == sorted(sizes)
        counter.close()
        assert not list(Path(folder).rglob("*.arrow"))


@settings(max_examples=max(settings().max_examples // 5, 1))
@given(texts(), cuts, memory_limits)
def test_classes_of_text_are_those_of_the_whole_table(content: bytes, cut: tuple[int, int], memory_limit: int) -> None:
    with opened(content, cut) as (whole, source):
        compare(whole, source, memory_limit)


@settings(max_examples=max(settings().max_examples // 8, 1))
@given(frames(), cuts, memory_limits, st.permutations(range(10)))
def test_classes_of_columns_are_those_of_the_whole_table(
    frame: pl.DataFrame, cut: tuple[int, int], memory_limit: int, order: list[int]
) -> None:
    chosen = pl.DataFrame([frame.to_series(j) for j in order])
    with opened(chosen, cut) as (whole, source):
        compare(whole, source, memory_limit)


def test_what_cannot_be_counted_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("q,s\n1,a\n2,b\n")
    source = open_chunked(path)
    with pytest.raises(ColumnError, match="no column 'x'"):
        ClassCounter(tmp_path, ["x"]).add(next(source.chunks()))
    with pytest.raises(DataError, match="no record"):
        _ = ClassCounter(tmp_path, ["q"]).counts
    counter = ClassCounter(tmp_path, ["q"], values={"s": ["a", "c"]})
    with pytest.raises(PromiseError, match="other sensitive values"):
        counter.add(next(source.chunks()))
