"""A text file of which every habit is drawn: separator, marks, dates, quotation, encoding, titles, row names."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from messy_file import grouped

UNITS = ("", "", " €", " %", "$")
DATES = ("%d.%m.%Y", "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%d.%m.%Y %H:%M")
PLACES = ("Köln", "Bonn", "Aachen; Mitte", 'Neuß "alt"', "x,y")
TITLES: tuple[tuple[str, ...], ...] = ((), (), ("Report 2024",), ("Clinic X", "As of 01.01.2024", ""))
PROTECTED = ("age", "income", "born")


@dataclass(frozen=True)
class DrawnFile:
    """What a file holds and how it is written."""

    content: bytes
    numbers: dict[str, list[float | None]]
    born: list[datetime | None]
    texts: dict[str, list[str]]
    """The fields of all columns, as they are written."""
    delimiter: str
    encoding: str
    pattern: str
    missing: str

    def read(self, released: bytes) -> dict[str, list[str]]:
        """The fields of a release of this file, as the csv module reads them."""
        text = released.decode(self.encoding)
        names, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=self.delimiter)
        return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def drawn_file(seed: int) -> DrawnFile:
    draw = random.Random(seed)  # noqa: S311 - files, no secret
    count = draw.choice([5, 12, 60, 300])
    decimal = draw.choice(",.")
    thousands = draw.choice(["", "." if decimal == "," else ",", " ", "\u00a0", "'"])
    pattern, unit, digits = draw.choice(DATES), draw.choice(UNITS), draw.choice([0, 1, 2, 2, 3])
    numbers: dict[str, list[float | None]] = {
        "age": [draw.randrange(18, 95) for _ in range(count)],
        "income": [round(draw.uniform(*draw.choice([(-200, 900), (900, 90_000)])), digits) for _ in range(count)],
    }
    first = datetime(1930, 1, 1)
    born: list[Any] = [first + timedelta(draw.randrange(30_000), 60 * draw.randrange(1440)) for _ in range(count)]
    if "%H" not in pattern:
        born = [day.replace(hour=0, minute=0) for day in born]
    texts = {
        "age": [str(age) for age in numbers["age"]],
        "income": [_amount(amount, decimal, thousands, digits, unit) for amount in numbers["income"]],
        "born": [day.strftime(pattern) for day in born],
        "code": [f"{draw.randrange(100):05}" for _ in range(count)],
        "place": [draw.choice(PLACES) for _ in range(count)],
    }
    missing = draw.choice(["", "k.A.", "NA", "-"])
    for name in PROTECTED:
        for row in range(count):
            if missing and draw.random() < 0.1:
                texts[name][row] = missing
                (born if name == "born" else numbers[name])[row] = None
    delimiter, encoding = draw.choice(";\t|,"), draw.choice(["utf-8", "utf-8-sig", "cp1252", "utf-16"])
    text = _written(texts, draw, delimiter, count)
    return DrawnFile(text.encode(encoding), numbers, born, texts, delimiter, encoding, pattern, missing)


def _amount(amount: float | None, decimal: str, thousands: str, digits: int, unit: str) -> str:
    assert amount is not None
    text = grouped(amount, mark=decimal, parts=thousands, digits=digits)
    return unit + text if unit == "$" else text + unit


def _written(texts: dict[str, list[str]], draw: random.Random, delimiter: str, count: int) -> str:
    names = list(texts)
    draw.shuffle(names)
    newline = draw.choice(["\n", "\r\n"])
    before, behind = draw.choice([(False, False)] * 4 + [(True, False), (False, True)])
    file = io.StringIO(newline="")
    file.writelines(title + newline for title in draw.choice(TITLES))
    quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC])
    writer = csv.writer(file, delimiter=delimiter, lineterminator=newline, quoting=quoting)
    writer.writerow([*names, *([""] * behind)])
    for row in range(count):
        fields = [texts[name][row] for name in names]
        writer.writerow([*([str(row + 1)] * before), *fields, *([""] * behind)])
    return file.getvalue()
