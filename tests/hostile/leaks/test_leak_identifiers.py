"""Columns with names, addresses, phone or account numbers are planted in files: none is released without a word."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from leak_search import Command, leaked
from ledger import Ledger, tries

ROWS = 300
GIVEN = [
    "Anna",
    "Peter",
    "Maria",
    "Hans",
    "Lena",
    "Jonas",
    "Paul",
    "Emma",
    "Giulia",
    "Marco",
    "Carlos",
    "Lucía",
    "Agnieszka",
    "Piotr",
    "João",
    "Inês",
    "Willem",
    "Sanne",
    "Camille",
    "Hugo",
    "Olivia",
    "Jack",
]
FAMILY = [
    "Schmidt",
    "Hoffmann",
    "Rossi",
    "García",
    "Kowalski",
    "Ferreira",
    "Jansen",
    "Dubois",
    "Smith",
    "Jones",
    "Nowak",
    "Bianchi",
]
DOMAINS = ["mail.example", "clinic.example", "home.example"]

Cell = Callable[[Random, int], str]
VALUES: dict[str, Cell] = {
    "full names": lambda draw, _: f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}",
    "surname, given name": lambda draw, _: f"{draw.choice(FAMILY)}, {draw.choice(GIVEN)}".upper(),
    "given names": lambda draw, _: draw.choice(GIVEN),
    "surnames with initials": lambda draw, _: f"{draw.choice('ABCDE')}. {draw.choice(FAMILY)}",
    "e-mail addresses": lambda draw, row: f"{draw.choice(GIVEN)}.{row % 80}@{draw.choice(DOMAINS)}".lower(),
    "one e-mail address among words": lambda _, row: f"anna{row}@mail.example" if row == 211 else "none",
    "German phone numbers": lambda draw, _: f"0{draw.choice([30, 89, 40])} {draw.randrange(10**5, 10**7)}",
    "repeating phone numbers": lambda _, row: f"0{170 + row % 9}/55{10_000 + row % 60}",
    "French phone numbers": lambda draw, _: "06 " + " ".join(f"{draw.randrange(100):02}" for _ in range(4)),
    "American phone numbers": lambda draw, _: f"({draw.randrange(200, 999)}) 555-{draw.randrange(10**4):04}",
    "international phone numbers": lambda draw, _: f"+48 {draw.randrange(100, 999)} {draw.randrange(10**5, 10**6)}",
    "phone numbers as integers": lambda draw, _: str(491_510_000_000 + draw.randrange(10**7)),
    "account numbers": lambda draw, _: str(draw.randrange(10**9, 10**10)),
    "street addresses": lambda draw, _: f"Hauptstraße {draw.randrange(1, 200)}",
    "IP addresses": lambda draw, _: f"10.1.{draw.randrange(256)}.{draw.randrange(256)}",
}
NAMES = ("Bemerkung", "x7", "Kontakt", "value")
"""Names of columns, of which none says what its values are."""
ONE_VALUE = ("Vorname", "E-Mail", "telefono", "nom de famille", "Straße", "pesel", "geboortenaam", "contribuinte_nif")
"""Names that say it, whatever the values are."""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, list[str]], Path]:
    def run(name: str, cells: list[str]) -> Path:
        path = tmp_path / "in.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=";")
            writer.writerow(["age", name, "ward"])
            writer.writerows([20 + row % 50, cell, "AB"[row % 2]] for row, cell in enumerate(cells))
        return path

    return run


OUTCOME = "Refused until the column is dropped, or kept by a word; no message shows a cell."


def check_refused(command: Command, path: Path, name: str, cells: list[str], *more: str) -> None:
    """Refused without a word, and without a cell; dropped, no cell of it is left."""
    out, secrets = path.with_name("out.csv"), {cell for cell in cells if len(cell) > 3} - {"none"}
    arguments = ["anonymize", path, "-k", 3, "-q", "age", "--method", "mondrian", "-o", out, *more]
    run = command(*arguments)
    assert run.code == 2, run.output
    assert name in run.err
    assert leaked(run.output, secrets) == []
    assert not out.exists()
    assert command(*arguments, "--identifiers", name).code == 0
    released = out.read_text(encoding="utf-8")
    assert released.splitlines()[0] == "age;ward"
    assert leaked(released, secrets) == []
    for written in path.parent.glob("out.csv*"):
        written.unlink()


@pytest.mark.parametrize("kind", VALUES)
def test_values_of_identifiers_are_not_released(
    kind: str, write: Callable[[str, list[str]], Path], command: Command, ledger: Ledger
) -> None:
    about = "identifiers are planted in a column whose name says nothing: names, addresses, phone and account numbers"
    account = ledger.account("leak", about, OUTCOME)
    for number in tries(few=2, full=40):
        draw = Random(f"{kind} {number}")  # noqa: S311 - cells, no secret
        cells, name = [VALUES[kind](draw, row) for row in range(ROWS)], NAMES[number % len(NAMES)]
        with account.trial():
            check_refused(command, write(name, cells), name, cells, *(["--memory", "1GB"] if number % 2 else []))
            account.refused += 1


@pytest.mark.parametrize("name", ONE_VALUE)
def test_names_of_identifiers_are_enough(
    name: str, write: Callable[[str, list[str]], Path], command: Command, ledger: Ledger
) -> None:
    about = "a column has the name of an identifier, in eight languages, and few values that repeat"
    account = ledger.account("leak", about, OUTCOME)
    for number in tries(few=1, full=10):
        cells = [f"zzqx{row % (3 + number)}yy" for row in range(ROWS)]
        with account.trial():
            check_refused(command, write(name, cells), name, cells)
            account.refused += 1
