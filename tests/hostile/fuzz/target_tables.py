"""Targets: files that hold a table."""

from __future__ import annotations

import gzip
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from fuzz_target import MARKER, READ_ONLY, Leak, target

import shoal
from shoal import data
from shoal.data.chunked import open_chunked
from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.dialect import UTF16_BOMS
from shoal.errors import ShoalError

_FEW = 64
"""Records up to which a table is also protected."""
_TEXT = (
    "shoal.data.csv.delimited_cells",
    "shoal.data.csv.dialect",
    "shoal.data.csv.scan",
)
_TEXT = (
    *_TEXT,
    "shoal.data.csv.text_values",
    "shoal.data.read",
    "shoal.data.encode.dates",
    "shoal.domain.role_proposals",
)
_COLUMNS = ("shoal.data.read", "shoal.data.frames.polars_frames", "shoal.data.frames.object_columns")


def _below_header(raw: bytes) -> bool:
    """Whether the marker stands below a first line without any quotation mark: then it is in no name."""
    first = raw.replace(b"\r", b"\n").split(b"\n", 1)[0]
    return b'"' not in first and b"Zebulon77" not in first and bool(first.strip())


def _anywhere(raw: bytes) -> bool:
    return True


def look_at(table: data.Table, folder: Path) -> None:
    """All that a look at a table, a count and a release need; and what is written is what was read."""
    frame = table.native()
    assert frame.shape == (table.height, len(table.names)), "the frame has another shape than the table"
    shoal.describe(table)
    names = list(table.names)
    shoal.verify(table, k=2, quasi_identifiers=names[:8])
    if table.height <= _FEW and len(names) <= 8 and not READ_ONLY:
        protect(table, names)


def protect(table: data.Table, names: list[str]) -> None:
    """A release by a quick method, or a refusal that shows no cell."""
    try:
        release = shoal.anonymize(table, k=2, quasi_identifiers=names, method="mdav", threads=1)
    except ShoalError as error:
        if MARKER in str(error) and not any(MARKER in name for name in names):
            raise Leak("the message shows a cell") from None
        return
    released = release.table
    assert released.height == table.height, "a record is lost or doubled"
    assert release.verification.ok, "a release without its promise"


def _file(raw: bytes, folder: Path, *, ending: str, packed: bool = False, **options: Any) -> None:
    path = folder / f"table{ending}"
    path.write_bytes(gzip.compress(raw, 1) if packed else raw)
    look_at(shoal.read(path, **options), folder)


def _again(raw: bytes, folder: Path, *, ending: str, **options: Any) -> None:
    """A text, which also comes back with its bytes when nothing of it changes."""
    path, copy = folder / f"table{ending}", folder / f"copy{ending}"
    path.write_bytes(raw)
    table = shoal.read(path, **options)
    data.write_table(table, copy)
    written, cells = copy.read_bytes(), table.cells
    assert isinstance(cells, DelimitedCells)
    whole = len(cells.fields) == len(cells.names)
    if whole and (cells.titles or "skip" in table.settings):
        # lines above the header are gone, and names that it lacked are there: the records are as they were
        written = written[len(cells.text_start()) :]
        assert _trimmed(raw, cells).endswith(_trimmed(written, cells)), "records came back with other bytes"
    elif whole:
        assert _trimmed(raw, cells) == _trimmed(written, cells), "a text came back with other bytes"
    look_at(table, folder)


def _trimmed(raw: bytes, cells: DelimitedCells) -> str | bytes:
    """The text without newlines at its end: blank lines there hold nobody, and the last line may lack its newline."""
    if cells.dialect.encoding in UTF16_BOMS:
        return raw.decode(cells.dialect.encoding).rstrip("\r\n")
    return raw.rstrip(b"\r\n")


def _in_pieces(raw: bytes, folder: Path) -> None:
    """A text in chunks of a few records is the text as a whole, or both are refused."""
    path = folder / "pieces.csv"
    path.write_bytes(raw)
    whole: pl.DataFrame | None = None
    with suppress(ShoalError):
        whole = shoal.read(path).cells.text_frame()
    try:
        chunks = [chunk.cells.text_frame() for chunk in open_chunked(path, rows=2, size=64).chunks()]
    except ShoalError:
        assert whole is None, "a text that is read as a whole is refused in pieces"
        raise
    assert whole is not None, "a text that is refused as a whole is read in pieces"
    assert pl.concat(chunks).equals(whole), "a text in pieces is another than the whole"


_DIALECTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "csv": ("a damaged or odd csv file", ".csv", {}),
    "tsv": ("a damaged or odd tsv file", ".tsv", {}),
    "csv-no-header": ("a damaged csv file, said to have no header", ".csv", {"header": False}),
    "csv-semicolon": (
        "a damaged csv file with semicolons, decimal commas and apostrophes",
        ".txt",
        {"delimiter": ";", "decimal": ",", "quote": "'", "header": True},
    ),
    "csv-unquoted": ("a damaged csv file without quoting", ".csv", {"quote": "", "missing": ["-9", "unknown"]}),
    "csv-cp1252": ("a damaged csv file, said to be in cp1252", ".csv", {"encoding": "cp1252"}),
    "csv-shift-jis": ("a damaged csv file, said to be in Shift JIS", ".csv", {"encoding": "shift_jis"}),
}
for _name, (_description, _ending, _options) in _DIALECTS.items():
    _cell = _anywhere if _name == "csv-no-header" else _below_header
    target(_name, _description, *_TEXT, is_cell=_cell)(partial(_again, ending=_ending, **_options))

target("csv-packed", "a damaged csv.gz file, its text or its packing", *_TEXT)(partial(_file, ending=".csv.gz"))
target("csv-in-gzip", "a damaged text inside a sound csv.gz file", *_TEXT, is_cell=_below_header)(
    partial(_file, ending=".csv.gz", packed=True)
)
target(
    "csv-in-pieces",
    "a damaged csv file that is read in pieces",
    *("shoal.data.csv.text_chunks", "shoal.data.csv.scan"),
    is_cell=_below_header,
)(_in_pieces)
target("parquet", "a damaged Parquet file", *_COLUMNS)(partial(_file, ending=".parquet"))
target("arrow", "a damaged Arrow or Feather file", *_COLUMNS)(partial(_file, ending=".feather"))
target("excel", "a damaged workbook", "shoal.data.excel", "shoal.data.read")(partial(_file, ending=".xlsx"))
_STATISTICS = {"spss": ".sav", "stata": ".dta", "sas": ".xpt", "por": ".por", "sas7bdat": ".sas7bdat"}
for _kind, _ending in _STATISTICS.items():
    target(_kind, f"a damaged {_ending} file", "shoal.data.statistics_files", "shoal.data.read")(
        partial(_file, ending=_ending)
    )
