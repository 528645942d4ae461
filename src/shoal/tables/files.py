"""Files and frames in: whatever holds one row a person becomes a Table."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.aside import reason
from shoal.errors import FileError, OptionError
from shoal.tables.arrays import open_array
from shoal.tables.delimited import read_delimited
from shoal.tables.excel import read_excel
from shoal.tables.foreign import replaced_by
from shoal.tables.formats import ENDINGS, format_of, is_packed
from shoal.tables.frames import PolarsCells, checked, open_frame
from shoal.tables.glance import check_room
from shoal.tables.packing import unpacked
from shoal.tables.statistics import read_statistics
from shoal.tables.table import Cells, ReadOptions, Table


def read(source: Any, *, options: ReadOptions | None = None) -> Table:
    """Read a file, or take a frame or an array as it is; a Table is given back."""
    if options is not None and not isinstance(options, ReadOptions):
        raise OptionError.bad_option("options", "ReadOptions")
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        return _read_file(Path(os.fsdecode(source)), options or ReadOptions())
    if isinstance(source, np.ndarray):
        return open_array(source)
    return open_frame(source)


def _read_file(path: Path, options: ReadOptions) -> Table:
    kind = options.format or format_of(path)
    check_there(path)
    if kind is None:
        raise FileError.unknown_format(path, ENDINGS)
    settings: dict[str, Any] = {"format": kind}
    if kind == "excel" or is_packed(path):
        check_room(path)
    if kind in ("csv", "tsv"):
        raw = _bytes(path)
        text = _unpacked(raw, path) if is_packed(path) else raw
        delimited, found = read_delimited(text, options=options, tabs=kind == "tsv", path=path)
        return Table(kind, delimited, path, settings | found, hashlib.sha256(raw).hexdigest())
    if path.stat().st_size == 0:
        raise FileError.empty(path)
    if kind in ("parquet", "arrow"):
        # from memory, and not by the path: a file that is cut off while a library has it mapped kills the process
        raw = _bytes(path)
        frame = _read_columns(raw, path, kind)
        return checked(Table(kind, PolarsCells(frame), path, settings, hashlib.sha256(raw).hexdigest()))
    before, mark = stamp(path), fingerprint(path)
    cells: Cells
    if kind == "excel":
        cells, noted = read_excel(path, options=options)
        settings |= noted
    else:
        cells = read_statistics(path, kind, options=options)
        settings["value_labels"] = options.value_labels
    if stamp(path) != before:
        raise FileError.changed(path)
    return checked(Table(kind, cells, path, settings, mark))


def check_there(path: Path) -> None:
    try:
        if path.is_dir():
            raise FileError.is_folder(path)
        if path.exists() and not path.is_file():
            raise FileError.no_file(path)
        with path.open("rb"):
            pass
    except (FileNotFoundError, NotADirectoryError):
        raise FileError.missing(path) from None
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None
    except ValueError:
        raise FileError.missing(path) from None


def _bytes(path: Path) -> bytes:
    """All bytes of a file that does not change meanwhile."""
    try:
        before = stamp(path)
        found = path.read_bytes()
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None
    if stamp(path) != before or len(found) != before[0]:
        raise FileError.changed(path)
    return found


def stamp(path: Path) -> tuple[int, ...]:
    """What changes with the file: its size, its times, and which file it is."""
    try:
        found = path.stat()
    except OSError:
        raise FileError.changed(path) from None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev


def _unpacked(raw: bytes, path: Path) -> bytes:
    with unpacked(path, raw) as file:
        return file.read()


def _read_columns(raw: bytes, path: Path, kind: str) -> pl.DataFrame:
    with replaced_by(lambda: FileError.damaged(path, kind), system=lambda why: FileError.unreadable(path, why)):
        if kind == "parquet":
            return pl.read_parquet(io.BytesIO(raw))
        return pl.read_ipc(io.BytesIO(raw))


def fingerprint(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of the file."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, ValueError):
        raise FileError.missing(path) from None
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None
