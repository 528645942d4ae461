"""Reading and writing in blocks and on threads: the same cells, bytes and errors for all sizes and numbers."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import fields
from shoal.data import ReadOptions, Table, class_labels, read_table, write_table
from shoal.data.csv import delimited_cells
from shoal.data.csv import scan as layouts
from shoal.data.csv.delimited_cells import DictionaryColumn
from shoal.data.csv.read_delimited import read_delimited
from shoal.data.csv.text_values import FieldParser, infer_content, is_number
from shoal.data.table import DEFAULT_MISSING_VALUES
from shoal.domain import TextColumn
from shoal.errors import ShoalError
from shoal.system import threads

PARTS = [b"a", b"1", b"01", b"-0", b".5", b"NA", b",", b",", b'"', b'""', b"\n", b"\r", b"\r\n", b" ", "é".encode()]
WORDS = TextColumn(("a", 'q"', "d,d", "", "1"), np.array([-1, 0, 1, 2, 3, 4], dtype=np.int64))


@contextmanager
def small_blocks(size: int, few: int) -> Iterator[None]:
    """Texts in pieces of so many bytes; columns are packed where they have so few different texts."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_LOOK", "_TEXT", "_BLOCK", "_ROWS"):
            patch.setattr(layouts, name, size)
        patch.setattr(delimited_cells, "_MAX_DISTINCT_TEXTS", few)
        yield


def error_of(raw: bytes, *, header: bool) -> list[Any]:
    """All that reading and writing tells about a text."""
    try:
        options = ReadOptions(header=header, header_known=True)
        cells, known = read_delimited(raw, options=options, tabs=False, path="table.csv")
    except ShoalError as error:
        return [type(error), str(error)]
    some = TextColumn(WORDS.words, np.resize(WORDS.codes, cells.height))
    new = cells.replace_columns(cells.names[::-1], {cells.names[-1]: some})
    contents = [one.content(name) for one in (cells, new) for name in one.names]
    return [
        known,
        cells.text_frame().rows(),
        new.text_frame().rows(),
        [(content.kind, content.type, content.values.to_list(), content.text_values.to_list()) for content in contents],
        b"".join(cells.splice()),
        b"".join(new.splice()),
        class_labels(Table("csv", cells), cells.names).tolist(),
        class_labels(Table("csv", new), new.names).tolist(),
    ]


@given(st.lists(st.sampled_from(PARTS), max_size=24), st.booleans())
def test_pieces_and_threads_change_nothing(parts: list[bytes], header: bool) -> None:
    raw = b"x,y\n" + b"".join(parts)
    expected = error_of(raw, header=header)
    for size, few, count in ((1, 0, 1), (2, 2, 3), (5, 100, 2)):
        with small_blocks(size, few), threads.use_threads(count):
            assert error_of(raw, header=header) == expected


FIELDS = st.one_of(
    st.text(alphabet="01.+-eE, \t", max_size=5),
    st.sampled_from(["", "NA", ".", " 7 ", "inf", "-Infinity", "nan", "00501", "-0", "9223372036854775808", "1e999"]),
    st.sampled_from(["2020-01-02", "2020-02-30", "2020-01-02T10:00Z", "a", "é", "1,5", "1.5"]),
)


@given(st.data(), st.sampled_from([".", ","]), st.sampled_from([DEFAULT_MISSING_VALUES, ("", "1"), ("", "-0", "x")]))
def test_fields_mean_what_the_rules_say(data: st.DataObject, decimal: str, missing: tuple[str, ...]) -> None:
    pool = data.draw(st.lists(FIELDS, min_size=1, max_size=3))
    texts = data.draw(st.lists(st.sampled_from(pool), min_size=1, max_size=6))
    column = pl.Series(texts, dtype=pl.String)
    packed = DictionaryColumn.encode(column)
    assert packed is not None
    assert packed.text.to_list() == texts
    expected = fields.understood(texts, decimal=decimal, missing=missing)
    reading = FieldParser("" if decimal == "." else "1234,5", missing)
    by_field = infer_content(column, reading)
    by_text = packed.expand(infer_content(packed.distinct, reading))
    for content in (by_field, by_text):
        numbers = None if content.numbers is None else content.numbers.to_list()
        other = None if content.non_numeric is None else content.non_numeric.to_list()
        result = (content.kind.value, content.type, content.values.to_list(), numbers, other)
        assert repr(result) == repr(expected)  # so that -0.0 is not 0.0


@given(st.text(alphabet="0123456789+-.eEinfINFtyNa_x", max_size=9))
def test_a_cast_takes_for_a_number_what_the_rules_take_for_one(text: str) -> None:
    number = pl.Series([text]).cast(pl.Float64, strict=False).fill_nan(None)
    assert number.is_not_null().item() == is_number(text)
    whole = pl.Series([text]).cast(pl.Int64, strict=False)
    assert whole.is_not_null().item() == (text.lstrip("+-").isdigit() and text.rfind("+") < 1 > text.rfind("-"))


def test_a_column_of_many_texts_is_not_packed() -> None:
    many = pl.Series([str(number) for number in range(delimited_cells._MAX_DISTINCT_TEXTS + 1)])
    assert DictionaryColumn.encode(many) is None
    assert DictionaryColumn.encode(many.head(delimited_cells._MAX_DISTINCT_TEXTS)) is not None


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".feather"])
def test_files_of_columns_have_the_bytes_that_memory_would(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame({"a": np.arange(1000) / 7, "b": [f"text {number % 13}" for number in range(1000)]})
    write_table(read_table(frame), tmp_path / f"out{ending}")
    buffer = io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(buffer)
    else:
        frame.write_ipc(buffer, compression="lz4" if ending == ".feather" else "uncompressed")
    assert (tmp_path / f"out{ending}").read_bytes() == buffer.getvalue()
