"""The content hash, which recognizes equal data."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shoal import data

FRAME = pl.DataFrame({"a": [1.5, None, 3.0, 2.0], "b": ["x", "", None, "a long word that lies elsewhere"]})
FLAGS = pl.DataFrame({"a": [True, None, False, True], "b": [0.0, 1.0, None, 2.0]})


def identity(source: object) -> str:
    return data.content_hash(data.read_table(source), ["a", "b"])


@pytest.mark.parametrize("frame", [FRAME, FLAGS])
def test_the_same_cells_are_the_same_whatever_they_went_through(frame: pl.DataFrame) -> None:
    more = pl.concat([frame, frame.reverse()])
    assert identity(more.head(4)) == identity(frame)
    assert identity(pl.concat([frame.reverse(), frame]).tail(4)) == identity(frame)
    assert identity(more.filter(pl.int_range(pl.len()) < 4)) == identity(frame)
    assert identity(pl.concat([frame.head(1), frame.tail(3)], rechunk=False)) == identity(frame)


def test_any_difference_in_a_column_that_counts_is_one() -> None:
    others = [
        FRAME.with_columns(a=pl.col("a") + 1e-9),
        FRAME.with_columns(a=pl.col("a").fill_null(0.0)),
        FRAME.with_columns(b=pl.col("b").fill_null("")),
        FRAME.with_columns(b=pl.col("b").cast(pl.Categorical)),
        FRAME.reverse(),
        FRAME.head(3),
        FRAME.select(a="b", b="a"),
        FRAME.to_pandas(),
    ]
    result = [identity(FRAME), *map(identity, others)]
    assert len(set(result)) == len(result)
    assert identity(FRAME.with_columns(c=1)) == identity(FRAME)


def test_columns_of_every_type_have_one() -> None:
    columns = [
        pl.Series([1, 2], dtype=pl.Int128), pl.Series([Decimal("1.5"), Decimal("2.5")]), pl.Series([True, False]),
        pl.Series([date(2026, 1, 1), None]), pl.Series([timedelta(1), timedelta(2)]), pl.Series([b"u", b"v"]),
        pl.Series([[1], [2]]), pl.Series([None, None]), pl.Series(["u", "v"], dtype=pl.Enum(["u", "v"])),
        pl.Series([1, "x"], dtype=pl.Object),
    ]  # fmt: skip
    result = [data.content_hash(data.read_table(pl.DataFrame({"a": column})), ["a"]) for column in columns]
    assert len(set(result)) == len(columns)


def test_frames_of_every_kind_have_one() -> None:
    numbers = np.array([[1.0, 2.0], [3.0, 4.0]])
    odd = pd.DataFrame({"a": [1, "x", None], "b": pd.Categorical(["u", "v", "u"])})
    result = {data.content_hash(data.read_table(numbers), ["0", "1"]), identity(odd), identity(FRAME.to_arrow())}
    assert len(result) == 3
    assert identity(odd) == identity(odd.copy())


def test_another_process_finds_the_same() -> None:
    code = (
        "import polars as pl; from shoal import data;"
        f"print(data.content_hash(data.read_table(pl.DataFrame({FRAME.to_dict(as_series=False)!r})), ['a', 'b']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == identity(FRAME)
