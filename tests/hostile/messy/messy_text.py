"""Messy delimited files: those of spreadsheets, of other languages, of statistics programs, of careless hands."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from messy_file import (
    AGES,
    DAYS,
    INCOMES,
    NAMES,
    NUMBERS,
    SEXES,
    TOWNS,
    WARDS,
    WHOLE,
    Messy,
    days,
    grouped,
    words,
)

Columns = Mapping[str, Sequence[str]]
INCOME = {"income": words(INCOMES)}
BORN = {"born": words(DAYS)}
AGE = {"age": words(AGES)}
PLAIN = r"\d+(\.\d+)?"
"""A released number in the standard form."""
GERMAN = r"\d{1,3}(\.\d{3})*(,\d+)?"


def quoted(text: str, delimiter: str, quote: str) -> str:
    doubled = text.replace(quote, 2 * quote)
    return f"{quote}{doubled}{quote}" if any(mark in text for mark in (delimiter, quote, "\n")) else text


def lines(columns: Columns, *, delimiter: str = ",", quote: str = '"', names: Sequence[str] | None = None) -> list[str]:
    rows = [list(columns) if names is None else names, *zip(*columns.values(), strict=True)]
    return [delimiter.join(quoted(text, delimiter, quote) for text in row) for row in rows]


def text(rows: Sequence[str], newline: str = "\n") -> str:
    return "".join(row + newline for row in rows)


def text_file(
    name: str, what: str, columns: Columns, *, delimiter: str = ",", encoding: str = "utf-8", **more: Any
) -> Messy:
    """A file that has nothing above or below its records; what is not protected is dropped or kept."""
    content = more.pop("content", None)
    if content is None:
        content = text(lines(columns, delimiter=delimiter), more.pop("newline", "\n")).encode(encoding)
    looks, drop = more["looks"], more.get("drop", ())
    unchanged = {one: fields for one, fields in columns.items() if one not in looks and one not in drop}
    return Messy(
        name,
        what,
        content,
        unchanged=unchanged,
        dialect={"delimiter": delimiter} | more.pop("dialect", {}),
        encoding=encoding,
        **more,
    )


def with_ward(**columns: Sequence[str]) -> Columns:
    return {**columns, "ward": WARDS}


def numbers() -> Iterator[Messy]:
    """Numbers as other languages and programs write them."""
    income = [grouped(number, mark=",", parts=".") for number in INCOMES]
    yield text_file(
        "european.csv",
        "decimal commas, points that part thousands",
        with_ward(income=income, sex=SEXES),
        delimiter=";",
        means=INCOME,
        looks={"income": GERMAN, "sex": "[fm]"},
    )
    yield text_file(
        "commas.csv",
        "decimal commas",
        with_ward(income=[grouped(number, mark=",", parts="") for number in INCOMES]),
        delimiter=";",
        means=INCOME,
        looks={"income": r"\d+(,\d+)?"},
    )
    yield text_file(
        "american.csv",
        "commas that part thousands, and decimals",
        with_ward(income=[grouped(number, mark=".", parts=",") for number in INCOMES]),
        means=INCOME,
        looks={"income": r"\d{1,3}(,\d{3})*(\.\d+)?"},
    )
    yield text_file(
        "american-whole.csv",
        "commas that part thousands, beside a column with decimal points",
        {**with_ward(paid=[f"{number:,}" for number in WHOLE]), "dose": ["0.5", "1.25", "2.0"] * 8},
        means={"paid": words(WHOLE)},
        looks={"paid": r"\d{1,3}(,\d{3})*(\.\d+)?"},
    )
    yield text_file(
        "thousands-or-decimals.csv",
        "a comma that may be a decimal mark or part thousands",
        with_ward(paid=[f"{number:,}" for number in WHOLE]),
        means={"paid": words(WHOLE)},
        looks={"paid": r"\d{1,3}(,\d{3})*(\.\d+)?"},
        question=r"paid.*1,234\.5.*--column-format",
        answer={"column_formats": {"paid": "1,234.5"}},
        late=True,
    )
    yield text_file(
        "points-or-thousands.csv",
        "a point that may be a decimal mark or part thousands",
        with_ward(paid=[f"{number:,}".replace(",", ".") for number in WHOLE]),
        delimiter=";",
        means={"paid": words(WHOLE)},
        looks={"paid": GERMAN},
        question=r"paid.*1\.234,5.*--column-format",
        answer={"column_formats": {"paid": "1.234,5"}},
        late=True,
    )
    yield text_file(
        "points-beside-whole-numbers.csv",
        "a point that may part thousands beside whole numbers, in a file with commas",
        with_ward(paid=[f"{number:,}".replace(",", ".") for number in WHOLE]),
        means={"paid": words(WHOLE)},
        looks={"paid": GERMAN},
        question=r"paid.*1\.234,5.*--column-format",
        answer={"column_formats": {"paid": "1.234,5"}},
        late=True,
    )
    for name, mark, parts in (
        ("blanks", ",", " "),
        ("no-break-blanks", ",", "\u00a0"),
        ("narrow-blanks", ",", "\u202f"),
        ("swiss", ".", "'"),
        ("swiss-curly", ".", "’"),
    ):
        yield text_file(
            f"{name}.csv",
            f"thousands parted by {parts!r}" if parts.isascii() else f"thousands parted by {name.replace('-', ' ')}",
            with_ward(income=[grouped(number, mark=mark, parts=parts) for number in INCOMES]),
            delimiter=";",
            means=INCOME,
            looks={"income": rf"\d{{1,3}}({parts}\d{{3}})*([.,]\d+)?"},
        )
    yield text_file(
        "whole-with-blanks.csv",
        "whole numbers with blanks that part thousands",
        with_ward(paid=[f"{number:,}".replace(",", " ") for number in WHOLE]),
        means={"paid": words(WHOLE)},
        looks={"paid": r"\d{1,3}( \d{3})*([.,]\d+)?"},
    )
    share = [round(12.5 + 3.3 * i, 1) for i in NUMBERS]
    for name, written, look in (
        ("percent", [f"{number:.1f}%" for number in share], r"\d+(\.\d+)?%"),
        ("percent-comma", [f"{number:.1f} %".replace(".", ",") for number in share], r"\d+(,\d+)? %"),
    ):
        yield text_file(
            f"{name}.csv",
            "percent signs",
            with_ward(share=written),
            delimiter=";",
            means={"share": words(share)},
            looks={"share": look},
        )
    yield text_file(
        "euros.csv",
        "euro signs behind decimal commas, in the encoding of Windows",
        {"name": NAMES, **with_ward(income=[f"{one} €" for one in income])} | {"name": ["Möller"] * 24},
        delimiter=";",
        encoding="cp1252",
        means=INCOME,
        looks={"income": GERMAN + " €"},
        drop=("name",),
    )
    yield text_file(
        "dollars.csv",
        "dollar signs before numbers",
        with_ward(income=["$" + grouped(number, mark=".", parts=",") for number in INCOMES]),
        means=INCOME,
        looks={"income": r"\$\d{1,3}(,\d{3})*(\.\d+)?"},
    )
    yield text_file(
        "francs.csv",
        "the name of a currency before numbers, which may be below zero",
        with_ward(
            income=[
                ("-" if i % 5 == 4 else "") + "CHF " + grouped(x, mark=".", parts="'") for i, x in enumerate(INCOMES)
            ]
        ),
        means={"income": [("-" if i % 5 == 4 else "") + word for i, word in enumerate(words(INCOMES))]},
        looks={"income": r"-?CHF -?\d{1,3}('\d{3})*(\.\d+)?"},
    )
    yield text_file(
        "padded.csv",
        "blanks around numbers",
        with_ward(age=[f"  {age} " for age in AGES]),
        means=AGE,
        looks={"age": PLAIN},
    )


def letters() -> Iterator[Messy]:
    """Encodings, marks and ends of lines."""
    people = {"name": NAMES, "town": TOWNS, "age": words(AGES), "ward": WARDS}
    latin = people | {"name": [name.replace("Ł", "L").replace("ł", "l") for name in NAMES]}
    windows = latin | {"ward": [f"{ward} – “Süd”" for ward in WARDS]}
    plan: dict[str, Any] = {"means": AGE | {"town": TOWNS}, "looks": {"age": PLAIN, "town": "|".join(set(TOWNS))}}
    for name, what, columns, encoding in (
        ("cp1252", "the encoding of Windows", windows, "cp1252"),
        ("latin-1", "Latin-1", latin, "latin-1"),
        ("utf-8-sig", "UTF-8 with a byte order mark", people, "utf-8-sig"),
        ("utf-16", "UTF-16 with a byte order mark", people, "utf-16"),
        ("utf-16-le", "UTF-16 without a byte order mark", people, "utf-16-le"),
        ("utf-16-be", "UTF-16, the other byte first", people, "utf-16-be"),
    ):
        yield text_file(f"{name}.csv", what, columns, delimiter=";", encoding=encoding, drop=("name",), **plan)
    for encoding in ("cp850", "mac-roman"):
        some = {name: fields for name, fields in people.items() if name != "name"}
        yield text_file(
            f"{encoding}.csv",
            f"{encoding}, which only its owner can know",
            some,
            encoding=encoding,
            named={"encoding": encoding},
            **plan,
        )
    for name, newline in (("crlf", "\r\n"), ("cr", "\r")):
        yield text_file(
            f"{name}.csv", f"lines that end with {name.upper()}", people, newline=newline, drop=("name",), **plan
        )


def above_and_below() -> Iterator[Messy]:
    """What stands above the header, beside the columns and below the records."""
    columns = {"town": TOWNS, "age": words(AGES), "born": days("%d.%m.%Y"), "ward": WARDS}
    rows = lines(columns, delimiter=";")
    plan: dict[str, Any] = {
        "delimiter": ";",
        "means": AGE | BORN,
        "looks": {"age": PLAIN, "born": r"\d\d\.\d\d\.\d{4}"},
    }
    for name, what, top in (
        ("titled", "a title and a note above the header", ["Patients of 2023", "Source: register; as of May", ""]),
        ("titled-wide", "a title line that is filled up with separators", ["Patients of 2023;;;", ";;;"]),
        ("blank-above", "blank lines above the header", ["", ""]),
        ("sep", "a line that names the separator", ["sep=;"]),
    ):
        yield text_file(f"{name}.csv", what, columns, content=text([*top, *rows]).encode(), above=len(top), **plan)
    yield text_file(
        "total.csv",
        "a line of totals below the records",
        columns,
        content=text([*rows, f"Summe;{sum(AGES)};;"]).encode(),
        question=r"--skip-footer 1",
        answer={"skip_footer": 1},
        **plan,
    )
    yield text_file(
        "note-below.csv",
        "a note below the records",
        columns,
        content=text([*rows, "", "Source: register of the ward"]).encode(),
        question=r"--skip-footer 2",
        answer={"skip_footer": 2},
        **plan,
    )
    yield text_file(
        "blank-below.csv", "blank lines below the records", columns, content=text([*rows, "", ""]).encode(), **plan
    )
    yield text_file(
        "trailing.csv",
        "a separator at the end of every line",
        columns,
        content=text([row + ";" for row in rows]).encode(),
        **plan,
    )
    yield text_file(
        "trailing-records.csv",
        "a separator at the end of every record, and none at that of the header",
        columns,
        content=text([rows[0], *(row + ";" for row in rows[1:])]).encode(),
        **plan,
    )
    plain = lines(columns)
    plan["delimiter"] = ","
    yield text_file(
        "r.csv",
        "names of the rows without a name of their own, as R writes them",
        columns,
        content=text([plain[0], *(f'"{at}",{row}' for at, row in enumerate(plain[1:], start=1))]).encode(),
        **plan,
    )
    yield text_file(
        "pandas.csv",
        "a first column without a name, as pandas writes its index",
        columns,
        content=text([f",{plain[0]}", *(f"{at},{row}" for at, row in enumerate(plain[1:]))]).encode(),
        **plan,
    )
    yield text_file(
        "tabs.tsv", "tabs", columns, content=text(lines(columns, delimiter="\t")).encode(), **plan | {"delimiter": "\t"}
    )
    yield text_file(
        "tabs.txt",
        "tabs in a file that does not say so",
        columns,
        content=text(lines(columns, delimiter="\t")).encode(),
        **plan | {"delimiter": "\t"},
    )
    yield text_file(
        "pipes.csv",
        "vertical bars",
        columns,
        content=text(lines(columns, delimiter="|")).encode(),
        **plan | {"delimiter": "|"},
    )
    yield text_file(
        "packed.csv.gz", "packed by gzip", columns, content=gzip.compress(text(plain).encode(), mtime=0), **plan
    )
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("people.csv", text(plain))
        file.writestr("__MACOSX/._people.csv", "x")
    yield text_file("packed.zip", "in an archive", columns, content=archive.getvalue(), **plan)


def quotes() -> Iterator[Messy]:
    """Quotation marks."""
    cells = [f'ward "{ward}", bed\n{i % 2}' for i, ward in enumerate(WARDS)]
    plan: dict[str, Any] = {"means": AGE, "looks": {"age": PLAIN}}
    yield text_file(
        "quoted.csv", "separators, line breaks and marks in quoted fields", {"age": words(AGES), "note": cells}, **plan
    )
    note = [f"ward {ward}, bed {i % 2}" for i, ward in enumerate(WARDS)]
    columns = {"age": words(AGES), "note": note, "town": ["D'Or"] * 24}
    rows = [["age", "note", "town"], *zip(*columns.values(), strict=True)]
    single = text([",".join("'" + field.replace("'", "''") + "'" for field in row) for row in rows])
    yield text_file(
        "single.csv", "single quotation marks", columns, content=single.encode(), dialect={"quotechar": "'"}, **plan
    )


GROUPS = {
    "numbers as other languages and programs write them": [*numbers()],
    "encodings, byte order marks and ends of lines": [*letters()],
    "titles, notes, totals, row numbers and separators": [*above_and_below()],
    "quotation marks": [*quotes()],
}
