"""A file that is read in chunks, again and again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from shoal.errors import ColumnError, FileError, OptionError
from shoal.tables.files import check_there, fingerprint, stamp
from shoal.tables.formats import ENDINGS, format_of
from shoal.tables.large.columns import column_chunks, column_names
from shoal.tables.large.lines import line_chunks, open_lines
from shoal.tables.table import Cells, ReadOptions, Settings, Table
from shoal.threads import threads

T = TypeVar("T")
Reader = Callable[[Sequence[str]], Iterator[Cells]]


@dataclass(frozen=True, eq=False)
class Source:
    """A file of delimited text, Parquet or Arrow that is read in chunks, again and again.

    It must not change meanwhile: its size, times and identity are looked at before and after every
    pass (`FileError.changed`).
    """

    path: Path
    kind: str
    names: tuple[str, ...]
    settings: Settings
    """As those of a `Table`."""
    sha256: str
    """The fingerprint of the file."""
    bytes: int
    """Of the file."""
    _stamp: tuple[int, ...]
    _reader: Reader

    def chunks(self, *, columns: Sequence[str] | None = None) -> Iterator[Table]:
        """The records in their order, each chunk a table as `tables.read` gives it; other columns are left out.

        A chunk has at most ``rows`` records and about ``size`` bytes. The next one is read while this one is used.
        Kinds are those of the chunk alone: `fixed` makes them those of the whole table.
        """
        for name in columns or ():
            if name not in self.names:
                raise ColumnError.unknown(name, self.names)
        kept = self.names if columns is None else tuple(name for name in self.names if name in columns)
        self._check()
        for cells in _ahead(self._reader(kept)):
            yield Table(self.kind, cells, self.path, self.settings, self.sha256)
        self._check()

    def _check(self) -> None:
        if stamp(self.path) != self._stamp:
            raise FileError.changed(self.path)


def open_source(
    path: str | os.PathLike[str],
    *,
    options: ReadOptions | None = None,
    rows: int = 250_000,
    size: int = 32 << 20,
) -> Source:
    """Open a file to be read in chunks; one pass over its bytes finds its fingerprint and its encoding."""
    if options is not None and not isinstance(options, ReadOptions):
        raise OptionError.bad_option("options", "ReadOptions")
    path, options = Path(os.fsdecode(path)), options or ReadOptions()
    kind = options.format or format_of(path)
    check_there(path)
    if kind is None:
        raise FileError.unknown_format(path, ENDINGS)
    if kind not in ("csv", "tsv", "parquet", "arrow"):
        raise FileError.not_streamed(path, kind)
    before = stamp(path)
    if before[0] == 0:
        raise FileError.empty(path)
    settings: dict[str, Any] = {"format": kind}
    with ThreadPoolExecutor(1) as pool:  # both read the same bytes at about the same time
        mark = pool.submit(fingerprint, path)
        if kind in ("csv", "tsv"):
            lines = open_lines(path, options=options, tabs=kind == "tsv")
            names, settings = lines.names, settings | dict(lines.settings)

            def reader(kept: Sequence[str]) -> Iterator[Cells]:
                return line_chunks(lines, kept, rows=rows, size=size)
        else:
            names = column_names(path, kind)

            def reader(kept: Sequence[str]) -> Iterator[Cells]:
                return column_chunks(path, kind, kept, rows=rows, size=size)

        return Source(path, kind, names, settings, mark.result(), before[0], before, reader)


def _ahead(work: Iterator[T]) -> Iterator[T]:
    """The same, each made while the one before is used."""
    if threads() == 1:
        yield from work
        return
    with ThreadPoolExecutor(1, thread_name_prefix="shoal") as pool:
        following = pool.submit(next, work, None)
        while (made := following.result()) is not None:
            following = pool.submit(next, work, None)
            yield made
            del made
