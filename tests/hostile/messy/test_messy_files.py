"""Messy files are released as they are meant, or lead there by one question, on every interface."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import messy_columns
import messy_text
import messy_workbooks
import polars as pl
import pyreadstat
import pytest
from ledger import Ledger
from messy_file import Messy

import shoal
from shoal import data
from shoal.cli.main import main
from shoal.data import ReadOptions, Table
from shoal.data.chunked import open_chunked, profile_file
from shoal.errors import ShoalError, on_command_line

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
GROUPS = messy_text.GROUPS | messy_columns.GROUPS | messy_workbooks.GROUPS
FILES = {messy.name: messy for files in GROUPS.values() for messy in files}
GROUP_OF = {messy.name: group for group, files in GROUPS.items() for messy in files}
OUTCOME = "A release that means what the file means, in the format that it came in; or one question that leads there."
K = 3
TEXTS = (".csv", ".txt", ".tsv", ".csv.gz", ".zip")
messy_file = pytest.mark.parametrize("messy", [pytest.param(messy, id=name) for name, messy in FILES.items()])
Command = Callable[..., str]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process; the one sentence of an error, or nothing."""

    def run(*arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", ["shoal", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        messages = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("shoal: warning")]
        assert (stopped.value.code or 0) in (0, 2), messages
        assert bool(stopped.value.code) == bool(messages)
        assert len(messages) <= 1
        return "".join(messages)

    return run


def target(messy: Messy, folder: Path) -> Path:
    """Where the release of a file goes, in the same format; archives are not written."""
    return folder / f"released.{messy.name.partition('.')[2].replace('zip', 'csv')}"


def released(messy: Messy, path: Path, given: Mapping[str, Any], out: Path) -> Table:
    """Release a file by Python; the table as it was read."""
    table = data.read_table(path, options=ReadOptions(**given))
    release = shoal.anonymize(
        table, k=K, quasi_identifiers=list(messy.looks), identifiers=list(messy.drop), method="mdav"
    )
    release.save(out)
    return table


def check_meaning(messy: Messy, table: Table) -> None:
    """Every planted cell was understood."""
    for name, planted in messy.means.items():
        assert len(planted) == table.height
        for expected, word in zip(planted, table.cells.content(name).text_values.to_list(), strict=True):
            assert word == expected or (expected and word and _number(word) == _number(expected) is not None), name


def _number(word: str) -> float | None:
    return float(word) if re.fullmatch(r"-?\d+(\.\d+)?", word) else None


def check_release(messy: Messy, out: Path) -> None:
    """As others read it: protected fields in the format they came in, all others as they were, groups of k."""
    columns = _columns(messy, out)
    assert not set(messy.drop) & set(columns)
    for name, look in messy.looks.items():
        assert all(re.fullmatch(look, str(cell)) for cell in columns[name]), name
    for name, fields in messy.unchanged.items():
        assert list(columns[name]) == list(fields), name
    classes = Counter(zip(*(columns[name] for name in messy.looks), strict=True))
    assert min(classes.values()) >= K


def _columns(messy: Messy, out: Path) -> dict[str, Sequence[Any]]:
    if out.suffix == ".xlsx":
        header = messy.answer.get("header", True)
        frame = pl.read_excel(out, has_header=header, infer_schema_length=None)
        frame.columns = frame.columns if header else [f"column_{at}" for at in range(1, frame.width + 1)]
        return frame.to_dict(as_series=False)
    if out.suffix == ".parquet":
        return pl.read_parquet(out).to_dict(as_series=False)
    if out.suffix in (".sav", ".dta"):
        reader = pyreadstat.read_sav if out.suffix == ".sav" else pyreadstat.read_dta
        frame, _ = reader(str(out), apply_value_formats=True, output_format="polars")
        return pl.DataFrame(frame).to_dict(as_series=False)
    raw = gzip.decompress(out.read_bytes()) if out.suffix == ".gz" else out.read_bytes()
    rows = list(csv.reader(io.StringIO(raw.decode(messy.encoding).removeprefix("\ufeff"), newline=""), **messy.dialect))
    rows = [row for row in rows if row]
    names = rows.pop(0) if messy.answer.get("header", True) else [f"column_{at + 1}" for at in range(len(rows[0]))]
    return dict(zip(names, zip(*rows, strict=True), strict=True))


@messy_file
def test_a_messy_file_is_released_right_or_asked_about_once(messy: Messy, tmp_path: Path, ledger: Ledger) -> None:
    path, out = messy.write(tmp_path / messy.name), target(messy, tmp_path)
    account = ledger.account("messy", GROUP_OF[messy.name], OUTCOME)
    answer: dict[str, Any] = {}
    if messy.question:
        with account.trial():
            with pytest.raises(ShoalError) as caught:
                released(messy, path, messy.named, out)
            assert re.search(messy.question, on_command_line(caught.value.sentence)), caught.value.sentence
            assert "--" not in str(caught.value), "Python names its own options"
            assert not out.exists()
            account.refused += 1
        path, answer = messy.write(path, mended=True), dict(messy.answer)
    with account.trial():
        table = released(messy, path, {**messy.named, **answer}, out)
        check_meaning(messy, table)
        check_release(messy, out)
        account.whole += 1


def arguments(given: Mapping[str, Any]) -> list[object]:
    """Reading options as the command line has them."""
    found: list[object] = []
    for name, value in given.items():
        if name in ("column_formats", "missing_in"):
            option = {"column_formats": "--column-format", "missing_in": "--missing-in"}[name]
            words = {column: each if isinstance(each, str) else ",".join(each) for column, each in value.items()}
            found += [part for column, word in words.items() for part in (option, f"{column}={word}")]
        elif name == "header":
            found.append("--header" if value else "--no-header")
        else:
            found += [f"--{name.replace('_', '-')}", value]
    return found


@messy_file
def test_the_command_line_and_a_replay_make_the_same_release(messy: Messy, tmp_path: Path, command: Command) -> None:
    path, given = messy.write(tmp_path / messy.name, mended=True), {**messy.named, **messy.answer}
    folders = [tmp_path / name for name in ("python", "command", "replay", "pieces", "pieces-replay")]
    for folder in folders:
        folder.mkdir()
    outs = [target(messy, folder) for folder in folders]
    released(messy, path, given, outs[0])
    roles = ["-k", K, "-q", ",".join(f'"{name}"' for name in messy.looks), "--method", "mdav", "--quiet"]
    roles += ["--identifiers", ",".join(f'"{name}"' for name in messy.drop)] if messy.drop else []
    if messy.question and messy.mended is None:
        message = command("anonymize", path, *roles, *arguments(messy.named), "-o", outs[1])
        assert re.search(messy.question, message), message
        assert not re.search(r"\w+=($|[ ;.,](?!\d))", message), "the command line names its own options"
    assert not command("anonymize", path, *roles, *arguments(given), "-o", outs[1])
    assert outs[1].read_bytes() == outs[0].read_bytes()
    policy = f"{outs[1]}.policy.toml"
    assert not command("anonymize", path, "--policy", policy, "-o", outs[2], "--quiet")
    assert outs[2].read_bytes() == outs[0].read_bytes()
    if not messy.name.endswith(TEXTS):
        return
    assert not command("anonymize", path, *roles, *arguments(given), "--memory", "2GB", "-o", outs[3])
    assert outs[3].read_bytes() == outs[0].read_bytes()
    assert not command("anonymize", path, "--policy", f"{outs[3]}.policy.toml", "-o", outs[4], "--quiet")
    assert outs[4].read_bytes() == outs[0].read_bytes()


@pytest.mark.parametrize(
    "messy", [messy for messy in FILES.values() if messy.name.endswith(TEXTS)], ids=lambda m: m.name
)
def test_pieces_are_read_as_the_whole_and_ask_the_same(messy: Messy, tmp_path: Path) -> None:
    """The same settings, kinds and questions, whatever the size of the chunks."""
    path = messy.write(tmp_path / messy.name)

    def outcome(read: Callable[[], object]) -> str:
        try:
            return repr(read())
        except ShoalError as error:
            return error.sentence

    def whole() -> object:
        table = data.read_table(path, options=ReadOptions(**messy.named))
        return (
            dict(table.settings),
            data.column_kinds(table),
            data.find_misread_columns(table),
            data.profile_columns(table),
        )

    def pieces() -> object:
        source = open_chunked(path, options=ReadOptions(**messy.named), rows=5, size=64)
        found = profile_file(source)
        return dict(source.settings), found.kinds(), data.find_misread_columns(found.sample), found.column_profiles()

    assert outcome(pieces) == outcome(whole)
    assert bool(messy.question and not messy.late) == ("; " in outcome(pieces) and not outcome(pieces).startswith("("))


def test_the_friction_is_counted() -> None:
    """How many files are released at once, and how many after one question; none needs more."""
    counts = Counter(bool(messy.question) for messy in FILES.values())
    assert (counts[False], counts[True]) == (71, 15)
    named = [messy.name for messy in FILES.values() if messy.named]
    assert named == ["cp850.csv", "mac-roman.csv", "coded-gaps.csv", "coded-gaps.xlsx"]
