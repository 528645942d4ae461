"""Content hash of columns, to recognize results for the same data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import polars as pl

from shoal.data.table import Table


def content_hash(table: Table, names: Iterable[str]) -> str:
    """Return the SHA-256 of the cells of these columns and, for a file, of its hash and read settings."""
    digest = hashlib.sha256(repr((table.kind, table.height, table.sha256, sorted(table.settings.items()))).encode())
    for name in names:
        content = table.cells.content(name)
        digest.update(repr((name, str(content.kind), content.type, content.levels)).encode())
        digest.update(content.values.is_null().to_numpy().tobytes())
        digest.update(_cell_bytes(content.values.drop_nulls()))
    return digest.hexdigest()


def _cell_bytes(values: pl.Series) -> bytes:
    """Return the cells as bytes, independent of chunks and slices."""
    if values.dtype in (pl.String, pl.Categorical, pl.Enum):
        text = values.cast(pl.String)
        joined: str = text.str.join().item()
        return text.str.len_bytes().to_numpy().tobytes() + joined.encode()
    physical = values.to_physical()
    if physical.dtype.is_numeric() and not str(physical.dtype).endswith("128"):  # numpy has no 128-bit integers
        return physical.to_numpy().tobytes()
    return repr(values.to_list()).encode()
