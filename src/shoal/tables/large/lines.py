"""Delimited text in chunks: every chunk is a small text of the same dialect, with the same header."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from shoal.errors import FileError
from shoal.tables.delimited import DelimitedCells, check_header, check_strange, header_names
from shoal.tables.dialect import Dialect, sniffed
from shoal.tables.large.stream import encoding_of, record_ends, runs, text_blocks
from shoal.tables.layout import Bytes, Layout, scan
from shoal.tables.table import Cells, ReadOptions

_HEAD = 1 << 20
_RETURN = 13


@dataclass(frozen=True, eq=False)
class Lines:
    """A delimited file that was opened: its dialect and its header."""

    path: Path
    dialect: Dialect
    header: bool
    names: tuple[str, ...]
    top: bytes
    """The header with its newline; one that was made up where the file has none."""
    settings: Mapping[str, str | bool]


def open_lines(path: Path, *, options: ReadOptions, tabs: bool) -> Lines:
    """The dialect by the head of the file, as `read_delimited` finds it."""
    encoding, bom = encoding_of(path, asked=options.encoding)
    blocks = text_blocks(path, encoding=encoding, bom=bom)
    head = next(blocks, b"")
    quote = options.quote or ""
    delimiter = options.delimiter or ("\t" if tabs else sniffed(head, quote=quote, decimal=options.decimal))
    dialect = Dialect(
        delimiter, "" if quote == delimiter else quote, encoding, bom, options.decimal, options.missing_words
    )
    first = next(runs(chain([head], blocks), quote=dialect.quote, rows=1, size=1, path=path, row=0), b"")
    names = _names(first, dialect, path, header=options.header)
    if options.header:
        if not options.header_known:
            check_strange(names, delimiter=delimiter, path=path)
        check_header(names, records=1, options=options, path=path)
    settings: dict[str, str | bool] = {
        "delimiter": delimiter,
        "quote": dialect.quote,
        "encoding": encoding,
        "decimal": dialect.decimal,
        "header": options.header,
        "newline": _newline(head, dialect.quote),
        "bom": bom,
    }
    if options.missing is not None:
        settings["missing"] = "\n".join(options.missing)
    made_up = (delimiter.join(names) + "\n").encode()
    return Lines(path, dialect, options.header, names, first if options.header else made_up, settings)


def line_chunks(lines: Lines, kept: Sequence[str], *, rows: int, size: int) -> Iterator[Cells]:
    """The records of the file as cells of the kept columns; blank lines at the very end hold nobody."""
    dialect, path, records, blank = lines.dialect, lines.path, 0, b""
    blocks = text_blocks(path, encoding=dialect.encoding, bom=dialect.bom, block=max(1, min(size, _HEAD)))
    if lines.header:
        blocks = _without(blocks, len(lines.top))
    for run in runs(blocks, quote=dialect.quote, rows=rows, size=size, path=path):
        body, blank = blank + run, b""
        if not body.strip(b"\r\n"):
            blank = body
            continue
        layout = scan(
            _bytes(lines.top + body),
            delimiter=dialect.delimiter,
            quote=dialect.quote,
            path=path,
            header=True,
            above=records,
        )
        blank = body[int(layout.lines[-1]) - len(lines.top) :]
        records += layout.records - 1
        if not lines.header:
            start = layout.lines[1]
            layout = Layout.of(_bytes(body), layout.lines[1:] - start, layout.ends[1:] - start, layout)
        sources = {name: at for at, name in enumerate(lines.names) if name in kept}
        yield DelimitedCells(layout, dialect, lines.header, sources)
    if records == 0:
        raise FileError.header_only(path) if lines.header else FileError.empty(path)


def _names(first: bytes, dialect: Dialect, path: Path, *, header: bool) -> tuple[str, ...]:
    """The names of the columns by the first record; a blank one has one empty field if others follow."""
    if first.strip(b"\r\n"):
        top = scan(_bytes(first), delimiter=dialect.delimiter, quote=dialect.quote, path=path, header=header)
        return header_names(top, header=header)
    blocks = text_blocks(path, encoding=dialect.encoding, bom=dialect.bom)
    if not any(block.strip(b"\r\n") for block in blocks):
        raise FileError.empty(path)
    return ("",) if header else ("column_1",)


def _newline(head: bytes, quote: str) -> str:
    """The name of the newline in the head of a file: lf, crlf, cr or mixed."""
    data = _bytes(head)
    ends = record_ends(data, quote=quote)
    ends = ends[:-1] if len(ends) > 1 and ends[-1] == len(data) else ends
    returned = (ends > 1) & (data[ends - 2] == _RETURN)
    names = np.where(data[ends - 1] == _RETURN, "cr", np.where(returned, "crlf", "lf"))
    found = sorted(set(names.tolist())) or ["lf"]
    return str(found[0]) if len(found) == 1 else "mixed"


def _without(blocks: Iterator[bytes], gone: int) -> Iterator[bytes]:
    """The text without its first bytes."""
    for block in blocks:
        yield block[gone:]
        gone -= min(gone, len(block))


def _bytes(text: bytes) -> Bytes:
    return np.frombuffer(text, dtype=np.uint8)
