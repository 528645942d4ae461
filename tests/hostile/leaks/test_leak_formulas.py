"""Cells that a spreadsheet would run: told, and made harmless in text files where that is asked for."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from leak_search import Command
from ledger import Ledger, tries

import shoal
from shoal import data as tables
from shoal.data.csv.formulas import is_formula, neutralize
from shoal.domain import Policy

RUNS = (
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1+1",
    "＋1+1",
    "－1+1",
    "＠x",
    "-a",
    "=",
)
SHOWS = (
    "-5",
    "+3.2",
    "-1,5",
    "-1.234,50",
    "+1e5",
    "-.5",
    "-12 %",
    "-inf",
    "-0044-03-15",
    "-",
    "+",
    "a=b",
    " =1",
    "'=1",
    "",
)
N = 40
OPTIONS: dict[str, Any] = {"k": 4, "quasi_identifiers": ["town", "age"], "sensitive": ["note"], "method": "mondrian"}


def people(seed: int = 0) -> pl.DataFrame:
    chance = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "town": chance.choice(["=HYPERLINK(A1)", "Berryhill"], N),
            "age": chance.integers(-9, 90, N),
            "note": [RUNS[:5][row % 5] if row % 2 else f'plain, "note" {row}' for row in range(N)],
            "@left": chance.integers(-5, 5, N),
        }
    )


def cells(path: Path) -> list[list[str]]:
    """A file as a spreadsheet sees it."""
    delimiter = "\t" if path.suffix == ".tsv" else ","
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""), delimiter=delimiter))


@pytest.mark.parametrize("text", RUNS[:-1])
def test_these_run(text: str) -> None:
    assert is_formula(text)
    assert neutralize(pl.Series([text])).item() == f"'{text}"


@pytest.mark.parametrize("text", SHOWS)
def test_these_do_not(text: str) -> None:
    assert not is_formula(text)


@given(st.lists(st.text(alphabet="'=+-@\t\r1a＝,", max_size=6), max_size=40))
def test_no_two_cells_become_alike_and_none_runs(texts: list[str]) -> None:
    texts += [f"'{text}" for text in texts]
    new = neutralize(pl.Series(texts, dtype=pl.String)).to_list()
    assert len(set(new)) == len(set(texts))
    assert not any(is_formula(text) for text in new)
    assert all(old in (text, text[1:]) for old, text in zip(texts, new, strict=True))


@pytest.mark.parametrize("source", ["frame", "in.csv", "in.tsv", "in.parquet"])
@pytest.mark.parametrize("target", ["out.csv", "out.tsv"])
def test_no_cell_of_a_text_file_runs(source: str, target: str, tmp_path: Path, ledger: Ledger) -> None:
    account = ledger.account(
        "leak",
        "cells and names of columns that a spreadsheet would run are released as csv and tsv",
        "By default a warning counts them; neutralized, none is left that runs, and no two became alike.",
    )
    for number in tries(few=1, full=25):
        with account.trial():
            table = people(number)
            if source != "frame":
                tables.write_table(tables.read_table(table), tmp_path / source)
            data = table if source == "frame" else tmp_path / source
            kept = shoal.anonymize(data, **OPTIONS)
            kept.save(tmp_path / f"kept-{target}", force=True)
            neutralized = shoal.anonymize(data, **OPTIONS, formulas="neutralize")
            neutralized.save(tmp_path / target, force=True)
            before, after = cells(tmp_path / f"kept-{target}"), cells(tmp_path / target)
            assert any(is_formula(cell) for row in before for cell in row)
            assert not any(is_formula(cell) for row in after for cell in row)
            assert after[0] == ["town", "age", "note", "'@left"]
            bare = [[cell.removeprefix("'") for cell in row] for row in after]
            assert bare == before
            (warning,) = [sentence for sentence in kept.warnings if "spreadsheet" in sentence]
            assert "'note' 20" in warning
            assert "'@left' 1" in warning
            assert "HYPERLINK" not in warning
            assert not any("spreadsheet" in sentence for sentence in neutralized.warnings)
            account.whole += 1


def test_a_bundle_and_a_replay_know_the_names_in_the_file(tmp_path: Path) -> None:
    tables.write_table(tables.read_table(people().rename({"town": "=town", "note": "+note"})), tmp_path / "in.csv")
    options = OPTIONS | {"quasi_identifiers": ["=town", "age"], "sensitive": ["+note"], "l": 2}
    release = shoal.anonymize(tmp_path / "in.csv", **options, formulas="neutralize", shuffle=True)
    release.save(tmp_path / "out.csv")
    assert cells(tmp_path / "out.csv")[0] == ["'=town", "age", "'+note", "'@left"]
    shoal.bundle(release, tmp_path / "all.zip", name="out.csv")
    assert shoal.verify_bundle(tmp_path / "all.zip").ok
    again = shoal.replay(tmp_path / "in.csv", policy=tmp_path / "out.csv.policy.toml")
    again.save(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    assert Policy.read(tmp_path / "out.csv.policy.toml").formulas == "neutralize"
    assert shoal.verify(tmp_path / "out.csv", k=4, quasi_identifiers=["'=town", "age"]).ok


def test_columns_of_numbers_and_files_of_other_kinds_stay_as_they_are(tmp_path: Path) -> None:
    for name in ("out.parquet", "out.xlsx", "out.arrow"):
        for way in ("keep", "neutralize"):
            release = shoal.anonymize(people(), **OPTIONS, formulas=way)
            release.save(tmp_path / name, force=True)
            assert tables.read_table(tmp_path / name).cells.frame()["note"].to_list() == people()["note"].to_list()
    shoal.anonymize(people(), **OPTIONS, formulas="neutralize").save(tmp_path / "out.csv")
    assert all(row[3].lstrip("-").isdigit() for row in cells(tmp_path / "out.csv")[1:])


def test_a_workbook_holds_texts_and_never_formulas_or_links(tmp_path: Path, ledger: Ledger) -> None:
    account = ledger.account(
        "leak",
        "formulas and addresses among the cells and names of a workbook",
        "They are written as text: the sheet has no formula and no link.",
    )
    with account.trial():
        table = people().with_columns(pl.Series("web", ["http://example.org/a", "{=1}", "ftp://x", "internal:A1"] * 10))
        shoal.anonymize(table.rename({"web": "=web"}), **OPTIONS, keep=["=web"]).save(tmp_path / "out.xlsx")
        with zipfile.ZipFile(tmp_path / "out.xlsx") as book:
            parts = {name: book.read(name).decode(errors="replace") for name in book.namelist()}
        sheet = parts["xl/worksheets/sheet1.xml"]
        assert "<f>" not in sheet
        assert "<f " not in sheet
        assert "hyperlink" not in sheet
        assert not any("rels" in name and "hyperlink" in text for name, text in parts.items())
        assert "HYPERLINK" in parts["xl/sharedStrings.xml"]
        account.whole += 1


def test_in_pieces_too(tmp_path: Path) -> None:
    table = pl.concat([people(seed) for seed in range(5)])
    tables.write_table(tables.read_table(table), tmp_path / "in.csv")
    kept = shoal.anonymize_file(tmp_path / "in.csv", tmp_path / "kept.csv", **OPTIONS, memory="800MB")
    neutralized = shoal.anonymize_file(
        tmp_path / "in.csv", tmp_path / "out.csv", **OPTIONS, memory="800MB", formulas="neutralize"
    )
    before, after = cells(tmp_path / "kept.csv"), cells(tmp_path / "out.csv")
    assert [[cell.removeprefix("'") for cell in row] for row in after] == before
    assert not any(is_formula(cell) for row in after for cell in row)
    assert any("'note' 100" in sentence and "'@left' 1" in sentence for sentence in kept.warnings)
    assert not any("spreadsheet" in sentence for sentence in neutralized.warnings)


def test_a_quotation_mark_that_is_an_apostrophe(tmp_path: Path) -> None:
    text = "town,age,note\n" + "".join(f"'=a',{row},=b\n" for row in range(12))
    (tmp_path / "in.csv").write_text(text)
    table = shoal.read(tmp_path / "in.csv", quote="'")
    shoal.anonymize(table, **OPTIONS, formulas="neutralize").save(tmp_path / "out.csv")
    again = shoal.read(tmp_path / "out.csv", quote="'")
    assert set(again.native()["note"]) == {"'=b"}


def test_the_command_says_and_does_it(tmp_path: Path, command: Command) -> None:
    tables.write_table(tables.read_table(people()), tmp_path / "in.csv")
    options = [
        "anonymize",
        tmp_path / "in.csv",
        "-k",
        4,
        "-q",
        "town,age",
        "--keep",
        "note",
        "--method",
        "mondrian",
        "--quiet",
    ]
    kept = command(*options, "-o", tmp_path / "kept.csv")
    assert "--formulas neutralize" in kept.err
    assert command(*options, "-o", tmp_path / "out.csv", "--formulas", "neutralize").code == 0
    assert not any(is_formula(cell) for row in cells(tmp_path / "out.csv") for cell in row)
    wrong = command(*options, "-o", tmp_path / "bad.csv", "--formulas", "eat")
    assert wrong.code == 2
    assert not (tmp_path / "bad.csv").exists()
