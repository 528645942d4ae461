"""Value patterns on Spark are the same as in memory, for any partitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from shoal import data
from shoal.data.chunked.table_statistics import MAX_DISTINCT
from shoal.domain import likely_identifiers
from shoal.engines.spark.parquet_source import SparkSource
from shoal.engines.spark.table_profile import profile_source

N = 120_000
FRAME = pl.DataFrame(
    {
        "x1": [f"030/{100_000 + 37 * i}" for i in range(N)],
        "x2": [*(["nothing"] * (N - 1)), "write to x.y@z.org"],
        "x3": [("Anna", "Peter", "Maria", "Hans")[i % 4] for i in range(N)],
        "x4": [123_456_789 + 3_457 * i for i in range(N)],
        "x5": [f"remark number {i} about the visit of today" for i in range(N)],
        "x6": [f"{'EFGIJ'[i % 5]}{10 + i % 8}.{i % 4}" for i in range(N)],
        "x7": [f"town {i % 60}" for i in range(N)],
        "Vorname": [f"v{i % 90}" for i in range(N)],
    }
)


def test_patterns_agree_with_memory(spark: Any, tmp_path: Path) -> None:
    """Some columns have more distinct values than are counted, so that a sample decides."""
    assert FRAME["x1"].n_unique() > MAX_DISTINCT > FRAME["x6"].n_unique()
    (tmp_path / "in").mkdir()
    for part in range(3):
        FRAME[part * 40_000 : part * 40_000 + 40_000].write_parquet(tmp_path / "in" / f"{part}.parquet")
    address = str(tmp_path / "in")
    found = profile_source(
        SparkSource(spark, address, spark.read.parquet(address)), str(tmp_path / "scratch")
    ).column_profiles()
    whole = data.profile_columns(data.read_table(FRAME))
    assert [(one.name, one.pattern) for one in found] == [(one.name, one.pattern) for one in whole]
    assert [one.pattern for one in whole] == [
        "phone", "email", "person-name", "long-number", "free-text", "icd-10", "", "",
    ]  # fmt: skip
    flagged = ["x1", "x2", "x3", "x4", "x5", "Vorname"]
    assert [column.name for column in likely_identifiers(found, N)] == flagged
    assert [column.name for column in likely_identifiers(whole, N)] == flagged
