"""Classes counted chunk by chunk, compared with the verification of the whole table."""

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
from shoal.data import SensitiveEncoder, Table
from shoal.data.chunked import (
    ChunkedFile,
    ClassCounter,
    open_chunked,
    profile_file,
    with_column_types,
)
from shoal.domain import PrivacyModel
from shoal.errors import ColumnError, DataError, PromiseError
from shoal.verification.verify import minimal_schema, verify

memory_limits = st.sampled_from([0, 300, 1 << 20])
"""Memory limits: 0, at which every chunk is spilled, to enough for all chunks."""


def compare(whole: Table, source: ChunkedFile, memory_limit: int, k: int) -> None:
    names = whole.names[:3]
    with tempfile.TemporaryDirectory() as folder:
        counter = ClassCounter(Path(folder) / "counter", names, parts=3, max_bytes=memory_limit)
        for chunk in source.chunks():
            counter.add(chunk)
        found, proof = counter.result(k), verify(whole, k=k, quasi_identifiers=names)
        assert found[:5] == (proof.records, proof.classes, proof.min_class, proof.violations, proof.unique_records)
        sizes = data.class_sizes(whole, names).tolist()
        assert found.sizes == {size: count // size for size, count in sorted(Counter(sizes).items())}
        assert list(found.sizes) == sorted(found.sizes)
        assert counter.result(k) == found
        counter.close()
        assert not list(Path(folder).rglob("*.arrow"))


@settings(max_examples=max(settings().max_examples // 5, 1))
@given(texts(), cuts, memory_limits, st.integers(2, 4))
def test_classes_of_text_are_those_of_the_whole_table(
    content: bytes, cut: tuple[int, int], memory_limit: int, k: int
) -> None:
    with opened(content, cut) as (whole, source):
        compare(whole, source, memory_limit, k)


@settings(max_examples=max(settings().max_examples // 8, 1))
@given(frames(), cuts, memory_limits, st.permutations(range(10)))
def test_classes_of_columns_are_those_of_the_whole_table(
    frame: pl.DataFrame, cut: tuple[int, int], memory_limit: int, order: list[int]
) -> None:
    chosen = pl.DataFrame([frame.to_series(j) for j in order])
    with opened(chosen, cut) as (whole, source):
        compare(whole, source, memory_limit, 2)


MODELS = [
    PrivacyModel.parse("s", text) for text in ("distinct-l(2)", "entropy-l(1.1)", "t-equal(0.5)", "t-ordered(0.3)")
]


@settings(max_examples=max(settings().max_examples // 8, 1))
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["1", "2", "3.0", "3", ""])), min_size=2, max_size=20),
    cuts,
    memory_limits,
)
def test_models_are_checked_as_on_the_whole_table(
    rows: list[tuple[str, str]], cut: tuple[int, int], memory_limit: int
) -> None:
    content = ("q,s\n" + "".join(f"{q},{s}\n" for q, s in rows) + "c,7\n").encode()
    with opened(content, cut) as (whole, source), tempfile.TemporaryDirectory() as folder:
        found, schema = profile_file(source), minimal_schema(whole, ["q"], MODELS)
        common = SensitiveEncoder.from_statistics(found, MODELS, schema)
        counter = ClassCounter(Path(folder), ["q"], parts=2, sensitive=["s"], max_bytes=memory_limit)
        for chunk in source.chunks():
            counter.add(with_column_types(chunk, found))
        proof = verify(whole, k=2, quasi_identifiers=["q"], models=MODELS, schema=schema)
        checks = counter.check_models(common)
        assert [(check.column, check.model, check.violations) for check in checks] == [
            (check.column, check.model, check.violations) for check in proof.models
        ]
        assert [check.reached for check in checks] == pytest.approx([check.reached for check in proof.models])
        assert counter.result(2)[:3] == (proof.records, proof.classes, proof.min_class)


def test_what_cannot_be_counted_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("q,s\n1,a\n2,b\n")
    source = open_chunked(path)
    with pytest.raises(ColumnError, match="no column 'x'"):
        ClassCounter(tmp_path, ["x"]).add(next(source.chunks()))
    with pytest.raises(DataError, match="no record"):
        ClassCounter(tmp_path, ["q"]).result(2)
    models, found = [PrivacyModel.parse("s", "distinct-l(2)")], profile_file(source)
    common = SensitiveEncoder.from_statistics(found, models, minimal_schema(data.read_table(path), ["q"], models))
    path.write_text("q,s\n1,a\n2,c\n")
    counter = ClassCounter(tmp_path, ["q"], sensitive=["s"])
    counter.add(next(open_chunked(path).chunks()))
    with pytest.raises(PromiseError, match="other sensitive values"):
        counter.check_models(common)
