"""Roles that `describe` proposes: identifiers by name and value, fewer quasi-identifiers, reasons without a cell."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import data as tables
from shoal.domain import Role, likely_identifiers

N = 3_000
FIRST = ["Anna", "Peter", "Maria", "Hans", "Thomas", "Sabine", "Klaus", "Monika", "Uwe", "Heike"]


def roles(data: object) -> dict[str, Role]:
    return {column.name: column.role for column in shoal.describe(data).schema.columns}


def reasons(data: object) -> dict[str, str]:
    return {column.name: column.reason for column in shoal.describe(data).schema.columns}


def german() -> pl.DataFrame:
    """A hospital file in which names and numbers repeat, since patients come more than once."""
    rng = np.random.default_rng(1)
    who = rng.integers(0, 300, N)
    return pl.DataFrame(
        {
            "Vorname": [FIRST[i % 10] for i in who],
            "Nachname": [f"Muster{'abcdefghijklmnopqrstuvwxyz'[i % 26]}" for i in who],
            "Telefon": [f"030/{100_000 + i}" for i in who],
            "Straße": [f"Weg {i % 40}" for i in who],
            "E-Mail": [f"x{i}@example.org" for i in who],
            "KVNR": [f"A{100_000_000 + i}" for i in who],
            "Geburtsdatum": [dt.date(1930, 1, 1) + dt.timedelta(days=int(i) * 90) for i in who],
            "PLZ": [f"{10_000 + i % 90}" for i in who],
            "Geschlecht": [("m", "w")[i % 2] for i in who],
            "Beruf": [f"Beruf {i % 12}" for i in who],
            "Aufnahme": [dt.date(2024, 1, 1) + dt.timedelta(days=int(i)) for i in rng.integers(0, 300, N)],
            "Diagnose": [f"Krankheit {i}" for i in rng.integers(0, 15, N)],
            "Kosten": np.round(rng.lognormal(8, 1, N), 2),
        }
    )


def test_identifiers_of_a_german_file_are_proposed_though_their_values_repeat() -> None:
    frame = german()
    result = roles(frame)
    dropped = ["Vorname", "Nachname", "Telefon", "Straße", "E-Mail", "KVNR"]
    assert [name for name, role in result.items() if role is Role.IDENTIFIER] == dropped
    assert [name for name, role in result.items() if role is Role.QUASI_IDENTIFIER] == [
        "Geburtsdatum", "PLZ", "Geschlecht", "Beruf", "Aufnahme",
    ]  # fmt: skip
    assert [name for name, role in result.items() if role is Role.SENSITIVE] == ["Diagnose", "Kosten"]
    profiles = tables.profile_columns(tables.read_table(frame))
    assert [column.name for column in likely_identifiers(profiles, N)] == dropped


def test_the_same_values_are_found_under_names_that_say_nothing() -> None:
    frame = german()
    columns = {"x1": "Vorname", "x2": "Telefon", "x3": "E-Mail", "Ort": "Vorname"}
    result = shoal.describe(pl.DataFrame({new: frame[old] for new, old in columns.items()})).schema
    assert [column.reason for column in result.columns] == [
        "Contains names of persons",
        "Contains phone numbers",
        "Contains e-mail addresses",
        "Contains names of persons",
    ]
    assert result.names_with_role(Role.IDENTIFIER) == ("x1", "x2", "x3", "Ort")


def test_the_example_has_at_most_ten_quasi_identifiers() -> None:
    result = shoal.describe(shoal.example_register()).schema
    assert len(result.columns) == 20
    assert len(result.quasi_identifiers) <= 10
    assert {"age", "sex", "postcode", "occupation", "admission_date"} <= set(result.quasi_identifiers)
    assert {"person_id", "name"} <= set(result.names_with_role(Role.IDENTIFIER))


def adult() -> pl.DataFrame:
    """The columns of the Adult data, with made-up values."""
    rng = np.random.default_rng(2)
    education = rng.integers(0, 16, N)

    def words(name: str, count: int) -> list[str]:
        return [f"{name} {i}" for i in rng.integers(0, count, N)]

    return pl.DataFrame(
        {
            "age": rng.integers(17, 91, N),
            "workclass": words("class", 8),
            "fnlwgt": rng.integers(12_000, 1_500_000, N),
            "education": [f"level {i}" for i in education],
            "education-num": education + 1,
            "marital-status": words("status", 7),
            "occupation": words("work", 14),
            "relationship": words("relation", 6),
            "race": words("race", 5),
            "sex": words("sex", 2),
            "capital-gain": rng.integers(0, 118, N) * 100,
            "capital-loss": rng.integers(0, 90, N) * 100,
            "hours-per-week": rng.integers(1, 99, N),
            "native-country": words("country", 41),
            "income": [("<=50K", ">50K")[i] for i in rng.integers(0, 2, N)],
        }
    )


def test_nine_columns_of_adult_are_quasi_identifiers() -> None:
    result, why = roles(adult()), reasons(adult())
    assert [name for name, role in result.items() if role is Role.QUASI_IDENTIFIER] == [
        "age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex",
        "native-country",
    ]  # fmt: skip
    assert result["income"] is Role.SENSITIVE
    assert result["fnlwgt"] is Role.INSENSITIVE
    assert "sampling weights" in why["fnlwgt"]
    assert why["education-num"] == "Same information as 'education'; drop one of them"
    assert "measurement" in why["hours-per-week"]


def test_what_is_the_same_only_in_a_proposal_is_not_overlooked() -> None:
    """A refusal does not depend on what else a table holds."""
    frame = adult()
    profiles = tables.profile_columns(tables.read_table(frame))
    assert likely_identifiers(profiles, frame.height) == []
    assert likely_identifiers(profiles[4:5], frame.height) == []


def test_an_age_and_a_date_of_birth_are_the_same_information() -> None:
    rng = np.random.default_rng(3)
    born = [dt.date(1930, 1, 1) + dt.timedelta(days=int(i)) for i in rng.integers(0, 28_000, N)]
    age = [(dt.date(2024, 6, 1) - day).days // 365 for day in born]
    other = rng.permutation(np.array(age))
    frame = pl.DataFrame({"born": born, "age": age, "year": [day.year for day in born], "other_age": other})
    assert reasons(frame) == {
        "born": "Same information as 'age'; drop one of them",
        "age": "Suggested by the column name",
        "year": "Same information as 'age'; drop one of them",
        "other_age": "Suggested by the column name",
    }
    few = frame.head(10)
    assert "Same information" not in str(reasons(few))


def test_columns_that_agree_by_chance_in_few_records_are_kept() -> None:
    frame = pl.DataFrame({"sex": ["f", "m"] * 4, "race": ["a", "b"] * 4})
    assert set(roles(frame).values()) == {Role.QUASI_IDENTIFIER}
    assert "Same information" in str(reasons(pl.concat([frame] * 5)))


def test_a_code_may_stand_for_a_missing_value() -> None:
    frame = pl.DataFrame({"sex": ["f", "m", None, "m"] * 20, "sex_code": [1, 2, 9, 2] * 20})
    assert "Same information" in str(reasons(frame))
    assert "Same information" not in str(reasons(frame.with_columns(sex_code=[1, 2, 9, 2] * 19 + [1, 2, 9, 1])))


def test_dates_that_are_none_do_not_hinder_a_proposal(tmp_path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("born,age\n" + "".join(f"19{i:02}-01-01T25:00,{80 - i}\n" for i in range(10, 70)))
    assert roles(str(path))["age"] is Role.QUASI_IDENTIFIER


@pytest.mark.parametrize(
    ("beside", "role", "word"),
    [("height", Role.SENSITIVE, "measurement"), ("colour", Role.INSENSITIVE, "sampling weight")],
)
def test_a_weight_beside_a_height_is_that_of_a_body(beside: str, role: Role, word: str) -> None:
    frame = pl.DataFrame({"weight": np.linspace(40, 120, 60), beside: np.arange(60) % 7 + 150})
    assert roles(frame)["weight"] is role
    assert word in reasons(frame)["weight"]


def test_text_that_says_nothing_stays_a_quasi_identifier() -> None:
    frame = pl.DataFrame({"x": ["a", "b", "c", "d"] * 30})
    assert roles(frame) == {"x": Role.QUASI_IDENTIFIER}
    assert reasons(frame) == {"x": "No clear signal; treated as known to others, to be safe"}


@pytest.mark.parametrize(
    ("name", "distinct", "is_identifier"),
    [
        ("name", 1, True),
        ("Telefon", 3, True),
        ("patient", 600, True),
        ("patient", 30, False),
        ("insurance", 4, False),
        ("hospital_id", 30, False),
        ("hospital_id", 1_200, True),
        ("batch_id", 30, False),
        ("foo_id", 300, True),
        ("education-num", 16, False),
        ("remarks", 1_200, True),
        ("remarks", 900, False),
    ],
)
def test_how_often_values_repeat_counts_only_for_names_that_leave_it_open(
    name: str, distinct: int, is_identifier: bool
) -> None:
    frame = pl.DataFrame({name: [5 * (i % distinct) for i in range(2_000)]})
    result = likely_identifiers(tables.profile_columns(tables.read_table(frame)), frame.height)
    assert bool(result) is is_identifier


def test_reasons_hold_no_cell() -> None:
    frame = german()
    said = str(reasons(frame)) + str(shoal.describe(frame).to_dict())
    assert not [
        cell for name in frame.columns for cell in map(str, frame[name].unique()) if len(cell) > 4 and cell in said
    ]
