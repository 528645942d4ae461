"""File formats by extension."""

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
"""Extensions that can only be read: the libraries have no writer."""

FORMATS = tuple(_ENDINGS)
EXTENSIONS = tuple(ending for endings in _ENDINGS.values() for ending in endings)
GZIP_EXTENSION = ".gz"
ZIP_EXTENSION = ".zip"
"""An archive with one delimited file, which can only be read."""


def extension(path: Path) -> str:
    """Return the extension in lower case, without that of compression."""
    inner = Path(path.stem if is_compressed(path) else path.name).suffix.lower()
    return inner or ".csv" if path.suffix.lower() == ZIP_EXTENSION else inner


def full_extension(path: Path) -> str:
    """Return the extension in lower case, with that of gzip."""
    return extension(path) + (GZIP_EXTENSION if path.suffix.lower() == GZIP_EXTENSION else "")


def is_compressed(path: Path) -> bool:
    """Return whether a file is compressed or an archive."""
    return path.suffix.lower() in (GZIP_EXTENSION, ZIP_EXTENSION)


def format_of(path: Path) -> str | None:
    """Return the format for the extension; None if unknown; only delimited text may be compressed."""
    file_format = next((name for name, endings in _ENDINGS.items() if extension(path) in endings), None)
    return None if is_compressed(path) and file_format not in ("csv", "tsv") else file_format


def writable_format(path: Path) -> str:
    """Return the format to write to this path; raise an error if there is none."""
    file_format = format_of(path)
    if file_format is None or extension(path) in _READ_ONLY or path.suffix.lower() == ZIP_EXTENSION:
        raise OutputError.unsupported_format(path, format=extension(path) or "nameless")
    return file_format
