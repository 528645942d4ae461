"""What a table says besides its cells is not released: secrets are planted there and looked for in the release."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from leak_search import bytes_of, leaked

import shoal

SECRET = "qzvxkwjpbdfghmcntr"
N = 60
CELLS: dict[str, list[Any]] = {
    "age": [20 + row % 7 for row in range(N)],
    "job": [["nurse", "carpenter"][row % 2] for row in range(N)],
    "note": [["flu", "asthma", "injury"][row % 3] for row in range(N)],
    "ward": [["a", "b"][row // 30] for row in range(N)],
}
OPTIONS: dict[str, Any] = {"k": 6, "quasi_identifiers": ["age", "job"], "sensitive": "note", "method": "mondrian"}
FILES = ["out.csv", "out.parquet", "out.arrow", "out.xlsx", "out.dta", "out.sav"]


def listing(words: list[str], extra: str) -> pl.Series:
    return pl.Series(words, dtype=pl.Enum([*sorted(set(words)), extra]))


def pandas_frame() -> pd.DataFrame:
    frame = pd.DataFrame(CELLS)
    for name in ("job", "note", "ward"):
        labels = [*sorted(set(CELLS[name])), f"{SECRET}-{name}"]
        frame[name] = pd.Categorical(frame[name], categories=labels, ordered=name == "ward")
    frame["kind"] = pd.Series(
        pd.arrays.ArrowExtensionArray(pa.array(CELLS["ward"] + [SECRET]).dictionary_encode()[:N])  # type: ignore[attr-defined]
    )
    frame.attrs = {"source": SECRET, "nested": {"by": [SECRET]}}
    frame.columns.name = SECRET
    frame.index.name = SECRET
    return frame


def polars_frame() -> pl.DataFrame:
    frame = pl.DataFrame(CELLS)
    return frame.with_columns(
        *(listing(CELLS[name], f"{SECRET}-{name}").alias(name) for name in ("job", "note", "ward"))
    )


def arrow_table() -> pa.Table:
    def coded(name: str) -> pa.Array:
        labels = [*sorted(set(CELLS[name])), f"{SECRET}-{name}"]
        return pa.DictionaryArray.from_arrays(
            pa.array([labels.index(word) for word in CELLS[name]], type=pa.int32()), pa.array(labels)
        )

    inside = pa.struct([pa.field("x", pa.int64(), metadata={"by": SECRET})])
    lists = pa.list_(pa.field("item", pa.int64(), metadata={"by": SECRET}))
    arrays = {
        "age": pa.array(CELLS["age"]),
        "job": coded("job"),
        "note": coded("note"),
        "ward": coded("ward"),
        "inner": pa.array([{"x": row % 2} for row in range(N)], type=inside),
        "parts": pa.array([[row % 2] for row in range(N)], type=lists),
    }
    fields = [pa.field(name, array.type, metadata={"label": SECRET}) for name, array in arrays.items()]
    schema = pa.schema(fields, metadata={"made by": SECRET, "pandas": f'{{"creator": "{SECRET}"}}'})
    return pa.table(list(arrays.values()), schema=schema)


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("make", [pandas_frame, polars_frame, arrow_table])
def test_a_frame_tells_nothing_besides_its_cells(make: Any, shuffle: bool, tmp_path: Path) -> None:
    data = make()
    release = shoal.anonymize(data, **OPTIONS, shuffle=shuffle)
    table = release.table
    assert leaked(pickle.dumps(table), [SECRET]) == []
    if isinstance(table, pa.Table):
        table.validate(full=True)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as out:
            out.write_table(table)
        assert leaked(sink.getvalue().to_pybytes(), [SECRET]) == []
        assert table.schema.names == data.schema.names
        assert table["inner"].to_pylist().count({"x": 0}) == N // 2
    for name in FILES if make is not arrow_table else ("out.parquet", "out.arrow"):
        release.save(tmp_path / name, force=True)
        assert leaked(bytes_of(tmp_path / name), [SECRET]) == []
    assert leaked(pickle.dumps(data), [SECRET]) == [SECRET]  # the table that came in is as it was


@pytest.mark.parametrize("memory", [None, "2GB"])
def test_a_parquet_file_hands_on_no_metadata(memory: str | None, tmp_path: Path) -> None:
    pq.write_table(arrow_table(), tmp_path / "in.parquet")
    polars_frame().write_parquet(tmp_path / "listed.parquet")
    for name in ("in.parquet", "listed.parquet"):
        assert leaked(bytes_of(tmp_path / name), [SECRET]) == [SECRET]
        options = {**OPTIONS, "quasi_identifiers": ["age", "job"]}
        if memory is None:
            shoal.anonymize(tmp_path / name, **options).save(tmp_path / "out.parquet", force=True)
        else:
            shoal.anonymize_file(tmp_path / name, tmp_path / "out.parquet", memory=memory, force=True, **options)
        assert leaked(bytes_of(tmp_path / "out.parquet"), [SECRET]) == []
        assert pl.read_parquet(tmp_path / "out.parquet").height == N


@pytest.mark.parametrize("ending", ["sav", "dta", "xpt"])
def test_labels_of_a_file_and_of_values_that_nobody_has_stay_behind(ending: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "age": CELLS["age"],
            "sex": np.arange(N) % 2 + 1,
            "ward": np.arange(N) // 30,
            "name": [f"n{i}" for i in range(N)],
        }
    )
    place = tmp_path / f"in.{ending}"
    labels = {"column_labels": {"age": "Age in years", "name": SECRET}}
    values = {name: {0: "none", 1: "one", 2: "two", 9: SECRET} for name in ("age", "sex", "ward")}
    if ending == "sav":
        pyreadstat.write_sav(frame, str(place), file_label=SECRET, note=SECRET, variable_value_labels=values, **labels)
    elif ending == "dta":
        pyreadstat.write_dta(frame, str(place), file_label=SECRET, variable_value_labels=values, **labels)
    else:
        pyreadstat.write_xport(frame, str(place), file_label=SECRET, table_name="QZVXKWJP", **labels)
    assert leaked(bytes_of(place), [SECRET]) == [SECRET]
    options = {"k": 6, "quasi_identifiers": ["age", "sex"], "identifiers": "name", "method": "mondrian"}
    # where every value has a label, the labels are the categories
    release = shoal.anonymize(place, **options, recode={"sex": "median" if ending == "xpt" else "mode"})
    for out in (tmp_path / f"out.{ending}", tmp_path / "out.parquet", tmp_path / "other.sav"):
        release.save(out)
        assert leaked(bytes_of(out), [SECRET, "QZVXKWJP"]) == []
    if ending == "sav":
        meta = pyreadstat.read_sav(str(tmp_path / "out.sav"))[1]
        assert meta.column_names_to_labels["age"] == "Age in years"
        assert meta.variable_value_labels["ward"] == {0.0: "none", 1.0: "one"}


def test_a_workbook_hands_on_no_properties(tmp_path: Path) -> None:
    import xlsxwriter

    book = xlsxwriter.Workbook(tmp_path / "in.xlsx")
    book.set_properties(dict.fromkeys(("title", "author", "company", "comments", "keywords"), SECRET))
    book.set_custom_property("made by", SECRET)
    sheet = book.add_worksheet("people")
    for at, (name, cells) in enumerate(CELLS.items()):
        sheet.write_column(0, at, [name, *cells])
    sheet.write_comment(1, 1, SECRET, {"author": SECRET})
    book.add_worksheet("other").write(0, 0, SECRET)
    book.close()
    assert leaked(bytes_of(tmp_path / "in.xlsx"), [SECRET]) == [SECRET]
    table = shoal.read(tmp_path / "in.xlsx", sheet="people")
    for name in ("out.xlsx", "out.csv", "out.parquet"):
        shoal.anonymize(table, **OPTIONS).save(tmp_path / name)
        assert leaked(bytes_of(tmp_path / name), [SECRET]) == []


@pytest.mark.parametrize("kind", ["frame", "file"])
def test_columns_of_spark_hand_on_no_metadata(spark: Any, kind: str, tmp_path: Path) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    pl.DataFrame(CELLS).write_parquet(tmp_path / "plain.parquet")
    plain = spark.read.parquet(str(tmp_path / "plain.parquet"))
    frame = plain.select(*[F.col(name).alias(name, metadata={"comment": SECRET, "by": [SECRET]}) for name in CELLS])
    assert leaked(frame.schema.json(), [SECRET]) == [SECRET]
    if kind == "frame":
        anonymized = shoal.anonymize(frame, **OPTIONS)
        assert leaked(anonymized.schema.json(), [SECRET]) == []
        anonymized.write.parquet(str(tmp_path / "out"))
    else:
        frame.write.parquet(str(tmp_path / "in"))
        shoal.anonymize_file(tmp_path / "in", tmp_path / "out", engine="spark", **OPTIONS)
    parts = sorted((tmp_path / "out").glob("part-*.parquet"))
    assert parts
    assert [part for part in parts if leaked(part.read_bytes(), [SECRET])] == []
