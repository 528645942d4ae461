"""Home page: the list of projects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from page_client import PageClient

from shoal.web.pages import home_page
from shoal.web.projects.model import ColumnFacts, Project, ReleaseChoices, SourceFile

EVIL = "<script>alert(1)</script>"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[PageClient]:
    with PageClient(tmp_path) as result:
        yield result


def source(name: str = "stays.csv") -> SourceFile:
    column = ColumnFacts("age", "quasi-identifier", "its name says 'age'", "numeric", "integer", 40, 0, True)
    return SourceFile(name, "csv", {"format": "csv"}, 1234, 5000, "00", (column,))


def create_ready_project(page: PageClient, *, k: int | None = None, name: str = "stays") -> Project:
    known = source()
    project = page.context.store.create(name, source=known, choices=replace(ReleaseChoices.proposed(known), k=k))
    page.context.files[project.id] = Path(__file__)
    return project


def test_nothing_is_kept_yet(page: PageClient, tmp_path: Path) -> None:
    text = page.get("/").text
    assert "No projects yet." in text
    assert str(tmp_path / "projects") in text
    assert 'data-upload="/projects"' in text
    assert ".parquet" in text
    assert ".sas7bdat" in text


def test_forms_carry_the_token_of_the_session(page: PageClient) -> None:
    assert page.get("/").field("csrf") == page.keys.csrf


def test_only_files_that_can_be_read_are_named(page: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Excel, SPSS, Stata or SAS" in page.get("/").text
    monkeypatch.setattr(home_page, "find_spec", lambda _: None)
    text = page.get("/").text
    assert "Parquet, or Arrow" in text
    assert "install\n    <code>shoal[stats]</code>" in text


def test_a_project_is_listed_with_its_file_and_where_one_goes_on(page: PageClient) -> None:
    project = create_ready_project(page)
    text = page.get("/").text
    assert f'href="/p/{project.id}/columns"' in text
    assert "1,234" in text
    assert "stays.csv" in text
    assert "columns to be decided" in text


@pytest.mark.parametrize(
    ("released", "state"), [("", "ready to run, k = 5"), ("mark", "release verified, k = 5"), ("old", "changed since")]
)
def test_the_state_of_a_project(page: PageClient, released: str, state: str) -> None:
    project = create_ready_project(page, k=5)
    mark = project.mark if released == "mark" else released
    if mark:
        page.context.store.release(project.id).mkdir()
        (page.context.store.release(project.id) / "mark").write_text(mark)
    assert state in page.get("/").text


def test_a_project_without_its_file_waits_for_it(page: PageClient) -> None:
    page.context.store.create("next")
    assert "waiting for its file" in page.get("/").text


def test_names_are_shown_as_text(page: PageClient) -> None:
    page.context.store.create(EVIL, source=source(EVIL))
    text = page.get("/").text
    assert EVIL not in text
    assert text.count("&lt;script&gt;") >= 2


def test_a_deleted_project_is_gone_and_the_file_of_its_owner_stays(page: PageClient, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("age\n1\n")
    project = create_ready_project(page)
    page.context.files[project.id] = own
    arrived = page.context.scratch / project.id
    arrived.mkdir()
    response = page.post(f"/p/{project.id}/delete")
    assert (response.status, response.location) == (303, "/")
    assert not page.context.store.folder(project.id).exists()
    assert not arrived.exists()
    assert own.exists()
    assert project.id not in page.context.files
    assert page.get(f"/p/{project.id}/data").status == 404


def test_only_a_form_deletes(page: PageClient) -> None:
    project = create_ready_project(page)
    assert page.get(f"/p/{project.id}/delete").status == 405
    assert page.context.store.folder(project.id).exists()


def test_a_project_is_renamed(page: PageClient) -> None:
    project = create_ready_project(page)
    response = page.post(f"/p/{project.id}/rename", {"name": "  spring \n delivery ", "revision": project.revision})
    assert response.location == f"/p/{project.id}/data"
    assert page.context.store.read(project.id).name == "spring delivery"


def test_a_name_of_nothing_is_refused(page: PageClient) -> None:
    project = create_ready_project(page)
    response = page.post(f"/p/{project.id}/rename", {"name": "   ", "revision": project.revision})
    assert response.status == 422
    assert page.context.store.read(project.id).name == "stays"


@pytest.mark.parametrize("revision", ["7", "", "x", "-1", "9" * 30])
def test_a_form_that_is_older_than_the_project_changes_nothing(page: PageClient, revision: str) -> None:
    project = create_ready_project(page)
    response = page.post(f"/p/{project.id}/rename", {"name": "new", "revision": revision})
    assert response.status == 409
    assert "changed in another tab" in response.text
    assert page.context.store.read(project.id).name == "stays"


@pytest.mark.parametrize("rows", ["", "x", "3", "-5", "1e4", "999999999999", "٣٠٠"])
def test_an_example_has_a_sensible_number_of_records(page: PageClient, rows: str) -> None:
    assert page.post("/example", {"rows": rows}).status == 422
    assert page.context.store.all() == []


def test_a_page_that_is_not_there_says_so(page: PageClient) -> None:
    response = page.get("/nothing")
    assert response.status == 404
    assert "There is no such page" in response.text
    assert "<h1>" in response.text


def test_our_script_gets_the_sentence_alone(page: PageClient) -> None:
    response = page.get("/p/000000000000/data", x_requested_with="shoal")
    assert response.json == {"error": "There is no such project; choose one from the list of projects."}
