"""The text of a delimited file as a stream of UTF-8, and the runs of whole records in it."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from shoal.aside import reason
from shoal.errors import FileError
from shoal.tables.formats import is_packed

_BLOCK = 1 << 20
_NEWLINE, _RETURN = 10, 13
_LONGEST = 64 << 20
"""A record that is longer is one with a quotation mark that is never closed."""


def raw_blocks(path: Path, *, block: int = _BLOCK) -> Iterator[bytes]:
    """The bytes of a file, unpacked if it is packed."""
    try:
        with path.open("rb") as file:
            stream: IO[bytes] = gzip.GzipFile(fileobj=file) if is_packed(path) else file  # type: ignore[assignment]
            while read := stream.read(block):
                yield read
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise FileError.damaged(path, "gzip") from None
    except FileNotFoundError:
        raise FileError.changed(path) from None
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None


def encoding_of(path: Path, *, asked: str | None) -> tuple[str, bool]:
    """The encoding of the file, and whether a byte order mark stands before its text.

    As `dialect.understand` finds it from all of the text: one byte decides whether it is UTF-8.
    """
    name = codecs.lookup(asked).name if asked else "utf-8"
    plain = name in ("utf-8", "utf-8-sig", "ascii")
    check = codecs.getincrementaldecoder("utf-8" if name == "utf-8-sig" else name)() if plain else None
    bom, valid, first = False, True, True
    for read in raw_blocks(path):
        body = read
        if first:
            if read.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise FileError.not_text(path)
            bom, first = read.startswith(codecs.BOM_UTF8), False
            body = read[len(codecs.BOM_UTF8) :] if bom else read
        if b"\0" in body:
            raise FileError.not_text(path)
        valid = valid and (check is None or _continues(check, body))
    if not valid or (check is not None and check.getstate()[0]):
        if asked or bom:
            raise FileError.bad_encoding(path, asked or "utf-8")
        return "latin-1", bom
    return (("utf-8" if name == "utf-8-sig" else name) if plain else str(asked).lower()), bom


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
    blocks = _without_mark(raw_blocks(path, block=block)) if bom else raw_blocks(path, block=block)
    if encoding in ("utf-8", "ascii"):
        return blocks
    return _transcoded(blocks, encoding, path)


def _without_mark(blocks: Iterator[bytes]) -> Iterator[bytes]:
    mark = codecs.BOM_UTF8
    for read in blocks:
        gone = min(len(mark), len(read))
        mark = mark[gone:]
        yield read[gone:]


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


def record_ends(data: NDArray[np.uint8], *, quote: str) -> NDArray[np.int64]:
    """Where records end with their newlines, in a text that begins with one.

    A return at the very end is none: a newline may follow it.
    """
    ends = np.flatnonzero(data == _NEWLINE)
    returns = np.flatnonzero(data[:-1] == _RETURN)
    if len(returns):
        lone = returns[data[returns + 1] != _NEWLINE]
        ends = np.sort(np.concatenate([ends, lone])) if len(lone) else ends
    marks = np.flatnonzero(data == ord(quote)) if quote else ends[:0]
    if len(marks):
        ends = ends[np.searchsorted(marks, ends) % 2 == 0]
    return ends + 1
