"""Messy workbooks, files of statistics programs, and columns of text in files that have types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import xlsxwriter
from messy_file import AGES, CODES, DAYS, INCOMES, NUMBERS, SEXES, TOWNS, WARDS, Messy, days, grouped, words

NUMBER = r"\d+(\.\d+)?"
ISO = r"\d{4}-\d\d-\d\d"
PLAN: dict[str, Any] = {
    "means": {"age": words(AGES), "born": words(DAYS)},
    "looks": {"age": NUMBER, "born": ISO, "town": "|".join(sorted(set(TOWNS)))},
    "unchanged": {"ward": WARDS},
}
COLUMNS = {"age": AGES, "born": [datetime(day.year, day.month, day.day) for day in DAYS], "town": TOWNS, "ward": WARDS}


def book(
    columns: dict[str, Sequence[Any]],
    *,
    above: Sequence[Sequence[Any]] = (),
    below: Sequence[Sequence[Any]] = (),
    merged: str = "",
    more: bool = False,
    blank: bool = False,
    left: int = 0,
) -> Callable[[Path], None]:
    """What writes a workbook; ``more`` sheets, cells that are ``blank`` but have a look, empty columns to the left."""

    def write(path: Path) -> None:
        with xlsxwriter.Workbook(str(path), {"default_date_format": "dd.mm.yyyy"}) as file:
            page = file.add_worksheet("People")
            if merged:
                page.merge_range(0, 0, 0, len(columns) - 1, merged)
            rows = [*above, list(columns), *zip(*columns.values(), strict=True), *below]
            for at, row in enumerate(rows, start=int(bool(merged))):
                page.write_row(at, left, row)
            if blank:
                look = file.add_format({"bold": True})
                for row in range(len(rows) + 5):
                    page.write_blank(row, len(columns) + 2, None, look)
                    page.write_blank(len(rows) + 5, row, None, look)
            if more:
                file.add_worksheet("Notes").write(0, 0, "made by hand")

    return write


def workbooks() -> Iterator[Messy]:
    yield Messy("plain.xlsx", "dates that are dates", book(COLUMNS), **PLAN)
    yield Messy(
        "sheets.xlsx",
        "several sheets",
        book(COLUMNS, more=True),
        question="'People'.*--sheet",
        answer={"sheet": "People"},
        **PLAN,
    )
    top = [["Patients of 2023"], ["Source: register; as of May"], []]
    yield Messy("titled.xlsx", "a title and a note above the header", book(COLUMNS, above=top), **PLAN)
    yield Messy("merged.xlsx", "a merged title over all columns", book(COLUMNS, merged="Patients of 2023"), **PLAN)
    yield Messy("blank.xlsx", "rows and columns that are empty but have a look", book(COLUMNS, blank=True), **PLAN)
    yield Messy(
        "moved.xlsx", "a table that begins further down and to the right", book(COLUMNS, above=[[], []], left=2), **PLAN
    )
    indexed = {"": list(NUMBERS), **COLUMNS}
    yield Messy("indexed.xlsx", "a first column without a name that numbers the rows", book(indexed), **PLAN)
    total = [["Summe", sum(AGES)]]
    yield Messy(
        "total.xlsx",
        "a row of totals below the records",
        book({"ward": WARDS, "age": AGES}, below=total),
        means={"age": words(AGES)},
        looks={"age": NUMBER},
        unchanged={"ward": WARDS},
        question="--skip-footer 1",
        answer={"skip_footer": 1},
    )
    texts = {"age": words(AGES), "born": days("%d.%m.%Y"), "code": CODES, "ward": WARDS}
    texts["income"] = [grouped(number, mark=",", parts=".") + " €" for number in INCOMES]
    yield Messy(
        "texts.xlsx",
        "numbers and dates as text, in German",
        book(texts),
        means={"age": words(AGES), "born": words(DAYS), "code": CODES, "income": words(INCOMES)},
        looks={
            "age": r"\d+(,\d+)?",
            "born": r"\d\d\.\d\d\.\d{4}",
            "code": r"\d{5}",
            "income": r"\d{1,3}(\.\d{3})*(,\d+)? €",
        },
        unchanged={"ward": WARDS},
    )
    either = {"born": ["03/04/1980", "05/06/1981", "07/08/1982"] * 8, "ward": WARDS}
    yield Messy(
        "either.xlsx",
        "dates as text of which day and month cannot be told apart",
        book(either),
        means={"born": ["1980-04-03", "1981-06-05", "1982-08-07"] * 8},
        looks={"born": r"\d\d/\d\d/\d{4}"},
        unchanged={"ward": WARDS},
        question=r"born.*\bDD/MM/YYYY\b.*--column-format",
        answer={"column_formats": {"born": "DD/MM/YYYY"}},
        late=True,
    )
    yield Messy(
        "missing.xlsx",
        "words that mean missing among numbers",
        book({"age": ["k.A." if i % 6 == 1 else age for i, age in enumerate(AGES)], "ward": WARDS}),
        means={"age": [None if i % 6 == 1 else age for i, age in enumerate(words(AGES))]},
        looks={"age": NUMBER + "|None"},
        unchanged={"ward": WARDS},
    )
    yield Messy(
        "coded-gaps.xlsx",
        "999 for a missing age, which only its owner can know",
        book({"age": [999 if i % 6 == 1 else age for i, age in enumerate(AGES)], "ward": WARDS}),
        means={"age": [None if i % 6 == 1 else age for i, age in enumerate(words(AGES))]},
        looks={"age": NUMBER + "|None"},
        unchanged={"ward": WARDS},
        named={"missing_in": {"age": ["999"]}},
    )
    headless = {"42": AGES, "Köln": TOWNS, "A": WARDS}
    yield Messy(
        "no-header.xlsx",
        "no header",
        book(headless),
        means={"column_1": ["42", *words(AGES)]},
        looks={"column_1": NUMBER},
        unchanged={"column_3": ["A", *WARDS]},
        question="--no-header",
        answer={"header": False},
    )


def coded() -> Iterator[Messy]:
    """Codes with labels, and values that the author of the file declared missing."""
    sexes = {"f": 1.0, "m": 2.0}
    ages = [99.0 if i % 6 == 1 else float(age) for i, age in enumerate(AGES)]
    frame = pl.DataFrame({"age": ages, "sex": [sexes[sex] for sex in SEXES], "ward": WARDS}).to_pandas()
    labels: dict[str, Any] = {"sex": {1: "female", 2: "male"}}
    plan: dict[str, Any] = {
        "looks": {"age": NUMBER + "|None", "sex": "female|male"},
        "unchanged": {"ward": WARDS},
    }
    sex = ["female" if sex == "f" else "male" for sex in SEXES]
    known = [None if age == 99 else str(int(age)) for age in ages]

    def sav(path: Path) -> None:
        pyreadstat.write_sav(
            frame, str(path), variable_value_labels=labels | {"age": {99: "refused"}}, missing_ranges={"age": [99]}
        )

    def dta(path: Path) -> None:
        pyreadstat.write_dta(frame.assign(age=AGES), str(path), variable_value_labels=labels)

    yield Messy(
        "coded.sav",
        "codes with labels, a value that is declared missing",
        sav,
        means={"sex": sex, "age": known},
        **plan,
    )
    yield Messy("coded.dta", "codes with labels", dta, means={"sex": sex, "age": words(AGES)}, **plan)

    def text(path: Path) -> None:
        pl.DataFrame({"age": AGES, "born": words(DAYS), "code": CODES, "ward": WARDS}).write_parquet(path)

    yield Messy(
        "strings.parquet",
        "columns of text in a file that has types",
        text,
        means={"age": words(AGES), "code": CODES},
        looks={"age": NUMBER, "code": r"\d{5}"},
        unchanged={"ward": WARDS},
        drop=("born",),  # text that is unique looks like an identifier
    )


GROUPS = {
    "workbooks": [*workbooks()],
    "SPSS, Stata and Parquet": [*coded()],
}
