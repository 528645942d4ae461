"""The order of a shuffled release tells nothing: not to who knows the order of the table, the seed and the program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from leak_search import Command
from ledger import Ledger, tries

import shoal
from shoal import data
from shoal.domain import Policy
from shoal.errors import DataError

N = 120
OPTIONS: dict[str, Any] = {
    "k": 4,
    "quasi_identifiers": ["age", "town"],
    "identifiers": ["name"],
    "sensitive": ["illness"],
    "method": "mondrian",
}


def people(seed: int = 0, rows: int = N) -> pl.DataFrame:
    """A register that is sorted by name."""
    chance = np.random.default_rng(seed)
    names = sorted(f"{''.join(chance.choice(list('abcdefghijklm'), 8))}-{row}" for row in range(rows))
    return pl.DataFrame(
        {
            "name": names,
            "age": chance.integers(1, 90, rows),
            "town": chance.choice(["Ashford", "Berryhill", "Castleton-on-the-long-river"], rows),
            "illness": chance.choice(["asthma", "diabetes", "a rare illness with a long name"], rows),
            "cost": np.round(chance.normal(900, 300, rows), 2),
        }
    )


KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "categories": lambda frame: frame.with_columns(pl.col("town", "illness").cast(pl.Categorical)),
    "pandas": lambda frame: pd.DataFrame(frame.to_dict(as_series=False)).set_index(np.arange(7, 7 + frame.height)),
    "objects": lambda frame: pd.DataFrame(frame.to_dict(as_series=False)).assign(
        mixed=[[1, "1", 1.0, None, {"a"}][row % 5] for row in frame["age"]]
    ),
    "coded": lambda frame: pa.table(frame.to_dict(as_series=False)).set_column(
        3, "illness", pa.array(frame["illness"].to_list()).dictionary_encode()
    ),
    "array": lambda frame: frame.select("age", "cost").to_numpy(),
}


def put_in_order(table: data.Table, seed: int = 0) -> data.Table:
    return data.take(table, data.shuffled_order(table, seed=seed))


@pytest.mark.parametrize("kind", [*KINDS, "file"])
def test_the_same_rows_in_any_order_become_the_same_bytes(kind: str, tmp_path: Path, ledger: Ledger) -> None:
    """So whatever order they had, nothing is left of it."""
    account = ledger.account(
        "leak",
        "the same rows are shuffled from another order",
        "The files are the same, byte for byte: nothing of the old order is left in them.",
    )
    ending = {"pandas": "csv"}.get(kind, "arrow")
    frame = people(5)
    for number in tries(few=2, full=40):
        with account.trial():
            found = set()
            for again in (0, 1):
                mixed = frame[np.random.default_rng([number, again]).permutation(N).tolist()]
                if kind == "file":
                    source = tmp_path / f"{again}.csv"
                    text = mixed.write_csv(line_terminator=["\n", "\r\n"][number % 2])
                    source.write_text(text.rstrip() if again else text, newline="")
                    table, name = data.read_table(source), f"{again}.out.csv"
                else:
                    table, name = data.read_table(KINDS[kind](mixed)), f"{again}.{ending}"
                ordered = put_in_order(table, number)
                if kind == "objects":  # which no file holds
                    found.add(repr(ordered.native().to_numpy().tolist()).encode())
                    continue
                data.write_table(ordered, tmp_path / name)
                found.add((tmp_path / name).read_bytes())
            assert len(found) == 1
            account.whole += 1


def test_who_knows_the_order_of_the_table_finds_nobody(ledger: Ledger) -> None:
    """Without it the row of everybody is known: the table was sorted by name, and the names are in the phone book."""
    account = ledger.account(
        "leak",
        "an outsider who knows in which order the persons stood looks for each at that place",
        "As many are found as by chance, where the rows are shuffled.",
    )
    for number in tries(few=3, full=60):
        with account.trial():
            table = people(number)
            plain = shoal.anonymize(table, **OPTIONS).table
            mixed = shoal.anonymize(table, **OPTIONS, shuffle=True, seed=number).table
            assert (plain["cost"] == table["cost"]).all()
            assert (mixed["cost"] == table["cost"]).sum() <= 8
            assert sorted(mixed.rows()) == sorted(plain.rows())
            account.whole += 1


def test_two_releases_of_a_table_cannot_be_matched_row_by_row(ledger: Ledger) -> None:
    account = ledger.account(
        "leak",
        "two releases of one table are laid beside each other, row by row",
        "The rows of one are not those of the other, where they are shuffled.",
    )
    for number in tries(few=2, full=40):
        with account.trial():
            table = people(number)
            one, two = (shoal.anonymize(table, **OPTIONS | {"k": k}, shuffle=True).table for k in (3, 5))
            pairs = zip(one.rows(), two.rows(), strict=True)
            # those of groups that are the same in both need no place to be matched
            assert sum(mine[-1] == theirs[-1] and mine != theirs for mine, theirs in pairs) <= 8
            account.whole += 1


def test_groups_and_figures_are_those_of_the_table_as_it_stood() -> None:
    table = people()
    plain, mixed = (shoal.anonymize(table, **OPTIONS, shuffle=shuffle) for shuffle in (False, True))
    assert mixed.partition.labels.tolist() == plain.partition.labels.tolist()
    assert mixed.evaluate("all").to_dict() == plain.evaluate("all").to_dict()
    assert mixed.verification.to_dict() == plain.verification.to_dict()
    assert mixed.table.rows() != plain.table.rows()
    assert mixed.table.rows() != shoal.anonymize(table, **OPTIONS, shuffle=True, seed=1).table.rows()
    assert mixed.table.rows() == shoal.anonymize(table, **OPTIONS, shuffle=True).table.rows()


@pytest.mark.parametrize("kind", ["pandas", "objects", "coded", "array"])
def test_every_kind_of_frame_comes_back_as_it_was_without_its_index(kind: str) -> None:
    table = KINDS[kind](people())
    options = {"k": 4, "quasi_identifiers": ["0"], "method": "mondrian"} if kind == "array" else OPTIONS
    plain, mixed = (shoal.anonymize(table, **options, shuffle=shuffle) for shuffle in (False, True))
    assert type(mixed.table) is type(table)
    if isinstance(table, pd.DataFrame):
        assert type(mixed.table.index) is pd.RangeIndex
        assert list(mixed.table.dtypes) == list(plain.table.dtypes)
        assert not any("index" in sentence for sentence in mixed.warnings)
    if kind == "coded":
        assert mixed.table.schema.equals(plain.table.schema)
        assert sorted(map(str, mixed.table.to_pylist())) == sorted(map(str, plain.table.to_pylist()))


def test_objects_without_a_text_are_refused() -> None:
    table = KINDS["pandas"](people()).assign(odd=[object() for _ in range(N)])
    with pytest.raises(DataError, match="'odd' holds objects"):
        shoal.anonymize(table, **OPTIONS, keep=["odd"], shuffle=True)


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "dta", "arrow"])
def test_strata_households_and_suppressed_records_go_along(ending: str, tmp_path: Path, ledger: Ledger) -> None:
    """The written file is verified by them: were they left in the old order, it would not hold."""
    account = ledger.account(
        "leak",
        "a shuffled release with strata, households, wildcards or suppressed records is checked and replayed",
        "It holds on the written file and in its bundle, and is made again byte for byte.",
    )
    chance = np.random.default_rng(2)
    frame = people(3).with_columns(
        pl.Series("home", [f"h{row // 2}" for row in range(N)]),
        pl.Series("side", chance.choice(["north", "south"], N)),
        pl.Series("age", [None if row % 9 == 0 else age for row, age in enumerate(people(3)["age"])]),
    )
    data.write_table(data.read_table(frame), tmp_path / "in.csv")
    for more in (
        {"strata": ["side"]},
        {"households": "home"},
        {"missing_values": "wildcard", "max_suppression": 0.1},
        {"missing_values": "suppress"},
    ):
        with account.trial():
            release = shoal.anonymize(tmp_path / "in.csv", **OPTIONS, **more, shuffle=True)
            release.save(tmp_path / f"out.{ending}", force=True)
            shoal.bundle(release, tmp_path / "all.zip", name=f"out.{ending}", force=True)
            assert shoal.verify_bundle(tmp_path / "all.zip").ok
            again = shoal.replay(tmp_path / "in.csv", policy=tmp_path / f"out.{ending}.policy.toml")
            again.save(tmp_path / f"again.{ending}", force=True)
            assert (tmp_path / f"again.{ending}").read_bytes() == (tmp_path / f"out.{ending}").read_bytes()
            account.whole += 1


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("code", "mark", "delimiter"), [("utf-8", b"\xef\xbb\xbf", ";"), ("latin-1", b"", ",")])
def test_a_text_keeps_its_dialect(newline: str, code: str, mark: bytes, delimiter: str, tmp_path: Path) -> None:
    """Fields keep their bytes; the last line, which may have had no end, has one wherever it comes to stand."""
    lines = [f'Bj\xf8rn {row}{delimiter}{row % 9}{delimiter}"K\xf6ln{delimiter} {row}"' for row in range(40)]
    text = newline.join([delimiter.join(("name", "age", "town")), *lines])
    (tmp_path / "in.csv").write_bytes(mark + text.encode(code))
    table = shoal.read(tmp_path / "in.csv", encoding=code if code != "utf-8" else None, delimiter=delimiter)
    options = {"k": 4, "quasi_identifiers": ["age"], "identifiers": ["name"], "keep": ["town"], "method": "mondrian"}
    found = []
    for shuffle in (False, True):
        shoal.anonymize(table, **options, shuffle=shuffle).save(tmp_path / "out.csv", force=True)
        found.append((tmp_path / "out.csv").read_bytes())
    assert all(text.startswith(mark) for text in found)
    kept, mixed = (text.decode(code).split(newline) for text in found)
    assert mixed[0] == kept[0]
    assert mixed.pop() == ""
    assert mixed != kept
    assert sorted(mixed) == sorted(kept)


def test_a_policy_keeps_the_decision_and_nothing_else(tmp_path: Path) -> None:
    release = shoal.anonymize(people(), **OPTIONS, shuffle=True, seed=3)
    release.save(tmp_path / "out.csv")
    text = (tmp_path / "out.csv.policy.toml").read_text()
    assert "shuffle = true" in text
    assert Policy.read(tmp_path / "out.csv.policy.toml").shuffle
    plain = shoal.anonymize(people(), **OPTIONS)
    assert "shuffle" not in plain.policy.to_toml()
    assert "formulas" not in plain.policy.to_toml()
    for external in (False, True):
        assert "The rows are shuffled" in release.report(external=external)


def test_in_pieces_the_same_rows_come_in_an_order_of_their_own(tmp_path: Path, ledger: Ledger) -> None:
    account = ledger.account(
        "leak",
        "a file larger than memory is shuffled",
        "All rows are there once, in an order that depends on what they show.",
    )
    for source, target in (("in.csv", "out.csv"), ("in.parquet", "out.arrow")):
        with account.trial():
            data.write_table(data.read_table(people(rows=1000)), tmp_path / source)
            common = {**OPTIONS, "memory": "800MB", "force": True}
            shoal.anonymize_file(tmp_path / source, tmp_path / target, **common)
            plain = data.read_table(tmp_path / target).cells.frame()
            file_release = shoal.anonymize_file(tmp_path / source, tmp_path / target, **common, shuffle=True)
            mixed = data.read_table(tmp_path / target).cells.frame()
            assert mixed.rows() != plain.rows()
            assert sorted(mixed.rows()) == sorted(plain.rows())
            assert mixed.schema == plain.schema
            assert (mixed["cost"] == plain["cost"]).sum() <= 20
            table = data.read_table(tmp_path / target)
            assert (np.diff(data.shuffled_order(table, seed=0)) == 1).all()
            assert file_release.policy.shuffle
            shoal.replay_file(
                tmp_path / source, tmp_path / f"again-{target}", policy=file_release.policy, memory="800MB", force=True
            )
            assert (tmp_path / f"again-{target}").read_bytes() == (tmp_path / target).read_bytes()
            account.whole += 1


def test_a_shuffled_release_is_not_compared_row_by_row(tmp_path: Path) -> None:
    """By its policy, or by what it shows; a release in its place, and one of other tools, is."""
    table = people()
    data.write_table(data.read_table(table), tmp_path / "in.csv")
    release = shoal.anonymize(tmp_path / "in.csv", **OPTIONS, shuffle=True)
    release.save(tmp_path / "out.csv")
    columns = {"quasi_identifiers": OPTIONS["quasi_identifiers"]}
    for original, released in ((tmp_path / "in.csv", tmp_path / "out.csv"), (table, release.table)):
        with pytest.raises(DataError, match="shuffled"):
            shoal.evaluate(original, released, **columns)
    with pytest.raises(DataError, match="shuffled"):
        shoal.explain(tmp_path / "in.csv", row=1, policy=release.policy, released=release.table)
    explanation = shoal.explain(tmp_path / "in.csv", row=1, policy=tmp_path / "out.csv.policy.toml")
    assert explanation.release is None
    swapped = table.with_columns(pl.col("cost").reverse())
    shoal.evaluate(table, swapped, **columns)
    shoal.evaluate(table.select("age", "town"), release.table.select("age", "town"), **columns)


def test_rows_in_a_telling_order_are_warned_of(tmp_path: Path) -> None:
    def order_warnings(table: Any, **changes: Any) -> list[str]:
        release = shoal.anonymize(table, **OPTIONS | changes)
        return [sentence for sentence in release.warnings if "shuffle them" in sentence]

    table = people()
    (sentence,) = order_warnings(table)
    assert "the order of 1 column ('name')" in sentence
    assert not any(name in sentence for name in table["name"])
    assert order_warnings(table, shuffle=True) == []
    mixed = table[np.random.default_rng(0).permutation(N).tolist()]
    assert order_warnings(mixed) == []
    (sentence,) = order_warnings(mixed.sort("age", descending=True))
    assert "'age'" in sentence
    assert order_warnings(mixed.sort("cost")) == []
    assert order_warnings(mixed.sort("illness")) == []
    (sentence,) = order_warnings(mixed.sort("cost"), identifiers=["name", "cost"])
    assert "'cost'" in sentence
    assert order_warnings(mixed.with_columns(pl.lit("same").alias("name"))) == []
    numbered = mixed.with_columns(pl.Series("name", range(N)))
    assert len(order_warnings(numbered)) == 1


def test_the_command_shuffles(tmp_path: Path, command: Command) -> None:
    data.write_table(data.read_table(people()), tmp_path / "in.csv")
    options = [str(tmp_path / "in.csv"), "-k", "4", "-q", "age,town", "--identifiers", "name", "--method", "mondrian"]
    run = command("anonymize", *options, "--shuffle", "-o", tmp_path / "out.csv", "--quiet")
    assert run.code == 0
    assert "shuffle them" not in run.err
    again = ["--policy", tmp_path / "out.csv.policy.toml", "-o", tmp_path / "again.csv", "--quiet"]
    assert command("anonymize", options[0], *again).code == 0
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    refused = command("anonymize", options[0], *again, "--shuffle", "--force")
    assert refused.code == 2
    assert "shuffle" in refused.err
    compared = command("compare", *options[:7], "--methods", "mdav", "--shuffle", "--no-cache", "--quiet")
    assert compared.code == 0
