"""Classes as a reader of the table sees them: counted naively, in every kind of table and by every engine."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal import data
from shoal.data.chunked import open_chunked
from shoal.domain import Schema
from shoal.verification.verify import verify_chunks

NAN, OTHER_NAN = struct.unpack("<2d", struct.pack("<2Q", 0x7FF8000000000000, 0xFFF8000000000123))
FLOATS = [
    0.0,
    -0.0,
    NAN,
    OTHER_NAN,
    None,
    1.5,
    -1.5,
    5e-324,
    -5e-324,
    0.1 + 0.2,
    0.3,
    1e300,
    float("inf"),
    float("-inf"),
]
TEXTS = [
    "",
    None,
    " ",
    "a",
    "A",
    "a ",
    "NaN",
    "nan",
    "null",
    "None",
    "0",
    "0.0",
    "-0.0",
    "1",
    "01",
    "1.0",
    "é",
    "e\u0301",
]


def column(values: list[Any], times: int = 3) -> list[Any]:
    """Each value 1, 2, ... times, in a mixed order."""
    cells = [value for at, value in enumerate(values) for _ in range(at % times + 1)]
    return [cells[row] for row in np.random.default_rng(3).permutation(len(cells)).tolist()]


def sizes(cells: list[Any], *, null: str = "null") -> list[int]:
    """The sizes of the classes, by what Python prints."""
    return sorted(Counter(null if cell is None else repr(cell) for cell in cells).values())


def counted(source: Any) -> list[int]:
    result = data.class_labels(data.read_table(source), ["x"])
    assert data.class_sizes(data.read_table(source), ["x"]).tolist() == np.bincount(result)[result].tolist()
    proof = shoal.verify(source, k=2, quasi_identifiers="x")
    small = sorted(np.bincount(result).tolist())
    assert (proof.classes, proof.min_class, proof.unique_records) == (len(small), small[0], small.count(1))
    return small


def frames(cells: list[Any]) -> Iterator[tuple[str, Any]]:
    dtype = pl.Float64 if any(isinstance(cell, float) for cell in cells) else pl.String
    frame = pl.DataFrame({"x": pl.Series(cells, dtype=dtype), "y": range(len(cells))})
    yield "polars", frame
    yield "polars objects", pl.DataFrame({"x": pl.Series(cells, dtype=pl.Object), "y": range(len(cells))})
    yield "pyarrow", frame.to_arrow()
    yield "pandas objects", pd.DataFrame({"x": pd.Series(cells, dtype=object), "y": range(len(cells))})
    kind = pd.ArrowDtype(pa.float64() if dtype == pl.Float64 else pa.string())
    yield (
        "pandas of arrow",
        pd.DataFrame({"x": pd.Series(pd.arrays.ArrowExtensionArray(frame["x"].to_arrow()), dtype=kind)}),
    )
    if dtype == pl.Float64:
        yield "polars chunks", pl.concat([frame[:5], frame[5:]], rechunk=False)


@pytest.mark.parametrize("values", [FLOATS, TEXTS], ids=["floats", "texts"])
def test_frames(values: list[Any], tmp_path: Path) -> None:
    cells = column(values)
    for kind, source in frames(cells):
        assert counted(source) == sizes(cells), kind
        if not kind.endswith("objects"):
            file = tmp_path / "x.parquet"
            (source if isinstance(source, pl.DataFrame) else pl.DataFrame({"x": pl.Series(cells)})).write_parquet(file)
            assert counted(file) == sizes(cells), kind


def test_frames_that_know_one_way_to_be_missing() -> None:
    """pandas has NaN for None among floats, and numpy has no None."""
    cells = column(FLOATS)
    assert counted(pd.DataFrame({"x": cells})) == sizes(cells, null="nan")
    numbers = np.array([[np.nan if cell is None else cell] for cell in cells])
    result = data.class_labels(data.read_table(numbers), data.read_table(numbers).names)
    assert sorted(np.bincount(result).tolist()) == sizes(cells, null="nan")
    masked = pd.DataFrame(
        {"x": pd.array([None if cell is None or cell != cell else cell for cell in cells], dtype="Float64")}
    )
    assert counted(masked) == sizes([None if cell is None or cell != cell else cell for cell in cells])


@pytest.mark.parametrize("values", [FLOATS, TEXTS], ids=["floats", "texts"])
def test_delimited_text(values: list[Any], tmp_path: Path) -> None:
    """A field is what stands in it: quoted or not, an empty one is empty."""
    cells = column(["" if cell is None else str(cell) for cell in values])
    for mark in ("", '"'):
        rows = [f"{mark if row % 2 else ''}{cell}{mark if row % 2 else ''},{row}" for row, cell in enumerate(cells)]
        (tmp_path / "x.csv").write_text("\n".join(["x,y", *rows, ""]), encoding="utf-8")
        assert counted(tmp_path / "x.csv") == sorted(Counter(cells).values())
        assert in_chunks(tmp_path / "x.csv", tmp_path) == sorted(Counter(cells).values())


def in_chunks(path: Path, folder: Path) -> list[int]:
    source = open_chunked(path, rows=7)
    schema = Schema.assign(data.column_kinds(data.read_table(path)), quasi_identifiers=["x"])
    proof, counter = verify_chunks(
        source, k=2, quasi_identifiers="x", schema=schema, folder=folder / "scratch", max_bytes=1 << 20
    )
    small = sorted(size for size, count in counter.counts.sizes.items() for _ in range(count))
    assert (proof.classes, proof.min_class, proof.unique_records) == (len(small), small[0], small.count(1))
    return small


@pytest.mark.parametrize("values", [FLOATS, TEXTS], ids=["floats", "texts"])
def test_in_pieces(values: list[Any], tmp_path: Path) -> None:
    cells = column(values)
    pl.DataFrame({"x": pl.Series(cells), "y": range(len(cells))}).write_parquet(
        tmp_path / "x.parquet", row_group_size=7
    )
    assert in_chunks(tmp_path / "x.parquet", tmp_path) == sizes(cells)


@pytest.mark.parametrize("values", [FLOATS, TEXTS], ids=["floats", "texts"])
def test_on_spark(spark: Any, values: list[Any], tmp_path: Path) -> None:
    from shoal.engines.spark.parquet_source import open_parquet as open_on_spark
    from shoal.engines.spark.verify_parquet import verify_on_spark

    cells = column(values)
    pl.DataFrame({"x": pl.Series(cells), "y": range(len(cells))}).write_parquet(tmp_path / "x.parquet")
    schema = Schema.assign(data.column_kinds(data.read_table(tmp_path / "x.parquet")), quasi_identifiers=["x"])
    source = open_on_spark(spark, str(tmp_path / "x.parquet"))
    _, result, _ = verify_on_spark(
        source, str(tmp_path), k=2, quasi_identifiers=["x"], schema=schema, records=len(cells)
    )
    assert sorted(size for size, count in result.items() for _ in range(count)) == sizes(cells)


def test_wildcards_are_missing_in_any_way() -> None:
    frame = pl.DataFrame({"x": [1.0, None, NAN, 1.0]})
    proof = shoal.verify(frame, k=4, quasi_identifiers="x", missing_values="wildcard")
    assert proof.ok


@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow", "csv"])
@pytest.mark.parametrize("recode", ["mean", "median", "interval"])
def test_a_release_shows_no_sign_of_zero_and_one_way_to_be_missing(kind: str, recode: str, tmp_path: Path) -> None:
    cells = [-0.0, 0.0, -1e-320, 1e-320, NAN, None, -0.0, NAN, None, NAN] * 6
    frame = pl.DataFrame({"x": cells, "y": [float(row % 2) - 0.5 for row in range(60)]})
    frame.write_csv(tmp_path / "in.csv")
    source: Any = {"pandas": frame.to_pandas(), "arrow": frame.to_arrow(), "csv": tmp_path / "in.csv"}.get(kind, frame)
    for missing in ("category", "impute", "wildcard"):
        release = shoal.anonymize(
            source, k=3, quasi_identifiers=["x", "y"], recode=recode, missing_values=missing, method="mondrian"
        )
        release.save(tmp_path / "out.csv", force=True)
        assert "-0.0" not in [field for line in (tmp_path / "out.csv").read_text().split() for field in line.split(",")]
        for name in ("x", "y"):
            content = release.released.cells.content(name).values
            if content.dtype.is_float():
                numbers = content.drop_nulls().to_numpy()
                assert not (np.signbit(numbers) & (numbers == 0)).any()
            assert release.released.cells.frame()[name].cast(pl.String).str.contains("NaN").sum() == 0
        assert release.verification.ok


def test_two_tables_are_linked_by_what_numbers_are() -> None:
    """Whatever a type shows of zero and of what is missing."""
    one, other = (data.read_table(pl.DataFrame({"x": cells})) for cells in ([0.0, NAN, 1.0], [-0.0, None, 1.0]))
    mine, theirs = data.linkage_labels(one, other, ["x"])
    assert mine.tolist() == theirs.tolist()
