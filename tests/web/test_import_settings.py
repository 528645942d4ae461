"""Import dialog: questions, previews and stored settings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from page_client import PageClient, PageResponse, fake_query

from shoal.errors import FileError, OptionError
from shoal.web.http.forms import Form
from shoal.web.projects import import_settings
from shoal.web.projects.model import ColumnFacts, Project, ReleaseChoices, SourceFile
from shoal.web.workers.pool import Job

EVIL = "<script>alert(1)</script>"
SECRET = "Quetzalcoatl"
HEAD = {"sheets": [], "error": "", "columns": [], "rows": [], "settings": {}, "hidden": 0, "lines": []}


@pytest.fixture
def page(tmp_path: Path) -> Iterator[PageClient]:
    with PageClient(tmp_path / "page") as result:
        yield result


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "stays.csv"
    rows = [f"{SECRET}{i};0{i % 9 + 1}/0{i % 7 + 1}/2020;1.{100 + i},50" for i in range(40)]
    path.write_text("\n".join(["A title", "", "name;day;cost", *rows]) + "\n")
    return path


def source(kind: str = "csv", **facts: Any) -> SourceFile:
    columns = (
        ColumnFacts("age", "quasi-identifier", "", "numeric", "integer", 40, 30, True),
        ColumnFacts(EVIL, "identifier", "", "nominal", "text", 900, 20),
    )
    return SourceFile("stays.csv", kind, {"format": kind}, 1000, 12_345, "ab12", columns, **facts)


def create_project(page: PageClient, file: Path, result: SourceFile | None = None, **reading: Any) -> Project:
    result = replace(result or source(), reading=reading)
    project = page.context.store.create(
        "stays", source=result, choices=ReleaseChoices.proposed(result), reading=reading
    )
    page.context.files[project.id] = file
    return project


def create_failed_project(page: PageClient, file: Path, error: Exception) -> Project:
    project = page.context.store.create("stays")
    page.context.files[project.id] = file
    page.context.workers._jobs[project.id] = Job("look", state="failed", sentence=error.sentence)
    return project


def preview(page: PageClient, project: Project, **fields: object) -> PageResponse:
    """The preview, once it is there."""
    while (response := page.post(f"/p/{project.id}/import/preview", fields)).status == 202:
        pass
    return response


def apply_settings(
    page: PageClient, project: Project, monkeypatch: pytest.MonkeyPatch, **fields: object
) -> tuple[PageResponse, list[Any]]:
    started: list[Any] = []
    monkeypatch.setattr(page.context.workers, "start_job", lambda *given, **_: started.append(given))
    return page.post(f"/p/{project.id}/reading", {"revision": project.revision, **fields}), started


@pytest.mark.parametrize(
    ("kind", "there", "absent"),
    [
        (
            "csv",
            ["delimiter", "quote", "encoding", "decimal", "thousands", "skip", "row_numbers", "missing"],
            ["sheet"],
        ),
        ("excel", ["sheet", "header", "skip", "decimal", "missing"], ["delimiter", "encoding", "quote"]),
        ("parquet", [], ["sheet", "header", "delimiter", "missing"]),
    ],
)
def test_only_what_fits_the_format_is_offered(
    page: PageClient, file: Path, monkeypatch: pytest.MonkeyPatch, kind: str, there: list[str], absent: list[str]
) -> None:
    fake_query(page, monkeypatch, {**HEAD, "sheets": ["2023", EVIL]})
    text = page.get(f"/p/{create_project(page, file, source(kind)).id}/import").text
    assert all(f'id="set-{name}"' in text for name in there)
    assert not any(f'id="set-{name}"' in text for name in absent)
    assert EVIL not in text
    assert (escape(EVIL) in text) == (kind == "excel"), "the sheets of a workbook are offered"
    assert "<html" not in text


def test_the_settings_of_now_are_shown(page: PageClient, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = {
        "delimiter": "~",
        "encoding": "cp037",
        "thousands": "none",
        "header": False,
        "skip": 3,
        "row_numbers": True,
        "missing": "k.A.\n-9",
        "column_formats": {EVIL: "text"},
        "missing_in": {"age": ["999"]},
    }
    fake_query(page, monkeypatch, HEAD)
    project = create_project(page, file, **reading)
    text = page.get(f"/p/{project.id}/import").text
    for part in ('value="~"', 'value="cp037" selected', 'value="none" selected', 'value="no" selected', 'value="3"'):
        assert part in text
    assert "k.A.\n-9</textarea>" in text
    sent = json.loads(unescape(re.search(r'name="columns" value="([^"]*)"', text)[1]))
    assert sent == {EVIL: {"format": "text", "missing": ""}, "age": {"format": "", "missing": "999"}}
    displayed = page.get(f"/p/{project.id}/data")
    assert displayed.status == 200
    form = Form([("columns", json.dumps(sent)), ("delimiter", "own"), ("delimiter_own", "~"), ("header", "no")])
    assert import_settings.settings_from_form(reading, form) == reading, "what is shown is what is sent"


def test_the_dialog_waits_for_its_preview(page: PageClient, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_query(page, monkeypatch, None)
    project = create_project(page, file)
    assert page.get(f"/p/{project.id}/import").status == 202
    assert page.post(f"/p/{project.id}/import/preview", {"delimiter": ";"}).status == 202


def test_a_preview_reads_the_head_by_settings_that_are_not_applied(page: PageClient, file: Path) -> None:
    project = create_project(page, file)
    text = preview(page, project).text
    assert re.findall(r'data-name="([^"]*)"', text) == ["name", "day", "cost"]
    assert f"{SECRET}0" in text
    assert "number (1.234,5)" in text
    assert text.count("<tr>") == 9
    assert 'data-format="DD/MM/YYYY" data-of="day"' in text
    reading = {"day": {"format": "MM/DD/YYYY", "missing": ""}, "cost": {"format": "text", "missing": "1.100,50"}}
    text = preview(page, project, columns=json.dumps(reading)).text
    assert "date (MM/DD/YYYY)" in text
    assert "2020-01-01" in text
    assert "data-format" not in text
    assert text.count("missing</span>") == 1
    text = preview(page, project, header="no", skip="3").text
    assert 'data-name="column_1"' in text
    assert page.context.store.read(project.id).reading == {}
    assert page.context.store.read(project.id).revision == project.revision


def test_settings_that_do_not_fit_are_told_in_the_words_of_the_page(page: PageClient, file: Path) -> None:
    text = preview(page, create_project(page, file), encoding="ascii", delimiter="|", skip="2", header="yes").text
    assert "data-error" not in text
    reading = json.dumps({"born": {"format": "DD.MM.YYYY"}})
    text = preview(page, create_project(page, file), columns=reading).text
    assert "data-error" in text
    assert "There is no column &#39;born&#39;" in text
    assert str(file) not in text
    sentence = text.split("</p>")[0]
    assert SECRET not in sentence
    assert f"<code>{SECRET}0;01/01/2020;1.100,50</code>" in text, "the lines are shown as they are"


def test_a_large_file_is_previewed_by_its_head(page: PageClient, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("a,b\n" + "1,2\n" * 1_200_000 + "1,2,3,4\n")
    text = preview(page, create_project(page, path)).text
    assert "data-error" not in text
    assert text.count("<tr>") == 9


def test_the_sheets_of_a_workbook_are_offered(page: PageClient, tmp_path: Path) -> None:
    import xlsxwriter

    path = tmp_path / "data.xlsx"
    book = xlsxwriter.Workbook(path)
    for name in ("Notes", "Persons"):
        pl.DataFrame({"age": [30, 40], "name": [name, "Bo"]}).write_excel(book, worksheet=name)
    book.close()
    project = create_failed_project(page, path, FileError.several_sheets("data.xlsx", ["Notes", "Persons"]))
    displayed = page.get(f"/p/{project.id}/data").text
    assert "data-open>" in displayed
    assert "Which sheet holds the data?" in displayed
    assert "--sheet" not in displayed
    while (response := page.get(f"/p/{project.id}/import")).status == 202:
        pass
    assert 'data-question="sheet"' in response.text
    assert '<option value="Persons">Persons</option>' in response.text
    assert "data-error" in response.text
    assert "Persons</td>" in preview(page, project, sheet="Persons").text


@pytest.mark.parametrize(
    ("error", "question"),
    [
        (FileError.header_looks_numeric("a.csv"), "Is the first line a header or a record?"),
        (FileError.header_looks_like_record("a.csv", 2), "Is the first line a header or a record?"),
        (FileError.bad_encoding("a.csv", "utf-8"), "Which encoding does the text have?"),
        (FileError.stray_quote("a.csv", row=3), "Which quotation mark encloses the fields?"),
        (FileError.ragged("a.csv", row=3, found=2, expected=4, rows=1), "Which character separates the columns?"),
        (FileError.header_too_short("a.csv", names=1, fields=4, rows=9, of=9), "How many lines are above the header?"),
        (FileError.damaged("a.csv", "csv"), ""),
    ],
)
def test_a_file_that_cannot_be_read_without_an_answer_asks_for_it(
    page: PageClient, file: Path, error: Exception, question: str
) -> None:
    text = page.get(f"/p/{create_failed_project(page, file, error).id}/data").text
    assert ("data-open>" in text) == bool(question)
    assert question in text
    assert "(--" not in text


@pytest.mark.parametrize(
    ("facts", "question", "answers"),
    [
        (
            {"questions": {"born": {"doubt": "day or month", "formats": ["DD.MM.YYYY", "MM/DD/YYYY"]}}},
            "Which comes first in “born”: the day or the month?",
            ["Read as DD.MM.YYYY", "Read as MM/DD/YYYY", "Keep as text"],
        ),
        (
            {"questions": {EVIL: {"doubt": "comma", "formats": ["1234,5", "1,234.5"]}}},
            "a decimal mark or a thousands mark?",
            ["Read as 1234,5", "Read as 1,234.5", "Keep as text"],
        ),
        (
            {"questions": {"a": {"doubt": "short year", "formats": []}, "b": {"doubt": "short year", "formats": []}}},
            "years of two digits in “a” and “b”",
            ["Keep as text"],
        ),
        ({"doubts": {"names": ["31", EVIL]}}, "Is the first line a header or a record?", ["Read the first line as a"]),
    ],
)
def test_what_looks_misread_is_mended_by_a_click(
    page: PageClient,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    facts: Mapping[str, Any],
    question: str,
    answers: list[str],
) -> None:
    project = create_project(page, file, replace(source(), **facts), delimiter=";")
    text = page.get(f"/p/{project.id}/data").text
    assert question in text
    assert all(response in text for response in answers)
    assert EVIL not in text
    assert "data-open>" in text
    first = re.search(r'<form method="post" action="/p/\w+/reading">.*?</form>', text, re.DOTALL)[0]
    sent = {name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', first)}
    response, started = apply_settings(page, project, monkeypatch, **{k: v for k, v in sent.items() if k != "csrf"})
    assert response.status == 303
    now = page.context.store.read(project.id).reading
    assert now["delimiter"] == ";", "all other settings stay"
    assert len(now) == 2
    assert started[0][2]["file"]["reading"] == now


def test_what_was_answered_is_not_asked_again(page: PageClient, file: Path) -> None:
    project = create_project(page, file, replace(source(), doubts={"names": ["31"]}), header=True)
    assert "Is the first line a header" not in page.get(f"/p/{project.id}/data").text


def test_text_that_looks_like_numbers_is_told(page: PageClient, file: Path) -> None:
    doubts = {"numbers": ["height"], "dates": ["born", "seen"]}
    facts = {"questions": {"seen": {"doubt": "day or month", "formats": ["DD/MM/YYYY", "MM/DD/YYYY"]}}}
    text = page.get(f"/p/{create_project(page, file, replace(source(), doubts=doubts, **facts)).id}/data").text
    assert "Read as text: “height” and “born”." in text


def test_what_is_applied_is_kept_and_the_file_is_read_again(
    page: PageClient, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = create_project(page, file)
    fields = {
        "delimiter": "\t",
        "quote": "'",
        "encoding": "",
        "decimal": ",",
        "thousands": "none",
        "header": "no",
        "skip": " 3 ",
        "row_numbers": "yes",
        "missing": " -9 \n\nunknown\n",
        "columns": json.dumps({"age": {"format": "1.234,5", "missing": "999\n998"}, "b": {"format": ""}}),
    }
    response, started = apply_settings(page, project, monkeypatch, **fields)
    expected = {
        "delimiter": "\t",
        "quote": "'",
        "decimal": ",",
        "thousands": "none",
        "header": False,
        "skip": 3,
        "row_numbers": True,
        "missing": "-9\nunknown",
        "column_formats": {"age": "1.234,5"},
        "missing_in": {"age": ["999", "998"]},
    }
    assert response.status == 303
    stored = page.context.store.read(project.id)
    assert stored.reading == expected
    assert started[0][1] == "look"
    assert started[0][2]["file"]["reading"] == expected
    taken = import_settings.to_read_options(stored.reading)
    assert (taken.thousands, taken.header_known, taken.missing, taken.detect) == ("", False, ("-9", "unknown"), True)
    assert taken.missing_by_column == {"age": ("999", "998")}


def test_an_empty_field_is_detected_and_reset_clears_all(
    page: PageClient, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = {"delimiter": ";", "skip": 2, "column_formats": {"a": "text"}, "missing_in": {"a": ["9"]}}
    project = create_project(page, file, **reading)
    apply_settings(page, project, monkeypatch, delimiter="", columns=json.dumps({"a": {"format": "", "missing": ""}}))
    now = page.context.store.read(project.id)
    assert now.reading == {"skip": 2}
    apply_settings(page, now, monkeypatch, reset="yes")
    now = page.context.store.read(project.id)
    assert now.reading == {}
    apply_settings(page, now, monkeypatch, reset="yes", delimiter=";")
    assert page.context.store.read(project.id).reading == {"delimiter": ";"}, "what was changed after it holds"


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"delimiter": "own", "delimiter_own": "ab"}, "“Column separator”"),
        ({"delimiter": "x"}, "“Column separator”"),
        ({"quote": ";", "delimiter": ";"}, "“Quote”"),
        ({"encoding": "klingon"}, "“Text encoding”"),
        ({"decimal": ";"}, "“Decimal mark”"),
        ({"thousands": ",", "decimal": ","}, "“Thousands mark”"),
        ({"skip": "-1"}, "“Lines above the header”"),
        ({"skip": "two"}, "“Lines above the header”"),
        ({"missing": "x" * 10_001}, "“Treat these values as missing”"),
        ({"columns": "{"}, "columns"),
        ({"columns": "[1]"}, "columns"),
        ({"columns": '{"a": 1}'}, "columns"),
        ({"columns": '{"a": {"format": 1}}'}, "columns"),
        ({"columns": '{"a": {"format": "TT.MM.JJJJ"}}'}, "column format"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    page: PageClient, file: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, str], named: str
) -> None:
    project = create_project(page, file)
    for response in (
        apply_settings(page, project, monkeypatch, **fields)[0],
        page.post(f"/p/{project.id}/import/preview", fields, x_requested_with="shoal"),
    ):
        assert response.status == 422
        assert named in response.text
        assert "(--" not in response.text
    assert json.loads(response.text)["error"].count(". ") == 0
    assert page.context.store.read(project.id).reading == {}


def test_an_old_form_applies_nothing(page: PageClient, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = replace(create_project(page, file), revision=5)
    response, started = apply_settings(page, project, monkeypatch, decimal=",")
    assert (response.status, started) == (409, [])
    assert page.context.store.read(project.id).reading == {}


def test_a_file_that_is_not_at_hand_has_no_preview(page: PageClient, file: Path) -> None:
    project = create_project(page, file)
    del page.context.files[project.id]
    assert page.get(f"/p/{project.id}/import").status == 409
    assert page.post(f"/p/{project.id}/import/preview", {}).status == 409


@pytest.mark.parametrize(
    "reading", [{"skip": "2"}, {"odd": 1}, {"column_formats": {"a": 1}}, {"missing": 3}, {"skip": -1}]
)
def test_damaged_settings_are_no_project(page: PageClient, file: Path, reading: Mapping[str, Any]) -> None:
    project = create_project(page, file)
    notes = page.context.store.folder(project.id) / "project.json"
    facts = json.loads(notes.read_text())
    notes.write_text(json.dumps({**facts, "reading": reading}))
    assert page.get(f"/p/{project.id}/data").status == 500
    assert not import_settings.is_valid(reading)


def test_settings_of_an_older_version_are_read() -> None:
    result = import_settings.to_read_options(
        {"delimiter": ";", "decimal": ",", "header": True, "missing": "-9\nx", "quote": "none"}
    )
    assert (result.decimal, result.header_known, result.missing, result.quote, result.detect) == (
        *(",", True, ("-9", "x"), "", True),
    )
    with pytest.raises(OptionError):
        import_settings.to_read_options({"odd": 1})
