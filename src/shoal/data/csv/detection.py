"""Detect separator, header, row numbers and column formats of a text file, the same in every engine.

Detection uses the first `HEAD_BYTES` of the text. Ambiguous formats are not guessed: such a column is read as text and
reported as ambiguous, so that the user can give its format.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from shoal.data.csv.column_format import BLANKS, STANDARD_NUMBER, TEXT_FORMAT, NumberFormat, parse_column_format
from shoal.data.csv.text_values import DATE, NUMBER

HEAD_BYTES = 1 << 20
HEAD_RECORDS = 10_000
"""Records whose cells are examined."""
HEAD_LINES = 200
"""Lines examined to detect the separator and the header."""
_MIN_LINES = 3
"""Minimum lines to distinguish a header from a title."""
MAX_PREAMBLE = 20
_MIN_EVEN = 0.9
"""Minimum proportion of lines with the usual number of separators."""
SEPARATORS = ",;\t|"
_SINGLE = re.compile(rb"(?:^|[,;\t|])'[^']*(?:''[^']*)*'(?:$|[,;\t|])")
_SEP_LINE = re.compile(rb'"?sep=(.)"?', re.IGNORECASE)

DAY_OR_MONTH, SHORT_YEAR, COMMA, POINT = "day or month", "short year", "comma", "point"
"""Ambiguities: day or month; century; a comma, or a point, as decimal mark or thousands separator."""
MAYBE_THOUSANDS = "perhaps thousands"
"""Weak ambiguity: all numbers have three decimals, with no other evidence."""


class FormatAmbiguity(NamedTuple):
    """Ambiguous format of a column."""

    kind: str
    formats: tuple[str, ...]


class TextStructure(NamedTuple):
    """Structure of the lines of a text."""

    delimiter: str
    skip: int = 0
    offset: int = 0
    quote: str = ""
    missing_name: str = ""
    """Position of the missing name if the header has one name fewer than the records have fields: ``first`` for row
    names, as written by R, or ``last`` if every record ends with a separator."""


def detect_quote(lines: Sequence[bytes], quote: str) -> str:
    """Detect the quote of a text from its first lines: a single quote if nearly all lines have a field in them."""
    filled = [line.strip(b"\r\n") for line in lines if line.strip(b"\r\n")]
    if quote != '"' or any(b'"' in line for line in filled):
        return quote
    single = sum(bool(_SINGLE.search(line)) for line in filled)
    return "'" if single and single >= _MIN_EVEN * len(filled) else quote


def detect_structure(
    lines: Sequence[bytes], *, quote: str, delimiter: str | None, decimal: str | None, skip: int | None, header: bool
) -> TextStructure:
    """Detect the structure of a text from its first lines, each with its newline."""
    above = 0
    if skip is not None:
        above = min(skip, len(lines))
    elif lines and (sep := _SEP_LINE.fullmatch(lines[0].strip(b"\r\n"))):
        delimiter, above = delimiter or sep[1].decode("latin-1"), 1
    body = [line.strip(b"\r\n") for line in lines[above : above + HEAD_LINES]]
    mark = delimiter or _separator(body, quote=quote, decimal=decimal)
    counts = [count_separators(line, mark, quote) for line in body]
    patch = ""
    if header and len(counts) > 2:
        usual, times = Counter(counts[1:]).most_common(1)[0]
        if usual and times > (len(counts) - 1) / 2:
            preamble = 0 if skip is not None else _count_preamble(body, counts, usual, mark, quote)
            above += preamble
            if counts[preamble] == usual - 1:
                patch = _missing_name(body[preamble:], mark, quote)
    return TextStructure(mark, above, sum(len(line) for line in lines[:above]), "" if quote == mark else quote, patch)


def _separator(lines: Sequence[bytes], *, quote: str, decimal: str | None) -> str:
    """Detect the separator: equally frequent in all lines from the earliest on, or else most frequent in the first."""
    # a comma that is the decimal mark separates fields only if no other separator occurs
    marks = [mark for mark in SEPARATORS if mark != "," or decimal != ","]
    filled = [line for line in lines if line]
    counts = {mark: [count_separators(line, mark, quote) for line in filled] for mark in SEPARATORS}
    if len(filled) > _MIN_LINES:
        starts = {mark: start for mark in marks if (start := _regular_from(counts[mark])) is not None}
        if starts:
            return min(starts, key=lambda mark: (starts[mark], -_usual_count(counts[mark])))
    first = {mark: counts[mark][0] if filled else 0 for mark in SEPARATORS}
    best = max(marks, key=lambda mark: first[mark])
    return best if first[best] else max(first, key=lambda mark: first[mark])


def _usual_count(counts: Sequence[int]) -> int:
    return Counter(counts[1:]).most_common(1)[0][0]


def _regular_from(counts: Sequence[int]) -> int | None:
    """Return the line from which nearly all lines have the same number of separators; a header may have one less."""
    usual = _usual_count(counts)
    if not usual:
        return None
    for start in range(min(len(counts) - 1, MAX_PREAMBLE + 1)):
        below = counts[start + 1 :]
        if usual - 1 <= counts[start] <= usual and counts[start] and below.count(usual) >= _MIN_EVEN * len(below):
            return start
    return None


def count_separators(line: bytes, mark: str, quote: str) -> int:
    """Count the separators outside quotes."""
    outside = b"".join(line.split(quote.encode())[::2]) if quote else line
    return outside.count(mark.encode())


def _fields(line: bytes, mark: str, quote: str) -> list[str]:
    """Split a line approximately, to see which fields are empty."""
    parts, text = list[str](), line.decode("utf-8", "replace")
    for at, section in enumerate(text.split(quote) if quote else [text]):
        if at % 2:
            parts[-1] += section
        else:
            first, *rest = section.split(mark)
            parts = [*parts[:-1], (parts[-1] if parts else "") + first, *rest]
    return [part.strip() for part in parts]


def _count_preamble(lines: Sequence[bytes], counts: Sequence[int], usual: int, mark: str, quote: str) -> int:
    """Count the lines above the header: titles, notes and blank lines."""
    fields = [_fields(line, mark, quote) for line in lines[: MAX_PREAMBLE + 1]]
    if counts[0] == usual - 1 and all(fields[0]):
        return 0
    above = count_preamble([sum(map(bool, line)) for line in fields], counts[: MAX_PREAMBLE + 1], usual)
    # a header with one name fewer than the records have fields
    short = above > 0 and counts[above - 1] == usual - 1 and _missing_name(lines[above - 1 :], mark, quote) != ""
    return above - 1 if short else above


def count_preamble(filled: Sequence[int], counts: Sequence[int], usual: int) -> int:
    """Count the lines above the header, given the filled fields and separators of each line."""
    fields = usual + 1

    def is_header(at: int) -> bool:
        return counts[at] == usual and filled[at] >= max(2, fields - 1 if fields < 5 else 0.8 * fields)

    if counts[0] == usual and (filled[0] > 1 or fields < 3):
        return 0
    return next((at for at in range(len(counts)) if is_header(at)), 0)


def _missing_name(lines: Sequence[bytes], mark: str, quote: str) -> str:
    names, *records = [_fields(line, mark, quote) for line in lines if line]
    if not all(names) or len(set(names)) < len(names):
        return ""
    if all(not record[-1] for record in records):
        return "last"
    return "first" if _are_row_names(lines[1:], [record[0] for record in records], quote) else ""


def _are_row_names(lines: Sequence[bytes], cells: Sequence[str], quote: str) -> bool:
    """Return whether the first fields are row names: distinct, and quoted, with letters, or numbered consecutively.

    Other numbers may be integer parts, if the comma is both separator and decimal mark.
    """
    if len(set(cells)) < len(cells):
        return False
    quoted = bool(quote) and all(line.startswith(quote.encode()) for line in lines if line)
    counted = cells == [str(at) for at in range(len(cells))] or cells == [str(at + 1) for at in range(len(cells))]
    return quoted or counted or not any(re.match(NUMBER, cell) for cell in cells)


class FieldNames(NamedTuple):
    """Names of the fields of a file, and which fields to drop."""

    fields: tuple[str, ...]
    """One name per field."""
    empty: tuple[int, ...]
    """Fields without name and values, which are dropped."""
    has_row_numbers: bool
    """Whether the first field holds unnamed row numbers and is dropped."""

    @property
    def positions(self) -> dict[str, int]:
        """Position of each field that is not dropped."""
        dropped = {*self.empty, *((0,) if self.has_row_numbers else ())}
        return {name: at for at, name in enumerate(self.fields) if at not in dropped}


def resolve_names(names: Sequence[str], columns: Mapping[int, pl.Series], *, row_numbers: bool | None) -> FieldNames:
    """Name the fields without a name; ``columns`` are their first cells."""
    unnamed = [at for at, name in enumerate(names) if not name.strip()]
    if not unnamed or len(unnamed) == len(names):
        return FieldNames(tuple(names), (), False)
    first = 0 in unnamed and (_counts_up(columns[0]) if row_numbers is None else row_numbers)
    empty = tuple(at for at in unnamed if not (at == 0 and first) and not columns[at].str.strip_chars().ne("").any())
    resolved = list(names)
    for at in unnamed:
        resolved[at] = "row_name" if at == 0 else f"column_{at + 1}"
        while resolved[at] in names:
            resolved[at] += "_"
    return FieldNames(tuple(resolved), empty, first)


def _counts_up(cells: pl.Series) -> bool:
    numbers = cells.str.strip_chars().cast(pl.Int64, strict=False)
    return len(numbers) > 0 and numbers.null_count() == 0 and bool((numbers.diff().drop_nulls() == 1).all())


def detect_formats(
    columns: Iterable[tuple[str, pl.Series]],
    *,
    missing: Mapping[str, Sequence[str]],
    explicit: Mapping[str, str],
    decimal: str | None,
    thousands: str | None,
    comma_separated: bool = True,
) -> tuple[str, dict[str, str], dict[str, FormatAmbiguity]]:
    """Detect the formats of text columns from their first cells: of numbers, of columns, and the ambiguous ones.

    ``comma_separated`` says whether commas separate the fields.
    """
    candidates: dict[str, _Guess] = {}
    for name, cells in columns:
        if name not in explicit:
            values = cells.head(HEAD_RECORDS).str.strip_chars(" \t").unique(maintain_order=True)
            values = values.filter(~values.is_in(list(missing[name])))
            if len(values) and (candidate := _examine(values, thousands)):
                candidates[name] = candidate
    mark = decimal or _common_decimal(candidates.values())
    orders = {candidate.order for candidate in candidates.values() if candidate.order}
    default = str(NumberFormat(mark or ".", thousands or ""))
    formats, doubtful = dict(explicit), dict[str, FormatAmbiguity]()
    for name, candidate in candidates.items():
        form, doubt = candidate.decide(mark, orders, thousands=thousands, commas=comma_separated)
        if doubt is not None:
            doubtful[name] = doubt
        if form not in (None, default):
            formats[name] = form
    return default, formats, doubtful


@dataclass(frozen=True)
class _Guess:
    """Candidate formats of a column, from its first cells."""

    dates: tuple[tuple[str, ...], ...] = ()
    """For each separator of dates, the patterns that all of these cells match."""
    short_years: bool = False
    numbers: tuple[NumberFormat, ...] = ()
    """Formats that all cells match; empty for numbers in standard form only."""
    matters: bool = False
    """Whether the values depend on the choice of the format."""
    certain: bool = False
    """Whether the decimal mark is certain, and evidence for other columns."""
    thousands_like: bool = False
    """Whether all decimal points are followed by three digits, like thousands separators."""
    with_integers: bool = False

    @property
    def order(self) -> str:
        """``DM`` or ``MD`` if the dates determine which comes first."""
        orders = {_order(group[0]) for group in self.dates if len(group) == 1} - {""}
        return orders.pop() if len(orders) == 1 else ""

    def decide(
        self, mark: str | None, orders: set[str], *, thousands: str | None, commas: bool
    ) -> tuple[str | None, FormatAmbiguity | None]:
        """Return the format of the column, None for the default, and its ambiguity, if any."""
        if self.dates:
            return self._decide_dates(orders)
        parted = str(NumberFormat(",", "."))
        if self.thousands_like and mark == ",":
            if thousands == "":
                return STANDARD_NUMBER, FormatAmbiguity(POINT, (STANDARD_NUMBER, parted))
            return parted, None
        if self.thousands_like:
            if mark is not None or thousands is not None:
                return None, None
            kind = POINT if not commas or self.with_integers else MAYBE_THOUSANDS
            return None, FormatAmbiguity(kind, (STANDARD_NUMBER, parted))
        fitting = [form for form in self.numbers if mark is None or form.decimal == mark]
        if not self.matters:
            fitting = fitting[-1:]  # the last has a point
        if not fitting:
            return None, None
        if len({form.decimal for form in fitting}) > 1:
            return TEXT_FORMAT, FormatAmbiguity(COMMA, tuple(map(str, fitting)))
        return str(fitting[0]), None

    def _decide_dates(self, orders: set[str]) -> tuple[str, FormatAmbiguity | None]:
        if self.short_years:
            years = ("19YY", "20YY", "YY")
            forms = tuple(pattern.replace("YY", year) for pattern in self.dates[0] for year in years)
            return TEXT_FORMAT, FormatAmbiguity(SHORT_YEAR, forms)
        chosen = [self._pattern(group, orders) for group in self.dates]
        if "" not in chosen:
            return "|".join(chosen), None
        by_order = ({_order(pattern): pattern for pattern in group} for group in self.dates)
        both = [[found.get(order, next(iter(found.values()))) for order in ("DM", "MD")] for found in by_order]
        forms = tuple("|".join(patterns) for patterns in zip(*both, strict=True))
        return TEXT_FORMAT, FormatAmbiguity(DAY_OR_MONTH, forms)

    def _pattern(self, group: tuple[str, ...], orders: set[str]) -> str:
        fitting = [pattern for pattern in group if _order(pattern) in orders] if len(orders) == 1 else []
        return group[0] if len(group) == 1 else fitting[0] if len(fitting) == 1 else ""


def _common_decimal(candidates: Iterable[_Guess]) -> str | None:
    """Return the decimal mark if all certain columns agree."""
    marks = {form.decimal for candidate in candidates if candidate.certain for form in candidate.numbers}
    return marks.pop() if len(marks) == 1 else None


_DAY_LIKE = r"^[0-9]{1,4}[./-] ?[0-9]{1,2}[./-] ?[0-9]{1,4}\.?(?:[ T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)?$"
_SHORT_YEAR = r"^[0-9]{1,2}[./-] ?[0-9]{1,2}[./-] ?[0-9]{2}\.?$"
_ORDERS = {
    ".": ("D.M.YYYY", "YYYY.M.D"),
    "/": ("D/M/YYYY", "M/D/YYYY", "YYYY/M/D"),
    "-": ("YYYY-M-D", "D-M-YYYY", "M-D-YYYY"),
}


def _order(pattern: str) -> str:
    """Return ``DM`` or ``MD``; empty for points and leading years, which have only one order."""
    if "." in pattern or pattern.startswith("YYYY"):
        return ""
    return "DM" if pattern.startswith("D") else "MD"


def is_value(name: str) -> bool:
    """Return whether a name is a number or a date."""
    return bool(re.match(_DAY_LIKE, name.strip()) or re.match(NUMBER, name.strip(" \t").replace(",", ".")))


def _examine(values: pl.Series, thousands: str | None) -> _Guess | None:
    if values.str.contains(_DAY_LIKE).all():
        return _examine_dates(values)
    if values.str.contains(NUMBER).all():
        return _examine_plain_numbers(values)
    return _examine_numbers(values, thousands)


def _examine_dates(values: pl.Series) -> _Guess | None:
    if values.str.contains(DATE).all():
        return None
    short = bool(values.str.contains(_SHORT_YEAR).all())
    groups: list[tuple[int, tuple[str, ...]]] = []
    for mark, patterns in _ORDERS.items():
        cells = values.filter(values.str.contains(rf"^[0-9]+{re.escape(mark)}"))
        if not len(cells):
            continue
        variants = [pattern.replace("YYYY", "YY") if short else pattern for pattern in patterns]
        adapted = (_adapt_pattern(pattern, cells) for pattern in variants)
        fitting = tuple(pattern for pattern in adapted if _all_match(pattern, cells))
        if not fitting:
            return None
        groups.append((len(cells), fitting))
    groups.sort(key=lambda group: -group[0])
    return None if not groups or (short and len(groups) > 1) else _Guess(tuple(fitting for _, fitting in groups), short)


def _adapt_pattern(pattern: str, values: pl.Series) -> str:
    """Adapt a pattern to the values: blanks, final point, time, and padding with zeros."""
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


def _all_match(pattern: str, values: pl.Series) -> bool:
    form = parse_column_format(pattern)
    if form is None:
        return bool(values.str.contains(DATE).all())
    days = form.to_standard(values).str.slice(0, 10)
    return days.str.to_date("%Y-%m-%d", strict=False).null_count() == 0


def _examine_plain_numbers(values: pl.Series) -> _Guess | None:
    """Examine numbers in standard form: a point is the decimal mark unless all could be thousands separators."""
    pointed = values.filter(values.str.contains(".", literal=True))
    if not len(pointed):
        return None
    if pointed.str.contains(r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$").all():
        return _Guess(thousands_like=True, with_integers=len(pointed) < len(values))
    return _Guess(numbers=(NumberFormat(),), matters=True, certain=True)


_UNITS = ("%", "€", "$", "£", "¥", "zł", "EUR", "USD", "GBP", "CHF", "PLN", "Fr.", "R$", "kr")


def _examine_numbers(values: pl.Series, thousands: str | None) -> _Guess | None:
    """Examine numbers with commas, thousands separators or units."""
    digits = values.str.extract(r"([0-9][0-9.,'\u2019\u00a0\u202f\u2009 eE+-]*[0-9]|[0-9])")
    if digits.null_count():
        return None
    prefix, suffix = _affixes(values, digits)
    if prefix is None or suffix is None:
        return None
    fitting = []
    for mark, other in ((",", "."), (".", ",")):
        for part in (other, " ", "\u00a0", "\u202f", "\u2009", "'", "\u2019", ""):
            if (part and thousands == "") or (part and not digits.str.contains(part, literal=True).any()):
                continue
            form = NumberFormat(mark, part, prefix, suffix)
            if values.str.contains(form.pattern).all():
                fitting.append(form)
                break
    if not fitting:
        return None
    marks = {form.decimal for form in fitting}
    has_marks = bool(digits.str.contains("[.,]").any())
    return _Guess(numbers=tuple(fitting), matters=has_marks, certain=has_marks and len(marks) == 1)


def _affixes(values: pl.Series, digits: pl.Series) -> tuple[str | None, str | None]:
    """Return the prefix and suffix of these numbers, empty if none; None if they are not numbers."""
    frame = pl.DataFrame({"value": values, "digits": digits})
    parts = [value.split(number, 1) for value, number in frame.iter_rows()]
    # a currency is optional, as with 0; without a percent sign the number may be a different one
    before, after = (_one_unit({part[side].strip("+- \t" + BLANKS) for part in parts}) for side in (0, 1))
    if before is None or after is None:
        return None, None
    unit, blank = before, next((part[0] for part in parts if before in part[0]), "")
    prefix = unit + (" " if unit and blank[-1:].strip(BLANKS) == "" and blank[-1:] not in "+-" else "")
    tail = next((part[1] for part in parts if after in part[1]), "")
    suffix = (tail[: len(tail) - len(tail.lstrip(BLANKS))] if after else "") + after
    return prefix, suffix


def _one_unit(units: set[str]) -> str | None:
    """Return the unit of some cells; None if they have several or an unknown one."""
    non_empty = units - {""}
    if len(non_empty) > 1 or not non_empty <= set(_UNITS) or (len(units) > 1 and non_empty == {"%"}):
        return None
    return non_empty.pop() if non_empty else ""
