"""Dialect of a delimited file: encoding, separator, quote and column formats."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from shoal.data.csv.column_format import STANDARD_NUMBER
from shoal.data.csv.detection import FormatAmbiguity
from shoal.data.csv.text_values import FieldParser
from shoal.errors import FileError

DECODE_BLOCK = 1 << 20
"""Bytes decoded at a time."""
UTF16_BOMS = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
"""UTF-16 encodings and their byte order marks."""
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
    """Additional missing values by column."""
    number: str = STANDARD_NUMBER
    """Default number format."""
    formats: Mapping[str, str] = field(default_factory=dict)
    doubtful: Mapping[str, FormatAmbiguity] = field(default_factory=dict)
    """Columns with an ambiguous format."""

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
        return UTF16_BOMS.get(self.encoding, codecs.BOM_UTF8) if self.bom else b""


def detect_utf16(head: bytes, encoding: str | None) -> str | None:
    """Detect UTF-16 from the first bytes of a text; None for other encodings.

    Without a byte order mark, the zero bytes of Latin letters identify it: text in other encodings has none.
    """
    name = codecs.lookup(encoding).name if encoding else None
    if name not in (None, "utf-16", *UTF16_BOMS):
        return None
    for found, mark in UTF16_BOMS.items():
        if head.startswith(mark) and name in (None, "utf-16", found):
            return found
    if name is not None:
        return name if name in UTF16_BOMS else "utf-16-le"
    sample = head[:_SAMPLE_BYTES]
    zeros = [sample[start::2].count(0) / max(len(sample) // 2, 1) for start in (0, 1)]
    if max(zeros) <= _MIN_LATIN or min(zeros):
        return None
    return "utf-16-be" if zeros[0] else "utf-16-le"


def byte_order_mark(head: bytes, utf16: str | None) -> bytes:
    """Return the byte order mark at the beginning of a text; empty if there is none."""
    mark = UTF16_BOMS[utf16] if utf16 else codecs.BOM_UTF8
    return mark if head.startswith(mark) else b""


class SingleByteEncoding:
    """Detect the single-byte encoding of a text that is not UTF-8: Windows-1252, or else Latin-1.

    The two differ only where Windows-1252 has letters and Latin-1 has control characters.
    """

    def __init__(self) -> None:
        self.has_windows_letters, self.has_undefined_in_windows = False, False

    def update(self, body: bytes) -> None:
        self.has_windows_letters = self.has_windows_letters or _WINDOWS_LETTERS.search(body) is not None
        self.has_undefined_in_windows = self.has_undefined_in_windows or _UNDEFINED_IN_WINDOWS.search(body) is not None

    @property
    def name(self) -> str:
        return "cp1252" if self.has_windows_letters and not self.has_undefined_in_windows else "latin-1"


def decode(raw: bytes, encoding: str | None, *, path: object) -> tuple[str, bool, bytes]:
    """Return the encoding of a file, whether it has a byte order mark, and its text as UTF-8.

    The scanner needs UTF-8, in which no byte of another character equals a separator.
    """
    wide = detect_utf16(raw[:_SAMPLE_BYTES], encoding)
    mark = byte_order_mark(raw, wide)
    body = raw[len(mark) :] if mark else raw
    name = wide or (codecs.lookup(encoding).name if encoding else "utf-8")
    if wide is None:
        check_no_nul(body, path)
    if name in ("utf-8", "utf-8-sig", "ascii"):
        if not _is_valid(body, "ascii" if name == "ascii" else "utf-8"):
            if encoding or mark:
                raise FileError.bad_encoding(path, encoding or "utf-8") from None
            # a single-byte encoding round-trips every byte
            one = SingleByteEncoding()
            one.update(body)
            return one.name, False, body.decode(one.name).encode()
        return ("utf-8" if name == "utf-8-sig" else name), bool(mark), body
    try:
        text = body.decode(name)
        exact = text.encode(name) == body
    except (UnicodeError, LookupError, ValueError):
        exact = False
    if not exact:
        # some encodings have several bytes for one character: unchanged fields could change their bytes
        raise FileError.bad_encoding(path, wide or str(encoding))
    data = text.encode()
    check_no_nul(data, path)
    return (wide or str(encoding).lower()), bool(mark), data


def check_no_nul(body: bytes, path: object) -> None:
    """Raise an error if the text contains NUL bytes."""
    if b"\0" in body:
        raise FileError.nul_bytes(path)


def _is_valid(body: bytes, encoding: str) -> bool:
    """Return whether all bytes are valid in this encoding; decodes block by block to save memory."""
    if body.isascii():
        return True
    decoder, view = codecs.getincrementaldecoder(encoding)(), memoryview(body)
    try:
        for start in range(0, len(body), DECODE_BLOCK):
            decoder.decode(view[start : start + DECODE_BLOCK], final=start + DECODE_BLOCK >= len(body))
    except UnicodeDecodeError:
        return False
    return True
