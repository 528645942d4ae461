"""Delimited text as a stream of UTF-8, cut into runs of complete records."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from shoal.data.compression import open_compressed
from shoal.data.csv.dialect import UTF16_BOMS, SingleByteEncoding, byte_order_mark, check_no_nul, detect_utf16
from shoal.data.csv.scan import record_ends
from shoal.data.file_formats import is_compressed
from shoal.errors import FileError
from shoal.system.atomic import os_error_reason

_BLOCK = 1 << 20
_LONGEST = 64 << 20
"""A longer record is taken for an unclosed quotation mark."""


def raw_blocks(path: Path, *, block: int = _BLOCK) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed if necessary."""
    try:
        with open_compressed(path) if is_compressed(path) else path.open("rb") as stream:
            while read := stream.read(block):
                yield read
    except FileNotFoundError:
        raise FileError.changed(path) from None
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None


def encoding_of(path: Path, *, encoding: str | None) -> tuple[str, bool]:
    """Return the encoding of the file and whether it begins with a byte order mark.

    The result is that of `dialect.decoded`; all bytes are read, since one byte decides whether the text is UTF-8.
    """
    name = codecs.lookup(encoding).name if encoding else "utf-8"
    plain = name in ("utf-8", "utf-8-sig", "ascii")
    check = codecs.getincrementaldecoder("utf-8" if name == "utf-8-sig" else name)() if plain else None
    mark, valid, first, one_byte = b"", True, True, SingleByteEncoding()
    for read in raw_blocks(path):
        body = read
        if first:
            if wide := detect_utf16(read, encoding):
                return wide, bool(byte_order_mark(read, wide))
            mark, first = byte_order_mark(read, None), False
            body = read[len(mark) :]
        check_no_nul(body, path)
        one_byte.update(body)
        valid = valid and (check is None or _continues(check, body))
    if not valid or (check is not None and check.getstate()[0]):
        if encoding or mark:
            raise FileError.bad_encoding(path, encoding or "utf-8")
        return one_byte.name, False
    return (("utf-8" if name == "utf-8-sig" else name) if plain else str(encoding).lower()), bool(mark)


def _continues(check: codecs.IncrementalDecoder, body: bytes) -> bool:
    if body.isascii() and not check.getstate()[0]:
        return True
    try:
        check.decode(body)
    except UnicodeDecodeError:
        return False
    return True


def text_blocks(path: Path, *, encoding: str, bom: bool, block: int = _BLOCK) -> Iterator[bytes]:
    """Yield the text of the file as UTF-8, without its byte order mark."""
    wide = encoding if encoding in UTF16_BOMS else None
    blocks = raw_blocks(path, block=block)
    if bom:
        blocks = skip_bytes(blocks, len(UTF16_BOMS.get(encoding, codecs.BOM_UTF8)))
    if encoding in ("utf-8", "ascii"):
        return blocks
    transcoded = _transcoded(blocks, encoding, path)
    return _checked(transcoded, path) if wide else transcoded


def _checked(blocks: Iterator[bytes], path: Path) -> Iterator[bytes]:
    for block in blocks:
        check_no_nul(block, path)
        yield block


def skip_bytes(blocks: Iterator[bytes], count: int) -> Iterator[bytes]:
    """Skip the first ``gone`` bytes of the blocks."""
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
            yield text.encode()
        decoder.decode(b"", final=True)
    except (UnicodeError, LookupError, ValueError, AttributeError):
        raise FileError.bad_encoding(path, encoding) from None


def record_runs(
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
            raise (
                FileError.record_too_long(path, row=row, most=_LONGEST)
                if row
                else FileError.stray_quote_in_header(path)
            )
        # an incomplete record is scanned again when the buffer has doubled
        limit = size if cuts else 2 * len(buffer)
    cuts, _ = _cuts(buffer, quote=quote, rows=rows, size=size, last=True)
    if len(buffer) > (cuts[-1] if cuts else 0):
        cuts.append(len(buffer))
    yield from _split(buffer, cuts)


def _split(held: bytearray, cuts: list[int]) -> Iterator[bytes]:
    for begin, end in zip([0, *cuts], cuts, strict=False):
        yield bytes(memoryview(held)[begin:end])


def _cuts(held: bytearray, *, quote: str, rows: int, size: int, last: bool) -> tuple[list[int], int]:
    """Return the ends of the runs of complete records, and the number of these records."""
    ends = record_ends(np.frombuffer(held, dtype=np.uint8), quote=quote)
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
