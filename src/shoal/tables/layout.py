"""The layout of a delimited text: where every field of it begins and ends.

One pass over the bytes finds it, without a Python object a field. Reading and writing both follow it, so
that what was not asked to change keeps its bytes. The text has no NUL byte (the reader refuses those), so
NUL can stand between fields while polars splits them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import FileError

_NEWLINE, _RETURN, _NUL = 10, 13, 0
_BLOCK = 8 << 20
"""Bytes split at a time: small enough to stay in memory that was used before, which is what makes it fast."""

Bytes = NDArray[np.uint8]
Positions = Any
"""An array of int32 where the text is short enough for it, else of int64."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions in the bytes of a text. A header, if there is one, is record 0."""

    data: Bytes
    lines: Positions
    """Where each record begins, and where the last one ends with its newline."""
    ends: Positions
    """A row for each record and a column for each field: where the field ends."""
    marks: Positions
    """The quotation marks that stand around a value or double another, so that no value holds them."""

    @property
    def records(self) -> int:
        return len(self.ends)

    @property
    def fields(self) -> int:
        return int(self.ends.shape[1])

    def blocks(self, first: int) -> Iterator[tuple[int, int]]:
        """Ranges of records from the first one on, each of about the same number of bytes."""
        step = max(1, self.records * _BLOCK // max(len(self.data), 1))
        for begin in range(first, self.records, step):
            yield begin, min(begin + step, self.records)

    def split(self, first: int, last: int, *, raw: bool) -> list[pl.Series]:
        """The fields of these records, a series for each column; raw fields keep their quotation marks."""
        begin, end = int(self.lines[first]), int(self.lines[last])
        ends = self.ends[first:last]
        # One byte more than the records have: the last line of a file may lack its newline.
        block = np.empty(end - begin + 1, dtype=np.uint8)
        block[:-1] = self.data[begin:end]
        block[(ends - begin).ravel()] = _NUL
        drop = np.flatnonzero(self.lines[first + 1 : last + 1] - ends[:, -1] == 2)
        dropped = [ends[drop, -1] + 1 - begin]
        if ends[-1, -1] < end:
            dropped.append(np.array([end - begin]))
        if not raw:
            here = slice(*np.searchsorted(self.marks, (begin, end)))
            dropped.append(self.marks[here] - begin)
        keep = np.ones(len(block), dtype=bool)
        keep[np.concatenate(dropped)] = False
        text = block[keep][:-1].tobytes().decode()
        flat = pl.Series([text], dtype=pl.String).str.split("\0").explode()
        return [flat.gather_every(self.fields, column) for column in range(self.fields)]

    def newlines(self, first: int, last: int) -> pl.Series:
        """What ends each of these records."""
        ends = self.ends[first:last, -1]
        widths = self.lines[first + 1 : last + 1] - ends
        returned = self.data[np.minimum(ends, len(self.data) - 1)] == _RETURN
        which = np.where(widths == 2, 3, np.where(widths == 0, 0, np.where(returned, 2, 1)))
        return pl.Series(["", "\n", "\r", "\r\n"]).gather(which.astype(np.uint32))

    def newline(self) -> str:
        """The name of the newline: lf, crlf, cr or mixed."""
        found = {"": "lf", "\n": "lf", "\r": "cr", "\r\n": "crlf"}
        names = {found[newline] for newline in self.newlines(0, max(self.records - 1, 1)).unique().to_list()}
        return names.pop() if len(names) == 1 else "mixed"


def scan(data: Bytes, *, delimiter: str, quote: str, path: object, header: bool) -> Layout:
    """Find the layout, or say in which record the text breaks the rules of RFC 4180."""
    size = len(data)
    position = np.int32 if size < 2**31 else np.int64
    wanted = np.zeros(256, dtype=bool)
    wanted[[ord(delimiter), _NEWLINE, _RETURN]] = True
    separators = np.flatnonzero(wanted[data]).astype(position)
    marks = np.empty(0, dtype=position)
    if quote:
        quotes = np.flatnonzero(data == ord(quote)).astype(position)
        if len(quotes):
            # A separator after an odd number of quotation marks is inside a quoted field.
            separators = separators[np.searchsorted(quotes, separators) % 2 == 0]
            _check_quotes(data, quotes, separators, wanted, path=path, header=header)
            second_of_two = np.zeros(len(quotes), dtype=bool)
            second_of_two[2::2] = quotes[2::2] == quotes[1:-1:2] + 1
            marks = quotes[~second_of_two]
    kinds = data[separators]
    follows_return = np.zeros(len(separators), dtype=bool)
    follows_return[1:] = (kinds[1:] == _NEWLINE) & (kinds[:-1] == _RETURN) & (np.diff(separators) == 1)
    width = np.ones(len(separators), dtype=position)
    width[np.flatnonzero(follows_return) - 1] = 2
    ends, width, kinds = separators[~follows_return], width[~follows_return], kinds[~follows_return]
    last_newline = int(ends[-1] + width[-1]) if len(ends) and kinds[-1] != ord(delimiter) else -1
    if last_newline != size:
        ends = np.append(ends, position(size))
        width, kinds = np.append(width, position(0)), np.append(kinds, np.uint8(_NEWLINE))
    closing = np.flatnonzero(kinds != ord(delimiter))
    lines: Positions = np.zeros(len(closing) + 1, dtype=position)
    lines[1:] = ends[closing]
    lines[1:] += width[closing]
    counts = np.diff(closing, prepend=-1)
    records = _without_trailing_blanks(lines, ends[closing])
    if records == 0:
        raise FileError.empty(path)
    _check_counts(counts[:records], path=path, header=header)
    fields = int(counts[0])
    return Layout(data, lines[: records + 1], ends[: records * fields].reshape(records, fields), marks)


def _without_trailing_blanks(lines: Positions, ends: Positions) -> int:
    """The number of records when blank lines at the end of the file, which hold nobody, are left out."""
    filled = np.flatnonzero(lines[:-1] != ends)
    return int(filled[-1]) + 1 if len(filled) else 0


def _check_counts(counts: Positions, *, path: object, header: bool) -> None:
    wrong = np.flatnonzero(counts != counts[0])
    if len(wrong):
        raise FileError.ragged(
            path,
            row=int(wrong[0]) + (0 if header else 1),
            found=int(counts[wrong[0]]),
            expected=int(counts[0]),
            rows=len(wrong),
        )


def _check_quotes(
    data: Bytes, quotes: Positions, separators: Positions, wanted: NDArray[np.bool_], *, path: object, header: bool
) -> None:
    """An opening mark follows a separator, a closing one precedes one; anything else would be a guess."""
    opening, closing = quotes[0::2], quotes[1::2]
    beside = wanted.copy()
    beside[data[quotes[0]]] = True
    opens = beside[data[opening - 1]] | (opening == 0)
    closes = beside[data[np.minimum(closing + 1, len(data) - 1)]] | (closing == len(data) - 1)
    stray = np.concatenate((opening[~opens], closing[~closes], quotes[-1:] if len(quotes) % 2 else quotes[:0]))
    if not len(stray):
        return
    before = separators[: np.searchsorted(separators, stray.min())]
    kinds = data[before]
    ended = (kinds == _NEWLINE) | ((kinds == _RETURN) & (data[np.minimum(before + 1, len(data) - 1)] != _NEWLINE))
    row = int(ended.sum()) + (0 if header else 1)
    raise FileError.stray_quote(path, row=row) if row else FileError.stray_quote_in_header(path)
