"""The layout of a delimited text: where every field of it begins and ends.

One look at the bytes finds it, block by block and without a Python object a field. Reading and writing both cut fields
out of the bytes by it, so that what was not asked to change keeps its bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import FileError
from shoal.threads import share
from shoal.values import IntVector

_NEWLINE, _RETURN = 10, 13
_NEWLINES = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_LOOK = 1 << 20
"""Bytes looked at together: few enough to stay in a cache."""
_TEXT = 32 << 20
"""Bytes kept together, from which fields are cut."""
_BLOCK = 8 << 20
"""Bytes written at a time: small enough to stay in memory that was used before, which is what makes it fast."""
_ROWS = 1 << 14
"""Records whose positions are turned from rows into columns together."""

Bytes = NDArray[np.uint8]
Positions = Any
"""An array of int32 where the text is short enough for it, else of int64."""


class Text(NamedTuple):
    """The bytes of some records."""

    first: int
    last: int
    """The first record, and the one after the last."""
    cells: pl.Series
    """One cell with all of them."""


@dataclass(frozen=True, eq=False, repr=False)
class Layout:
    """Positions in the bytes of a text. A header, if there is one, is record 0."""

    texts: tuple[Text, ...]
    lines: Positions
    """Where each record begins, and where the last one ends with its newline."""
    ends: Positions
    """A row for each record and a column for each field: where the field ends."""
    quote: str
    """What stands around some values and doubles itself inside; empty where no field has it."""
    newline: str
    """The name of the newline: lf, crlf, cr or mixed."""

    @property
    def records(self) -> int:
        return len(self.ends)

    @property
    def fields(self) -> int:
        return int(self.ends.shape[1])

    def blocks(self, first: int) -> Iterator[tuple[int, int]]:
        """Ranges of records from the first one on, each of about the same number of bytes."""
        step = max(1, self.records * _BLOCK // max(int(self.lines[-1]), 1))
        for begin in range(first, self.records, step):
            yield begin, min(begin + step, self.records)

    @property
    def bytes(self) -> Bytes:
        """The text of all records, from the first line on."""
        return np.frombuffer(b"".join(text.cells.item() for text in self.texts), dtype=np.uint8)

    @classmethod
    def of(cls, data: Bytes, lines: Positions, ends: Positions, like: Layout) -> Layout:
        """Other records of the same dialect; the first of them begins at 0."""
        return cls(_texts(data, lines), lines, np.asfortranarray(ends), like.quote, like.newline)

    def taken(self, rows: IntVector) -> Layout:
        """These records, in their order, all of them with the same newline at their end."""
        newline = self.newline if self.newline in _NEWLINES else "lf"
        mark = _NEWLINES[newline]
        lines: Positions = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(self.ends[rows, -1] - self.lines[rows] + np.int64(len(mark)), out=lines[1:])
        ends: Positions = self.ends[rows] + (lines[:-1] - self.lines[rows])[:, None]
        records = self._cut(self.lines[:-1], self.ends[:, -1], 0, self.records).gather(rows)
        data = np.frombuffer("".join([*records.str.join(mark), mark]).encode(), dtype=np.uint8)
        if len(data) < 2**31:
            lines, ends = lines.astype(np.int32), ends.astype(np.int32)
        return Layout(_texts(data, lines), lines, np.asfortranarray(ends), self.quote, newline)

    def split(self, first: int, last: int, *, raw: bool) -> list[pl.Series]:
        """The fields of these records, a series for each column; raw fields keep their quotation marks."""
        return [self.column(at, first, last, raw=raw) for at in range(self.fields)]

    def column(self, at: int, first: int, last: int, *, raw: bool = False) -> pl.Series:
        """One field of each of these records."""
        found = self.run(at, at, first, last)
        if raw or not self.quote:
            return found
        inside = found.str.strip_prefix(self.quote).str.strip_suffix(self.quote)
        return inside.str.replace_all(self.quote * 2, self.quote, literal=True)

    def run(self, at: int, to: int, first: int, last: int) -> pl.Series:
        """From one field to another, with all that stands between them; after the last field comes the newline."""
        ends = self.lines[first + 1 : last + 1] if to == self.fields else self.ends[first:last, to]
        if at == 0:
            return self._cut(self.lines[first:last], ends, first, last)
        return self._cut(self.ends[first:last, at - 1] + (at < self.fields), ends, first, last)

    def _cut(self, begins: Positions, ends: Positions, first: int, last: int) -> pl.Series:
        pieces = []
        for text in self.texts:
            some = slice(max(text.first, first) - first, min(text.last, last) - first)
            if some.start < some.stop:
                place = pl.lit(pl.Series((begins[some] - self.lines[text.first]).astype(np.int64)))
                width = pl.lit(pl.Series((ends[some] - begins[some]).astype(np.uint64)))
                pieces.append(pl.select(pl.lit(text.cells).bin.slice(place, width).cast(pl.String)).to_series())
        return pl.concat(pieces).alias("") if pieces else pl.Series([], dtype=pl.String)


def scan(data: Bytes, *, delimiter: str, quote: str, path: object, header: bool, above: int | None = None) -> Layout:
    """Find the layout, or say in which record the text breaks the rules of RFC 4180.

    Where it is a part of a file, ``above`` is the number of records before it.
    """
    size = len(data)
    position = np.int32 if size < 2**31 else np.int64
    marks = _Marks(data, ord(delimiter), ord(quote) if quote else -1)
    looks = range(0, size, _LOOK)
    counts = list(share(marks.quotes, looks)) if quote else [0] * len(looks)
    open_before = np.cumsum([0, *counts])[:-1] % 2 == 1
    found = list(share(marks.separators, zip(looks, open_before.tolist(), strict=True)))
    ends = np.concatenate([np.empty(0, dtype=position), *(some for some, _ in found)])
    newlines = sum(count for _, count in found)
    del found
    if any(counts):
        _check_quotes(
            data, ends, delimiter=ord(delimiter), quote=ord(quote), path=path, header=header, above=above or 0
        )
    if not len(ends) or data[ends[-1]] == ord(delimiter) or int(_after(data, ends[-1:])[0]) != size:
        ends, newlines = np.append(ends, position(size)), newlines + 1
    records, fields = newlines, len(ends) // newlines
    closing = ends[fields - 1 :: fields]
    lines: Positions = np.zeros(records + 1, dtype=position)
    if records * fields == len(ends) and fields > 1 and _is_newline(data, closing).all():
        lines[1:] = _after(data, closing)
    else:
        lines, fields = _counted(data, ends, ord(delimiter), path=path, header=header, above=above)
        records = len(lines) - 1
        closing = ends[fields - 1 : records * fields : fields]
    quoted = quote if any(counts) else ""
    return Layout(_texts(data, lines), lines, _turned(ends, records, fields), quoted, _newline(data, closing))


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


class _Marks(NamedTuple):
    """What is looked for in the bytes."""

    data: Bytes
    delimiter: int
    quote: int

    def quotes(self, start: int) -> int:
        """How many quotation marks a look finds."""
        return int(np.count_nonzero(self.data[start : start + _LOOK] == self.quote))

    def separators(self, look: tuple[int, bool]) -> tuple[Positions, int]:
        """Where fields end, and how many of these are ends of records.

        Of the two bytes of a newline the first counts, and what is inside quotation marks does not.
        """
        start, is_open = look
        data = self.data[start : start + _LOOK]
        returns = data == _RETURN
        newlines = data == _NEWLINE
        if start and self.data[start - 1] == _RETURN:
            newlines[0] = False
        newlines[1:] &= ~returns[:-1]
        newlines |= returns
        outside = self._outside(data, is_open)
        if outside is not None:
            newlines &= outside
        count = int(np.count_nonzero(newlines))
        delimiters = data == self.delimiter
        if outside is not None:
            delimiters &= outside
        newlines |= delimiters
        places = np.flatnonzero(newlines)
        places += start
        return places.astype(np.int32 if len(self.data) < 2**31 else np.int64), count

    def _outside(self, data: Bytes, is_open: bool) -> NDArray[np.bool_] | None:
        """What an even number of quotation marks stands before; None where that is all."""
        if self.quote < 0:
            return None
        quotes = data == self.quote
        if not quotes.any():
            return np.zeros(len(data), dtype=np.bool_) if is_open else None
        outside: NDArray[np.bool_] = np.logical_xor.accumulate(quotes)
        return outside if is_open else np.logical_not(outside, out=outside)


def _is_newline(data: Bytes, places: Positions) -> NDArray[np.bool_]:
    """Which of these are ends of records; the end of the text is one."""
    kinds = data[np.minimum(places, len(data) - 1)]
    found: NDArray[np.bool_] = (kinds == _NEWLINE) | (kinds == _RETURN) | (places == len(data))
    return found


def _after(data: Bytes, places: Positions) -> Positions:
    """Where the next record begins, for each place where one ends."""
    size = len(data)
    after: Positions = np.minimum(places + 1, size)
    twice = (data[np.minimum(places, size - 1)] == _RETURN) & (data[np.minimum(after, size - 1)] == _NEWLINE)
    after[twice & (after < size)] += 1
    return after


def _counted(
    data: Bytes, ends: Positions, delimiter: int, *, path: object, header: bool, above: int | None
) -> tuple[Positions, int]:
    """The lines and the number of fields of a text that is not at first sight regular, or the reason why it is not."""
    kinds = data[np.minimum(ends, len(data) - 1)] if len(data) else np.zeros(1, dtype=np.uint8)
    closing = np.flatnonzero((kinds != delimiter) | (ends == len(data)))
    lines = np.concatenate([np.zeros(1, dtype=ends.dtype), _after(data, ends[closing]) if len(data) else ends])
    # Blank lines at the end of the file hold nobody.
    filled = np.flatnonzero(lines[:-1] != ends[closing])
    if not len(filled):
        raise FileError.empty(path)
    records = int(filled[-1]) + 1
    counts = np.diff(closing, prepend=-1)[:records]
    wrong = np.flatnonzero(counts != counts[0])
    if len(wrong) and above is not None:
        # of the records below nothing is known yet
        row, found = int(wrong[0]) + (0 if header else 1) + above, int(counts[wrong[0]])
        raise FileError.ragged_from(path, row=row, found=found, expected=int(counts[0]))
    if len(wrong):
        usual = int(np.bincount(counts[1:]).argmax())
        alike = int((counts[1:] == usual).sum())
        if header and usual > counts[0] and alike > len(counts) // 2:
            raise FileError.few_names(path, names=int(counts[0]), fields=usual, rows=alike, of=len(counts) - 1)
        raise FileError.ragged(
            path,
            row=int(wrong[0]) + (0 if header else 1),
            found=int(counts[wrong[0]]),
            expected=int(counts[0]),
            rows=len(wrong),
        )
    return lines[: records + 1], int(counts[0])


def _turned(ends: Positions, records: int, fields: int) -> Positions:
    """The ends by record and field, so that those of one field lie together."""
    rows = ends[: records * fields].reshape(records, fields)
    turned = np.empty((fields, records), dtype=ends.dtype)

    def turn(start: int) -> None:
        turned[:, start : start + _ROWS] = rows[start : start + _ROWS].T

    for _ in share(turn, range(0, records, _ROWS)):
        pass
    return turned.T


def _texts(data: Bytes, lines: Positions) -> tuple[Text, ...]:
    """The bytes in runs of whole records."""
    if len(lines) < 2:
        return ()
    starts = np.unique(np.searchsorted(lines[:-1], np.arange(0, int(lines[-1]), _TEXT), side="left")).tolist()
    ranges = zip(starts, [*starts[1:], len(lines) - 1], strict=True)
    return tuple(
        Text(first, last, pl.Series([data[int(lines[first]) : int(lines[last])].tobytes()], dtype=pl.Binary))
        for first, last in ranges
        if first < last
    )


def _newline(data: Bytes, closing: Positions) -> str:
    """The name of the newline, by the ends of all records but the last, which may have none."""
    closing = closing[: max(len(closing) - 1, 1)]
    closing = closing[closing < len(data)]
    returned = data[closing] == _RETURN
    both = returned & (data[np.minimum(closing + 1, len(data) - 1)] == _NEWLINE)
    names = {"lf": (~returned).any(), "cr": (returned & ~both).any(), "crlf": both.any()}
    found = [name for name, there in names.items() if there]
    return found[0] if len(found) == 1 else "mixed" if found else "lf"


def _check_quotes(
    data: Bytes, separators: Positions, *, delimiter: int, quote: int, path: object, header: bool, above: int
) -> None:
    """An opening mark follows a separator, a closing one precedes one; anything else would be a guess."""
    quotes = np.flatnonzero(data == quote)
    opening, closing = quotes[0::2], quotes[1::2]
    beside = np.zeros(256, dtype=np.bool_)
    beside[[delimiter, quote, _NEWLINE, _RETURN]] = True
    opens = beside[data[opening - 1]] | (opening == 0)
    closes = beside[data[np.minimum(closing + 1, len(data) - 1)]] | (closing == len(data) - 1)
    stray = np.concatenate((opening[~opens], closing[~closes], quotes[-1:] if len(quotes) % 2 else quotes[:0]))
    if not len(stray):
        return
    before = separators[: np.searchsorted(separators, stray.min())]
    row = int(_is_newline(data, before).sum()) + (0 if header else 1)
    raise FileError.stray_quote(path, row=row + above) if row else FileError.stray_quote_in_header(path)
