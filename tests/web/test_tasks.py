"""Tasks of workers: inspections, previews, counts, comparisons, releases; and refusals."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import xlsxwriter
from worker_helpers import file_params, run_task, run_tasks

import shoal
from shoal import data
from shoal.cli.main import main
from shoal.errors import ShoalError
from shoal.hierarchy import Hierarchy
from shoal.web.errors import PageError
from shoal.web.projects.arguments import release_arguments as wanted
from shoal.web.projects.model import ReleaseChoices, SourceFile
from shoal.web.workers.process import TaskProgress
from shoal.web.workers.tasks import MODULES, file_tasks, release_tasks
from shoal.web.workers.worker import WorkerContext

JOBS = {"any": {"indoors": {"baker": {}, "clerk": {}}, "outdoors": {"farmer": {}, "roofer": {}}}}
SCHOOLS = ["none", "school", "college"]


def people(records: int = 120) -> pl.DataFrame:
    draw = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "name": [f"person {number}" for number in range(records)],
            "age": draw.integers(18, 90, records),
            "income": np.round(draw.lognormal(10, 0.5, records), 2),
            "job": draw.choice(["baker", "clerk", "farmer", "roofer"], records),
            "school": draw.choice(SCHOOLS, records),
            "ill": draw.choice(["flu", "gout", "none"], records),
        }
    )


def stored(folder: Path, ending: str) -> Path:
    """The table as a file of ours, under a name of ours."""
    path = folder / "0a1b2c3d4e5f" / f"data{ending}"
    path.parent.mkdir(exist_ok=True)
    data.write_table(data.read_table(people()), path)
    return path


def sentences(folder: Path, *paths: Path, memory: int = 1 << 30) -> list[str]:
    """What is said about files that cannot be looked at; empty for those that can."""
    params = [("look", {"file": file_params(path, f"my {path.name}"), "name": "mine"}) for path in paths]
    errors = [str(one) if isinstance(one, PageError) else "" for one in run_tasks(folder, *params, memory=memory)]
    assert str(folder) not in "".join(errors)
    assert "bug" not in "".join(errors)
    return errors


def run_here(task: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """What a task answers, in this process."""
    response = getattr(import_module(f"shoal.web.workers.tasks.{MODULES[task]}"), task)(
        params, WorkerContext(io.BytesIO())
    )
    return json.loads(json.dumps(response))


def make_release(params: Mapping[str, Any], progress: list[TaskProgress]) -> dict[str, Any]:
    """A release that is made in this process, and what it tells; its files are private as those of a worker."""
    pipe, mask = io.BytesIO(), os.umask(0o077)
    try:
        response = release_tasks.release(params, WorkerContext(pipe))
    finally:
        os.umask(mask)
    progress += [TaskProgress(**json.loads(line)) for line in pipe.getvalue().splitlines()]
    return json.loads(json.dumps(response))


def test_a_look_tells_what_a_file_is(tmp_path) -> None:
    progress: list[TaskProgress] = []
    path = stored(tmp_path, ".csv")
    facts = run_task(tmp_path, ("look", {"file": file_params(path), "name": "people of mine.csv"}), progress=progress)
    source = SourceFile.from_dict(facts)
    assert (source.name, source.kind, source.records) == ("people of mine.csv", "csv", 120)
    assert source.names == tuple(people().columns)
    assert (source.size, source.sha256) == (path.stat().st_size, data.file_sha256(path))
    assert [one.stage for one in progress] == ["reading", "looking at the columns"]
    assert "person 7" not in json.dumps(facts)


def test_a_look_tells_questions_and_identifiers_without_their_values(tmp_path) -> None:
    path = tmp_path / "data.csv"
    rows = [f"Quetzal{n % 5};030 {n % 4}4711{n % 9};0{n % 3 + 1}/0{n % 4 + 1}/1980;{n % 7}" for n in range(40)]
    path.write_text("\n".join(["Vorname;Telefon;born;x", *rows]) + "\n")
    facts = run_here("look", {"file": file_params(path), "name": "n"})
    source = SourceFile.from_dict(facts)
    assert source.questions == {"born": {"doubt": "day or month", "formats": ["DD/MM/YYYY", "MM/DD/YYYY"]}}
    assert [column.name for column in source.columns if column.looks_identifying] == ["Vorname", "Telefon"]
    assert not [word for word in ("Quetzal", "4711", "1980") if word in json.dumps(facts)]


def test_the_head_of_a_file_is_read_and_kept_nowhere(tmp_path) -> None:
    path = stored(tmp_path, ".csv")
    context = WorkerContext(io.BytesIO())
    result = file_tasks.head({"file": file_params(path), "rows": 3}, context)
    assert len(result["rows"]) == 3
    assert [column["name"] for column in result["columns"]] == people().columns
    assert context._tables == {}
    refused = file_tasks.head({"file": file_params(path, column_formats={"nobody": "text"}), "rows": 3}, context)
    assert "person 7" not in refused["error"]
    assert str(path) not in refused["error"]
    assert refused["columns"] == []
    assert len(refused["lines"]) == 8


def test_what_was_said_about_reading_is_followed(tmp_path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"a;b\n1,5;x\n2,5;y\n")
    reading = {"delimiter": ";", "decimal": ",", "header": True}
    facts = run_here("look", {"file": file_params(path, **reading), "name": "n"})
    assert [column["kind"] for column in facts["columns"]] == ["numeric", "nominal"]


def test_the_example_is_the_made_up_register(tmp_path) -> None:
    facts = run_task(
        tmp_path, ("example", {"file": file_params(tmp_path / "e.csv"), "name": "register.csv", "rows": 150})
    )
    assert (facts["records"], facts["name"]) == (150, "register.csv")
    data.write_table(data.read_table(data.example_register(150)), tmp_path / "same.csv")
    assert (tmp_path / "e.csv").read_bytes() == (tmp_path / "same.csv").read_bytes()
    assert (tmp_path / "e.csv").stat().st_mode & 0o077 == 0


def test_a_preview_shows_the_first_records_and_a_profile(tmp_path) -> None:
    frame = pl.DataFrame(
        {
            "n": [3, None, 1, 1],
            "text": ["b" * 100, "a", "a", None],
            "day": ["2020-01-02", "2020-01-01", "", "2020-01-02"],
            "empty": [None, None, None, None],
        },
        schema_overrides={"empty": pl.String},
    )
    frame.write_csv(tmp_path / "data.csv")
    facts = run_here("preview", {"file": file_params(tmp_path / "data.csv"), "rows": 3})
    assert facts["names"] == frame.columns
    assert facts["types"] == ["integer", "text", "date", "text"]
    assert facts["rows"] == [
        ["3", "b" * 80 + "…", "2020-01-02", None],
        [None, "a", "2020-01-01", None],
        ["1", "a", None, None],
    ]
    n, text, day, empty = facts["columns"]
    assert n == {"name": "n", "missing": 1, "distinct": 2, "top": [["1", 2], ["3", 1]], "low": "1", "high": "3"}
    assert (text["missing"], text["top"], text["low"]) == (1, [["a", 2], ["b" * 80 + "…", 1]], None)
    assert (day["low"], day["high"], day["top"][0]) == ("2020-01-01", "2020-01-02", ["2020-01-02", 2])
    assert empty == {"name": "empty", "missing": 4, "distinct": 0, "top": [], "low": None, "high": None}


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_a_preview_of_odd_cells_is_one(tmp_path, ending) -> None:
    frame = pl.DataFrame(
        {
            "list": [[1], [2, 3]],
            "float": [1.5, float("nan")],
            "huge": [1e308, -1e308],
            "when": pl.Series(["2020-01-01 10:00:00", None]).str.to_datetime(),
            "day": pl.Series(["2020-01-01", "2021-01-01"]).str.to_date(),
            "flag": [True, False],
        }
    )
    path = tmp_path / f"data{ending}"
    frame.write_parquet(path) if ending == ".parquet" else frame.write_ipc(path)
    facts = run_here("preview", {"file": file_params(path), "rows": 8})
    assert len(facts["rows"]) == 2
    assert facts["rows"][0][1:] == ["1.5", "1e+308", "2020-01-01 10:00:00", "2020-01-01", "true"]


def test_exposure_is_that_of_the_library(tmp_path) -> None:
    path = stored(tmp_path, ".csv")
    names = ["age", "job", "school"]
    facts = run_here("exposure", {"file": file_params(path), "quasi_identifiers": names, "k": 5})
    assert facts == json.loads(json.dumps(shoal.uniqueness(path, quasi_identifiers=names, k=5).to_dict()))


def test_a_comparison_is_that_of_the_library(tmp_path) -> None:
    path, progress = stored(tmp_path, ".csv"), list[TaskProgress]()
    arguments = {"quasi_identifiers": ["age", "income"], "identifiers": ["name"]}
    params = {"file": file_params(path), "k": [3, 5], "methods": ["mdav"], "seconds": None, "arguments": arguments}
    facts = run_task(tmp_path, ("compare", params), progress=progress)
    same = shoal.compare(path, k=[3, 5], methods=["mdav"], **arguments).to_dict()
    for point in [*facts["points"], *same["points"]]:
        point.pop("seconds"), point.pop("compiled")
    assert facts["points"] == same["points"]
    assert {one.of for one in progress} <= {0, 2}


def choices_of(source: SourceFile, folder: Path) -> ReleaseChoices:
    """Decisions with a hierarchy and levels, which lie in the folder as a project has them."""
    folder.mkdir()
    Hierarchy.from_dict(JOBS).save(folder / "hierarchy-3.json")
    (folder / "levels-4.txt").write_text("\n".join(SCHOOLS), encoding="utf-8")
    choices = ReleaseChoices.proposed(source)
    for number, role in enumerate(
        ["identifier", "quasi-identifier", "quasi-identifier", "quasi-identifier", "quasi-identifier", "sensitive"]
    ):
        choices = choices.with_column(number, role=role)
    choices = choices.with_column(3, hierarchy="hierarchy-3.json", recode="lcs").with_column(4, levels="levels-4.txt")
    return ReleaseChoices.from_dict({**choices.to_dict(), "k": 4, "l": 2, "method": "mdav", "effort": ""})


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".xlsx", ".csv.gz"])
def test_a_release_can_be_made_again_on_the_command_line(tmp_path, monkeypatch, ending) -> None:
    path, progress = stored(tmp_path, ending), list[TaskProgress]()
    source = SourceFile.from_dict(
        file_tasks.look({"file": file_params(path), "name": "mine"}, WorkerContext(io.BytesIO()))
    )
    arguments = wanted(source, choices_of(source, tmp_path / "hierarchies"), tmp_path / "hierarchies")
    folder = tmp_path / "release"
    task = {
        "file": file_params(path, f"people of mine{ending}"),
        "arguments": arguments,
        "folder": str(folder),
        "comparison": None,
    }
    # one in a process of its own, the others here as it would be there
    response = (
        run_task(tmp_path, ("release", task), progress=progress) if ending == ".csv" else make_release(task, progress)
    )
    released = f"released{ending}"
    assert {file["name"] for file in response["files"]} == {
        *(released, f"{released}.policy.toml", "report.internal.html", "report.external.html", "released.bundle.zip"),
        *("hierarchies/hierarchy-3.json", "hierarchies/levels-4.txt"),
    }
    for file in response["files"]:
        target = folder / file["name"]
        assert (file["size"], file["sha256"]) == (target.stat().st_size, data.file_sha256(target))
        assert target.stat().st_mode & 0o077 == 0
    facts = json.loads((folder / "facts.json").read_text())
    assert facts["files"] == response["files"]
    assert facts["verification"]["ok"]
    assert facts["verification"]["min_class"] >= 4
    assert [one["name"] for one in facts["distributions"]] == ["age", "income", "job", "school"]
    policy = tomllib.loads((folder / f"{released}.policy.toml").read_text())
    assert policy["input"]["file"] == f"people of mine{ending}"
    assert str(tmp_path) not in (folder / "report.internal.html").read_text()
    assert shoal.verify_bundle(folder / "released.bundle.zip").ok
    stages = list(dict.fromkeys(one.stage for one in progress if not one.stage.startswith("compiling")))
    assert stages == ["reading", "grouping alike records", "writing and verifying", "writing reports"]

    again = tmp_path / "again"
    again.mkdir()
    for target in [*folder.glob("hierarchies/*"), folder / f"{released}.policy.toml"]:
        (again / target.name).write_bytes(target.read_bytes())
    (again / f"people of mine{ending}").write_bytes(path.read_bytes())
    monkeypatch.chdir(again)
    command = [f"people of mine{ending}", "--policy", f"{released}.policy.toml", "-o", f"again{ending}", "--quiet"]
    monkeypatch.setattr(sys, "argv", ["shoal", "anonymize", *command])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    assert (again / f"again{ending}").read_bytes() == (folder / released).read_bytes()


def test_what_cannot_be_written_is_released_as_text(tmp_path) -> None:
    path = stored(tmp_path, ".xlsx").rename(tmp_path / "data.xlsm")
    arguments = {"k": 3, "quasi_identifiers": ["age"], "identifiers": ["name"], "method": "mdav"}
    task = {"file": file_params(path), "arguments": arguments, "folder": str(tmp_path / "release")}
    names = [file["name"] for file in run_here("release", task)["files"]]
    assert "released.csv" in names


def test_a_release_that_is_refused_leaves_nothing(tmp_path) -> None:
    arguments = {"k": 500, "quasi_identifiers": ["age"]}
    task = {
        "file": file_params(stored(tmp_path, ".csv")),
        "arguments": arguments,
        "folder": str(tmp_path / "p" / "release"),
    }
    (tmp_path / "p").mkdir()
    with pytest.raises(ShoalError, match="500"):
        run_here("release", task)
    assert list((tmp_path / "p").iterdir()) == []


def test_a_million_columns_are_refused_before_they_are_read(tmp_path, monkeypatch) -> None:
    line = ",".join(f"c{number}" for number in range(1_000_000)).encode()
    (tmp_path / "wide.csv").write_bytes(line + b"\n" + line + b"\n")
    (tmp_path / "wide.csv.gz").write_bytes(gzip.compress(line + b"\n", 1))
    monkeypatch.setattr(data, "read_table", None)  # which would take minutes
    for name in ("wide.csv", "wide.csv.gz"):
        with pytest.raises(PageError, match=r"the page takes up to 2,000.*command line"):
            file_tasks.look(
                {"file": file_params(tmp_path / name), "name": name}, WorkerContext(io.BytesIO(), 512 << 20)
            )


def test_wide_columns_are_refused_in_every_format(tmp_path) -> None:
    frame = pl.DataFrame({f"c{number}": [1.5, 2.5] for number in range(2_001)})
    frame.write_parquet(tmp_path / "wide.parquet")
    frame.write_ipc(tmp_path / "wide.arrow")
    frame.write_csv(tmp_path / "wide.tsv", separator="\t")
    with xlsxwriter.Workbook(tmp_path / "wide.xlsx") as book:
        sheet = book.add_worksheet()
        for row, cells in enumerate([frame.columns, *frame.rows()]):
            sheet.write_row(row, 0, cells)
    for sentence in sentences(tmp_path, *(tmp_path / f"wide.{end}" for end in ("parquet", "arrow", "tsv", "xlsx"))):
        assert "2,001 columns" in sentence


def test_commas_in_quotation_marks_are_no_columns(tmp_path) -> None:
    (tmp_path / "data.csv").write_text('"' + "a," * 60 + '",b\n1,2\n')
    assert data.estimate_width(tmp_path / "data.csv") == 2
    assert data.estimate_width(tmp_path / "data.csv", options=data.ReadOptions(quote="")) == 62


def bomb(book: Path, path: Path, sheet: bytes, times: int) -> None:
    """A workbook whose sheet is a piece of text repeated."""
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for part in old.infolist():
            content = old.read(part)
            if not part.filename.endswith("sheet1.xml"):
                new.writestr(part.filename, content)
                continue
            with new.open(part.filename, "w") as file:
                file.write(content.split(b"<sheetData>")[0] + b"<sheetData>")
                for _ in range(times):
                    file.write(sheet)
                file.write(b"</sheetData></worksheet>")


def test_bombs_are_refused_before_they_go_off(tmp_path) -> None:
    book = stored(tmp_path, ".xlsx")
    row = b'<row><c t="inlineStr"><is><t>' + b"A" * 1_000_000 + b"</t></is></c></row>"
    bomb(book, tmp_path / "bomb.xlsx", row, 150)
    with gzip.open(tmp_path / "bomb.csv.gz", "wb", compresslevel=1) as file:
        file.write(b"a,b\n")
        for _ in range(150):
            file.write(b"1,2\n" * 250_000)
    for sentence in sentences(tmp_path, tmp_path / "bomb.xlsx", tmp_path / "bomb.csv.gz", memory=512 << 20):
        assert "more than the 134 MB that the page unpacks" in sentence


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is that of Linux")
def test_a_workbook_that_needs_endless_memory_is_a_sentence(tmp_path) -> None:
    cells = b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    bomb(stored(tmp_path, ".xlsx"), tmp_path / "corner.xlsx", cells, 1)
    assert "broke down" in sentences(tmp_path, tmp_path / "corner.xlsx")[0]


def broken(kind: str) -> dict[str, bytes]:
    """Files that are not what their endings say."""
    buffer = io.BytesIO()
    people().write_parquet(buffer) if kind == "parquet" else people().write_ipc(buffer)
    whole, draw = buffer.getvalue(), np.random.default_rng(0)
    result = {f"half.{kind}": whole[: len(whole) // 2], f"text.{kind}": b"a,b\n1,2\n", f"none.{kind}": b""}
    for number in range(6):
        rotten = bytearray(whole)
        for path in draw.integers(8, len(whole), 8):
            rotten[path] ^= int(draw.integers(1, 256))
        result[f"rotten{number}.{kind}"] = bytes(rotten)
    return result


def test_damaged_columns_end_in_a_sentence_or_a_table(tmp_path) -> None:
    files = broken("parquet") | broken("arrow")
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    for name, sentence in zip(files, sentences(tmp_path, *(tmp_path / name for name in files)), strict=True):
        assert sentence or name.startswith("rotten")


NO_TABLES = {
    "none.csv": b"",
    "packed.csv": gzip.compress(b"a,b\n1,2\n"),
    "plain.csv.gz": b"a,b\n1,2\n",
    "torn.csv.gz": gzip.compress(b"a,b\n1,2\n" * 99)[:-9],
    "text.xlsx": b"a,b\n1,2\n",
    "none.xlsx": b"",
    "zip.xlsx": b"PK\x05\x06" + b"\0" * 18,
    "old.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
    "zeros.sas7bdat": b"\0" * 2000,
    "junk.sav": b"$FL2@(#) junk" * 10,
    "junk.dta": b"<stata_dta>junk",
    "data.exe": b"MZ",
}


def test_what_is_no_table_is_refused_by_its_name(tmp_path) -> None:
    for name, content in NO_TABLES.items():
        (tmp_path / name).write_bytes(content)
    for name, sentence in zip(NO_TABLES, sentences(tmp_path, *(tmp_path / name for name in NO_TABLES)), strict=True):
        assert f"'my {name}'" in sentence
