"""Data page: contents of a file, how it was read, and its stored copy."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from page_client import PageClient, fake_query

from shoal.web.projects.model import ColumnFacts, Project, ReleaseChoices, SourceFile
from shoal.web.workers.pool import Job

EVIL = "<script>alert(1)</script>"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[PageClient]:
    with PageClient(tmp_path / "page") as result:
        yield result


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "stays.csv"
    path.write_text("age,name\n31,Ada\n,Bo\n")
    return path


def source(kind: str = "csv", **settings: Any) -> SourceFile:
    columns = (
        ColumnFacts("age", "quasi-identifier", "", "numeric", "integer", 40, 30, True),
        ColumnFacts(EVIL, "identifier", "", "nominal", "text", 900, 20),
    )
    return SourceFile("stays.csv", kind, {"format": kind, **settings}, 1000, 12_345, "ab12", columns)


def create_project(page: PageClient, file: Path | None, result: SourceFile | None = None) -> Project:
    result = result or source(delimiter=";", encoding="cp1252", decimal=",", header=True)
    project = page.context.store.create("stays", source=result, choices=ReleaseChoices.proposed(result))
    if file is not None:
        page.context.files[project.id] = file
    return project


def test_the_facts_of_a_file(page: PageClient, file: Path) -> None:
    text = page.get(f"/p/{create_project(page, file).id}/data").text
    for words in ("1,000", "12.3 kB", "2.5 % of all", "semicolon", "cp1252", "comma", "the first line", "ab12"):
        assert words in text
    assert "Continue to columns</a>" in text
    assert 'data-load="/p/' in text


def test_a_file_without_records_has_no_share(page: PageClient, file: Path) -> None:
    project = create_project(page, file, replace(source(), records=0))
    assert page.get(f"/p/{project.id}/data").status == 200


def test_while_the_file_is_looked_at_one_sees_how_far_it_is(page: PageClient, file: Path) -> None:
    project = page.context.store.create("stays")
    page.context.files[project.id] = file
    page.context.workers._jobs[project.id] = Job("look")
    text = page.get(f"/p/{project.id}/data").text
    assert f'data-job="/p/{project.id}/job"' in text
    assert "Continue to columns</button>" in text


def test_a_file_that_could_not_be_read_can_be_read_in_another_way(page: PageClient, file: Path) -> None:
    project = page.context.store.create("stays")
    page.context.files[project.id] = file
    page.context.workers._jobs[project.id] = Job("look", state="failed", sentence="Line 3 has 4 fields.")
    text = page.get(f"/p/{project.id}/data").text
    assert "Line 3 has 4 fields." in text
    assert "data-open-import" in text
    assert f'data-upload="/p/{project.id}/file"' in text
    assert "Continue to columns</a>" not in text


def test_a_file_that_is_not_at_hand_is_asked_for_again(page: PageClient) -> None:
    project = create_project(page, None)
    text = page.get(f"/p/{project.id}/data").text
    assert "Choose the file again" in text
    assert "stays.csv" in text
    assert "data-load" not in text
    assert page.get(f"/p/{project.id}/preview").status == 409


def test_a_file_that_nobody_looked_at_can_be_looked_at(page: PageClient, file: Path) -> None:
    project = page.context.store.create("stays")
    page.context.files[project.id] = file
    assert "Read it now" in page.get(f"/p/{project.id}/data").text


def test_a_project_that_follows_another_says_whose_decisions_it_has(page: PageClient) -> None:
    first = page.context.store.create(EVIL)
    second = page.context.store.create("second", follows=first.id)
    text = page.get(f"/p/{second.id}/data").text
    assert "taken over from" in text
    assert "&lt;script&gt;" in text
    assert EVIL not in text
    page.context.store.purge(page.context.store.detach(first.id))
    assert "deleted now" in page.get(f"/p/{second.id}/data").text


def test_the_first_records_are_shown_as_text(page: PageClient, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = create_project(page, file)
    column = {"missing": 30, "distinct": 40, "top": [[EVIL, 7]], "low": "1", "high": "99"}
    result = {
        "names": ["age", EVIL],
        "types": ["integer", "text"],
        "rows": [["31", EVIL], [None, "Bo"]],
        "columns": [{"name": "age", **column}, {"name": EVIL, **column, "low": None, "high": None}],
    }
    params = fake_query(page, monkeypatch, result)
    response = page.get(f"/p/{project.id}/preview")
    assert params[0][0] == "preview"
    assert params[0][1]["rows"] == 8
    assert EVIL not in response.text
    assert '<td class="n"><span class="absent">missing</span></td>' in response.text
    assert "The first 2 of 1,000 records." in response.text
    assert "1 to 99" in response.text
    assert "<html" not in response.text


def test_an_answer_that_is_not_there_yet_is_asked_for_again(
    page: PageClient, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_query(page, monkeypatch, None)
    assert page.get(f"/p/{create_project(page, file).id}/preview").status == 202


def test_a_copy_is_kept_only_if_asked_for(page: PageClient, file: Path) -> None:
    project = create_project(page, file)
    folder = page.context.store.folder(project.id)
    assert not list(folder.glob("data*"))
    assert "No copy of the data is kept" in page.get(f"/p/{project.id}/data").text
    assert page.post(f"/p/{project.id}/keep", {"keep": "yes", "revision": project.revision}).status == 303
    copy = folder / "data.csv"
    assert copy.read_bytes() == file.read_bytes()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    stored = page.context.store.read(project.id)
    assert stored.keeps_data
    assert "Remove the copy" in page.get(f"/p/{project.id}/data").text
    page.post(f"/p/{project.id}/keep", {"keep": "no", "revision": stored.revision})
    assert not copy.exists()
    assert file.exists()
    assert not page.context.store.read(project.id).keeps_data


def test_a_copy_that_is_all_there_is_stays_at_hand_when_it_is_removed(page: PageClient, file: Path) -> None:
    project = create_project(page, file)
    page.post(f"/p/{project.id}/keep", {"keep": "yes", "revision": project.revision})
    page.context.files[project.id] = page.context.store.folder(project.id) / "data.csv"
    page.post(f"/p/{project.id}/keep", {"keep": "no", "revision": page.context.store.read(project.id).revision})
    assert not list(page.context.store.folder(project.id).glob("data*"))
    assert page.context.files[project.id].read_bytes() == file.read_bytes()
    assert page.context.scratch in page.context.files[project.id].parents


def test_an_old_form_keeps_no_copy(page: PageClient, file: Path) -> None:
    project = create_project(page, file)
    assert page.post(f"/p/{project.id}/keep", {"keep": "yes", "revision": 9}).status == 409
    assert not list(page.context.store.folder(project.id).glob("data*"))
