"""The text of a delimited file as a stream of UTF-8, and the runs of whole records in it."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from shoal.aside import reason
from shoal.errors import FileError
from shoal.tables.dialect import WIDE, OneByte, byte_order_mark, check_text, wide_encoding
from shoal.tables.formats import is_packed
from shoal.tables.layout import record_ends
from shoal.tables.packing import unpacked

_BLOCK = 1 << 20
_LONGEST = 64 << 20
"""A record that is longer is one with a quotation mark that is never closed."""


def raw_blocks(path: Path, *, block: int = _BLOCK) -> Iterator[bytes]:
    """The bytes of a file, unpacked if it is packed."""
    try:
        with unpacked(path) if is_packed(path) else path.open("rb") as stream:
            while read := stream.read(block):
                yield read
    except FileNotFoundError:
        raise FileError.changed(path) from None
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None


def encoding_of(path: Path, *, asked: str | None) -> tuple[str, bool]:
    """The encoding of the file, and whether a byte order mark stands before its text.

    As `dialect.decoded` finds it from all of the text: one byte decides whether it is UTF-8.
    """
    name = codecs.lookup(asked).name if asked else "utf-8"
    plain = name in ("utf-8", "utf-8-sig", "ascii")
    check = codecs.getincrementaldecoder("utf-8" if name == "utf-8-sig" else name)() if plain else None
    mark, valid, first, one = b"", True, True, OneByte()
    for read in raw_blocks(path):
        body = read
        if first:
            if wide := wide_encoding(read, asked):
                return wide, bool(byte_order_mark(read, wide))
            mark, first = byte_order_mark(read, None), False
            body = read[len(mark) :]
        check_text(body, path)
        one.look(body)
        valid = valid and (check is None or _continues(check, body))
    if not valid or (check is not None and check.getstate()[0]):
        if asked or mark:
            raise FileError.bad_encoding(path, asked or "utf-8")
        return one.name, False
    return (("utf-8" if name == "utf-8-sig" else name) if plain else str(asked).lower()), bool(mark)


def _continues(check: codecs.IncrementalDecoder, body: bytes) -> bool:
    if body.isascii() and not check.getstate()[0]:
        return True
    try:
        check.decode(body)
    except UnicodeDecodeError:
        return False
    return True


def text_blocks(path: Path, *, encoding: str, bom: bool, block: int = _BLOCK) -> Iterator[bytes]:
    """The text of the file as UTF-8, without its byte order mark."""
    wide = encoding if encoding in WIDE else None
    blocks = raw_blocks(path, block=block)
    if bom:
        blocks = without(blocks, len(WIDE.get(encoding, codecs.BOM_UTF8)))
    if encoding in ("utf-8", "ascii"):
        return blocks
    transcoded = _transcoded(blocks, encoding, path)
    return _checked(transcoded, path) if wide else transcoded


def _checked(blocks: Iterator[bytes], path: Path) -> Iterator[bytes]:
    for block in blocks:
        check_text(block, path)
        yield block


def without(blocks: Iterator[bytes], gone: int) -> Iterator[bytes]:
    """The blocks without their first bytes."""
    for block in blocks:
        yield block[gone:]
        gone -= min(gone, len(block))


def _transcoded(blocks: Iterator[bytes], encoding: str, path: Path) -> Iterator[bytes]:
    """Untouched fields keep their bytes: what does not come back as it was is refused."""
    decoder, encoder = codecs.getincrementaldecoder(encoding)(), codecs.getincrementalencoder(encoding)()
    rest = b""
    try:
        for read in blocks:
            text, whole = decoder.decode(read), rest + read
            rest = decoder.getstate()[0]
            if encoder.encode(text) != whole[: len(whole) - len(rest)]:
                raise FileError.bad_encoding(path, encoding)
            yield text.encode()
        decoder.decode(b"", final=True)
    except (UnicodeError, LookupError, ValueError, AttributeError):
        raise FileError.bad_encoding(path, encoding) from None


def runs(blocks: Iterator[bytes], *, quote: str, rows: int, size: int, path: Path, row: int = 1) -> Iterator[bytes]:
    """The text in runs of whole records, at most so many records and bytes in each, but one record at least.

    The last run may lack its newline. ``row`` is the number of the first record.
    """
    held, wanted = bytearray(), size
    for read in blocks:
        held += read
        if len(held) < wanted:
            continue
        cuts, records = _cuts(held, quote=quote, rows=rows, size=size, last=False)
        yield from _pieces(held, cuts)
        row += records
        if cuts:
            del held[: cuts[-1]]
        elif len(held) > _LONGEST:
            raise FileError.endless(path, row=row, most=_LONGEST) if row else FileError.stray_quote_in_header(path)
        # what has no end yet is looked at again when it is twice as long
        wanted = size if cuts else 2 * len(held)
    cuts, _ = _cuts(held, quote=quote, rows=rows, size=size, last=True)
    if len(held) > (cuts[-1] if cuts else 0):
        cuts.append(len(held))
    yield from _pieces(held, cuts)


def _pieces(held: bytearray, cuts: list[int]) -> Iterator[bytes]:
    for begin, end in zip([0, *cuts], cuts, strict=False):
        yield bytes(memoryview(held)[begin:end])


def _cuts(held: bytearray, *, quote: str, rows: int, size: int, last: bool) -> tuple[list[int], int]:
    """Where runs of whole records end, and how many records they have together."""
    ends = record_ends(np.frombuffer(held, dtype=np.uint8), quote=quote)
    cuts: list[int] = []
    begin = at = 0
    while at < len(ends):
        full = int(np.searchsorted(ends, begin + size, side="right"))
        stop = max(at + 1, min(at + rows, full))
        if stop == len(ends) and stop < at + rows and cuts and not last:
            break  # the rest of this run is still to come
        begin, at = int(ends[stop - 1]), stop
        cuts.append(begin)
    return cuts, at
