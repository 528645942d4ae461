"""Delimited text in chunks: each chunk is a small text of the same dialect with the same header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from shoal.data.csv.delimited_cells import HeaderAndFormats, complete_header, detect_text_structure
from shoal.data.csv.detection import HEAD_BYTES
from shoal.data.csv.dialect import Dialect
from shoal.data.csv.footer import footer_start, strip_footer
from shoal.data.csv.header import check_unnamed_is_empty
from shoal.data.csv.scan import Bytes, Layout, record_ends, scan
from shoal.data.csv.stream import encoding_of, record_runs, skip_bytes, text_blocks
from shoal.data.table import ReadOptions, Settings, TableCells
from shoal.errors import ColumnError, FileError

_RETURN = 13


@dataclass(frozen=True, eq=False)
class DelimitedFile:
    """An opened delimited file: its dialect and its header."""

    path: Path
    head: HeaderAndFormats
    """Structure detected from the first records."""
    header: bool
    header_bytes: bytes
    """The header with its newline; a generated one if the file has none."""
    body_offset: int
    """Bytes of the text above the first record."""
    footer_lines: int | None
    """Lines below the last record, if the user gave their number."""
    settings: Settings

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that are not left out."""
        names = self.head.names
        return tuple(name for at, name in enumerate(names.fields) if at not in names.dropped)


def open_delimited(path: Path, *, options: ReadOptions, tabs: bool) -> DelimitedFile:
    """Open a delimited file; the dialect is detected from its head, as `read_delimited` does."""
    encoding, bom = encoding_of(path, encoding=options.encoding)
    start = _start(text_blocks(path, encoding=encoding, bom=bom))
    structure = detect_text_structure(start, options=options, tabs=tabs)
    quote = structure.quote
    blocks = text_blocks(path, encoding=encoding, bom=bom)
    first = next(record_runs(skip_bytes(blocks, structure.offset), quote=quote, rows=1, size=1, path=path, row=0), b"")
    dialect = Dialect(structure.delimiter, quote, encoding, bom, options.missing_values, options.missing_texts)
    text = start[structure.offset :]
    if len(start) <= 2 * HEAD_BYTES:  # this is the whole file
        footer = partial(footer_start, delimiter=structure.delimiter, quote=quote, path=path, header=options.header)
        text = text[: footer(text, options.skip_footer)]
    text = complete_header(text, structure)
    layout = _head_layout(text, first, dialect, path, header=options.header)
    head = HeaderAndFormats(layout, structure, dialect, options, path, records=1)
    generated = (structure.delimiter.join(head.names.fields) + "\n").encode()
    top = complete_header(first, structure) if options.header else generated
    above = structure.offset + (len(first) if options.header else 0)
    settings = head.settings(_newline(start[structure.offset :], quote))
    return DelimitedFile(path, head, options.header, top, above, options.skip_footer, settings)


def _start(blocks: Iterator[bytes]) -> bytes:
    """Return as much of the text as detection needs: the lines above the header and the first records."""
    start = bytearray()
    for block in blocks:
        start += block
        if len(start) > 2 * HEAD_BYTES:
            break
    return bytes(start)


def _head_layout(text: bytes, first: bytes, dialect: Dialect, path: Path, *, header: bool) -> Layout:
    """Return the layout of the first records; of the first line alone if they break the rules, which the full pass
    reports.
    """
    if not first.strip(b"\r\n"):
        return _blank_layout(dialect, path, header=header)
    ends = record_ends(_bytes(text[: HEAD_BYTES + 2]), quote=dialect.quote)
    whole = ends[ends <= HEAD_BYTES]
    part = (
        text
        if len(text) <= HEAD_BYTES
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
    """Return the layout of a text that begins with a blank line: one empty field if other lines follow."""
    blocks = text_blocks(path, encoding=dialect.encoding, bom=dialect.bom)
    if not any(block.strip(b"\r\n") for block in blocks):
        raise FileError.empty(path)
    if header:
        raise ColumnError.empty_name(1)
    return scan(_bytes(b'""\n'), delimiter=dialect.delimiter, quote='"', path=path, header=header)


def delimited_chunks(file: DelimitedFile, columns: Sequence[str], *, rows: int, size: int) -> Iterator[TableCells]:
    """Yield the records of the file as cells of the selected columns. Blank lines at the end are no records."""
    dialect, path, records, blank = file.head.dialect, file.path, 0, b""
    blocks = text_blocks(path, encoding=dialect.encoding, bom=dialect.bom, block=max(1, min(size, HEAD_BYTES)))
    body_blocks = strip_footer(
        skip_bytes(blocks, file.body_offset),
        file.footer_lines,
        delimiter=dialect.delimiter,
        quote=dialect.quote,
        path=path,
    )
    for run in record_runs(body_blocks, quote=dialect.quote, rows=rows, size=size, path=path):
        body, blank = blank + run, b""
        if not body.strip(b"\r\n"):
            blank = body
            continue
        layout = scan(
            _bytes(file.header_bytes + body),
            delimiter=dialect.delimiter,
            quote=dialect.quote,
            path=path,
            header=True,
            records_above=records,
        )
        blank = body[int(layout.record_starts[-1]) - len(file.header_bytes) :]
        for at in file.head.names.empty:
            check_unnamed_is_empty(layout.column(at, 1, layout.records), at, path, records_above=records)
        records += layout.records - 1
        if not file.header:
            start = layout.record_starts[1]
            layout = Layout.build(_bytes(body), layout.record_starts[1:] - start, layout.field_ends[1:] - start, layout)
        cells = file.head.cells(layout)
        yield replace(cells, sources={name: at for name, at in cells.sources.items() if name in columns})
    if records == 0:
        raise FileError.header_only(path) if file.header else FileError.empty(path)


def _newline(head: bytes, quote: str) -> str:
    """Return the name of the newline in the head of a file: lf, crlf, cr or mixed."""
    data = _bytes(head)
    ends = record_ends(data, quote=quote)
    ends = ends[:-1] if len(ends) > 1 and ends[-1] == len(data) else ends
    crlf_mask = (ends > 1) & (data[ends - 2] == _RETURN)
    names = np.where(data[ends - 1] == _RETURN, "cr", np.where(crlf_mask, "crlf", "lf"))
    styles = sorted(set(names.tolist())) or ["lf"]
    return str(styles[0]) if len(styles) == 1 else "mixed"


def _bytes(text: bytes) -> Bytes:
    return np.frombuffer(text, dtype=np.uint8)
