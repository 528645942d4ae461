"""Delimited text in chunks: every chunk is a small text of the same dialect, with the same header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from shoal.errors import ColumnError, FileError
from shoal.tables.delimited import Head, patched, structured
from shoal.tables.detection import HEAD
from shoal.tables.dialect import Dialect
from shoal.tables.footer import footer_start, without_footer
from shoal.tables.header import check_empty
from shoal.tables.large.stream import encoding_of, runs, text_blocks, without
from shoal.tables.layout import Bytes, Layout, record_ends, scan
from shoal.tables.table import Cells, ReadOptions, Settings

_RETURN = 13


@dataclass(frozen=True, eq=False)
class Lines:
    """A delimited file that was opened: its dialect and its header."""

    path: Path
    head: Head
    """What its first records tell."""
    header: bool
    top: bytes
    """The header with its newline; one that was made up where the file has none."""
    above: int
    """The bytes of the text above the first record."""
    footer: int | None
    """The lines below the last one, where their number is named."""
    settings: Settings

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are not left out."""
        names = self.head.names
        return tuple(name for at, name in enumerate(names.fields) if at not in names.left_out)


def open_lines(path: Path, *, options: ReadOptions, tabs: bool) -> Lines:
    """The dialect by the head of the file, as `read_delimited` finds it."""
    encoding, bom = encoding_of(path, asked=options.encoding)
    start = _start(text_blocks(path, encoding=encoding, bom=bom))
    found = structured(start, options=options, tabs=tabs)
    quote = found.quote
    blocks = text_blocks(path, encoding=encoding, bom=bom)
    first = next(runs(without(blocks, found.offset), quote=quote, rows=1, size=1, path=path, row=0), b"")
    dialect = Dialect(found.delimiter, quote, encoding, bom, options.missing_words, options.blank_words)
    text = start[found.offset :]
    if len(start) <= 2 * HEAD:  # that is all of it
        footer = partial(footer_start, delimiter=found.delimiter, quote=quote, path=path, header=options.header)
        text = text[: footer(text, options.skip_footer)]
    text = patched(text, found)
    layout = _head_layout(text, first, dialect, path, header=options.header)
    head = Head(layout, found, dialect, options, path, records=1)
    made_up = (found.delimiter.join(head.names.fields) + "\n").encode()
    top = patched(first, found) if options.header else made_up
    above = found.offset + (len(first) if options.header else 0)
    settings = head.settings(_newline(start[found.offset :], quote))
    return Lines(path, head, options.header, top, above, options.skip_footer, settings)


def _start(blocks: Iterator[bytes]) -> bytes:
    """As much of the text as detection looks at: lines above the header, and the records below."""
    start = bytearray()
    for block in blocks:
        start += block
        if len(start) > 2 * HEAD:
            break
    return bytes(start)


def _head_layout(text: bytes, first: bytes, dialect: Dialect, path: Path, *, header: bool) -> Layout:
    """The layout of the first records; where they break the rules, of the first line alone: the survey says so then."""
    if not first.strip(b"\r\n"):
        return _blank_layout(dialect, path, header=header)
    ends = record_ends(_bytes(text[: HEAD + 2]), quote=dialect.quote)
    whole = ends[ends <= HEAD]
    part = (
        text
        if len(text) <= HEAD
        else text[: int(whole[-1])]
        if len(whole)
        else text[: int(ends[0])]
        if len(ends)
        else first
    )
    scanned = partial(scan, delimiter=dialect.delimiter, quote=dialect.quote, path=path, header=header)
    try:
        return scanned(_bytes(part))
    except FileError:
        return scanned(_bytes(first))


def _blank_layout(dialect: Dialect, path: Path, *, header: bool) -> Layout:
    """Of a text that begins with a blank line: one empty field if others follow."""
    blocks = text_blocks(path, encoding=dialect.encoding, bom=dialect.bom)
    if not any(block.strip(b"\r\n") for block in blocks):
        raise FileError.empty(path)
    if header:
        raise ColumnError.empty_name(1)
    return scan(_bytes(b'""\n'), delimiter=dialect.delimiter, quote='"', path=path, header=header)


def line_chunks(lines: Lines, kept: Sequence[str], *, rows: int, size: int) -> Iterator[Cells]:
    """The records of the file as cells of the kept columns; blank lines at the very end hold nobody."""
    dialect, path, records, blank = lines.head.dialect, lines.path, 0, b""
    blocks = text_blocks(path, encoding=dialect.encoding, bom=dialect.bom, block=max(1, min(size, HEAD)))
    body_blocks = without_footer(
        without(blocks, lines.above), lines.footer, delimiter=dialect.delimiter, quote=dialect.quote, path=path
    )
    for run in runs(body_blocks, quote=dialect.quote, rows=rows, size=size, path=path):
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
        for at in lines.head.names.empty:
            check_empty(layout.column(at, 1, layout.records), at, path, above=records)
        records += layout.records - 1
        if not lines.header:
            start = layout.lines[1]
            layout = Layout.of(_bytes(body), layout.lines[1:] - start, layout.ends[1:] - start, layout)
        cells = lines.head.cells(layout)
        yield replace(cells, sources={name: at for name, at in cells.sources.items() if name in kept})
    if records == 0:
        raise FileError.header_only(path) if lines.header else FileError.empty(path)


def _newline(head: bytes, quote: str) -> str:
    """The name of the newline in the head of a file: lf, crlf, cr or mixed."""
    data = _bytes(head)
    ends = record_ends(data, quote=quote)
    ends = ends[:-1] if len(ends) > 1 and ends[-1] == len(data) else ends
    returned = (ends > 1) & (data[ends - 2] == _RETURN)
    names = np.where(data[ends - 1] == _RETURN, "cr", np.where(returned, "crlf", "lf"))
    found = sorted(set(names.tolist())) or ["lf"]
    return str(found[0]) if len(found) == 1 else "mixed"


def _bytes(text: bytes) -> Bytes:
    return np.frombuffer(text, dtype=np.uint8)
