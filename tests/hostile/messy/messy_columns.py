"""Messy columns of delimited files: dates, missing values, codes, and names that are none."""

from __future__ import annotations

from collections.abc import Iterator

from messy_file import (
    AGES,
    AMBIGUOUS,
    CODES,
    DAYS,
    INCOMES,
    NAMES,
    NUMBERS,
    TOWNS,
    WARDS,
    WHOLE,
    Messy,
    days,
    grouped,
    words,
)
from messy_text import AGE, BORN, GERMAN, PLAIN, lines, text, text_file, with_ward


def dates() -> Iterator[Messy]:
    """Dates."""
    for name, what, pattern, look in (
        ("points", "days with points", "%d.%m.%Y", r"\d\d\.\d\d\.\d{4}"),
        ("british", "day, month, year", "%d/%m/%Y", r"\d\d/\d\d/\d{4}"),
        ("american-dates", "month, day, year", "%m/%d/%Y", r"\d\d/\d\d/\d{4}"),
        ("short", "days and months without zeros", "%-d/%-m/%Y", r"\d{1,2}/\d{1,2}/\d{4}"),
        ("dashes", "day, month, year with dashes", "%d-%m-%Y", r"\d\d-\d\d-\d{4}"),
        ("backward", "year, month, day with slashes", "%Y/%m/%d", r"\d{4}/\d\d/\d\d"),
        ("iso", "dates as ISO 8601 writes them", "%Y-%m-%d", r"\d{4}-\d\d-\d\d"),
    ):
        yield text_file(f"{name}.csv", what, with_ward(born=days(pattern)), means=BORN, looks={"born": look})
    for name, pattern, answer in (("british", "%-d/%-m/%Y", "D/M/YYYY"), ("american", "%m/%d/%Y", "MM/DD/YYYY")):
        yield text_file(
            f"either-{name}.csv",
            "dates of which day and month cannot be told apart",
            with_ward(born=days(pattern, AMBIGUOUS)),
            means={"born": words(AMBIGUOUS)},
            looks={"born": r"\d{1,2}/\d{1,2}/\d{4}"},
            question=rf"born.*\b{answer}\b.*--column-format",
            answer={"column_formats": {"born": answer}},
            late=True,
        )
    yield text_file(
        "short-years.csv",
        "years of two digits",
        with_ward(born=days("%d.%m.%y")),
        means=BORN,
        looks={"born": r"\d\d\.\d\d\.\d\d"},
        question=r"born.*\bDD\.MM\.19YY\b.*--column-format",
        answer={"column_formats": {"born": "DD.MM.19YY"}},
        late=True,
    )
    yield text_file(
        "timed.csv",
        "days with points, and times",
        with_ward(born=[f"{day} {i % 24:02}:30" for i, day in enumerate(days("%d.%m.%Y"))]),
        means={"born": [f"{day} {i % 24:02}:30" for i, day in enumerate(DAYS)]},
        looks={"born": r"\d\d\.\d\d\.\d{4} \d\d:\d\d"},
    )
    mixed = [
        (one if i % 3 else other) for i, (one, other) in enumerate(zip(days("%d.%m.%Y"), words(DAYS), strict=True))
    ]
    yield text_file(
        "mixed-dates.csv",
        "dates in two patterns",
        with_ward(born=mixed),
        means=BORN,
        looks={"born": r"\d\d\.\d\d\.\d{4}"},
    )


def gaps_and_codes() -> Iterator[Messy]:
    """Missing values, codes and names."""
    missing_words = ["k.A.", "n/a", "-", ".", "NULL", "", "NA"]
    ages = [
        missing_words[i // 3] if i % 3 == 1 and i // 3 < len(missing_words) else age
        for i, age in enumerate(words(AGES))
    ]
    known = [None if age in missing_words else age for age in ages]
    yield text_file(
        "missing.csv",
        "seven words that mean missing",
        with_ward(age=ages, town=TOWNS),
        means={"age": known},
        looks={"age": r"(\d+(\.\d+)?)?"},
    )
    coded = ["999" if i % 6 == 1 else age for i, age in enumerate(words(AGES))]
    yield text_file(
        "coded-gaps.csv",
        "999 for a missing age, which only its owner can know",
        with_ward(age=coded, visits=["999", "3"] * 12),
        means={"age": [None if age == "999" else age for age in coded], "visits": ["999", "3"] * 12},
        looks={"age": r"(\d+(\.\d+)?)?"},
        named={"missing_in": {"age": ["999"]}},
    )
    yield text_file(
        "blank-fields.csv",
        "fields of blanks where a number is missing",
        with_ward(age=["  " if i % 6 == 1 else age for i, age in enumerate(words(AGES))]),
        means={"age": [None if i % 6 == 1 else age for i, age in enumerate(words(AGES))]},
        looks={"age": r"(\d+(\.\d+)?)?"},
    )
    yield text_file(
        "codes.csv",
        "codes with leading zeros",
        with_ward(code=CODES, age=words(AGES)),
        means=AGE | {"code": CODES},
        looks={"age": PLAIN, "code": r"\d{5}"},
    )
    places = [("50667", "10115", "80331")[i % 3] for i in NUMBERS]
    yield text_file(
        "postcodes.csv",
        "postcodes that are numbers",
        with_ward(postcode=places, age=words(AGES)),
        means=AGE | {"postcode": places},
        looks={"age": PLAIN, "postcode": r"\d{5}(\.\d+)?"},
    )
    columns = {"town": TOWNS, "age": words(AGES), "ward": WARDS}
    body = lines(columns)[1:]
    numbered = {f"column_{at}": fields for at, fields in enumerate(columns.values(), start=1)}
    yield text_file(
        "no-header.csv",
        "no header",
        numbered,
        content=text(body).encode(),
        means={"column_2": words(AGES)},
        looks={"column_2": PLAIN},
        question="--no-header",
        answer={"header": False},
    )
    data = {"age": words(AGES), "born": words(DAYS), "paid": words(INCOMES)}
    yield text_file(
        "no-header-values.csv",
        "no header, and nothing but numbers and dates",
        {f"column_{at}": fields for at, fields in enumerate(data.values(), start=1)},
        content=text(lines(data)[1:]).encode(),
        means={"column_1": words(AGES), "column_2": words(DAYS)},
        looks={"column_1": PLAIN, "column_2": r"\d{4}-\d\d-\d\d"},
        question="--no-header",
        answer={"header": False},
    )
    years = {"ward": WARDS, "2022": words(AGES), "2023": words(WHOLE)}
    yield text_file(
        "years.csv",
        "names of columns that are years",
        years,
        means={"2022": words(AGES), "2023": words(WHOLE)},
        looks={"2022": PLAIN, "2023": PLAIN},
    )
    yield text_file(
        "twice.csv",
        "one name for two columns",
        columns,
        content=text(["town,town,ward", *body]).encode(),
        mended=text(["town,age,ward", *body]).encode(),
        means=AGE,
        looks={"age": PLAIN},
        question="more than once.*give every column a name of its own",
    )
    yield text_file(
        "nameless.csv",
        "a column without a name",
        {"town": TOWNS, "column_2": words(AGES), "ward": WARDS},
        content=text(["town,,ward", *body]).encode(),
        means={"column_2": words(AGES)},
        looks={"column_2": PLAIN},
    )


def hospital() -> Iterator[Messy]:
    """The file of a German hospital."""
    born, came = days("%d.%m.%Y"), days("%d.%m.2023")
    costs = [grouped(number, mark=",", parts=".") + " €" for number in INCOMES]
    columns = {
        "Patienten-Nr.": [f"P{i:05}" for i in NUMBERS],
        "Name": [name.split()[1] for name in NAMES],
        "Vorname": [name.split()[0] for name in NAMES],
        "Geburtsdatum": born,
        "PLZ": [("50667", "01067", "80331")[i % 3] for i in NUMBERS],
        "Ort": TOWNS,
        "Diagnose (ICD-10)": [("E11.9", "I10.00", "J45.0", "C50.1")[i % 4] for i in NUMBERS],
        "Aufnahme": came,
        "Entlassung": [f"{day} 14:0{i % 6}" for i, day in enumerate(came)],
        "Kosten": costs,
    }
    columns = {name: [one.replace("Ł", "L").replace("ł", "l") for one in cells] for name, cells in columns.items()}
    top = ["Klinikum Süd – Entlassungen 2023", ""]
    yield text_file(
        "klinik.csv",
        "the discharges of a German hospital",
        columns,
        delimiter=";",
        encoding="cp1252",
        content=text([*top, *lines(columns, delimiter=";")], "\r\n").encode("cp1252"),
        above=2,
        means={"Geburtsdatum": words(DAYS), "Kosten": words(INCOMES), "PLZ": columns["PLZ"]},
        looks={
            "Geburtsdatum": r"\d\d\.\d\d\.\d{4}",
            "PLZ": r"\d{5}",
            "Ort": "|".join(set(TOWNS)),
            "Aufnahme": r"\d\d\.\d\d\.\d{4}",
            "Entlassung": r"\d\d\.\d\d\.\d{4}( \d\d:\d\d)?",
            "Kosten": GERMAN + " €",
        },
        drop=("Patienten-Nr.", "Name", "Vorname"),
    )


GROUPS = {
    "dates": [*dates()],
    "missing values, codes and headers": [*gaps_and_codes()],
    "the discharges of a German hospital": [*hospital()],
}
