"""Layout of a delimited text: the position of every field.

One pass over the bytes finds it, block by block, without a Python object per field. Reading and writing both slice
fields by it, so that unchanged fields keep their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.domain import IntVector
from shoal.errors import FileError
from shoal.system.threads import parallel_map

_NEWLINE, _RETURN = 10, 13
_NEWLINES = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_LOOK = 1 << 20
"""Bytes scanned at a time: fits into the CPU cache."""
_TEXT = 32 << 20
"""Bytes per text block, from which fields are sliced."""
_BLOCK = 8 << 20
"""Bytes written at a time: small enough to reuse allocated memory."""
_ROWS = 1 << 14

Bytes = NDArray[np.uint8]
Positions = Any
"""An array of int32 if the text is short enough, else of int64."""


class TextBlock(NamedTuple):
    """Bytes of consecutive records."""

    first: int
    last: int
    """The record after the last one."""
    data: pl.Series
    """A series with one binary cell: the bytes."""


@dataclass(frozen=True, eq=False, repr=False)
class Layout:
    """Positions of records and fields in a text. The header, if there is one, is record 0."""

    texts: tuple[TextBlock, ...]
    record_starts: Positions
    """Start of each record, and the end of the last one, with its newline."""
    field_ends: Positions
    """End of each field: one row per record, one column per field."""
    quote: str
    """Quote around fields, doubled inside them; empty if no field is quoted."""
    newline: str
    """Name of the newline: lf, crlf, cr or mixed."""

    @property
    def records(self) -> int:
        return len(self.field_ends)

    @property
    def fields(self) -> int:
        return int(self.field_ends.shape[1])

    def blocks(self, first: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of records, starting with ``first``, of about the same number of bytes."""
        step = max(1, self.records * _BLOCK // max(int(self.record_starts[-1]), 1))
        for begin in range(first, self.records, step):
            yield begin, min(begin + step, self.records)

    @property
    def bytes(self) -> Bytes:
        """The bytes of all records."""
        return np.frombuffer(b"".join(text.data.item() for text in self.texts), dtype=np.uint8)

    @classmethod
    def build(cls, data: Bytes, record_starts: Positions, field_ends: Positions, template: Layout) -> Layout:
        """Return the layout of other records in the dialect of the template; the first one starts at 0."""
        texts = _text_blocks(data, record_starts)
        return cls(texts, record_starts, np.asfortranarray(field_ends), template.quote, template.newline)

    def take(self, rows: IntVector) -> Layout:
        """Return these records in this order, all with the same newline."""
        newline = self.newline if self.newline in _NEWLINES else "lf"
        mark = _NEWLINES[newline]
        lines: Positions = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(self.field_ends[rows, -1] - self.record_starts[rows] + np.int64(len(mark)), out=lines[1:])
        ends: Positions = self.field_ends[rows] + (lines[:-1] - self.record_starts[rows])[:, None]
        records = self._cut(self.record_starts[:-1], self.field_ends[:, -1], 0, self.records).gather(rows)
        data = np.frombuffer("".join([*records.str.join(mark), mark]).encode(), dtype=np.uint8)
        if len(data) < 2**31:
            lines, ends = lines.astype(np.int32), ends.astype(np.int32)
        return Layout(_text_blocks(data, lines), lines, np.asfortranarray(ends), self.quote, newline)

    def column(self, at: int, first: int, last: int, *, raw: bool = False) -> pl.Series:
        """Return one field of each of these records; raw fields keep their quotes."""
        text = self.span(at, at, first, last)
        if raw or not self.quote:
            return text
        inside = text.str.strip_prefix(self.quote).str.strip_suffix(self.quote)
        return inside.str.replace_all(self.quote * 2, self.quote, literal=True)

    def span(self, first_field: int, last_field: int, first: int, last: int) -> pl.Series:
        """Return the text from one field to another, both included; the newline counts as the field after the last."""
        if last_field == self.fields:
            ends = self.record_starts[first + 1 : last + 1]
        else:
            ends = self.field_ends[first:last, last_field]
        begins = self.record_starts[first:last]
        if first_field > 0:
            begins = self.field_ends[first:last, first_field - 1] + (first_field < self.fields)
        return self._cut(begins, ends, first, last)

    def _cut(self, begins: Positions, ends: Positions, first: int, last: int) -> pl.Series:
        blocks = []
        for text in self.texts:
            rows = slice(max(text.first, first) - first, min(text.last, last) - first)
            if rows.start < rows.stop:
                offset = pl.lit(pl.Series((begins[rows] - self.record_starts[text.first]).astype(np.int64)))
                width = pl.lit(pl.Series((ends[rows] - begins[rows]).astype(np.uint64)))
                blocks.append(pl.select(pl.lit(text.data).bin.slice(offset, width).cast(pl.String)).to_series())
        return pl.concat(blocks).alias("") if blocks else pl.Series([], dtype=pl.String)


def scan(
    text: bytes | Bytes, *, delimiter: str, quote: str, path: object, header: bool, records_above: int | None = None
) -> Layout:
    """Scan the layout of a text; raise an error with the record that violates RFC 4180.

    For a part of a file, ``records_above`` is the number of records before it.
    """
    data = np.frombuffer(text, dtype=np.uint8)
    size = len(data)
    position = np.int32 if size < 2**31 else np.int64
    marks = _Scanner(data, ord(delimiter), ord(quote) if quote else -1)
    block_starts = range(0, size, _LOOK)
    counts = list(parallel_map(marks.quotes, block_starts)) if quote else [0] * len(block_starts)
    open_before = np.cumsum([0, *counts])[:-1] % 2 == 1
    separators = list(parallel_map(marks.separators, zip(block_starts, open_before.tolist(), strict=True)))
    ends = np.concatenate([np.empty(0, dtype=position), *(block_ends for block_ends, _ in separators)])
    newlines = sum(count for _, count in separators)
    del separators
    if any(counts):
        _check_quotes(
            data, ends, delimiter=ord(delimiter), quote=ord(quote), path=path, header=header, above=records_above or 0
        )
    if not len(ends) or data[ends[-1]] == ord(delimiter) or int(_next_starts(data, ends[-1:])[0]) != size:
        ends, newlines = np.append(ends, position(size)), newlines + 1
    records, fields = newlines, len(ends) // newlines
    closing = ends[fields - 1 :: fields]
    lines: Positions = np.zeros(records + 1, dtype=position)
    if records * fields == len(ends) and fields > 1 and _is_newline(data, closing).all():
        lines[1:] = _next_starts(data, closing)
    else:
        lines, fields = _count_fields(data, ends, ord(delimiter), path=path, header=header, above=records_above)
        records = len(lines) - 1
        closing = ends[fields - 1 : records * fields : fields]
    quoted = quote if any(counts) else ""
    return Layout(_text_blocks(data, lines), lines, _transposed(ends, records, fields), quoted, _newline(data, closing))


def record_ends(text: bytes | bytearray, *, quote: str) -> NDArray[np.int64]:
    """Return the ends of records, after their newlines, in a text that starts with a record.

    A carriage return at the very end does not count: a line feed may follow.
    """
    data = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(data == _NEWLINE)
    returns = np.flatnonzero(data[:-1] == _RETURN)
    if len(returns):
        lone = returns[data[returns + 1] != _NEWLINE]
        ends = np.sort(np.concatenate([ends, lone])) if len(lone) else ends
    marks = np.flatnonzero(data == ord(quote)) if quote else ends[:0]
    if len(marks):
        ends = ends[np.searchsorted(marks, ends) % 2 == 0]
    return ends + 1


class _Scanner(NamedTuple):
    """Bytes to scan for delimiters, quotes and newlines."""

    data: Bytes
    delimiter: int
    quote: int

    def quotes(self, start: int) -> int:
        """Count the quotes in a block."""
        return int(np.count_nonzero(self.data[start : start + _LOOK] == self.quote))

    def separators(self, block: tuple[int, bool]) -> tuple[Positions, int]:
        """Return the ends of fields in a block, and how many of them are ends of records.

        A CRLF counts at its first byte; separators inside quotes do not count.
        """
        start, is_open = block
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
        positions = np.flatnonzero(newlines)
        positions += start
        return positions.astype(np.int32 if len(self.data) < 2**31 else np.int64), count

    def _outside(self, data: Bytes, is_open: bool) -> NDArray[np.bool_] | None:
        """Return a mask of bytes outside quotes; None if all are."""
        if self.quote < 0:
            return None
        quotes = data == self.quote
        if not quotes.any():
            return np.zeros(len(data), dtype=np.bool_) if is_open else None
        outside: NDArray[np.bool_] = np.logical_xor.accumulate(quotes)
        return outside if is_open else np.logical_not(outside, out=outside)


def _is_newline(data: Bytes, positions: Positions) -> NDArray[np.bool_]:
    """Return which of these positions end a record; the end of the text does."""
    kinds = data[np.minimum(positions, len(data) - 1)]
    is_end: NDArray[np.bool_] = (kinds == _NEWLINE) | (kinds == _RETURN) | (positions == len(data))
    return is_end


def _next_starts(data: Bytes, ends: Positions) -> Positions:
    """Return the start of the next record for each end of a record."""
    size = len(data)
    after: Positions = np.minimum(ends + 1, size)
    is_crlf = (data[np.minimum(ends, size - 1)] == _RETURN) & (data[np.minimum(after, size - 1)] == _NEWLINE)
    after[is_crlf & (after < size)] += 1
    return after


def _count_fields(
    data: Bytes, ends: Positions, delimiter: int, *, path: object, header: bool, above: int | None
) -> tuple[Positions, int]:
    """Return the record starts and number of fields of a text that the fast path rejects, or raise an error."""
    kinds = data[np.minimum(ends, len(data) - 1)] if len(data) else np.zeros(1, dtype=np.uint8)
    closing = np.flatnonzero((kinds != delimiter) | (ends == len(data)))
    lines = np.concatenate([np.zeros(1, dtype=ends.dtype), _next_starts(data, ends[closing]) if len(data) else ends])
    # ignore blank lines at the end of the file
    filled = np.flatnonzero(lines[:-1] != ends[closing])
    if not len(filled):
        raise FileError.empty(path)
    records = int(filled[-1]) + 1
    counts = np.diff(closing, prepend=-1)[:records]
    ragged = np.flatnonzero(counts != counts[0])
    if len(ragged) and above is not None:
        # the records below are not known yet
        row, found = int(ragged[0]) + (0 if header else 1) + above, int(counts[ragged[0]])
        raise FileError.ragged_from(path, row=row, found=found, expected=int(counts[0]))
    if len(ragged):
        usual = int(np.bincount(counts[1:]).argmax())
        agreeing = int((counts[1:] == usual).sum())
        if header and usual > counts[0] and agreeing > len(counts) // 2:
            raise FileError.header_too_short(
                path, names=int(counts[0]), fields=usual, rows=agreeing, of=len(counts) - 1
            )
        raise FileError.ragged(
            path,
            row=int(ragged[0]) + (0 if header else 1),
            found=int(counts[ragged[0]]),
            expected=int(counts[0]),
            rows=len(ragged),
        )
    return lines[: records + 1], int(counts[0])


def _transposed(ends: Positions, records: int, fields: int) -> Positions:
    """Return the ends by record and field, with the ends of one field contiguous."""
    rows = ends[: records * fields].reshape(records, fields)
    columns = np.empty((fields, records), dtype=ends.dtype)

    def transpose(start: int) -> None:
        columns[:, start : start + _ROWS] = rows[start : start + _ROWS].T

    for _ in parallel_map(transpose, range(0, records, _ROWS)):
        pass
    return columns.T


def _text_blocks(data: Bytes, lines: Positions) -> tuple[TextBlock, ...]:
    """Split the bytes into blocks of whole records."""
    if len(lines) < 2:
        return ()
    starts = np.unique(np.searchsorted(lines[:-1], np.arange(0, int(lines[-1]), _TEXT), side="left")).tolist()
    ranges = zip(starts, [*starts[1:], len(lines) - 1], strict=True)
    return tuple(
        TextBlock(first, last, pl.Series([data[int(lines[first]) : int(lines[last])].tobytes()], dtype=pl.Binary))
        for first, last in ranges
        if first < last
    )


def _newline(data: Bytes, closing: Positions) -> str:
    """Return the name of the newline; the last record is ignored since it may have none."""
    closing = closing[: max(len(closing) - 1, 1)]
    closing = closing[closing < len(data)]
    returned = data[closing] == _RETURN
    both = returned & (data[np.minimum(closing + 1, len(data) - 1)] == _NEWLINE)
    names = {"lf": (~returned).any(), "cr": (returned & ~both).any(), "crlf": both.any()}
    found = [name for name, present in names.items() if present]
    return found[0] if len(found) == 1 else "mixed" if found else "lf"


def _check_quotes(
    data: Bytes, separators: Positions, *, delimiter: int, quote: int, path: object, header: bool, above: int
) -> None:
    """Raise an error unless every opening quote follows a separator and every closing one precedes one."""
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
