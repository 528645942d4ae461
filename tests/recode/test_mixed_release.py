"""Mixed tables with missing values: all records of a group are equal in the written file."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.data import (
    class_sizes,
    column_kinds,
    detect_precisions,
    encode_records,
    read_table,
    replace_columns,
    write_table,
)
from shoal.domain import Kind, Partition, Schema
from shoal.recode import assign_recodings, recode

K, RECORDS = 4, 96
NAMES = ["age", "income", "born", "seen", "sex"]


def frame() -> pl.DataFrame:
    rng = np.random.default_rng(11)
    start = dt.datetime(1960, 1, 1)
    return pl.DataFrame(
        {
            "age": rng.integers(-3, 90, RECORDS),
            "income": rng.normal(0, 1e4, RECORDS),
            "born": [(start + dt.timedelta(days=int(day))).date() for day in rng.integers(0, 20_000, RECORDS)],
            "seen": [start + dt.timedelta(seconds=int(second)) for second in rng.integers(0, 10**9, RECORDS)],
            "sex": rng.choice(["m", "f", "x"], RECORDS),
        }
    )


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("word", ["mean", "median", "generalize", "mode"])
@pytest.mark.parametrize("missing", ["category", "impute"])
def test_groups_look_alike_in_the_file(tmp_path: Path, ending: str, word: str, missing: str) -> None:
    write_table(read_table(frame()), tmp_path / f"in{ending}")
    table = read_table(tmp_path / f"in{ending}")
    schema = assign_recodings(Schema.assign(column_kinds(table), quasi_identifiers=NAMES), word)
    rng = np.random.default_rng(3)
    is_missing = rng.random((RECORDS, len(NAMES))) < 0.4
    hidden = np.arange(RECORDS) % 12 == 0
    records = replace(encode_records(table, schema), missing=is_missing)
    assert records.dates == ("born", "seen")
    assert records.kinds == dict(zip(NAMES, [Kind.NUMERIC] * 2 + [Kind.DATE] * 2 + [Kind.NOMINAL], strict=True))
    labels = rng.permutation(np.arange(RECORDS) // (K + 2))
    groups = Partition(np.unique(labels, return_inverse=True)[1].astype(np.int64), k=K, method="none")
    columns = recode(
        records,
        groups,
        recodings={column.name: column.recode for column in schema.columns},
        precisions=detect_precisions(table, NAMES[:2]),
        keep_totals=True,
        weights=rng.random(RECORDS) + 0.5,
        missing=missing,
        suppressed=hidden,
    )
    write_table(replace_columns(table, schema, columns), tmp_path / f"out{ending}")
    again = read_table(tmp_path / f"out{ending}")
    rows = list(zip(*(again.cells.visible_values(name).to_list() for name in NAMES), strict=True))
    for group in np.unique(groups.labels):
        inside = {rows[row] for row in np.flatnonzero((groups.labels == group) & ~hidden)}
        assert len(inside) == 1
    assert len({rows[row] for row in np.flatnonzero(hidden)}) == 1
    assert class_sizes(again, NAMES).tolist() == [Counter(rows)[row] for row in rows]
    assert int(class_sizes(again, NAMES).min()) >= min(Counter(groups.labels[~hidden].tolist()).values())
