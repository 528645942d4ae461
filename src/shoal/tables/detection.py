"""Detection: what the head of a file tells about how it is written, the same in every engine.

A head is the first `HEAD` bytes of the text. From it come the lines above the header, the separator, columns that hold
nothing or number the rows, and the formats of numbers and dates. What the head leaves open is not guessed: such a
column is read as text and listed as doubtful, so that its owner can name its format.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from shoal.tables.column_format import BLANKS, PLAIN, TEXT, NumberFormat, column_format
from shoal.tables.text import DATE, NUMBER

HEAD = 1 << 20
RECORDS = 10_000
"""Records of the head whose cells are looked at."""
LINES = 200
"""Lines by which the separator and the header are found."""
_FEW_LINES = 3
"""Fewer tell no header from a title."""
MOST_ABOVE = 20
"""Lines above the header."""
_EVEN = 0.9
"""The share of lines that have as many separators as the others."""
SEPARATORS = ",;\t|"
_SINGLE = re.compile(rb"(?:^|[,;\t|])'[^']*(?:''[^']*)*'(?:$|[,;\t|])")
_SEP_LINE = re.compile(rb'"?sep=(.)"?', re.IGNORECASE)

DAY_OR_MONTH, SHORT_YEAR, COMMA, POINT = "day or month", "short year", "comma", "point"
"""Doubts: which of two numbers is the day; which century; whether a comma, or a point, parts decimals or thousands."""
PERHAPS = "perhaps thousands"
"""A weak doubt: numbers with three decimals each, which nothing else speaks against."""


class Doubt(NamedTuple):
    """Why a column can be read in several ways."""

    kind: str
    formats: tuple[str, ...]
    """The formats that it may have."""


class Structure(NamedTuple):
    """How the lines of a text are to be read."""

    delimiter: str
    skip: int = 0
    """Lines above the header."""
    offset: int = 0
    """Their bytes."""
    quote: str = ""
    patch: str = ""
    """Where the header has one name fewer than the records have fields: ``first`` where the rows have names, as R
    writes them, or ``last`` where every record ends with a separator."""


def quote_of(lines: Sequence[bytes], quote: str) -> str:
    """The quotation mark of a text by its first lines: a single one where nearly all have a field between two."""
    filled = [line.strip(b"\r\n") for line in lines if line.strip(b"\r\n")]
    if quote != '"' or any(b'"' in line for line in filled):
        return quote
    single = sum(bool(_SINGLE.search(line)) for line in filled)
    return "'" if single and single >= _EVEN * len(filled) else quote


def structure(
    lines: Sequence[bytes], *, quote: str, delimiter: str | None, decimal: str | None, skip: int | None, header: bool
) -> Structure:
    """The structure of a text by its first lines, each with its newline."""
    above = 0
    if skip is not None:
        above = min(skip, len(lines))
    elif lines and (sep := _SEP_LINE.fullmatch(lines[0].strip(b"\r\n"))):
        delimiter, above = delimiter or sep[1].decode("latin-1"), 1
    body = [line.strip(b"\r\n") for line in lines[above : above + LINES]]
    mark = delimiter or _separator(body, quote=quote, decimal=decimal)
    counts = [_count(line, mark, quote) for line in body]
    patch = ""
    if header and len(counts) > 2:
        usual, times = Counter(counts[1:]).most_common(1)[0]
        if usual and times > (len(counts) - 1) / 2:
            more = 0 if skip is not None else _above(body, counts, usual, mark, quote)
            above += more
            if counts[more] == usual - 1:
                patch = _patched(body[more:], mark, quote)
    return Structure(mark, above, sum(len(line) for line in lines[:above]), "" if quote == mark else quote, patch)


def _separator(lines: Sequence[bytes], *, quote: str, decimal: str | None) -> str:
    """The mark of which all lines have the same number from the earliest line on, or else the first line the most."""
    # where commas are decimal marks they separate fields only if nothing else could
    marks = [mark for mark in SEPARATORS if mark != "," or decimal != ","]
    filled = [line for line in lines if line]
    counts = {mark: [_count(line, mark, quote) for line in filled] for mark in SEPARATORS}
    if len(filled) > _FEW_LINES:
        starts = {mark: start for mark in marks if (start := _even_from(counts[mark])) is not None}
        if starts:
            return min(starts, key=lambda mark: (starts[mark], -_usual(counts[mark])))
    first = {mark: counts[mark][0] if filled else 0 for mark in SEPARATORS}
    best = max(marks, key=lambda mark: first[mark])
    return best if first[best] else max(first, key=lambda mark: first[mark])


def _usual(counts: Sequence[int]) -> int:
    return Counter(counts[1:]).most_common(1)[0][0]


def _even_from(counts: Sequence[int]) -> int | None:
    """The line from which on nearly all have the same number of marks; that one, a header, may have one less."""
    usual = _usual(counts)
    if not usual:
        return None
    for start in range(min(len(counts) - 1, MOST_ABOVE + 1)):
        below = counts[start + 1 :]
        if usual - 1 <= counts[start] <= usual and counts[start] and below.count(usual) >= _EVEN * len(below):
            return start
    return None


def _count(line: bytes, mark: str, quote: str) -> int:
    outside = b"".join(line.split(quote.encode())[::2]) if quote else line
    return outside.count(mark.encode())


def _fields(line: bytes, mark: str, quote: str) -> list[str]:
    """The fields of a line, near enough to see which are empty."""
    parts: list[str] = []
    for at, piece in enumerate(
        line.decode("utf-8", "replace").split(quote) if quote else [line.decode("utf-8", "replace")]
    ):
        if at % 2:
            parts[-1] += piece
        else:
            first, *rest = piece.split(mark)
            parts = [*parts[:-1], (parts[-1] if parts else "") + first, *rest]
    return [part.strip() for part in parts]


def _above(lines: Sequence[bytes], counts: Sequence[int], usual: int, mark: str, quote: str) -> int:
    """How many lines stand above the header: titles, notes and blank lines."""
    fields = [_fields(line, mark, quote) for line in lines[: MOST_ABOVE + 1]]
    if counts[0] == usual - 1 and all(fields[0]):
        return 0
    above = lines_above([sum(map(bool, line)) for line in fields], counts[: MOST_ABOVE + 1], usual)
    # a header with one name fewer than the records have fields
    short = above > 0 and counts[above - 1] == usual - 1 and _patched(lines[above - 1 :], mark, quote) != ""
    return above - 1 if short else above


def lines_above(filled: Sequence[int], counts: Sequence[int], usual: int) -> int:
    """The same, by how many fields of each line are filled and how many separators it has."""
    fields = usual + 1

    def is_header(at: int) -> bool:
        return counts[at] == usual and filled[at] >= max(2, fields - 1 if fields < 5 else 0.8 * fields)

    if counts[0] == usual and (filled[0] > 1 or fields < 3):
        return 0
    return next((at for at in range(len(counts)) if is_header(at)), 0)


def _patched(lines: Sequence[bytes], mark: str, quote: str) -> str:
    names, *records = [_fields(line, mark, quote) for line in lines if line]
    if not all(names) or len(set(names)) < len(names):
        return ""
    if all(not record[-1] for record in records):
        return "last"
    return "first" if _are_row_names(lines[1:], [record[0] for record in records], quote) else ""


def _are_row_names(lines: Sequence[bytes], cells: Sequence[str], quote: str) -> bool:
    """Whether the first fields are names of rows: different ones, in quotation marks, or with letters, or numbered.

    Other numbers are none: where commas part both fields and decimals, they are whole parts of numbers.
    """
    if len(set(cells)) < len(cells):
        return False
    quoted = bool(quote) and all(line.startswith(quote.encode()) for line in lines if line)
    counted = cells == [str(at) for at in range(len(cells))] or cells == [str(at + 1) for at in range(len(cells))]
    return quoted or counted or not any(re.match(NUMBER, cell) for cell in cells)


class Names(NamedTuple):
    """The fields of a file and what becomes of them."""

    fields: tuple[str, ...]
    """A name for every field."""
    empty: tuple[int, ...]
    """Fields without a name that hold nothing: they are left out."""
    numbered: bool
    """Whether the first field has no name and numbers the rows: it is left out too."""

    @property
    def left_out(self) -> tuple[int, ...]:
        return (*((0,) if self.numbered else ()), *self.empty)


def resolve_names(names: Sequence[str], columns: Mapping[int, pl.Series], *, numbered: bool | None) -> Names:
    """Names for fields that have none; ``columns`` are the first cells of these fields."""
    unnamed = [at for at, name in enumerate(names) if not name.strip()]
    if not unnamed or len(unnamed) == len(names):
        return Names(tuple(names), (), False)
    first = 0 in unnamed and (_counts_up(columns[0]) if numbered is None else numbered)
    empty = tuple(at for at in unnamed if not (at == 0 and first) and not columns[at].str.strip_chars().ne("").any())
    found = list(names)
    for at in unnamed:
        found[at] = _unused("row_name" if at == 0 else f"column_{at + 1}", names)
    return Names(tuple(found), empty, first)


def _counts_up(cells: pl.Series) -> bool:
    numbers = cells.str.strip_chars().cast(pl.Int64, strict=False)
    return len(numbers) > 0 and numbers.null_count() == 0 and bool((numbers.diff().drop_nulls() == 1).all())


def _unused(name: str, names: Sequence[str]) -> str:
    while name in names:
        name += "_"
    return name


@dataclass(frozen=True)
class Formats:
    """The formats of a file."""

    number: str = PLAIN
    """That of numbers in all columns without a format of their own."""
    columns: Mapping[str, str] = field(default_factory=dict)
    doubtful: Mapping[str, Doubt] = field(default_factory=dict)
    """Columns that can be read in several ways."""


def detect_formats(
    columns: Iterable[tuple[str, pl.Series]],
    *,
    missing: Mapping[str, Sequence[str]],
    given: Mapping[str, str],
    decimal: str | None,
    thousands: str | None,
    commas: bool = True,
) -> Formats:
    """The formats of columns of text by their first cells. ``commas`` says that they separate the fields."""
    looks: dict[str, _Look] = {}
    for name, cells in columns:
        if name not in given:
            values = cells.head(RECORDS).str.strip_chars(" \t").unique(maintain_order=True)
            values = values.filter(~values.is_in(list(missing[name])))
            if len(values) and (look := _look(values, thousands)):
                looks[name] = look
    mark = decimal or _decimal(looks.values())
    orders = {look.order for look in looks.values() if look.order}
    default = str(NumberFormat(mark or ".", thousands or ""))
    found, doubtful = dict(given), dict[str, Doubt]()
    for name, look in looks.items():
        form, doubt = look.decided(mark, orders, thousands=thousands, commas=commas)
        if doubt is not None:
            doubtful[name] = doubt
        if form not in (None, default):
            found[name] = form
    return Formats(default, found, doubtful)


@dataclass(frozen=True)
class _Look:
    """What the first cells of a column look like."""

    dates: tuple[tuple[str, ...], ...] = ()
    """For each way of writing dates that is found the patterns that all of these cells follow."""
    short: bool = False
    """Whether their years have two digits."""
    numbers: tuple[NumberFormat, ...] = ()
    """The formats that all cells follow; none where a plain number is all that it can be."""
    telling: bool = False
    """Whether the formats differ in what the cells mean."""
    sure: bool = False
    """Whether the decimal mark is beyond doubt, and says something about other columns."""
    pointed: bool = False
    """Whether plain numbers all have three digits behind a point, as thousands have."""
    beside: bool = False
    """Whether there are whole numbers beside these."""

    @property
    def order(self) -> str:
        """``DM`` or ``MD`` where dates tell which comes first."""
        orders = {_order(group[0]) for group in self.dates if len(group) == 1} - {""}
        return orders.pop() if len(orders) == 1 else ""

    def decided(
        self, mark: str | None, orders: set[str], *, thousands: str | None, commas: bool
    ) -> tuple[str | None, Doubt | None]:
        """The format of the column, None for the default one, and the doubt that is left."""
        if self.dates:
            return self._dated(orders)
        parted = str(NumberFormat(",", "."))
        if self.pointed and mark == ",":
            return (PLAIN, Doubt(POINT, (PLAIN, parted))) if thousands == "" else (parted, None)
        if self.pointed:
            kind = POINT if not commas or self.beside else PERHAPS
            return None, Doubt(kind, (PLAIN, parted)) if mark is None and thousands is None else None
        fitting = [form for form in self.numbers if mark is None or form.decimal == mark]
        if not self.telling:
            fitting = fitting[-1:]  # the last has a point
        if not fitting:
            return None, None
        if len({form.decimal for form in fitting}) > 1:
            return TEXT, Doubt(COMMA, tuple(map(str, fitting)))
        return str(fitting[0]), None

    def _dated(self, orders: set[str]) -> tuple[str, Doubt | None]:
        if self.short:
            years = ("19YY", "20YY", "YY")
            forms = (pattern.replace("YY", year) for pattern in self.dates[0] for year in years)
            return TEXT, Doubt(SHORT_YEAR, tuple(forms))
        chosen = [self._pattern(group, orders) for group in self.dates]
        if "" not in chosen:
            return "|".join(chosen), None
        ways = ({_order(pattern): pattern for pattern in group} for group in self.dates)
        both = [[way.get(order, next(iter(way.values()))) for order in ("DM", "MD")] for way in ways]
        return TEXT, Doubt(DAY_OR_MONTH, tuple("|".join(patterns) for patterns in zip(*both, strict=True)))

    def _pattern(self, group: tuple[str, ...], orders: set[str]) -> str:
        fitting = [pattern for pattern in group if _order(pattern) in orders] if len(orders) == 1 else []
        return group[0] if len(group) == 1 else fitting[0] if len(fitting) == 1 else ""


def _decimal(looks: Iterable[_Look]) -> str | None:
    """The decimal mark, where the columns that leave no doubt agree on it."""
    marks = {form.decimal for look in looks if look.sure for form in look.numbers}
    return marks.pop() if len(marks) == 1 else None


_DAY_LIKE = r"^[0-9]{1,4}[./-] ?[0-9]{1,2}[./-] ?[0-9]{1,4}\.?(?:[ T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)?$"
_SHORT_YEAR = r"^[0-9]{1,2}[./-] ?[0-9]{1,2}[./-] ?[0-9]{2}\.?$"
_ORDERS = {
    ".": ("D.M.YYYY", "YYYY.M.D"),
    "/": ("D/M/YYYY", "M/D/YYYY", "YYYY/M/D"),
    "-": ("YYYY-M-D", "D-M-YYYY", "M-D-YYYY"),
}


def _order(pattern: str) -> str:
    """``DM`` or ``MD``; of points and of years in front nothing can be learned."""
    if "." in pattern or pattern.startswith("YYYY"):
        return ""
    return "DM" if pattern.startswith("D") else "MD"


def is_value(name: str) -> bool:
    """Whether a name is a number or a date."""
    return bool(re.match(_DAY_LIKE, name.strip()) or re.match(NUMBER, name.strip(" \t").replace(",", ".")))


def _look(values: pl.Series, thousands: str | None) -> _Look | None:
    if bool(values.str.contains(_DAY_LIKE).all()):
        return _dates(values)
    plain = values.str.contains(NUMBER)
    if plain.all():
        return _plain(values)
    return _numbers(values, thousands)


def _dates(values: pl.Series) -> _Look | None:
    if values.str.contains(DATE).all():
        return None
    short = bool(values.str.contains(_SHORT_YEAR).all())
    groups: list[tuple[int, tuple[str, ...]]] = []
    for mark, patterns in _ORDERS.items():
        some = values.filter(values.str.contains(rf"^[0-9]+{re.escape(mark)}"))
        if not len(some):
            continue
        ways = [pattern.replace("YYYY", "YY") if short else pattern for pattern in patterns]
        exact = [_exact(pattern, some) for pattern in ways]
        fitting = tuple(pattern for pattern in exact if _follow(pattern, some))
        if not fitting:
            return None
        groups.append((len(some), fitting))
    groups.sort(key=lambda group: -group[0])
    return None if not groups or (short and len(groups) > 1) else _Look(tuple(fitting for _, fitting in groups), short)


def _exact(pattern: str, values: pl.Series) -> str:
    """The pattern with blanks, a final point and a time where the values have them, and padded where all are."""
    days = values.str.extract(r"^([0-9./ -]*?)(?:[ T][0-9]{1,2}:.*)?$")
    if days.str.contains("[./-] ").any():
        pattern = re.sub(r"([./-])", r"\1 ", pattern)
    if days.str.ends_with(".").any():
        pattern += "."
    if not days.str.contains(r"(?:^|[^0-9])[0-9](?:[^0-9]|$)").any():
        pattern = pattern.replace("D", "DD").replace("M", "MM")
    times = values.str.extract("[ T]([0-9]{1,2}:.*)$").drop_nulls()
    if len(times):
        pattern += " HH:MM:SS" if times.str.count_matches(":").max() == 2 else " HH:MM"
    return pattern


def _follow(pattern: str, values: pl.Series) -> bool:
    form = column_format(pattern)
    if form is None:
        return bool(values.str.contains(DATE).all())
    days = form.standard(values).str.slice(0, 10)
    return days.str.to_date("%Y-%m-%d", strict=False).null_count() == 0


def _plain(values: pl.Series) -> _Look | None:
    """Plain numbers: fractions tell that a point is the decimal mark, unless all could part thousands."""
    pointed = values.filter(values.str.contains(".", literal=True))
    if not len(pointed):
        return None
    if pointed.str.contains(r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$").all():
        return _Look(pointed=True, beside=len(pointed) < len(values))
    return _Look(numbers=(NumberFormat(),), telling=True, sure=True)


_UNITS = ("%", "€", "$", "£", "¥", "zł", "EUR", "USD", "GBP", "CHF", "PLN", "Fr.", "R$", "kr")


def _numbers(values: pl.Series, thousands: str | None) -> _Look | None:
    """Numbers with commas, parted thousands or units."""
    digits = values.str.extract(r"([0-9][0-9.,'\u2019\u00a0\u202f\u2009 eE+-]*[0-9]|[0-9])")
    if digits.null_count():
        return None
    prefix, suffix = _affixes(values, digits)
    if prefix is None or suffix is None:
        return None
    fitting = []
    for mark, parts in (
        (",", (".", " ", "\u00a0", "\u202f", "\u2009", "'", "\u2019", "")),
        (".", (",", " ", "\u00a0", "\u202f", "\u2009", "'", "\u2019", "")),
    ):
        for part in parts:
            if (part and thousands == "") or (part and not digits.str.contains(part, literal=True).any()):
                continue
            form = NumberFormat(mark, part, prefix, suffix)
            if values.str.contains(form.pattern).all():
                fitting.append(form)
                break
    if not fitting:
        return None
    marks = {form.decimal for form in fitting}
    telling = bool(digits.str.contains("[.,]").any())
    return _Look(numbers=tuple(fitting), telling=telling, sure=telling and len(marks) == 1)


def _affixes(values: pl.Series, digits: pl.Series) -> tuple[str | None, str | None]:
    """The unit before and behind all of these numbers, empty where there is none; None where they are not numbers."""
    frame = pl.DataFrame({"value": values, "digits": digits})
    parts = [value.split(number, 1) for value, number in frame.iter_rows()]
    # a currency may be left out, as with 0; a number without its percent sign may be another number
    before, behind = (_one_unit({part[side].strip("+- \t" + BLANKS) for part in parts}) for side in (0, 1))
    if before is None or behind is None:
        return None, None
    unit, blank = before, next((part[0] for part in parts if before in part[0]), "")
    prefix = unit + (" " if unit and blank[-1:].strip(BLANKS) == "" and blank[-1:] not in "+-" else "")
    tail = next((part[1] for part in parts if behind in part[1]), "")
    suffix = (tail[: len(tail) - len(tail.lstrip(BLANKS))] if behind else "") + behind
    return prefix, suffix


def _one_unit(units: set[str]) -> str | None:
    """The one unit of some cells; None where these have several, or something else."""
    some = units - {""}
    if len(some) > 1 or not some <= set(_UNITS) or (len(units) > 1 and some == {"%"}):
        return None
    return some.pop() if some else ""
