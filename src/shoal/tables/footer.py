"""Footers: lines below the last record of a delimited text, such as totals and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from shoal.errors import FileError
from shoal.tables.layout import record_ends

TAIL = 1 << 16
"""Bytes in which a footer is looked for."""
_MOST = 20
"""Lines of a footer."""
_RECORDS = 5
"""Records that must stand above it; fewer tell no footer from a record that is cut off."""
LAST = 2 * _MOST
"""Lines that are looked at."""
_TOTALS = (
    *("total", "totals", "sum", "subtotal", "grand total", "summe", "gesamt", "insgesamt", "gesamtsumme"),
    *("gesamtergebnis", "zusammen", "somme", "total général", "totale", "totale generale", "suma", "suma total"),
    *("total general", "razem", "ogółem", "łącznie", "suma końcowa", "totaal", "eindtotaal"),
)


def without_footer(
    blocks: Iterator[bytes], skip: int | None, *, delimiter: str, quote: str, path: object
) -> Iterator[bytes]:
    """The text without the lines of its footer; where nobody has named their number, a footer is refused."""
    if skip == 0:
        yield from blocks
        return
    held = b""
    for block in blocks:
        held += block
        if len(held) > 2 * TAIL:
            yield held[:-TAIL]
            held = held[-TAIL:]
    end = footer_start(held, skip, delimiter=delimiter, quote=quote, path=path, header=False)
    if end:
        yield held[:end]


def footer_start(text: bytes, skip: int | None, *, delimiter: str, quote: str, path: object, header: bool) -> int:
    """Where the footer begins, by the end of a text; the length of the text where it has none.

    The text may begin with a ``header``.
    """
    if skip == 0:
        return len(text)
    lines = _last_lines(text, quote)[header and len(text) <= TAIL :]
    while lines and not lines[-1].strip():
        lines.pop()  # blank lines at the end hold nobody
    if skip is None:
        _check(lines, delimiter, quote, path)
        return len(text)
    below = lines[-skip:]
    end = len(text.rstrip(b"\r\n \t"))
    return max(0, end - len(b"".join(below).rstrip(b"\r\n \t"))) if below else len(text)


def _last_lines(text: bytes, quote: str) -> list[bytes]:
    """The last lines, whole ones; what stands in quotation marks is not cut."""
    tail, mark = text[-TAIL:], quote.encode()
    if len(tail) < len(text) and mark and tail.count(mark) % 2:
        tail = tail[tail.index(mark) + 1 :]  # it begins inside of a field
    cuts = [0, *record_ends(np.frombuffer(tail, dtype=np.uint8), quote=quote).tolist()] if tail else [0]
    cuts += [len(tail)] if cuts[-1] < len(tail) else []
    lines = [tail[begin:end] for begin, end in pairwise(cuts)]
    return lines[1:] if len(tail) < len(text) else lines


def _check(lines: list[bytes], delimiter: str, quote: str, path: object) -> None:
    """Refuse a footer: nobody but the owner of the file can know that its lines are no records."""
    if quote and sum(line.count(quote.encode()) for line in lines) % 2:
        return
    marks = [_marks(line, delimiter, quote) for line in lines]
    usual = Counter(marks[:-1]).most_common(1)[0][0] if len(marks) > _RECORDS else 0
    if usual:
        rows = [_filled(line, delimiter, quote) for line in lines[-LAST:]]
        cut = [number < usual for number in marks[-LAST:]]
        _refuse(rows, cut, usual + 1, path)


def check_footer(rows: list[list[str]], fields: int, path: object) -> None:
    """The same for the last rows of a sheet, as lists of their cells that are not empty."""
    if len(rows) > _RECORDS and fields > 1:
        usual = Counter(map(len, rows[:-1])).most_common(1)[0][0]
        words = [[cell.strip(": ").casefold() for cell in row] for row in rows]
        _refuse(words, [len(row) < min(2, usual) for row in rows], usual, path)


def _refuse(rows: list[list[str]], cut: list[bool], fields: int, path: object) -> None:
    """Refuse notes and totals below the records; ``cut`` are lines with fewer fields than the records have."""
    end = len(rows)
    while end > max(_RECORDS, len(rows) - _MOST) and cut[end - 1]:
        end -= 1
    notes = rows[end:]
    if notes and notes[0] and not all(len(words) < 2 or words[0] in _TOTALS for words in notes):
        return  # records that are cut off
    if len(notes) == 1 and fields == 2 and notes[0][0] not in _TOTALS:
        return
    above = bool(rows[end - 1]) and rows[end - 1][0] in _TOTALS and end > _RECORDS
    if notes or above:
        totals = above or any(words and words[0] in _TOTALS for words in notes)
        raise FileError.footer(path, lines=len(notes) + above, total=totals)


def _marks(line: bytes, delimiter: str, quote: str) -> int:
    outside = b"".join(line.split(quote.encode())[::2]) if quote else line
    return outside.count(delimiter.encode())


def _filled(line: bytes, delimiter: str, quote: str) -> list[str]:
    """The fields that are not empty, near enough to know their words."""
    fields = (
        field.strip().strip(quote or None).strip(": ") for field in line.decode("utf-8", "replace").split(delimiter)
    )
    return [field.casefold() for field in fields if field]
