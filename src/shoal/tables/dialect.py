"""The dialect of a delimited file: its encoding, its delimiter and its mark of quotation."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import numpy as np

from shoal.errors import FileError
from shoal.tables.layout import Bytes
from shoal.tables.table import ReadOptions

_HEADER_LIMIT = 1 << 20
"""A header that is longer is a file with an open quotation mark; the scan will say so."""
_PIECE = 1 << 20
"""Bytes that are decoded together."""


@dataclass(frozen=True)
class Dialect:
    """How the bytes of a file are to be understood, and new ones to be written."""

    delimiter: str
    quote: str
    encoding: str
    bom: bool
    decimal: str
    missing: tuple[str, ...]


def understand(raw: bytes, *, options: ReadOptions, tabs: bool, path: object) -> tuple[Bytes, Dialect]:
    """The text of the file as UTF-8 bytes without a byte order mark, and its dialect."""
    bom = raw.startswith(codecs.BOM_UTF8)
    body = raw[len(codecs.BOM_UTF8) :] if bom else raw
    if b"\0" in body or body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FileError.not_text(path)
    encoding, data = _decoded(body, options.encoding, bom=bom, path=path)
    quote = options.quote or ""
    delimiter = options.delimiter or ("\t" if tabs else sniffed(data, quote=quote, decimal=options.decimal))
    dialect = Dialect(delimiter, quote, encoding, bom, options.decimal, options.missing_words)
    return np.frombuffer(data, dtype=np.uint8), dialect


def _decoded(body: bytes, encoding: str | None, *, bom: bool, path: object) -> tuple[str, bytes]:
    """The name of the encoding, and the text as UTF-8.

    Delimiters are looked for in UTF-8, where no byte of another character can be mistaken for one.
    """
    name = codecs.lookup(encoding).name if encoding else "utf-8"
    if name in ("utf-8", "utf-8-sig", "ascii"):
        if not _is_text(body, "ascii" if name == "ascii" else "utf-8"):
            if encoding or bom:
                raise FileError.bad_encoding(path, encoding or "utf-8") from None
            # Every byte is a character of Latin-1, so the release gets back the very bytes that were read.
            return "latin-1", body.decode("latin-1").encode()
        return "utf-8" if name == "utf-8-sig" else name, body
    try:
        text = body.decode(name)
        exact = text.encode(name) == body
    except (UnicodeError, LookupError, ValueError):
        exact = False
    if not exact:
        # Some encodings write one character in several ways: untouched fields could not keep their bytes.
        raise FileError.bad_encoding(path, str(encoding))
    return str(encoding).lower(), text.encode()


def _is_text(body: bytes, encoding: str) -> bool:
    """Whether all bytes are of this encoding, looked at piece by piece: no second text of the whole is made."""
    if body.isascii():
        return True
    decoder, view = codecs.getincrementaldecoder(encoding)(), memoryview(body)
    try:
        for start in range(0, len(body), _PIECE):
            decoder.decode(view[start : start + _PIECE], final=start + _PIECE >= len(body))
    except UnicodeDecodeError:
        return False
    return True


def sniffed(data: bytes, *, quote: str, decimal: str) -> str:
    """The candidate that the first line holds most often outside quotation marks."""
    counts = dict.fromkeys(b",;\t|", 0)
    inside = False
    mark = ord(quote) if quote else -1
    for byte in data[:_HEADER_LIMIT]:
        if byte == mark:
            inside = not inside
        elif not inside:
            if byte in b"\r\n":
                break
            if byte in counts:
                counts[byte] += 1
    if decimal == "," and any(counts[byte] for byte in b";\t|"):
        # Where commas are decimal marks they separate fields only if nothing else could.
        counts[ord(",")] = 0
    return chr(max(counts, key=lambda byte: counts[byte]))
