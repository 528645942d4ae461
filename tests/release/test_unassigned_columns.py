"""Columns that look like identifiers are released on request only, and columns without a role are listed."""

from __future__ import annotations

import pickle
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal import data as tables
from shoal.domain import Policy, Role
from shoal.errors import ColumnError, OptionError, PolicyError, ShoalWarning, on_command_line

ROWS = 60
OPTIONS: dict[str, Any] = {"k": 3, "quasi_identifiers": ["age"], "method": "mondrian"}
MAKERS = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.table}


def people(rows: int = ROWS, **columns: Any) -> dict[str, Any]:
    """Persons with an age, an answer in a few words, and further columns."""
    return {"age": [i % 17 for i in range(rows)], "answer": [("yes", "no")[i % 2] for i in range(rows)], **columns}


def mails(rows: int = ROWS) -> list[str]:
    return [f"secret.{i}@example.org" for i in range(rows)]


def frame(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame(people(**columns))


@pytest.mark.parametrize("kind", [*MAKERS, "file"])
def test_one_sentence_for_all_columns(kind: str, tmp_path: Path) -> None:
    columns = people(mail=mails(), code=[f"secret{i:03}" for i in range(ROWS)])
    data: Any = tmp_path / "in.csv"
    if kind == "file":
        pl.DataFrame(columns).write_csv(data)
    else:
        data = MAKERS[kind](columns)
    with pytest.raises(ColumnError) as caught:
        shoal.anonymize(data, **OPTIONS)
    said = str(caught.value)
    assert said.startswith("2 columns without a role look like identifiers: 'mail' (")
    assert "'code' (every value is unique); drop them with identifiers=['mail', 'code']" in said
    assert said.endswith("or release them unchanged with keep=['mail', 'code'].")
    assert "secret" not in said
    assert caught.value.exit_code == 2
    assert "drop them with --identifiers mail,code, or" in on_command_line(caught.value.sentence)
    assert str(pickle.loads(pickle.dumps(caught.value))) == said  # noqa: S301 - our own


def test_no_work_is_done_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def encode(*_: Any, **__: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(tables.Encoder, "fit_transform", encode)
    with pytest.raises(ColumnError, match="1 column without a role looks like an identifier: 'mail'"):
        shoal.anonymize(frame(mail=mails()), **OPTIONS)


def test_names_that_a_shell_would_part_are_not_spelled_out() -> None:
    with pytest.raises(ColumnError) as caught:
        shoal.anonymize(frame(**{"mail (work)": mails()}), **OPTIONS)
    assert str(caught.value).endswith("drop it with identifiers=, or release it unchanged with keep=.")
    assert "drop it with --identifiers, or release it unchanged with --keep." in on_command_line(caught.value.sentence)


def test_many_columns_are_counted() -> None:
    with pytest.raises(ColumnError, match=r"^12 columns .*'mail7' \([^']* and 4 more; drop them with identifiers=, or"):
        shoal.anonymize(frame(**{f"mail{i}": mails() for i in range(12)}), **OPTIONS)


def test_a_word_for_each_column_decides() -> None:
    table = frame(mail=mails(), code=[f"c{i:03}" for i in range(ROWS)])
    release = shoal.anonymize(table, identifiers="mail", keep=["code"], **OPTIONS)
    assert release.table.columns == ["age", "answer", "code"]
    assert release.table["code"].equals(table["code"])
    assert (release.policy.keep, release.policy.schema.names_with_role(Role.IDENTIFIER)) == (("code",), ("mail",))


def test_columns_of_an_array() -> None:
    table = np.column_stack([np.arange(ROWS) % 7, np.arange(ROWS)])
    with pytest.raises(ColumnError, match=r"'1' \(numbers the records one by one\)"):
        shoal.anonymize(table, k=3, quasi_identifiers=[0], method="mdav")
    release = shoal.anonymize(table, k=3, quasi_identifiers=[0], keep=[1], method="mdav")
    assert release.table[:, 1].tolist() == list(range(ROWS))
    assert shoal.anonymize(table, k=3, quasi_identifiers=0, identifiers=1, method="mdav").table.shape == (ROWS, 1)


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"keep": ["anwser"]}, "no column 'anwser'; did you mean 'answer'"),
        ({"keep": ["answer", "answer"]}, "'answer' is named twice among the kept columns"),
        ({"keep": "age"}, "'age' is named as quasi-identifier and as kept"),
        ({"keep": "answer", "identifiers": "answer"}, "'answer' is named as identifier and as kept"),
        ({"keep": "answer", "sensitive": "answer"}, "'answer' is named as sensitive and as kept"),
    ],
)
def test_kept_columns_are_checked_as_roles_are(roles: dict[str, Any], words: str) -> None:
    with pytest.raises(ColumnError, match=words):
        shoal.anonymize(frame(), **OPTIONS, **roles)


def test_others_are_dropped_on_demand(tmp_path: Path) -> None:
    table = frame(mail=mails(), ill=["a", "b", "c"] * 20, town=["x", "y", "z", "z"] * 15, weight=[1.0, 2.0] * 30)
    options = {**OPTIONS, "sensitive": "ill", "keep": "answer", "strata": "town", "sampling_weights": "weight"}
    release = shoal.anonymize(table, drop_others=True, **options)
    assert release.table.columns == ["age", "answer", "ill", "town", "weight"]
    assert release.verification.ok
    assert not any("no role" in sentence for sentence in release.warnings)
    path = tmp_path / "out.csv"
    policy = release.save(path)
    written = tomllib.loads((tmp_path / "out.csv.policy.toml").read_text())
    assert [column for column in written["columns"] if column["role"] == "identifier"] == [
        {"name": "mail", "role": "identifier", "kind": "nominal", "reason": "no role (drop_others)"}
    ]
    assert Policy.read(tmp_path / "out.csv.policy.toml") == replace(policy, schema=policy.schema)
    again = shoal.replay(table, policy=tmp_path / "out.csv.policy.toml")
    assert again.table.equals(release.table)
    with pytest.raises(OptionError, match="drop_others"):
        shoal.anonymize(table, drop_others="yes", **options)


def test_columns_of_a_survey_need_a_word_where_they_look_like_identifiers() -> None:
    table = frame(house=[f"Main Street {i}" for i in range(ROWS)])
    options = {**OPTIONS, "households": "house", "keep": "answer"}
    for more in ({}, {"drop_others": True}):
        with pytest.raises(ColumnError, match="looks like an identifier: 'house'"):
            shoal.anonymize(table, **options, **more)
    release = shoal.anonymize(table, identifiers="house", **options)
    assert release.table.columns == ["age", "answer"]
    assert release.verification.ok


def test_columns_without_a_role_are_listed_in_one_line() -> None:
    columns = {f"score{i}": [i * j % 7 for j in range(ROWS)] for i in range(1, 11)}
    with pytest.warns(
        ShoalWarning, match=r"^11 columns have no role .* and 3 more\. Drop them with drop_others=True\.$"
    ):
        release = shoal.anonymize(frame(**columns), **OPTIONS)
    result = [sentence for sentence in release.warnings if "no role" in sentence]
    assert len(result) == 1
    assert result[0].startswith("11 columns have no role and are released unchanged: 'answer', 'score1',")
    assert "no role" not in " ".join(shoal.anonymize(frame(), keep="answer", **OPTIONS).warnings)
    one = shoal.anonymize(frame(), **OPTIONS).warnings
    assert (
        "1 column has no role and is released unchanged: 'answer'. Drop it with drop_others=True (--drop-others)."
        in one
    )


def test_the_line_says_what_outsiders_could_know() -> None:
    table = frame(sex=["f", "m", "m"] * 20)
    result = [sentence for sentence in shoal.anonymize(table, **OPTIONS).warnings if "no role" in sentence]
    assert len(result) == 1
    assert "Outsiders could know 'sex': consider more quasi-identifiers." in result[0]


@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive"])
def test_another_role_is_a_decision_that_a_warning_doubts(role: str) -> None:
    names = [("Anna", "Boris", "Clara", "Doris", "Emil", "Frida")[i % 6] for i in range(ROWS)]
    options = {"k": 3, "quasi_identifiers": ["age"], "method": "mdav", "keep": "answer", role: ["age", "Vorname"][-1:]}
    release = shoal.anonymize(frame(Vorname=names), **options)
    result = [sentence for sentence in release.warnings if "look" in sentence]
    assert len(result) == 1
    assert "'Vorname' (suggested by the column name)" in result[0]
    assert result[0].endswith("Drop it with identifiers= (--identifiers).")
    assert ("true value of a person after recoding" in result[0]) is (role == "quasi_identifiers")


def policy_of(release: shoal.Release, **changes: Any) -> Policy:
    return replace(release.policy, **changes)


def test_a_policy_without_a_word_about_kept_columns_releases_as_before(tmp_path: Path) -> None:
    table = frame(mail=mails())
    release = shoal.anonymize(table, keep="mail", **OPTIONS)
    path = tmp_path / "policy.toml"
    text = release.policy.to_toml()
    assert '\nkeep = ["mail"]\n' in text
    path.write_text(text.replace('keep = ["mail"]\n', ""))
    assert Policy.read(path).keep is None
    assert "keep" not in Policy.read(path).to_toml()
    again = shoal.replay(table, policy=path)
    assert again.table.equals(release.table)
    assert any(sentence.startswith("1 unassigned column looks like an identifier") for sentence in again.warnings)
    assert any("2 columns have no role" in sentence for sentence in again.warnings)


def test_the_next_delivery_is_checked_again(tmp_path: Path) -> None:
    first = shoal.anonymize(frame(column_7=["-", "none", "none"] * 20), **OPTIONS)
    assert "\nkeep = []\n" in first.policy.to_toml()
    first.save(tmp_path / "out.csv")
    policy = tmp_path / "out.csv.policy.toml"
    assert shoal.replay(frame(column_7=["none", "none", "-"] * 20), policy=policy).verification.ok
    with pytest.raises(ColumnError) as caught:
        shoal.replay(frame(column_7=mails()), policy=policy)
    said = str(caught.value)
    assert "1 column without a role looks like an identifier: 'column_7' (contains e-mail addresses)" in said
    assert (
        "make a new one, and drop it with identifiers=['column_7'], or release it unchanged with keep=['column_7']"
        in said
    )


@pytest.mark.parametrize("keep", ['["age"]', '["nobody"]', '"mail"', "[1]"])
def test_a_policy_that_keeps_what_it_cannot(tmp_path: Path, keep: str) -> None:
    release = shoal.anonymize(frame(), **OPTIONS)
    path = tmp_path / "policy.toml"
    path.write_text(release.policy.to_toml().replace("keep = []", f"keep = {keep}"))
    with pytest.raises(PolicyError):
        Policy.read(path)


def test_kept_columns_follow_a_new_name() -> None:
    policy = shoal.anonymize(frame(mail=mails()), keep="mail", **OPTIONS).policy
    other = policy.rename({"mail": "post", "age": "years"})
    assert other.keep == ("post",)
    assert "post" in other.schema.names_with_role(Role.INSENSITIVE)
    assert replace(policy, keep=None).rename({"mail": "post"}).keep is None


def test_a_comparison_asks_the_same() -> None:
    table = frame(mail=mails())
    options: dict[str, Any] = {"k": 3, "methods": ["mdav"], "quasi_identifiers": "age"}
    with pytest.raises(ColumnError, match="looks like an identifier: 'mail'"):
        shoal.compare(table, **options)
    assert shoal.compare(table, **options, keep=["mail"]).points[0].verified
    assert shoal.compare(table, **options, drop_others=True).points[0].verified
    with pytest.raises(OptionError, match="names of columns, and the file of finished runs as cache="):
        shoal.compare(table, **options, keep=Path("kept.jsonl"))


def test_a_bundle_keeps_the_word(tmp_path: Path) -> None:
    from shoal.release.bundle.replay_bundle import replay_bundle
    from shoal.release.bundle.write_bundle import bundle_writer

    source, place = tmp_path / "in.csv", tmp_path / "out.zip"
    frame(mail=mails()).write_csv(source)
    release = shoal.anonymize(source, keep="mail", **OPTIONS)
    release.save(tmp_path / "out.csv", extra_files=lambda policy: {place: bundle_writer(release)})
    again = replay_bundle(place, source)
    assert again.table.equals(release.table)
    assert again.policy.keep == ("mail",)


@pytest.mark.parametrize(
    ("index", "reason"),
    [
        (pd.Index([f"secret{i:03}" for i in range(ROWS)]), "every value is unique"),
        (pd.Index(mails(), name="column_7"), "contains e-mail addresses"),
        (pd.Index([i * 7 % 1009 for i in range(ROWS)], name="patient_id"), "suggested by the column name"),
        (pd.MultiIndex.from_arrays([["a", "b"] * 30, mails()]), "contains e-mail addresses"),
    ],
)
def test_an_index_that_names_persons_is_refused(index: pd.Index, reason: str) -> None:
    table = pd.DataFrame(people(), index=index)
    for run in (shoal.anonymize, shoal.compare):
        with pytest.raises(ColumnError) as caught:
            run(table, k=3, quasi_identifiers="age", keep="answer")
        assert f"The index of the frame looks like an identifier ({reason})" in str(caught.value)
        assert "secret" not in str(caught.value)
    dropped = shoal.anonymize(table.reset_index(drop=True), keep="answer", **OPTIONS)
    assert list(dropped.table.columns) == ["age", "answer"]
    old = replace(dropped.policy, keep=None)
    assert any("The index of the frame" in sentence for sentence in shoal.replay(table, policy=old).warnings)


@pytest.mark.parametrize("index", [range(5, 5 + 2 * ROWS, 2), ["north", "south"] * 30, range(ROWS)])
def test_an_index_that_names_nobody_is_kept(index: Any) -> None:
    table = pd.DataFrame(people(), index=pd.Index(list(index)))
    assert shoal.anonymize(table, keep="answer", **OPTIONS).table.index.equals(table.index)
