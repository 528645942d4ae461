"""The dialect of a delimited file: its encoding, its separator, its quotation mark, and the formats of its columns."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from shoal.errors import FileError
from shoal.tables.column_format import PLAIN
from shoal.tables.detection import Doubt
from shoal.tables.text import Reading

PIECE = 1 << 20
"""Bytes that are decoded together."""
WIDE = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
"""Encodings of two bytes a letter, with their byte order marks."""
_LOOKED_AT = 1024
_HALF = 0.4
"""Of the letters of a text in UTF-16 without a mark, at least so many are Latin and have a zero byte."""
_ONLY_WINDOWS = re.compile(rb"[\x80-\x9f]")
_NOT_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


@dataclass(frozen=True)
class Dialect:
    """How the bytes of a file are to be understood, and new ones to be written."""

    delimiter: str
    quote: str
    encoding: str
    bom: bool
    missing: tuple[str, ...]
    """What means missing among numbers and dates."""
    blank: tuple[str, ...] = ("",)
    """What means missing in text."""
    missing_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What else means missing in some columns."""
    number: str = PLAIN
    """The format of numbers in columns without a format of their own."""
    formats: Mapping[str, str] = field(default_factory=dict)
    doubtful: Mapping[str, Doubt] = field(default_factory=dict)
    """Columns that can be read in several ways."""

    def reading(self, name: str) -> Reading:
        """How the fields of a column are understood."""
        more = tuple(self.missing_in.get(name, ()))
        form = self.formats.get(name, self.number)
        return Reading("" if form == PLAIN else form, (*self.missing, *more), (*self.blank, *more))

    @property
    def mark(self) -> bytes:
        """The byte order mark that the file begins with."""
        return WIDE.get(self.encoding, codecs.BOM_UTF8) if self.bom else b""


def wide_encoding(head: bytes, given: str | None) -> str | None:
    """The encoding of a text in UTF-16 by its first bytes; None where it is in another one.

    Without a byte order mark every Latin letter still has a zero byte, which other texts never have.
    """
    name = codecs.lookup(given).name if given else None
    if name not in (None, "utf-16", *WIDE):
        return None
    for found, mark in WIDE.items():
        if head.startswith(mark) and name in (None, "utf-16", found):
            return found
    if name is not None:
        return name if name in WIDE else "utf-16-le"
    some = head[:_LOOKED_AT]
    zeros = [some[start::2].count(0) / max(len(some) // 2, 1) for start in (0, 1)]
    if max(zeros) <= _HALF or min(zeros):
        return None
    return "utf-16-be" if zeros[0] else "utf-16-le"


def byte_order_mark(head: bytes, wide: str | None) -> bytes:
    """The mark that a text begins with, empty where there is none."""
    mark = WIDE[wide] if wide else codecs.BOM_UTF8
    return mark if head.startswith(mark) else b""


class OneByte:
    """Which encoding of one byte a letter fits a text that is not UTF-8: that of Windows, or else Latin-1.

    Windows puts letters where Latin-1 has controls that no text needs. Apart from them the two are the same.
    """

    def __init__(self) -> None:
        self.windows, self.latin = False, False

    def look(self, body: bytes) -> None:
        self.windows = self.windows or _ONLY_WINDOWS.search(body) is not None
        self.latin = self.latin or _NOT_WINDOWS.search(body) is not None

    @property
    def name(self) -> str:
        return "cp1252" if self.windows and not self.latin else "latin-1"


def decoded(raw: bytes, encoding: str | None, *, path: object) -> tuple[str, bool, bytes]:
    """The encoding of a file, whether it begins with a byte order mark, and its text as UTF-8.

    Separators are looked for in UTF-8, where no byte of another character can be mistaken for one.
    """
    wide = wide_encoding(raw[:_LOOKED_AT], encoding)
    mark = byte_order_mark(raw, wide)
    body = raw[len(mark) :] if mark else raw
    name = wide or (codecs.lookup(encoding).name if encoding else "utf-8")
    if wide is None:
        check_text(body, path)
    if name in ("utf-8", "utf-8-sig", "ascii"):
        if not _is_text(body, "ascii" if name == "ascii" else "utf-8"):
            if encoding or mark:
                raise FileError.bad_encoding(path, encoding or "utf-8") from None
            # Every byte is a letter, so the release gets back the very bytes that were read.
            one = OneByte()
            one.look(body)
            return one.name, False, body.decode(one.name).encode()
        return ("utf-8" if name == "utf-8-sig" else name), bool(mark), body
    try:
        text = body.decode(name)
        exact = text.encode(name) == body
    except (UnicodeError, LookupError, ValueError):
        exact = False
    if not exact:
        # Some encodings write one character in several ways: untouched fields could not keep their bytes.
        raise FileError.bad_encoding(path, wide or str(encoding))
    data = text.encode()
    check_text(data, path)
    return (wide or str(encoding).lower()), bool(mark), data


def check_text(body: bytes, path: object) -> None:
    """Refuse what holds NUL bytes."""
    if b"\0" in body:
        raise FileError.not_text(path)


def _is_text(body: bytes, encoding: str) -> bool:
    """Whether all bytes are of this encoding, looked at piece by piece: no second text of the whole is made."""
    if body.isascii():
        return True
    decoder, view = codecs.getincrementaldecoder(encoding)(), memoryview(body)
    try:
        for start in range(0, len(body), PIECE):
            decoder.decode(view[start : start + PIECE], final=start + PIECE >= len(body))
    except UnicodeDecodeError:
        return False
    return True
