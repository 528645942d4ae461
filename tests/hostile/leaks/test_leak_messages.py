"""Whatever is wrong with a file or an option, the sentence about it names no cell."""

from __future__ import annotations

import json
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from leak_search import Command, leaked
from ledger import Ledger, tries
from planted_secrets import Planted, planted

import shoal
from shoal.errors import ShoalError

Case = Callable[[Planted, Path], list[object]]
NAME = (
    "a file or an option is wrong in one of many ways, with secrets all around",
    "One sentence, without a cell of the data; no traceback, no file.",
)


def _text(source: Planted) -> list[str]:
    return source.frame.write_csv().splitlines()


def _file(folder: Path, text: str | bytes, name: str = "bad.csv") -> Path:
    place = folder / name
    place.write_bytes(text.encode() if isinstance(text, str) else text)
    return place


def _lines(source: Planted, folder: Path, change: Callable[[list[str]], list[str]], name: str = "bad.csv") -> Path:
    return _file(folder, "\n".join(change(_text(source))) + "\n", name)


def _frame(source: Planted, folder: Path, **columns: Any) -> Path:
    return _file(folder, source.frame.with_columns(**columns).write_csv())


ASKED = ["-k", 6, "-q", "pay,born,job", "--identifiers", "name", "--sensitive", "note", "--method", "mondrian"]


def _asked(place: Path, *more: object) -> list[object]:
    return ["anonymize", place, *ASKED, "-o", place.parent / "out.csv", *more]


def _good(source: Planted, folder: Path, *more: object) -> list[object]:
    return _asked(source.write(folder), *more)


def _tree(source: Planted, folder: Path, text: str) -> list[object]:
    (folder / "bad-tree.csv").write_text(text)
    return _good(source, folder, "--hierarchy", f"job={folder / 'bad-tree.csv'}")


def _twice(text: str) -> str:
    return f"{text}\n{text}\n"


def _swap(lines: list[str], at: int, new: str) -> list[str]:
    return [*lines[:at], new, *lines[at + 1 :]]


FILES: dict[str, Case] = {
    "a ragged row": lambda s, f: _asked(_lines(s, f, lambda rows: _swap(rows, 40, rows[40] + "," + s.notes[0]))),
    "a short row": lambda s, f: _asked(_lines(s, f, lambda rows: _swap(rows, 40, s.names[40]))),
    "a stray quotation mark": lambda s, f: _asked(_lines(s, f, lambda rows: _swap(rows, 20, '"' + rows[20]))),
    "a mark within": lambda s, f: _asked(_lines(s, f, lambda rows: _swap(rows, 20, rows[20].replace(",", '"x,', 1)))),
    "zero bytes": lambda s, f: _asked(_lines(s, f, lambda rows: _swap(rows, 20, rows[20] + "\0"))),
    "bytes of no encoding": lambda s, f: _asked(
        _file(f, s.frame.write_csv().encode() + b"\xff\xfe" + s.names[0].encode()), "--encoding", "utf-8"
    ),
    "no header": lambda s, f: _asked(_lines(s, f, lambda rows: rows[1:])),
    "no header, described": lambda s, f: ["evaluate", _lines(s, f, lambda rows: rows[1:]), s.write(f), "-q", "pay"],
    "a header twice": lambda s, f: _asked(_lines(s, f, lambda rows: _swap(rows, 0, rows[0].replace("ward", "name")))),
    "empty names": lambda s, f: _asked(_lines(s, f, lambda rows: _swap(rows, 0, "," * rows[0].count(",")))),
    "a name with a record in it": lambda s, f: _asked(
        _lines(s, f, lambda rows: ['"' + rows[0] + "\n" + rows[1] + '"' + rows[0].split(",", 1)[1], *rows[2:]])
    ),
    "a word among numbers": lambda s, f: _asked(
        _lines(s, f, lambda rows: _swap(rows, 9, rows[9].replace(rows[9].split(",")[1], s.notes[1])))
    ),
    "an endless number": lambda s, f: _asked(
        _lines(s, f, lambda rows: _swap(rows, 9, rows[9].replace(rows[9].split(",")[1], "inf")))
    ),
    "a broken date": lambda s, f: _asked(
        _lines(s, f, lambda rows: [row.replace("1787-11-23", "1787-11-99" + s.rare[0]) for row in rows]),
        "--kind",
        "born=date",
    ),
    "a number too large": lambda s, f: _asked(
        _lines(s, f, lambda rows: _swap(rows, 9, rows[9].replace(rows[9].split(",")[1], "9" * 400)))
    ),
    "gaps that are refused": lambda s, f: _asked(
        _lines(s, f, lambda rows: _swap(rows, 9, rows[9].replace(rows[9].split(",")[1], ""))),
        "--missing-values",
        "refuse",
    ),
    "an empty file": lambda s, f: _asked(_file(f, "")),
    "a header only": lambda s, f: _asked(_lines(s, f, lambda rows: rows[:1])),
    "a torn Parquet file": lambda s, f: _asked(_file(f, s.write(f, "a.parquet").read_bytes()[:-9], "bad.parquet")),
    "text under the name of a workbook": lambda s, f: _asked(_file(f, s.frame.write_csv(), "bad.xlsx")),
    "text under the name of SPSS": lambda s, f: _asked(_file(f, s.frame.write_csv(), "bad.sav")),
    "text under the name of Arrow": lambda s, f: _asked(_file(f, s.frame.write_csv(), "bad.arrow")),
    "text that claims to be packed": lambda s, f: _asked(_file(f, s.frame.write_csv(), "bad.csv.gz")),
    "a ragged row in pieces": lambda s, f: _asked(
        _lines(s, f, lambda rows: _swap(rows, 40, rows[40] + "," + s.notes[0])), "--memory", "800MB"
    ),
    "text among numbers in pieces": lambda s, f: _asked(
        _lines(s, f, lambda rows: _swap(rows, 9, rows[9].replace(rows[9].split(",")[1], s.notes[1]))),
        "--memory",
        "800MB",
    ),
}
OPTIONS: dict[str, Case] = {
    "a number out of bounds": lambda s, f: _good(s, f, "--bounds", "pay=0:6000"),
    "out of bounds in pieces": lambda s, f: _good(s, f, "--bounds", "pay=0:6000", "--memory", "800MB"),
    "a hierarchy without a value": lambda s, f: _tree(s, f, "\n".join(s.tree.splitlines()[3:]) + "\n"),
    "a hierarchy with two parents": lambda s, f: _tree(s, f, s.tree + f"{s.rare[0]};elsewhere;*\n"),
    "a hierarchy in a circle": lambda s, f: _tree(s, f, f"{s.rare[0]};{s.rare[1]}\n{s.rare[1]};{s.rare[0]}\n"),
    "a ragged hierarchy": lambda s, f: _tree(s, f, s.tree + s.unused[0] + "\n"),
    "an empty hierarchy": lambda s, f: _tree(s, f, ""),
    "levels without a value": lambda s, f: _good(s, f, "--levels", f"job={_file(f, s.unused[0], 'levels.txt')}"),
    "levels twice": lambda s, f: _good(s, f, "--levels", f"job={_file(f, _twice(s.rare[0]), 'levels.txt')}"),
    "more values than there are": lambda s, f: _good(s, f, "-l", 7),
    "a budget below k": lambda s, f: _good(s, f, "--suppress", 0.001),
    "strata too small": lambda s, f: _good(s, f, "--strata", "name"),
    "words as weights": lambda s, f: _good(s, f, "--sampling-weights", "note"),
    "a household of many": lambda s, f: _good(s, f, "--households", "note", "--largest-household", 3),
    "words as numbers": lambda s, f: _good(s, f, "--kind", "job=numeric"),
    "words as dates": lambda s, f: _good(s, f, "--kind", "job=date"),
    "a mean of words": lambda s, f: _good(s, f, "--recode", "job=mean"),
    "a column that is none": lambda s, f: _good(s, f, "--weight", "jop=2"),
    "a broken policy": lambda s, f: [
        "anonymize",
        s.write(f),
        "--policy",
        _file(f, s.notes[0], "p.toml"),
        "-o",
        f / "o.csv",
    ],
    "a policy of data": lambda s, f: [
        *(
            "anonymize",
            s.write(f),
            "--policy",
            _file(f, f'format = 4\n"{s.notes[0]}" = 1\n', "p.toml"),
            "-o",
            f / "o.csv",
        )
    ],
    "a bundle of data": lambda s, f: ["verify", _file(f, s.frame.write_csv(), "all.zip")],
    "a comparison of data": lambda s, f: _good(
        s, f, "--report", f / "r.html", "--compared", _file(f, json.dumps({"points": s.notes}), "c.json")
    ),
    "another length": lambda s, f: ["evaluate", s.write(f), _lines(s, f, lambda rows: rows[:-1]), "-q", "pay"],
    "not k-anonymous": lambda s, f: ["verify", s.write(f), "-k", 6, "-q", "pay,born,job"],
    "a record that is none": lambda s, f: ["explain", s.write(f), "--row", 999, "-q", "pay,job"],
    "a method that does not fit": lambda s, f: _good(s, f, "--method", "hm"),
    "too little memory": lambda s, f: _good(s, f, "--memory", "1MB"),
    "an output that cannot hold it": lambda s, f: [*("anonymize", s.write(f), *ASKED, "-o", f / "out.sas7bdat")],
    "a shuffled release beside its original": lambda s, f: [
        *("evaluate", s.write(f), _lines(s, f, lambda rows: [rows[0], *sorted(rows[1:])]), "-q", "pay,born,job")
    ],
}


@pytest.mark.parametrize("case", [*FILES, *OPTIONS])
def test_no_message_names_a_cell(case: str, tmp_path: Path, command: Command, ledger: Ledger) -> None:
    account = ledger.account("leak", *NAME)
    for number in tries(few=1, full=12):
        with account.trial():
            source = planted(number)
            folder = tmp_path / str(number)
            folder.mkdir()
            arguments = (FILES | OPTIONS)[case](source, folder)
            before = {path.name for path in folder.iterdir()}
            printed = command(*arguments, *(["--json"] if number % 2 else []))
            assert printed.code in (2, 3), printed.output
            assert leaked(printed.output, source.all) == []
            assert "Traceback" not in printed.output
            assert {path.name for path in folder.iterdir()} == before
            account.refused += 1


def test_no_error_of_python_carries_a_cell(tmp_path: Path, ledger: Ledger) -> None:
    """Neither in its text, nor pickled, nor in what a traceback prints of the errors that were behind it."""
    account = ledger.account(
        "leak",
        "errors are pickled, and printed with the errors behind them",
        "No cell stands in them: errors of other libraries, which quote cells, are left behind.",
    )
    source = planted(9)
    frame, plain = source.frame, {"k": 6, "method": "mondrian"}
    wrong: list[Callable[[], object]] = [
        lambda: shoal.anonymize(frame, **plain, quasi_identifiers=["job"], kinds={"job": "numeric"}),
        lambda: shoal.anonymize(frame, **plain, quasi_identifiers=["job"], kinds={"job": "date"}),
        lambda: shoal.anonymize(frame, **plain, quasi_identifiers=["job"], hierarchies={"job": {"*": {"a": {}}}}),
        lambda: shoal.anonymize(frame, **plain, quasi_identifiers=["job"], levels={"job": list(source.unused)}),
        lambda: shoal.anonymize(frame, **plain, quasi_identifiers=["pay"], bounds={"pay": (0, 6000)}),
        lambda: shoal.anonymize(frame, **plain, quasi_identifiers=["pay"], sensitive=["note"], l=50),
        lambda: shoal.anonymize(frame, **plain, quasi_identifiers=["pay"], sampling_weights="note"),
        lambda: shoal.anonymize(frame, **plain, quasi_identifiers=["pay"], strata=["name"]),
        lambda: shoal.Hierarchy.from_dict({source.rare[0]: {source.rare[0]: {}}}),
        lambda: shoal.read(_file(tmp_path, s_bytes(source), "bad.parquet")),
        lambda: shoal.read(_file(tmp_path, s_bytes(source), "bad.xlsx")),
        lambda: shoal.read(_file(tmp_path, s_bytes(source) + b"\xff", "bad.csv"), encoding="utf-8"),
        lambda: shoal.replay(frame, policy=_file(tmp_path, s_bytes(source), "p.toml")),
    ]
    for broken in wrong:
        with account.trial():
            with pytest.raises(ShoalError) as found:
                broken()
            error = found.value
            printed = "".join(traceback.format_exception(error))
            again = pickle.loads(pickle.dumps(error))  # noqa: S301
            for text in (str(error), repr(error), printed, repr(error.args), str(again), repr(again.__dict__)):
                assert leaked(text, source.all) == []
            assert leaked(pickle.dumps(error), source.all) == []
            account.refused += 1


def s_bytes(source: Planted) -> bytes:
    return source.frame.write_csv().encode()


def test_a_bug_tells_its_place_and_no_cell(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch, ledger: Ledger
) -> None:
    account = ledger.account(
        "leak",
        "a bug of Shoal or of a library raises an error that quotes the data, in every stage of a run",
        "The message tells the type and the place of the bug, and nothing of the error's text.",
    )
    source = planted(2)
    stages = [
        "build_survey_design",
        "replace_columns",
        "count_formulas",
        "shuffled_order",
        "profile_columns",
        "write_table",
        "class_labels",
    ]
    for stage in stages:
        with account.trial():

            def bug(*_: object, **__: object) -> None:
                raise RuntimeError(f"cannot take {source.names[0]} and {source.notes[0]}")

            with monkeypatch.context() as patch:
                patch.setattr(f"shoal.data.{stage}", bug)
                printed = command(*_good(source, tmp_path, "--shuffle"))
            assert printed.code == 1
            assert "This is a bug in Shoal (RuntimeError in test_leak_messages.py" in printed.err
            assert leaked(printed.output, source.all) == []
            assert not (tmp_path / "out.csv").exists()
            account.refused += 1
