"""Value patterns: recognized values, other values, and that the size of chunks does not matter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from chunked_tables import limits

from shoal import data
from shoal.data.chunked import TableStatistics, open_chunked, profile_file
from shoal.data.column_profiles import SAMPLE_SIZE, ValueSample
from shoal.data.identifiers import national_ids as ids
from shoal.data.identifiers.value_patterns import contains_email
from shoal.domain.profile import VALUE_PATTERNS

N = 240
GIVEN = ["Anna", "Peter", "Maria", "Hans", "Thomas", "Sabine", "Klaus", "Monika", "Uwe", "Heike"]
FAMILY = ["Müller", "Schmidt", "Weber", "Kranz", "Huber", "Olbrich", "Tietz"]


@pytest.mark.parametrize(
    ("check", "right"),
    [
        (ids.luhn, ["4111111111111111", "378282246310005", "5555555555554444", "6011111111111117"]),
        (ids.iban, ["DE89370400440532013000", "GB29NWBK60161331926819", "FR1420041010050500013M02606"]),
        (ids.nhs_number, ["9434765919", "4010232137"]),
        (ids.german_tax_id, ["86095742719", "47036892816", "65929970489"]),
        (ids.german_pension_number, ["15070649C103", "65180539W001"]),
        (ids.german_health_number, ["A123456780"]),
        (ids.french_nir, ["151024610204325", "295109912611193"]),
        (ids.spanish_dni, ["12345678Z", "X1234567L", "Y1234567X"]),
        (ids.italian_tax_code, ["MRTMTT25D09F205Z", "RSSMRA85T10A562S"]),
        (ids.dutch_bsn, ["111222333", "123456782"]),
        (ids.portuguese_nif, ["123456789", "999999990", "501964843"]),
        (ids.polish_pesel, ["44051401359", "02070803628"]),
    ],
)
def test_check_digits(check, right: list[str]) -> None:
    for number in right:
        assert check(number)
        # a wrong digit is always seen
        at = next(at for at in range(len(number) - 1, -1, -1) if number[at].isdigit())
        others = [number[:at] + digit + number[at + 1 :] for digit in "0123456789" if digit != number[at]]
        assert not any(map(check, others))


def made(check, length: int) -> list[str]:
    """Different numbers with right check digits."""
    chance = np.random.default_rng(length)
    found: dict[str, None] = {}
    while len(found) < N:
        number = "".join(map(str, chance.integers(0, 10, length)))
        if check(number):
            found[number] = None
    return list(found)


def ibans() -> list[str]:
    chance = np.random.default_rng(5)
    accounts = ["".join(map(str, chance.integers(0, 10, 18))) for _ in range(N)]
    return [f"DE{98 - int(account + '131400') % 97:02}{account}" for account in accounts]


def dnis() -> list[str]:
    return [f"{i * 87_911 + 10**7:08}{'TRWAGMYFPDXBNJZSQVHLCKE'[(i * 87_911 + 10**7) % 23]}" for i in range(N)]


PLANTED: dict[str, dict[str, list[object]]] = {
    "email": {
        "few addresses": [f"a{i % 20}@b.de" for i in range(N)],
        "one in a remark": [*(["nothing"] * (N - 1)), "write to x.y@z.org, please"],
        "one among numbers": [*map(str, range(N - 1)), "x.y@z.org"],
    },
    "phone": {
        "slash": [f"030/{100_000 + 37 * i}" for i in range(N)],
        "repeated": [f"0171-{1_000_000 + i % 9}" for i in range(N)],
        "american": [f"({200 + i}) 555-{1000 + 7 * i}" for i in range(N)],
        "american dashes": [f"{200 + i}-555-{1000 + 7 * i}" for i in range(N)],
        "international": [f"+49 {100 + i % 80} {10_000 + 31 * i}" for i in range(N)],
        "french": [f"06 {i % 90 + 10} {i % 70 + 10} 56 78" for i in range(N)],
        "spanish": [f"6{i % 90 + 10} {i % 70 + 10} 34 56" for i in range(N)],
        "polish": [f"5{i % 90 + 10} {i + 100} {999 - i}" for i in range(N)],
        "digits": [f"0171{1_000_000 + 991 * i}" for i in range(N)],
        "half of the cells": [f"030/{100_000 + 37 * i}" if i % 2 else f"none {i}" for i in range(N)],
    },
    "iban": {"plain": ibans(), "in fours": [" ".join(t[i : i + 4] for i in range(0, 22, 4)) for t in ibans()]},
    "credit-card": {"plain": made(ids.luhn, 16), "numbers": [int(t) for t in made(ids.luhn, 16) if t[0] != "0"]},
    "national-id": {
        "ssn": [f"{100 + i}-{10 + i % 80}-{1000 + 3 * i}" for i in range(N)],
        "nhs": made(ids.nhs_number, 10),
        "tax": made(ids.german_tax_id, 11),
        "bsn": made(ids.dutch_bsn, 9),
        "bsn numbers": [int(number) for number in made(ids.dutch_bsn, 9)],
        "nif": made(ids.portuguese_nif, 9),
        "pesel": made(ids.polish_pesel, 11),
        "dni": dnis(),
        "nino": [f"AB{100_000 + i % 30}C" for i in range(N)],
    },
    "url": {"plain": [f"https://example.org/{i % 30}" for i in range(N)]},
    "ip-address": {
        "four": [f"10.0.{i % 250}.{i % 7}" for i in range(N)],
        "six": [f"2001:db8::{i % 99:x}" for i in range(N)],
    },
    "mac-address": {"plain": [f"{i % 256:02x}:aa:bb:cc:dd:{i % 99:02x}" for i in range(N)]},
    "uuid": {"plain": [f"{i % 70:08x}-1111-2222-3333-444444444444" for i in range(N)]},
    "address": {
        "german": [f"Hauptstraße {i % 40 + 1}" for i in range(N)],
        "american": [f"{i % 90 + 1} Main Street" for i in range(N)],
        "french": [f"{i % 90 + 1} rue de la Paix" for i in range(N)],
        "spanish": [f"Calle Mayor, {i % 90 + 1}" for i in range(N)],
        "italian": [f"Via Roma {i % 90 + 1}" for i in range(N)],
        "polish": [f"ul. Długa {i % 90 + 1}" for i in range(N)],
    },
    "person-name": {
        "given": [GIVEN[i % 10] for i in range(N)],
        "full": [f"{GIVEN[i % 10]} {FAMILY[i % 7]}" for i in range(N)],
        "turned": [f"{FAMILY[i % 7]}, {GIVEN[i % 10]}" for i in range(N)],
        "capitals": [f"{FAMILY[i % 7]}, {GIVEN[i % 10]}".upper() for i in range(N)],
        "with titles": [f"Dr. {GIVEN[i % 10]} {FAMILY[i % 7]}" for i in range(N)],
        "family": [FAMILY[i % 7] for i in range(N)],
        "initials": [f"{'ABCDE'[i % 5]}. {FAMILY[i % 7]}" for i in range(N)],
    },
    "long-number": {"plain": [123_456_789 + 3_456_789 * i for i in range(N)]},
    "free-text": {"plain": [f"the patient was seen again on day {i}" for i in range(N)]},
    "icd-10": {"plain": [f"{'EFGIJ'[i % 5]}{10 + i % 8}.{i % 4}" for i in range(N)]},
}
PLAIN: dict[str, list[object]] = {
    "cities": [["Paris", "Berlin", "Hamburg", "Victoria", "Köln", "Charlotte"][i % 6] for i in range(N)],
    "states": [["Georgia", "Virginia", "Texas", "Ohio", "Utah", "Maine", "Iowa"][i % 7] for i in range(N)],
    "hospitals": [["St. Mary Hospital", "Klinikum St. Georg", "Sankt Anna", "Charité"][i % 4] for i in range(N)],
    "schools": [["Albert-Einstein-Gymnasium", "Anne-Frank-Schule", "Lycée Victor Hugo"][i % 3] for i in range(N)],
    "dates": [f"{i % 28 + 1:02}.{i % 12 + 1:02}.{1930 + i % 60}" for i in range(N)],
    "numbers of dates": [19_800_101 + i % 28 for i in range(N)],
    "money": [10_000 + 3_541 * i for i in range(N)],
    "zip codes": [f"{10_000 + i % 50}-{1000 + i % 9}" for i in range(N)],
    "Portuguese postcodes": [f"{1000 + i % 50}-{100 + i % 9}" for i in range(N)],
    "Brazilian postcodes": [f"{10_000 + i % 50}-{100 + i % 9}" for i in range(N)],
    "decimals": [f"0,{100_000 + i % 99}" for i in range(N)],
    "codes of municipalities": [f"0531{5000 + i % 100}" for i in range(N)],
    "rooms": [["A1", "B12", "C3", "A101"][i % 4] for i in range(N)],
    "bands": [["10000-20000", "20000-30000", "30000-40000"][i % 3] for i in range(N)],
    "thousands": [f"{i % 300 + 1} {100 + i % 800} {100 + i % 700}" for i in range(N)],
    "times": [f"{i % 24:02}:{i % 60:02}" for i in range(N)],
    "colors": [["schwarz", "weiß", "brun", "blanc", "petit", "klein"][i % 6] for i in range(N)],
    "trades": [["Bauer", "Koch", "Fischer", "Baker", "Cook", "Taylor", "Sastre"][i % 7] for i in range(N)],
    "versions": [f"1.{i % 9}.{i % 7}" for i in range(N)],
    "answers": [["I agree with all of this", "I do not agree with any of this"][i % 2] for i in range(N)],
    "numbers in hundreds": [100 + i for i in range(N)],
    "chance": [10**8 + 9_973 * (i % 40) for i in range(N)],
}


def found(frame: pl.DataFrame) -> dict[str, str]:
    return {profile.name: profile.pattern for profile in data.profile_columns(data.read_table(frame))}


def column(cells: list[object]) -> pl.Series:
    return pl.Series(cells, dtype=pl.Int64 if isinstance(cells[0], int) else pl.String)


@pytest.mark.parametrize("name", list(PLANTED))
def test_planted_values_are_recognized(name: str) -> None:
    for about, cells in PLANTED[name].items():
        for some in (cells, [*cells, *([None] * 40)]):
            assert (about, found(pl.DataFrame({"x": column(some)}))) == (about, {"x": name})


@pytest.mark.parametrize("about", list(PLAIN))
def test_plain_values_are_left_alone(about: str) -> None:
    assert found(pl.DataFrame({"x": column(PLAIN[about])})) == {"x": ""}


def test_every_pattern_has_its_words() -> None:
    assert set(PLANTED) == set(VALUE_PATTERNS)


def everything() -> pl.DataFrame:
    planted = {f"{name}, {about}": cells for name, some in PLANTED.items() for about, cells in some.items()}
    return pl.DataFrame({about: column((cells * 2)[:N]) for about, cells in (planted | PLAIN).items()})


@pytest.mark.parametrize("rows", [61, 1000])
@pytest.mark.parametrize("most", [0, 50, 1000])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_pieces_agree_with_memory(tmp_path: Path, rows: int, most: int, ending: str) -> None:
    frame = everything()
    path = tmp_path / f"a.{ending}"
    getattr(frame, f"write_{ending}")(path)
    whole = data.profile_columns(data.read_table(path))
    with limits(most, 1000):
        seen = profile_file(open_chunked(path, rows=rows))
        again = TableStatistics.from_bytes(seen.to_bytes())
    for profiles in (seen.column_profiles(), again.column_profiles()):
        assert [(one.name, one.pattern) for one in profiles] == [(one.name, one.pattern) for one in whole]
    if ending == "parquet":
        assert {one.name: one.pattern for one in whole} == {
            name: name.partition(",")[0] for name in frame.columns
        } | dict.fromkeys(PLAIN, "")


def test_the_sample_is_that_of_all_values_however_they_come() -> None:
    many = pl.Series([f"value {i % 7_000}" for i in range(30_000)] + [None] * 100)
    whole = ValueSample.of(many)
    assert len(whole.texts) == SAMPLE_SIZE
    assert whole.texts.n_unique() == SAMPLE_SIZE
    for size in (999, 10_000):
        parts = [ValueSample.of(many[at : at + size]) for at in range(0, len(many), size)]
        total = ValueSample.of(pl.Series([], dtype=pl.String))
        for part in parts:
            total += part
        assert total.texts.equals(whole.texts)


def test_the_sample_of_a_column_with_few_values_has_them_all() -> None:
    few = pl.Series([f"value {i % 3}" for i in range(30_000)])
    assert set(ValueSample.of(few).texts) == {"value 0", "value 1", "value 2"}


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("a@b.de", True),
        ("<first.last+tag@mail.example.org>", True),
        ("a@b", False),
        ("5 @ 3.20", False),
        ("@home", False),
        ("", False),
        (None, False),
    ],
)
def test_addresses_in_text(text: str | None, held: bool) -> None:
    assert contains_email(pl.Series([text], dtype=pl.String)).to_list() == [held]
