"""A release that is written chunk by chunk to one file."""

from __future__ import annotations

import gzip
import io
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self

import polars as pl
from polars import selectors
from polars.exceptions import PolarsError

from shoal.errors import DataError, OutputError
from shoal.tables.delimited import DelimitedCells
from shoal.tables.foreign import replaced_by, writing
from shoal.tables.formats import ending, is_packed, writable
from shoal.tables.formulas import NEUTRALIZE, formulas, is_formula, neutralized
from shoal.tables.frames import series_content
from shoal.tables.release import ipc_options
from shoal.tables.table import Table

STREAMED = ("csv", "tsv", "parquet", "arrow")
"""The formats that are written chunk by chunk."""
ROW_GROUP = 131_072
"""The records of a row group of Parquet, by their numbers, whatever the chunks are."""


class Output(Protocol):
    """How chunks are written in one format."""

    def write(self, chunk: Table) -> None: ...

    def close(self) -> None: ...

    def drop(self) -> None:
        """Let go of what is open, and of scratch files."""


class Writer:
    """Writes the chunks of a release, one below the other, to exactly one path; its ending decides the format.

    Delimited text keeps its dialect and its bytes as `tables.write` does. The bytes do not depend on the chunks.
    """

    def __init__(self, path: str | os.PathLike[str], *, folder: Path, formulas: str | None = None) -> None:
        """Write to this path, which the caller has put aside; the folder is for scratch files.

        Where it is said what is done about ``formulas``, text is looked through for them.
        """
        path = Path(path)
        kind = writable(path)
        if kind not in STREAMED:
            raise OutputError.not_streamed(path, kind)
        self._path, self._asked = path, formulas if kind in ("csv", "tsv") else None
        self.formulas: dict[str, int] = {}
        """How many cells of each column a spreadsheet would run."""
        with writing(path):
            self._output: Output = Text(path, kind) if kind in ("csv", "tsv") else Columns(path, kind, folder)

    def write(self, chunk: Table) -> None:
        with writing(self._path):
            if self._asked is not None:
                self._count(chunk)
            self._output.write(neutralized(chunk) if self._asked == NEUTRALIZE else chunk)

    def _count(self, chunk: Table) -> None:
        """Add what a chunk has of formulas; the name of a column counts once."""
        for name, cells in formulas(chunk).items():
            if name in self.formulas:
                cells -= is_formula(name)
            self.formulas[name] = self.formulas.get(name, 0) + cells

    def close(self) -> None:
        """Finish the file. Without it what was written is no file."""
        with writing(self._path):
            self._output.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        self._output.drop()


class Text:
    """Delimited text, packed or not."""

    def __init__(self, path: Path, kind: str) -> None:
        self._kind, self._begun = kind, False
        self._file: BinaryIO = path.open("wb")
        # No name and no time in the header: the same release has the same bytes.
        packed = is_packed(path)
        self._out = gzip.GzipFile(filename="", mode="wb", fileobj=self._file, mtime=0) if packed else self._file

    def write(self, chunk: Table) -> None:
        cells = chunk.cells
        if isinstance(cells, DelimitedCells) and chunk.kind == self._kind:
            self._put(cells.spliced(), len(_top(cells)) if self._begun else 0)
        else:
            frame = cells.text_frame() if isinstance(cells, DelimitedCells) else cells.frame()
            self._put(iter([self._delimited(frame)]), 0)
        self._begun = True

    def _put(self, blocks: Iterator[bytes], left_out: int) -> None:
        """Write the blocks without their first bytes: only the first chunk brings the header."""
        for block in blocks:
            self._out.write(block[left_out:])
            left_out -= min(left_out, len(block))

    def _delimited(self, frame: pl.DataFrame) -> bytes:
        # A missing cell that is all of its record is not left blank: blank lines at the end of a file hold nobody.
        return frame.write_csv(
            separator="\t" if self._kind == "tsv" else ",",
            include_header=not self._begun,
            line_terminator="\n",
            null_value='""' if frame.width == 1 else "",
        ).encode()

    def close(self) -> None:
        self._out.close()
        self._file.close()

    def drop(self) -> None:
        with suppress(OSError, ValueError):
            self.close()


def _top(cells: DelimitedCells) -> bytes:
    """What `DelimitedCells.spliced` writes before the first record."""
    mark = cells.dialect.mark
    if not cells.header:
        return mark
    return mark + cells.top()


class Columns:
    """Parquet and Arrow: chunks are put down in scratch files, and from there all at once into the file."""

    def __init__(self, path: Path, kind: str, folder: Path) -> None:
        self._path, self._kind, self._folder = path, kind, folder
        self._mark = secrets.token_hex(4)
        self._files: list[Path] = []
        self._types: dict[str, list[pl.DataType]] = {}
        self._left: dict[str, set[str]] = {}
        """The values that are left of columns whose type lists them."""

    def write(self, chunk: Table) -> None:
        with replaced_by(lambda: OutputError.does_not_fit(self._path)):
            frame = chunk.cells.frame()
        for name in frame.columns:
            known = self._types.setdefault(name, [])
            if frame.schema[name] not in known:
                known.append(frame.schema[name])
            if isinstance(frame.schema[name], pl.Enum):
                self._left.setdefault(name, set()).update(frame[name].drop_nulls().unique().cast(pl.String).to_list())
        frame.write_ipc(self._scratch(), compression="lz4")

    def close(self) -> None:
        if not self._files:
            raise DataError.no_records()
        # A text in one chunk is text in all of them.
        texts = [name for name, types in self._types.items() if len(types) > 1 and pl.String in types]
        lazy = pl.scan_ipc(
            self._files if not texts else [self._as_texts(path, texts) for path in self._files], glob=False
        )
        for name, left in self._left.items():
            dtype = self._types[name][0]
            if name not in texts and isinstance(dtype, pl.Enum):
                kept = pl.Enum([word for word in dtype.categories.to_list() if word in left])
                lazy = lazy.with_columns(selectors.by_name(name).cast(pl.String).cast(kept))
        try:
            self._sink(lazy)
        except PolarsError as error:
            # of a full disk polars tells no more than the number
            if told := re.search(r"os error (\d+)", str(error)):
                raise OSError(int(told[1]), os.strerror(int(told[1]))) from None
            raise
        finally:
            self.drop()

    def _sink(self, lazy: pl.LazyFrame) -> None:
        if self._kind == "parquet":
            lazy.sink_parquet(self._path, row_group_size=ROW_GROUP, maintain_order=True)
            return
        # By way of Parquet: what lies in Arrow's memory behind the last cell or under a missing one depends on the
        # chunks, and would be written too.
        settled = self._scratch()
        lazy.sink_parquet(settled, row_group_size=ROW_GROUP, maintain_order=True)
        again = pl.scan_parquet(settled, glob=False, hive_partitioning=False)
        again.sink_ipc(self._path, record_batch_size=ROW_GROUP, **ipc_options(ending(self._path)))

    def _scratch(self) -> Path:
        """A new file for its owner only."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"written-{self._mark}-{len(self._files):06d}.part"
        path.touch(mode=0o600)
        self._files.append(path)
        return path

    def _as_texts(self, path: Path, names: list[str]) -> Path:
        frame = pl.read_ipc(io.BytesIO(path.read_bytes()))  # in memory: the file is written again
        texts = {name: series_content(frame[name]).words.alias(name) for name in names}
        pl.DataFrame([texts.get(name, frame[name]) for name in frame.columns]).write_ipc(path, compression="lz4")
        return path

    def drop(self) -> None:
        for path in self._files:
            path.unlink(missing_ok=True)
