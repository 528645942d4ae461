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
    marks = [_marks(line, delimiter, quote) for line in lines]
    usual = Counter(marks[:-1]).most_common(1)[0][0] if len(marks) > _RECORDS else 0
    if not usual:
        return
    below = 0
    while below < min(_MOST, len(lines)) and marks[-1 - below] < usual:
        below += 1
    above = lines[: len(lines) - below]
    if len(above) <= _RECORDS or marks[len(above) - 1] != usual:
        return
    total = _first_field(above[-1], delimiter, quote).casefold().rstrip(": ") in _TOTALS
    if total or below:
        raise FileError.footer(path, lines=below + total, total=total)


def _marks(line: bytes, delimiter: str, quote: str) -> int:
    outside = b"".join(line.split(quote.encode())[::2]) if quote else line
    return outside.count(delimiter.encode())


def _first_field(line: bytes, delimiter: str, quote: str) -> str:
    """The first field that is not empty, near enough to know its word."""
    fields = (field.strip().strip(quote or None).strip() for field in line.decode("utf-8", "replace").split(delimiter))
    return next(filter(None, fields), "")
