"""The formats of files, told by their endings."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import OutputError

_ENDINGS = {
    "csv": (".csv", ".txt"),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "excel": (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"),
    "spss": (".sav", ".zsav", ".por"),
    "stata": (".dta",),
    "sas": (".sas7bdat", ".xpt"),
}

_READ_ONLY = (".xls", ".xlsm", ".xlsb", ".ods", ".por", ".sas7bdat")
"""What can be read and not written: the libraries have no writer."""

FORMATS = tuple(_ENDINGS)
ENDINGS = tuple(ending for endings in _ENDINGS.values() for ending in endings)
PACKED = ".gz"
ARCHIVE = ".zip"
"""An archive with one delimited file in it, which can be read and not written."""


def ending(path: Path) -> str:
    """The ending in lower case, that of the packed file where it is packed."""
    inner = Path(path.stem if is_packed(path) else path.name).suffix.lower()
    return inner or ".csv" if path.suffix.lower() == ARCHIVE else inner


def full_ending(path: Path) -> str:
    """The ending in lower case, with that of gzip: files that share it are written in the same way."""
    return ending(path) + (PACKED if path.suffix.lower() == PACKED else "")


def is_packed(path: Path) -> bool:
    """Whether a file is packed, or an archive."""
    return path.suffix.lower() in (PACKED, ARCHIVE)


def format_of(path: Path) -> str | None:
    """The format that the ending names; only delimited text may be packed."""
    found = next((name for name, endings in _ENDINGS.items() if ending(path) in endings), None)
    return None if is_packed(path) and found not in ("csv", "tsv") else found


def writable(path: Path) -> str:
    """The format in which a table can be written to this path."""
    found = format_of(path)
    if found is None or ending(path) in _READ_ONLY or path.suffix.lower() == ARCHIVE:
        raise OutputError.cannot_write(path, ending(path) or "nameless")
    return found
