"""Delimited text in chunks: each chunk is a small text of the same dialect with the same header."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from shoal.data.compression import open_compressed
from shoal.data.csv.detection import HEAD_BYTES
from shoal.data.csv.dialect import UTF16_BOMS, Dialect, byte_order_mark, check_no_nul, detect_encoding
from shoal.data.csv.footer import footer_start, strip_footer
from shoal.data.csv.read_delimited import (
    HeaderAndFormats,
    check_unnamed_is_empty,
    complete_header,
    detect_text_structure,
)
from shoal.data.csv.scan import Layout, record_ends, scan
from shoal.data.file_formats import is_compressed
from shoal.data.table import ReadOptions, Settings, TableCells
from shoal.errors import ColumnError, FileError
from shoal.system.atomic import os_error_reason

_RETURN = 13
_BLOCK = 1 << 20
_LONGEST = 64 << 20
"""A longer record is taken for an unclosed quotation mark."""


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
        return tuple(self.head.names.positions)


def open_delimited(path: Path, *, options: ReadOptions, tabs: bool) -> DelimitedFile:
    """Open a delimited file; the dialect is detected from its head, as `read_delimited` does."""
    encoding, bom = detect_encoding(_raw_blocks(path), options.encoding, path=path)
    start = _start(_text_blocks(path, encoding=encoding, bom=bom))
    structure = detect_text_structure(start, options=options, tabs=tabs)
    quote = structure.quote
    below = _skip_bytes(_text_blocks(path, encoding=encoding, bom=bom), structure.offset)
    first = next(_record_runs(below, quote=quote, rows=1, size=1, path=path, row=0), b"")
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
    """Return the layout of the first records, or of the first line if they break a rule: the full pass reports it."""
    if not first.strip(b"\r\n"):
        return _blank_layout(dialect, path, header=header)
    ends = record_ends(text[: HEAD_BYTES + 2], quote=dialect.quote)
    whole = ends[ends <= HEAD_BYTES]
    part = text
    if len(text) > HEAD_BYTES:
        part = text[: int(whole[-1] if len(whole) else ends[0])] if len(ends) else first
    scan_head = partial(scan, delimiter=dialect.delimiter, quote=dialect.quote, path=path, header=header)
    try:
        return scan_head(part)
    except FileError:
        return scan_head(first)


def _blank_layout(dialect: Dialect, path: Path, *, header: bool) -> Layout:
    """Return the layout of a text that begins with a blank line: one empty field if other lines follow."""
    blocks = _text_blocks(path, encoding=dialect.encoding, bom=dialect.bom)
    if not any(block.strip(b"\r\n") for block in blocks):
        raise FileError.empty(path)
    if header:
        raise ColumnError.empty_name(1)
    return scan(b'""\n', delimiter=dialect.delimiter, quote='"', path=path, header=header)


def delimited_chunks(file: DelimitedFile, columns: Sequence[str], *, rows: int, size: int) -> Iterator[TableCells]:
    """Yield the records of the file as cells of the selected columns. Blank lines at the end are no records."""
    dialect, path, records, blank = file.head.dialect, file.path, 0, b""
    delimiter, quote = dialect.delimiter, dialect.quote
    blocks = _text_blocks(path, encoding=dialect.encoding, bom=dialect.bom, size=max(1, min(size, HEAD_BYTES)))
    below = _skip_bytes(blocks, file.body_offset)
    body_blocks = strip_footer(below, file.footer_lines, delimiter=delimiter, quote=quote, path=path)
    for run in _record_runs(body_blocks, quote=quote, rows=rows, size=size, path=path):
        body, blank = blank + run, b""
        if not body.strip(b"\r\n"):
            blank = body
            continue
        text = file.header_bytes + body
        layout = scan(text, delimiter=delimiter, quote=quote, path=path, header=True, records_above=records)
        blank = body[int(layout.record_starts[-1]) - len(file.header_bytes) :]
        for at in file.head.names.empty:
            check_unnamed_is_empty(layout.column(at, 1, layout.records), at, path, records_above=records)
        records += layout.records - 1
        if not file.header:
            start, data = layout.record_starts[1], np.frombuffer(body, dtype=np.uint8)
            layout = Layout.build(data, layout.record_starts[1:] - start, layout.field_ends[1:] - start, layout)
        cells = file.head.cells(layout)
        yield replace(cells, sources={name: at for name, at in cells.sources.items() if name in columns})
    if records == 0:
        raise FileError.header_only(path) if file.header else FileError.empty(path)


def _newline(head: bytes, quote: str) -> str:
    """Return the name of the newline in the head of a file: lf, crlf, cr or mixed."""
    data, ends = np.frombuffer(head, dtype=np.uint8), record_ends(head, quote=quote)
    ends = ends[:-1] if len(ends) > 1 and ends[-1] == len(data) else ends
    crlf_mask = (ends > 1) & (data[ends - 2] == _RETURN)
    names = np.where(data[ends - 1] == _RETURN, "cr", np.where(crlf_mask, "crlf", "lf"))
    styles = sorted(set(names.tolist())) or ["lf"]
    return str(styles[0]) if len(styles) == 1 else "mixed"


def _raw_blocks(path: Path, *, size: int = _BLOCK) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed if necessary."""
    try:
        with open_compressed(path) if is_compressed(path) else path.open("rb") as stream:
            while read := stream.read(size):
                yield read
    except FileNotFoundError:
        raise FileError.changed(path) from None
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None


def _text_blocks(path: Path, *, encoding: str, bom: bool, size: int = _BLOCK) -> Iterator[bytes]:
    """Yield the text of a file as UTF-8, without its byte order mark."""
    blocks = _raw_blocks(path, size=size)
    if bom:
        blocks = _skip_bytes(blocks, len(byte_order_mark(encoding)))
    return blocks if encoding in ("utf-8", "ascii") else _transcoded(blocks, encoding, path)


def _skip_bytes(blocks: Iterator[bytes], count: int) -> Iterator[bytes]:
    for block in blocks:
        yield block[count:]
        count -= min(count, len(block))


def _transcoded(blocks: Iterator[bytes], encoding: str, path: Path) -> Iterator[bytes]:
    """Transcode to UTF-8. Raise if the text does not round-trip, since untouched fields must keep their bytes."""
    decoder, encoder = codecs.getincrementaldecoder(encoding)(), codecs.getincrementalencoder(encoding)()
    rest = b""
    try:
        for read in blocks:
            text, raw = decoder.decode(read), rest + read
            rest = decoder.getstate()[0]
            if encoder.encode(text) != raw[: len(raw) - len(rest)]:
                raise FileError.bad_encoding(path, encoding)
            data = text.encode()
            if encoding in UTF16_BOMS:
                check_no_nul(data, path)
            yield data
        decoder.decode(b"", final=True)
    except (UnicodeError, LookupError, ValueError, AttributeError):
        raise FileError.bad_encoding(path, encoding) from None


def _record_runs(
    blocks: Iterator[bytes], *, quote: str, rows: int, size: int, path: Path, row: int = 1
) -> Iterator[bytes]:
    """Yield runs of complete records, each of at most ``rows`` records and ``size`` bytes but at least one record.

    The last run may lack its newline. ``row`` is the number of the first record.
    """
    buffer, limit = bytearray(), size
    for read in blocks:
        buffer += read
        if len(buffer) < limit:
            continue
        cuts, records = _cuts(buffer, quote=quote, rows=rows, size=size, last=False)
        yield from _split(buffer, cuts)
        row += records
        if cuts:
            del buffer[: cuts[-1]]
        elif len(buffer) > _LONGEST:
            if row == 0:
                raise FileError.stray_quote_in_header(path)
            raise FileError.record_too_long(path, row=row, most=_LONGEST >> 20)
        # an incomplete record is scanned again when the buffer has doubled
        limit = size if cuts else 2 * len(buffer)
    cuts, _ = _cuts(buffer, quote=quote, rows=rows, size=size, last=True)
    if len(buffer) > (cuts[-1] if cuts else 0):
        cuts.append(len(buffer))
    yield from _split(buffer, cuts)


def _split(buffer: bytearray, cuts: list[int]) -> Iterator[bytes]:
    for begin, end in zip([0, *cuts], cuts, strict=False):
        yield bytes(memoryview(buffer)[begin:end])


def _cuts(buffer: bytearray, *, quote: str, rows: int, size: int, last: bool) -> tuple[list[int], int]:
    """Return the ends of the runs of complete records, and the number of these records."""
    ends = record_ends(buffer, quote=quote)
    cuts: list[int] = []
    begin = at = 0
    while at < len(ends):
        full = int(np.searchsorted(ends, begin + size, side="right"))
        stop = max(at + 1, min(at + rows, full))
        if stop == len(ends) and stop < at + rows and cuts and not last:
            break  # the run may continue in the next block
        begin, at = int(ends[stop - 1]), stop
        cuts.append(begin)
    return cuts, at
