"""Roles, proposals and policies."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.domain import Column, ColumnProfile, Kind, Policy, Role, Schema, likely_quasi_identifiers, propose_schema
from shoal.domain.recodings import NO_ROUNDING
from shoal.errors import ColumnError, PolicyError
from shoal.hierarchy import Hierarchy

KINDS = [("name", Kind.NOMINAL), ("age", Kind.NUMERIC), ("income", Kind.NUMERIC), ("diagnosis", Kind.NOMINAL)]


def test_roles_are_assigned_in_the_order_of_the_table() -> None:
    schema = Schema.assign(KINDS, quasi_identifiers=["income", "age"], identifiers="name", sensitive=["diagnosis"])
    assert schema.quasi_identifiers == ("age", "income")
    assert schema.released == ("age", "income", "diagnosis")
    assert schema.names_with_role(Role.SENSITIVE) == ("diagnosis",)


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"quasi_identifiers": ["Age "]}, "did you mean 'age'"),
        ({"quasi_identifiers": ["incom"]}, "did you mean 'income'"),
        ({"quasi_identifiers": ["zzzzzz"]}, "the table has 4 columns"),
        ({"quasi_identifiers": ["age", "age"]}, "named twice"),
        ({"quasi_identifiers": ["age"], "sensitive": ["age"]}, "quasi-identifier and as sensitive"),
        ({"quasi_identifiers": []}, "nothing to protect"),
        ({"quasi_identifiers": [], "identifiers": ["name"]}, "nothing to protect"),
    ],
)
def test_columns_named_wrongly(roles, words: str) -> None:
    with pytest.raises(ColumnError, match=words):
        Schema.assign(KINDS, **roles)


def test_sensitive_columns_have_kinds_and_hierarchies_too() -> None:
    schema = Schema.assign(KINDS, quasi_identifiers="age", sensitive=["diagnosis", "income"], identifiers="name")
    tree = Hierarchy.from_dict({"*": ["flu", "gout"]})
    said = schema.with_column_options(kinds={"income": "ordinal"}, hierarchies={"diagnosis": (tree, "tree.csv")})
    known = {column.name: column for column in said.columns}
    assert known["diagnosis"].kind is Kind.HIERARCHICAL
    assert (known["diagnosis"].hierarchy, known["diagnosis"].hierarchy_file) == (tree, "tree.csv")
    assert known["income"].kind is Kind.ORDINAL
    with pytest.raises(ColumnError, match="'diagnosis' is no quasi-identifier, so that it is never recoded"):
        schema.with_column_options(recode={"diagnosis": "mode"})
    with pytest.raises(ColumnError, match="'name' is no quasi-identifier and not sensitive"):
        schema.with_column_options(hierarchies={"name": (tree, "")})


def profile(name: str, kind: Kind = Kind.NOMINAL, *, distinct: int, missing: int = 0, counts_up: bool = False):
    return ColumnProfile(
        name=name,
        kind=kind,
        type="text",
        is_integer=False,
        distinct=distinct,
        missing=missing,
        is_consecutive=counts_up,
    )


@pytest.mark.parametrize(
    ("column", "role"),
    [
        (profile("row", Kind.NUMERIC, distinct=100, counts_up=True), Role.IDENTIFIER),
        (profile("PatientName", distinct=98), Role.IDENTIFIER),
        (profile("remark", distinct=100), Role.IDENTIFIER),
        (profile("remark", distinct=60, missing=35), Role.IDENTIFIER),
        (profile("hospital_id", distinct=4), Role.QUASI_IDENTIFIER),
        (profile("diagnosis_code", distinct=12), Role.SENSITIVE),
        (profile("Age", Kind.NUMERIC, distinct=80), Role.QUASI_IDENTIFIER),
        (profile("income", Kind.NUMERIC, distinct=100), Role.SENSITIVE),
        (profile("x17", Kind.NUMERIC, distinct=3), Role.QUASI_IDENTIFIER),
        (profile("seen", Kind.DATE, distinct=90), Role.QUASI_IDENTIFIER),
        (profile("country", distinct=1), Role.INSENSITIVE),
        (profile("pregnant", distinct=1, missing=97), Role.SENSITIVE),
        (profile("x18", distinct=1, missing=97), Role.QUASI_IDENTIFIER),
        (profile("name", distinct=1, missing=99), Role.IDENTIFIER),
        (profile("diagnosis", distinct=1, missing=97), Role.SENSITIVE),
        (profile("empty", distinct=0, missing=100), Role.INSENSITIVE),
    ],
)
def test_proposals_have_reasons(column: ColumnProfile, role: Role) -> None:
    proposed = propose_schema([column], 100).columns[0]
    assert proposed.role is role
    assert proposed.reason


def test_names_that_outsiders_could_know() -> None:
    profiles = [profile("sex", distinct=2), profile("x17", distinct=2), profile("country", distinct=1)]
    assert likely_quasi_identifiers(profiles) == ["sex"]


def policy(**changes) -> Policy:
    facts = {
        "k": 5,
        "method": "v-mdav",
        "seed": 0,
        "method_options": {"gamma": 0.2},
        "rounding": NO_ROUNDING,
        "weights": {"age": 2.0},
        "schema": Schema(
            (
                Column("age", Role.QUASI_IDENTIFIER, Kind.NUMERIC, recode="mean"),
                Column('a.b "c"\n', Role.SENSITIVE, Kind.NOMINAL),
            )
        ),
        "input": {"kind": "csv", "records": 10, "sha256": "0" * 64, "settings": {"delimiter": "\t", "header": True}},
        "output": {"file": "out.csv", "sha256": "1" * 64},
        "versions": {"shoal": "0.1.0"},
    }
    return Policy(**(facts | changes))


def test_a_policy_reads_back_as_it_was_written(tmp_path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(policy().to_toml(), encoding="utf-8")
    assert Policy.read(path) == policy()


@given(st.text(), st.floats(allow_nan=False), st.integers(-(2**60), 2**60), st.booleans())
def test_every_value_of_a_policy_survives_toml(text, number, whole, flag) -> None:
    options = {"text": text, "number": number, "whole": whole, "flag": flag, text or "empty": [text]}
    if any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        return
    assert options.items() <= tomllib.loads(policy(method_options=options).to_toml())["options"].items()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no format number"),
        ("format = 1", "no 'release'"),
        ("format = 99", "format 99, and this Shoal reads up to 5"),
        ("format = true", "no format number"),
        ("format = 0", "no format number"),
        ("format = 1\nx = " + "[" * 100_000, "not TOML"),
        (policy().to_toml().replace("k = 5", "k = 1" + "0" * 5000), "not TOML"),
        (policy().to_toml().replace("seed = 0", "seed = -1"), "seed is not a whole number"),
        (policy().to_toml().replace("quasi-identifier", "insensitive"), "names no quasi-identifier"),
        (policy().to_toml() + "\n[[columns]]\nname = 'age'\nrole = 'insensitive'\nkind = 'numeric'\n", "column twice"),
        ("not toml at all", "not TOML"),
        ("\x00", "not TOML"),
        (policy().to_toml().replace("k = 5", 'k = "5"'), "k is not a whole number"),
        (policy().to_toml().replace("k = 5", "k = true"), "k is not a whole number"),
        (policy().to_toml().replace('role = "sensitive"', 'role = "secret"'), "wrong type"),
        (policy().to_toml().replace("age = 2.0", 'age = "many"'), "number above 0"),
    ],
)
def test_a_damaged_policy_is_refused(tmp_path, text: str, words: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyError, match=words):
        Policy.read(path)


@pytest.mark.parametrize("path", [None, 5, "a\0b"])
def test_no_path_of_a_policy(path) -> None:
    with pytest.raises(PolicyError):
        Policy.read(path)


def test_a_policy_that_is_not_there(tmp_path) -> None:
    with pytest.raises(PolicyError, match="no such file"):
        Policy.read(tmp_path / "none.toml")
