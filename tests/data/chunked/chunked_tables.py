"""Small tables that are read at once and in tiny chunks."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import polars as pl
from hypothesis import strategies as st

from shoal.data import ReadOptions, Table, read_table
from shoal.data.chunked import ChunkedFile, column_statistics, open_chunked, sample

CELLS = {
    "integer": ["1", "2", "-3", "+4", "40", "NA", ""],
    "long": ["1", "12345678901234567890", ""],
    "number": ["1", "2.5", "1e3", "0.10", "-1e308", "1e308", "5.0", " 7", "", "."],
    "code": ["01", "1", "002", ""],
    "word": ["a", "b", "NA", "", "é", '"x,y"', '"say ""so"""', '"two\nlines"', '"two\r\nlines"'],
    "mixed": ["1", "2", "x", ""],
    "date": ["2020-01-01", "2021-05-06", "", "NA"],
    "time": ["2020-01-01T10:00Z", "2020-01-02 11:30", "2020-02-03", " 2020-02-04", ""],
    "nothing": ["", "NA"],
    "infinite": ["1", "inf", "-inf", "1e999"],
}
LATE = ["late", "5", "2.5", "2020-01-01", "007", ""]
"""Cells that may occur in the last record only."""

TIMES = [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2), None]
TYPED: dict[str, tuple[list[object], pl.DataType]] = {
    "time": ([*TIMES, dt.datetime(2020, 1, 3, 5, 6)], pl.Datetime("us")),
    "midnight": (TIMES, pl.Datetime("ms")),
    "zoned": (TIMES, pl.Datetime("us", "Europe/Berlin")),
    "day": ([dt.date(2020, 1, 5), dt.date(1960, 2, 3), None], pl.Date()),
    "float": ([1.0, 2.5, float("nan"), None, -0.0, 0.0, 1e300], pl.Float64()),
    "whole": ([1, 2, 2**60, None], pl.Int64()),
    "text": (["a", "b", "", None], pl.String()),
    "level": (["low", "high", None], pl.Enum(["low", "middle", "high"])),
    "category": (["x", "y", None], pl.Categorical()),
    "truth": ([True, False, None], pl.Boolean()),
}


@st.composite
def texts(draw: st.DrawFn, kinds: list[str] | None = None) -> bytes:
    """Delimited texts with quotes, all newlines, missing cells, and kinds that only the last record decides."""
    chosen = draw(st.lists(st.sampled_from(kinds or list(CELLS)), min_size=1, max_size=4))
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    records = draw(st.integers(1, 12))
    rows = [[draw(st.sampled_from(CELLS[kind])) for kind in chosen] for _ in range(records)]
    if kinds is None and draw(st.booleans()):
        rows[-1][0] = draw(st.sampled_from(LATE))
    if len(chosen) == 1 and not any(row[0] for row in rows):
        rows[-1] = ["1"]  # blank lines at the end are no records
    lines = [[f"c{j}" for j in range(len(chosen))], *rows]
    text = newline.join(",".join(line) for line in lines) + draw(st.sampled_from(["", newline, 3 * newline]))
    return text.encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "latin-1"])))


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    records = draw(st.integers(1, 12))
    return pl.DataFrame(
        {
            name: pl.Series(
                [draw(st.sampled_from(cells)) for _ in range(records)],
                dtype=dtype if name != "category" else pl.String(),
            ).cast(dtype)
            for name, (cells, dtype) in TYPED.items()
        }
    )


cuts = st.tuples(st.integers(1, 5), st.sampled_from([1, 2, 7, 30, 1000]))
"""Maximum records and bytes of a chunk."""


@contextmanager
def limits(distinct: int, sampled: int) -> Iterator[None]:
    """Lower the limits of distinct cells and sampled records."""
    with (
        patch.object(column_statistics, "MAX_DISTINCT", distinct),
        patch.object(sample, "MAX_SAMPLE", sampled),
    ):
        yield


@contextmanager
def opened(
    content: bytes | pl.DataFrame, cut: tuple[int, int], *, ending: str = ""
) -> Iterator[tuple[Table, ChunkedFile]]:
    """Write the table to a file; yield it as one table, and opened for reading in chunks."""
    with tempfile.TemporaryDirectory() as folder:
        options = ReadOptions(header_known=True)
        if isinstance(content, bytes):
            path = Path(folder) / f"table{ending or '.csv'}"
            path.write_bytes(content)
        else:
            path = Path(folder) / f"table{ending or '.parquet'}"
            (content.write_ipc if ending == ".arrow" else content.write_parquet)(path)
        yield read_table(path, options=options), open_chunked(path, options=options, rows=cut[0], size=cut[1])
