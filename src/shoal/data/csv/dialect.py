"""Dialect of a delimited file: encoding, separator, quote and column formats."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from shoal.data.csv.column_format import STANDARD_NUMBER
from shoal.data.csv.detection import FormatAmbiguity
from shoal.data.csv.text_values import FieldParser
from shoal.errors import FileError

_DECODE_BLOCK = 1 << 20
UTF16_BOMS = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
_SAMPLE_BYTES = 1024
_MIN_LATIN = 0.4
"""Minimum share of Latin letters, which have a zero byte, to detect UTF-16 without a byte order mark."""
_WINDOWS_LETTERS = re.compile(rb"[\x80-\x9f]")
_UNDEFINED_IN_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


@dataclass(frozen=True)
class Dialect:
    """How to decode and parse a file, and how to write it."""

    delimiter: str
    quote: str
    encoding: str
    bom: bool
    missing: tuple[str, ...]
    """Missing values of numeric and date columns."""
    blank: tuple[str, ...] = ("",)
    """Missing values of text columns."""
    missing_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    number: str = STANDARD_NUMBER
    formats: Mapping[str, str] = field(default_factory=dict)
    doubtful: Mapping[str, FormatAmbiguity] = field(default_factory=dict)

    def parser(self, name: str) -> FieldParser:
        """Return the parser of a column's fields."""
        additional = tuple(self.missing_in.get(name, ()))
        form = self.formats.get(name, self.number)
        return FieldParser(
            "" if form == STANDARD_NUMBER else form, (*self.missing, *additional), (*self.blank, *additional)
        )

    @property
    def bom_bytes(self) -> bytes:
        """Byte order mark at the beginning of the file; empty if there is none."""
        return byte_order_mark(self.encoding) if self.bom else b""


def detect_utf16(head: bytes, encoding: str | None) -> str | None:
    """Detect UTF-16 from the first bytes of a text; None for other encodings.

    Without a byte order mark, the zero bytes of Latin letters identify it: text in other encodings has none.
    """
    name = codecs.lookup(encoding).name if encoding else None
    if name not in (None, "utf-16", *UTF16_BOMS):
        return None
    for codec, mark in UTF16_BOMS.items():
        if head.startswith(mark) and name in (None, "utf-16", codec):
            return codec
    if name is not None:
        return name if name in UTF16_BOMS else "utf-16-le"
    sample = head[:_SAMPLE_BYTES]
    zeros = [sample[start::2].count(0) / max(len(sample) // 2, 1) for start in (0, 1)]
    if max(zeros) <= _MIN_LATIN or min(zeros):
        return None
    return "utf-16-be" if zeros[0] else "utf-16-le"


def byte_order_mark(encoding: str) -> bytes:
    return UTF16_BOMS.get(encoding, codecs.BOM_UTF8)


def detect_encoding(blocks: Iterable[bytes], encoding: str | None, *, path: object) -> tuple[str, bool]:
    """Return the encoding of a text and whether it begins with a byte order mark.

    All bytes are read, since one byte decides whether the text is UTF-8. If it is not, it is Windows-1252 or Latin-1,
    which differ only where Windows-1252 has letters and Latin-1 has control characters. Both round-trip every byte.
    """
    name = codecs.lookup(encoding).name if encoding else "utf-8"
    is_plain = name in ("utf-8", "utf-8-sig", "ascii")
    decoder = codecs.getincrementaldecoder("ascii" if name == "ascii" else "utf-8")() if is_plain else None
    bom: bool | None = None
    is_valid, has_windows_letters, has_undefined = True, False, False
    for read in blocks:
        block = read
        if bom is None:
            if utf16 := detect_utf16(read, encoding):
                return utf16, read.startswith(byte_order_mark(utf16))
            bom = read.startswith(codecs.BOM_UTF8)
            block = read.removeprefix(codecs.BOM_UTF8)
        check_no_nul(block, path)
        if block.isascii() and not (decoder and decoder.getstate()[0]):
            continue
        has_windows_letters = has_windows_letters or _WINDOWS_LETTERS.search(block) is not None
        has_undefined = has_undefined or _UNDEFINED_IN_WINDOWS.search(block) is not None
        if decoder and is_valid:
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                is_valid = False
    if decoder is None:
        return str(encoding).lower(), bool(bom)
    if is_valid and not decoder.getstate()[0]:
        return ("utf-8" if name == "utf-8-sig" else name), bool(bom)
    if encoding or bom:
        raise FileError.bad_encoding(path, encoding or "utf-8")
    return ("cp1252" if has_windows_letters and not has_undefined else "latin-1"), False


def decode(raw: bytes, encoding: str | None, *, path: object) -> tuple[str, bool, bytes]:
    """Return the encoding of a file, whether it has a byte order mark, and its text as UTF-8.

    The scanner needs UTF-8, in which no byte of another character equals a separator.
    """
    blocks = (raw[start : start + _DECODE_BLOCK] for start in range(0, max(len(raw), 1), _DECODE_BLOCK))
    name, bom = detect_encoding(blocks, encoding, path=path)
    body = raw[len(byte_order_mark(name)) :] if bom else raw
    if name in ("utf-8", "ascii"):
        return name, bom, body
    try:
        text = body.decode(name)
        is_exact = text.encode(name) == body
    except (UnicodeError, LookupError, ValueError):
        is_exact = False
    if not is_exact:
        # some encodings have several bytes for one character: unchanged fields could change their bytes
        raise FileError.bad_encoding(path, name if name in UTF16_BOMS else str(encoding))
    data = text.encode()
    check_no_nul(data, path)
    return name, bom, data


def check_no_nul(body: bytes, path: object) -> None:
    """Raise an error if the text contains NUL bytes."""
    if b"\0" in body:
        raise FileError.nul_bytes(path)
