"""Messy files: the records in them as plain values, and how each file is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

COUNT = 24
NUMBERS = range(COUNT)
DAYS = [date(1941 + 7 * i % 55, 1 + 5 * i % 12, 1 + 11 * i % 28) for i in NUMBERS]
AMBIGUOUS = [date(1941 + 7 * i % 55, 1 + 5 * i % 12, 1 + 7 * i % 12) for i in NUMBERS]
"""Days of which none is beyond the 12th of its month."""
INCOMES = [round(1260.93 + 2137.41 * i, 2) for i in NUMBERS]
WHOLE = [950 + 617 * i for i in NUMBERS]
AGES = [23 + 5 * i % 60 for i in NUMBERS]
NAMES = [
    f"{first} {last}"
    for last in ("Müller", "Ørsted", "Łaska", "D'Angelo")
    for first in ["Ada", "Bo", "Cy", "Di", "Ed", "Flo"]
]
TOWNS = [("Köln", "Lübeck", "Gießen")[i % 3] for i in NUMBERS]
SEXES = [("f", "m")[i % 2] for i in NUMBERS]
WARDS = [("A", "B", "C", "D")[i % 4] for i in NUMBERS]
CODES = [("00501", "01067", "00777")[i % 3] for i in NUMBERS]

Planted = Sequence[str | None]
"""The cells of a column in the standard form, such as 1234.5 and 1980-12-31; None where one is missing."""
Write = Callable[[Path], None]


@dataclass(frozen=True)
class Messy:
    """A messy file, what it means, and the options that a user gives."""

    name: str
    what: str
    """What is messy about it."""
    content: bytes | Write
    means: Mapping[str, Planted]
    """Columns with what they hold."""
    looks: Mapping[str, str]
    """Protected columns, with a pattern that every released field follows."""
    unchanged: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Columns that are released as they are, with their fields as they are written."""
    drop: Sequence[str] = ()
    dialect: Mapping[str, Any] = field(default_factory=dict)
    """How the csv module reads the release."""
    encoding: str = "utf-8"
    above: int = 0
    """Lines above the header."""
    named: Mapping[str, Any] = field(default_factory=dict)
    """Options that only the user can know: a word that means missing, an encoding without a mark."""
    question: str = ""
    """What the one message says on the command line; empty where there is none."""
    answer: Mapping[str, Any] = field(default_factory=dict)
    """The options that answer it."""
    mended: bytes | None = None
    """The file as the message asks to mend it, where no option can."""
    late: bool = False
    """Whether the question comes from the release and not from the reader."""

    def write(self, path: Path, *, mended: bool = False) -> Path:
        content = self.mended if mended and self.mended is not None else self.content
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            content(path)
        return path


def words(values: Sequence[Any]) -> list[str]:
    """The values in the standard form."""
    return [repr(value) if isinstance(value, float) else str(value) for value in values]


def grouped(number: float, *, mark: str, parts: str, digits: int = 2) -> str:
    """A number with a decimal mark and thousands apart."""
    return f"{number:,.{digits}f}".replace(",", "\0").replace(".", mark).replace("\0", parts)


def days(pattern: str, given: Sequence[date] = DAYS) -> list[str]:
    return [day.strftime(pattern) for day in given]
