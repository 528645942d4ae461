"""Read a file, data frame or array as a Table."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.data.compression import check_memory, open_compressed
from shoal.data.csv.read_delimited import read_delimited
from shoal.data.excel import read_excel
from shoal.data.file_formats import EXTENSIONS, format_of, is_compressed
from shoal.data.frames.arrow_tables import ArrowCells
from shoal.data.frames.numpy_arrays import open_array
from shoal.data.frames.pandas_frames import PandasCells
from shoal.data.frames.polars_frames import PolarsCells
from shoal.data.library_errors import translate_read_errors
from shoal.data.statistics_files import read_statistics
from shoal.data.table import ReadOptions, Table, TableCells, check_table
from shoal.errors import DataError, FileError, OptionError
from shoal.system.atomic import open_regular, os_error_reason


def read_table(source: Any, *, options: ReadOptions | None = None) -> Table:
    """Read a file, or wrap a data frame or an array; a Table is returned unchanged."""
    if options is not None and not isinstance(options, ReadOptions):
        raise OptionError.invalid_value("options", "ReadOptions")
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        return _read_file(Path(os.fsdecode(source)), options or ReadOptions())
    if isinstance(source, np.ndarray):
        return open_array(source)
    return _open_frame(source)


def _open_frame(source: Any) -> Table:
    if isinstance(source, pl.DataFrame):
        return check_table(Table("polars", PolarsCells(source)))
    import narwhals as nw  # imported late: polars frames do not need it
    from narwhals import dependencies

    if isinstance(source, nw.DataFrame):
        return _open_frame(source.to_native())
    if dependencies.is_pandas_dataframe(source):
        table = Table("pandas", PandasCells(source, tuple(str(label) for label in source.columns)))
    elif dependencies.is_pyarrow_table(source):
        table = Table("pyarrow", ArrowCells(source))
    elif dependencies.is_pyspark_dataframe(source):
        raise DataError.spark_frame()
    elif isinstance(nw.from_native(source, pass_through=True), nw.LazyFrame):
        raise DataError.lazy_frame(type(source).__name__)
    else:
        raise DataError.unknown_table_type(type(source).__name__)
    return check_table(table)


def file_kind(path: Path, options: ReadOptions) -> str:
    """Return the format of an existing file."""
    kind = options.format or format_of(path)
    check_file_exists(path)
    if kind is None:
        raise FileError.unknown_format(path, EXTENSIONS)
    return kind


def _read_file(path: Path, options: ReadOptions) -> Table:
    kind = file_kind(path, options)
    settings: dict[str, Any] = {"format": kind}
    if kind == "excel" or is_compressed(path):
        check_memory(path)
    if kind in ("csv", "tsv"):
        raw = _read_bytes(path)
        text = raw
        if is_compressed(path):
            with open_compressed(path, raw) as file:
                text = file.read()
        delimited, detected = read_delimited(text, options=options, tabs=kind == "tsv", path=path)
        return Table(kind, delimited, path, settings | detected, hashlib.sha256(raw).hexdigest())
    if path.stat().st_size == 0:
        raise FileError.empty(path)
    if kind in ("parquet", "arrow"):
        # read from memory: if a memory-mapped file is truncated, the process crashes
        raw = _read_bytes(path)
        with translate_read_errors(path, kind):
            frame = pl.read_parquet(io.BytesIO(raw)) if kind == "parquet" else pl.read_ipc(io.BytesIO(raw))
        return check_table(Table(kind, PolarsCells(frame), path, settings, hashlib.sha256(raw).hexdigest()))
    before, digest = file_state(path), file_sha256(path)
    cells: TableCells
    if kind == "excel":
        cells, detected_settings = read_excel(path, options=options)
        settings |= detected_settings
    else:
        cells = read_statistics(path, kind, options=options)
        settings["value_labels"] = options.value_labels
    if file_state(path) != before:
        raise FileError.changed(path)
    return check_table(Table(kind, cells, path, settings, digest))


def check_file_exists(path: Path) -> None:
    open_regular(path).close()


def _read_bytes(path: Path) -> bytes:
    """Read all bytes of a file; raise an error if it changes meanwhile."""
    try:
        before = file_state(path)
        data = path.read_bytes()
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None
    if file_state(path) != before or len(data) != before[0]:
        raise FileError.changed(path)
    return data


def file_state(path: Path) -> tuple[int, ...]:
    """Return size, times and identity of a file, to detect changes."""
    try:
        status = path.stat()
    except OSError:
        raise FileError.changed(path) from None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev


def file_sha256(path: str | os.PathLike[str]) -> str:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, ValueError):
        raise FileError.missing(path) from None
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None
