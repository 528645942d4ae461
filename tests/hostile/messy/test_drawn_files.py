"""Files of which every habit is drawn are read as they are meant, or asked about: never misread without a word."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from drawn_file import PROTECTED, DrawnFile, drawn_file
from ledger import Ledger, tries

import shoal
from shoal import data
from shoal.data import Table
from shoal.data.encode.dates import dates_as_days
from shoal.domain.columns import Kind
from shoal.errors import ShoalError

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
NAME = "text files with habits that are drawn: separator, marks, units, dates, quotation, encoding, titles, row names"
OUTCOME = "A release that means what the file means, in the format that it came in; or a question. Never misread."


def test_no_drawn_file_is_misread(tmp_path: Path, ledger: Ledger) -> None:
    account = ledger.account("messy", NAME, OUTCOME)
    for seed in tries(few=60, full=2000):
        drawn = drawn_file(seed)
        source, target = tmp_path / "in.csv", tmp_path / "out.csv"
        source.write_bytes(drawn.content)
        with account.trial():
            try:
                table = data.read_table(source)
                keep = [name for name in table.names if name not in PROTECTED]
                release = shoal.anonymize(table, k=2, quasi_identifiers=PROTECTED, keep=keep, method="mdav")
            except ShoalError:
                account.refused += 1
                continue
            check_meaning(drawn, table, seed)
            release.save(target, force=True)
            check_release(drawn, target.read_bytes(), seed)
            account.whole += 1
    assert account.whole > 2 * account.refused


def check_meaning(drawn: DrawnFile, table: Table, seed: int) -> None:
    """Every number and every day is understood."""
    assert {*drawn.texts} <= {*table.names} <= {*drawn.texts, "row_name"}, seed
    assert table.height == len(drawn.born), seed
    for name, numbers in drawn.numbers.items():
        content = table.cells.content(name)
        assert content.kind is Kind.NUMERIC, (seed, name)
        assert content.values.to_list() == numbers, (seed, name)
    assert table.cells.content("born").kind is Kind.DATE, seed
    first = datetime(1970, 1, 1)
    for day, found in zip(drawn.born, dates_as_days(table, "born").tolist(), strict=True):
        assert (found != found) if day is None else abs((day - first).total_seconds() / 86_400 - found) < 1e-6, seed


def check_release(drawn: DrawnFile, released: bytes, seed: int) -> None:
    """What is kept has the fields that it had, and days are written as they were."""
    columns = drawn.read(released)
    for name in ("code", "place"):
        assert columns[name] == drawn.texts[name], (seed, name)
    for field in columns["born"]:
        if field not in ("", drawn.missing):
            datetime.strptime(field, drawn.pattern)
