"""Encoders from a table in memory, compared with those from the statistics of its chunks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from chunked_tables import cuts, frames, limits, opened, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import data
from shoal.data import Encoder, SensitiveEncoder, Table
from shoal.data.chunked import (
    ChunkedFile,
    Occurrence,
    open_chunked,
    profile_file,
    with_column_types,
)
from shoal.data.encode.category_codes import flat_hierarchy
from shoal.domain import CategoricalColumn, Records, Scale
from shoal.domain.columns import Kind, Role, Schema
from shoal.domain.privacy_models import PrivacyModel
from shoal.errors import DataError, HierarchyError, ShoalError
from shoal.hierarchy import Hierarchy

ways = st.sampled_from(["refuse", "category", "wildcard", "impute", "suppress"])


def same_scale(one: Scale, other: Scale) -> None:
    assert one.name == other.name
    assert one.exponent.tolist() == other.exponent.tolist()
    np.testing.assert_allclose(one.center, other.center, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(one.spread, other.spread, rtol=1e-12)


def same_categories(one: tuple[CategoricalColumn, ...], other: tuple[CategoricalColumn, ...]) -> None:
    assert [(c.name, c.kind, c.hierarchy.nodes, c.hierarchy.parents, c.n_steps, c.missing_code) for c in one] == [
        (c.name, c.kind, c.hierarchy.nodes, c.hierarchy.parents, c.n_steps, c.missing_code) for c in other
    ]
    for mine, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(mine.distance, theirs.distance)


def same_records(chunks: list[Records], whole: Records) -> None:
    # a missing number is replaced by the exact mean here
    far = 1e-15 * np.abs(whole.values).max(initial=0.0)
    np.testing.assert_allclose(np.vstack([chunk.values for chunk in chunks]), whole.values, rtol=1e-12, atol=far)
    assert np.concatenate([chunk.codes for chunk in chunks]).tolist() == whole.codes.tolist()
    gone = [chunk.missing for chunk in chunks]
    if whole.missing is None:
        assert gone == [None] * len(chunks)
    else:
        assert np.concatenate([mask for mask in gone if mask is not None]).tolist() == whole.missing.tolist()
    for chunk in chunks:
        same_scale(chunk.scale, whole.scale)
        same_categories(chunk.categories, whole.categories)
        assert (chunk.names, chunk.dates, chunk.timezone_aware, chunk.separate_missing) == (
            whole.names,
            whole.dates,
            whole.timezone_aware,
            whole.separate_missing,
        )
        assert chunk.missing_indicators == whole.missing_indicators
        assert chunk.weights.tolist() == whole.weights.tolist()
    wide = [chunk.space.sketched_points.shape[1] for chunk in chunks]
    assert wide == [whole.space.sketched_points.shape[1]] * len(chunks)


def identical_records(one: Records, other: Records) -> None:
    for field in ("values", "codes", "weights"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    assert (one.missing is None) == (other.missing is None)
    np.testing.assert_array_equal(np.asarray(one.missing), np.asarray(other.missing))
    for part in ("exponent", "center", "spread"):
        np.testing.assert_array_equal(getattr(one.scale, part), getattr(other.scale, part))
    same_categories(one.categories, other.categories)
    for field in ("names", "dates", "timezone_aware", "separate_missing", "missing_indicators"):
        assert getattr(one, field) == getattr(other, field)


def same_encoder(one: Encoder, other: Encoder) -> None:
    same_scale(one.scale, other.scale)
    same_categories(one.categories, other.categories)
    for field in ("names", "numeric", "dates", "timezone_aware", "records", "separate_missing"):
        assert getattr(one, field) == getattr(other, field), field
    for field in ("ranges", "imputed_nodes", "missing_counts"):
        assert dict(getattr(one, field)) == dict(getattr(other, field)), field
    assert one.imputed_numbers.keys() == other.imputed_numbers.keys()
    largest = {name: max(map(abs, ends)) for name, ends in one.ranges.items()}
    for name, mean in one.imputed_numbers.items():
        assert mean == pytest.approx(other.imputed_numbers[name], rel=1e-12, abs=1e-15 * largest.get(name, 0.0))


def compare(whole: Table, source: ChunkedFile, schema: Schema, **options: Any) -> None:
    """Compare the encoder of the table with that of its statistics, and what they encode, or the errors."""
    found = profile_file(source)
    try:
        in_memory, expected = Encoder.fit_transform(whole, schema, **options)
    except ShoalError as error:
        with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
            Encoder.from_statistics(found, schema, **options)
        return
    common = Encoder.from_statistics(found, schema, **options)
    same_encoder(common, in_memory)
    chunks = [with_column_types(chunk, found) for chunk in source.chunks()]
    same_records([common.transform(chunk) for chunk in chunks], expected)
    identical_records(in_memory.transform(whole), expected)
    same_records([in_memory.transform(chunk) for chunk in chunks], expected)


@settings(max_examples=max(settings().max_examples // 4, 1))
@given(texts(), cuts, ways, st.booleans(), st.sampled_from([2, 1000]))
def test_text_is_encoded_on_the_base_of_the_whole_table(
    content: bytes, cut: tuple[int, int], missing: str, standardize: bool, most: int
) -> None:
    with opened(content, cut) as (whole, source):
        schema = Schema.assign(data.column_kinds(whole), quasi_identifiers=list(whole.names))
        nominal = any(kind is Kind.NOMINAL for _, kind in data.column_kinds(whole))
        with limits(1000 if nominal else most, 1000):
            compare(whole, source, schema, missing=missing, standardize=standardize, weights={whole.names[0]: 2.0})


@settings(max_examples=max(settings().max_examples // 8, 1))
@given(frames(), cuts, ways)
def test_columns_are_encoded_on_the_base_of_the_whole_table(
    frame: pl.DataFrame, cut: tuple[int, int], missing: str
) -> None:
    with opened(frame, cut) as (whole, source):
        schema = Schema.assign(data.column_kinds(whole), quasi_identifiers=list(whole.names))
        compare(whole, source, schema, missing=missing)


TREE = Hierarchy.from_edges([("a", "ab"), ("b", "ab"), ("c", "cd"), ("d", "cd"), ("ab", "all"), ("cd", "all")])
COLUMN_OPTIONS = {
    "ordinal": (["1", "10", "2", "", "2.0"], Kind.ORDINAL, None),
    "levels": (["low", "high", "low", "", "mid"], Kind.ORDINAL, flat_hierarchy(["low", "mid", "high"])),
    "tree": (["a", "b", "a", "", "c"], Kind.HIERARCHICAL, TREE),
    "uncovered": (["a", "z", "a", "", "c"], Kind.HIERARCHICAL, TREE),
    "star": (["*", "b", "a", "", "*"], Kind.NOMINAL, None),
    "dates": ([" 2020-01-01", "2020-01-02T05:00Z", "2021-01-01", "", "2020-01-01"], Kind.DATE, None),
    "no dates": (["2020-01-01", "x", "2021-01-01", "", "y"], Kind.DATE, None),
    "no times": (["2020-01-01", "2020-01-01T25:00", "2021-01-01", "", ""], Kind.DATE, None),
    "numbers, not dates": (["1", "2", "3", "", "4"], Kind.DATE, None),
    "dates, not numbers": (["2020-01-01", "2020-01-02", "", "2020-01-03", ""], Kind.NUMERIC, None),
    "words, not numbers": (["a", "b", "", "a", ""], Kind.NUMERIC, None),
    "all missing": (["", "", "", "", ""], Kind.NUMERIC, None),
}


@pytest.mark.parametrize("missing", ["refuse", "category", "impute"])
@pytest.mark.parametrize("case", COLUMN_OPTIONS)
def test_columns_are_what_somebody_says(tmp_path: Path, case: str, missing: str) -> None:
    cells, kind, hierarchy = COLUMN_OPTIONS[case]
    path = tmp_path / "a.csv"
    path.write_text("a,n\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells)))
    whole, source = data.read_table(path), open_chunked(path, rows=2)
    schema = Schema.assign(data.column_kinds(whole), quasi_identifiers=["a", "n"])
    said = {"a": (hierarchy, "")} if hierarchy else None
    schema = schema.with_column_options(kinds={"a": kind}, hierarchies=said)
    compare(whole, source, schema, missing=missing)
    if kind is Kind.DATE:
        with limits(1, 1000), pytest.raises(DataError, match="no date where dates are needed"):
            Encoder.from_statistics(profile_file(source), schema, missing=missing)


def test_too_many_categories_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n" + "".join(f"v{i}\n" for i in range(500)))
    with limits(100, 1000):
        found = profile_file(open_chunked(path, rows=50))
    schema = Schema.assign(found.kinds(), quasi_identifiers=["a"])
    with pytest.raises(HierarchyError, match="500"):
        Encoder.from_statistics(found, schema)


def test_bounds_are_checked_by_the_numbers_of_records_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "".join(f"{i},2020-01-{i % 28 + 1:02d}\n" for i in range(100)))
    source = open_chunked(path, rows=7)
    found = profile_file(source)
    common = Encoder.from_statistics(found, Schema.assign(found.kinds(), quasi_identifiers=["a", "b"]))

    def locate(name: str, bounds: tuple[float, float]) -> Occurrence:
        chunks = source.numbered_chunks(columns=[name])
        found_in = [
            common.out_of_bounds(with_column_types(chunk, found), name, bounds, start=start) for start, chunk in chunks
        ]
        return sum(found_in, Occurrence())

    common.check_bounds({"a": (0, 99)}, locate)
    with pytest.raises(DataError, match=r"outside its bounds in 10 of 100 records \(the first is record 91\)"):
        common.check_bounds({"a": (0, 89)}, locate)
    with pytest.raises(ShoalError, match="no column 'c'"):
        common.check_bounds({"c": (0, 1)}, locate)


MODELS = [
    "distinct-l(2)",
    "entropy-l(1.1)",
    "recursive-l(4,2)",
    "t-equal(0.9)",
    "t-ordered(0.9)",
    "t-hierarchical(0.9)",
]


def protected(whole: Table, kind: Kind | None, hierarchy: Hierarchy | None) -> Schema:
    schema = Schema.assign(data.column_kinds(whole), quasi_identifiers=["q"], sensitive=["s"])
    return schema.with_column_options(
        kinds={"s": kind} if kind else None, hierarchies={"s": (hierarchy, "")} if hierarchy else None
    )


@pytest.mark.parametrize("text", MODELS)
@pytest.mark.parametrize(
    ("cells", "kind", "hierarchy"),
    [
        (["b", "a", "b", "", "c", "a"], None, None),
        (["10", "9", "9.0", "", "100", "10"], None, None),
        (["2020-01-02", "2019-01-01", "", "2020-01-02", "2021-01-01", "NA"], None, None),
        (["hi", "lo", "mid", "hi", "lo", ""], Kind.ORDINAL, flat_hierarchy(["lo", "mid", "hi"])),
        (["a", "b", "c", "", "a", "d"], Kind.HIERARCHICAL, TREE),
        (["a", "a", "a", "a", "a", "a"], None, None),
    ],
)
def test_demands_are_those_of_the_whole_table(
    tmp_path: Path, text: str, cells: list[str], kind: Kind | None, hierarchy: Hierarchy | None
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("q,s\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))
    whole, source = data.read_table(path), open_chunked(path, rows=2)
    found, schema, models = profile_file(source), protected(whole, kind, hierarchy), [PrivacyModel.parse("s", text)]
    try:
        expected = data.encode_constraints(whole, models, schema)
        data.check_feasible(expected, models)
    except ShoalError as error:
        with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
            SensitiveEncoder.from_statistics(found, models, schema).check_feasible()
        return
    common = SensitiveEncoder.from_statistics(found, models, schema)
    common.check_feasible()
    parts = [common.transform(with_column_types(chunk, found)) for chunk in source.chunks()]
    assert np.concatenate([part.codes for part in parts]).tolist() == expected.codes.tolist()
    for part in parts:
        for mine, theirs in zip(part[1:], expected[1:], strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert schema.names_with_role(Role.SENSITIVE) == tuple(common.values)


def test_too_many_sensitive_values_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("q,s\n" + "".join(f"{i},{i}\n" for i in range(50)))
    with limits(10, 100):
        found = profile_file(open_chunked(path, rows=7))
        schema = Schema.assign(found.kinds(), quasi_identifiers=["q"], sensitive=["s"])
        with pytest.raises(DataError, match="too many for a table that is read in pieces"):
            SensitiveEncoder.from_statistics(found, [PrivacyModel.parse("s", "distinct-l(2)")], schema)
