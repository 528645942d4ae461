"""Detect footers: lines below the last record of a delimited text, such as totals and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from shoal.data.csv.detection import count_separators
from shoal.data.csv.scan import record_ends
from shoal.errors import FileError

TAIL_BYTES = 1 << 16
_MAX_LINES = 20
_MIN_RECORDS = 5
"""Minimum records above a footer; with fewer, it may be a truncated record."""
TAIL_LINES = 2 * _MAX_LINES
_TOTALS = (
    *("total", "totals", "sum", "subtotal", "grand total", "summe", "gesamt", "insgesamt", "gesamtsumme"),
    *("gesamtergebnis", "zusammen", "somme", "total général", "totale", "totale generale", "suma", "suma total"),
    *("total general", "razem", "ogółem", "łącznie", "suma końcowa", "totaal", "eindtotaal"),
)


def strip_footer(
    blocks: Iterator[bytes], skip: int | None, *, delimiter: str, quote: str, path: object
) -> Iterator[bytes]:
    """Yield the text without its footer; raise an error if there is one of unspecified length."""
    if skip == 0:
        yield from blocks
        return
    buffer = b""
    for block in blocks:
        buffer += block
        if len(buffer) > 2 * TAIL_BYTES:
            yield buffer[:-TAIL_BYTES]
            buffer = buffer[-TAIL_BYTES:]
    end = footer_start(buffer, skip, delimiter=delimiter, quote=quote, path=path, header=False)
    if end:
        yield buffer[:end]


def footer_start(text: bytes, skip: int | None, *, delimiter: str, quote: str, path: object, header: bool) -> int:
    """Return the start of the footer, or the length of the text if there is none.

    The text may begin with a ``header``.
    """
    if skip == 0:
        return len(text)
    lines = _last_lines(text, quote)[header and len(text) <= TAIL_BYTES :]
    while lines and not lines[-1].strip():
        lines.pop()  # ignore blank lines at the end
    if skip is None:
        _check_lines(lines, delimiter, quote, path)
        return len(text)
    below = lines[-skip:]
    end = len(text.rstrip(b"\r\n \t"))
    return max(0, end - len(b"".join(below).rstrip(b"\r\n \t"))) if below else len(text)


def _last_lines(text: bytes, quote: str) -> list[bytes]:
    """Return the last complete lines; line breaks in quotes do not count."""
    tail, mark = text[-TAIL_BYTES:], quote.encode()
    if len(tail) < len(text) and mark and tail.count(mark) % 2:
        tail = tail[tail.index(mark) + 1 :]  # it begins inside a field
    cuts = [0, *record_ends(tail, quote=quote).tolist()] if tail else [0]
    cuts += [len(tail)] if cuts[-1] < len(tail) else []
    lines = [tail[begin:end] for begin, end in pairwise(cuts)]
    return lines[1:] if len(tail) < len(text) else lines


def _check_lines(lines: list[bytes], delimiter: str, quote: str, path: object) -> None:
    """Raise an error for a probable footer: only the owner of the file knows whether its lines are records."""
    if quote and sum(line.count(quote.encode()) for line in lines) % 2:
        return
    marks = [count_separators(line, delimiter, quote) for line in lines]
    usual = Counter(marks[:-1]).most_common(1)[0][0] if len(marks) > _MIN_RECORDS else 0
    if usual:
        rows = [_non_empty_fields(line, delimiter, quote) for line in lines[-TAIL_LINES:]]
        cut = [number < usual for number in marks[-TAIL_LINES:]]
        _raise_if_footer(rows, cut, usual + 1, path)


def check_footer(rows: list[list[str]], fields: int, path: object) -> None:
    """Raise an error for a probable footer of a sheet; ``rows`` are the non-empty cells of its last rows."""
    if len(rows) > _MIN_RECORDS and fields > 1:
        usual = Counter(map(len, rows[:-1])).most_common(1)[0][0]
        words = [[cell.strip(": ").casefold() for cell in row] for row in rows]
        _raise_if_footer(words, [len(row) < min(2, usual) for row in rows], usual, path)


def _raise_if_footer(rows: list[list[str]], cut: list[bool], fields: int, path: object) -> None:
    """Raise an error for notes and totals below the records; ``cut`` marks lines with too few fields."""
    end = len(rows)
    while end > max(_MIN_RECORDS, len(rows) - _MAX_LINES) and cut[end - 1]:
        end -= 1
    notes = rows[end:]
    if notes and notes[0] and not all(len(words) < 2 or words[0] in _TOTALS for words in notes):
        return  # truncated records
    if len(notes) == 1 and fields == 2 and notes[0][0] not in _TOTALS:
        return
    has_total_above = bool(rows[end - 1]) and rows[end - 1][0] in _TOTALS and end > _MIN_RECORDS
    if notes or has_total_above:
        totals = has_total_above or any(words and words[0] in _TOTALS for words in notes)
        raise FileError.looks_like_footer(path, lines=len(notes) + has_total_above, total=totals)


def _non_empty_fields(line: bytes, delimiter: str, quote: str) -> list[str]:
    """Return the non-empty fields, split approximately, in lower case."""
    fields = line.decode("utf-8", "replace").split(delimiter)
    stripped = (field.strip().strip(quote or None).strip(": ") for field in fields)
    return [field.casefold() for field in stripped if field]
