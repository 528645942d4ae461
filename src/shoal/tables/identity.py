"""Identity: a fingerprint of what columns hold, so that results of the same data are known again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import polars as pl

from shoal.tables.table import Table


def identity(table: Table, names: Iterable[str]) -> str:
    """The SHA-256 of the cells of these columns and, where they come from a file, of that file and how it was read."""
    digest = hashlib.sha256(repr((table.kind, table.height, table.sha256, sorted(table.settings.items()))).encode())
    for name in names:
        content = table.cells.content(name)
        digest.update(repr((name, str(content.kind), content.type, content.levels)).encode())
        digest.update(content.values.is_null().to_numpy().tobytes())
        digest.update(_cells(content.values.drop_nulls()))
    return digest.hexdigest()


def _cells(values: pl.Series) -> bytes:
    """The cells as bytes, whatever the column went through before: where it was cut leaves no trace."""
    if values.dtype in (pl.String, pl.Categorical, pl.Enum):
        text = values.cast(pl.String)
        together: str = text.str.join().item()
        return text.str.len_bytes().to_numpy().tobytes() + together.encode()
    physical = values.to_physical()
    if physical.dtype.is_numeric() and not str(physical.dtype).endswith("128"):  # numpy has none so wide
        return physical.to_numpy().tobytes()
    return repr(values.to_list()).encode()
