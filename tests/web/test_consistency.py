"""The page stays consistent with the project: after another file, other settings, other options, damage."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_worker import FakeWorker, comparison, source, write_table
from page_client import PageClient
from project_setup import form, make_release, run_release, set_choices, sha256

from shoal.errors import OutputError
from shoal.hierarchy import Hierarchy
from shoal.web.errors import PageError
from shoal.web.projects import incoming_files
from shoal.web.projects.incoming_files import with_inspected_file
from shoal.web.projects.model import Project, ReleaseChoices
from shoal.web.projects.store import ProjectStore


def test_values_in_the_place_of_names_are_not_remembered() -> None:
    """A file without a header was read with one: its first record stood where names should be."""
    known = source()
    wrong = replace(known, settings={"header": True}, columns=known.columns)
    project = Project("0" * 12, "a", "", "2026-11-17", source=wrong, choices=ReleaseChoices.proposed(wrong))
    names = tuple(replace(column, name=f"column_{path}") for path, column in enumerate(known.columns))
    right = with_inspected_file(project, replace(known, settings={"header": False}, columns=names))
    assert (right.remembered, right.source.names) == ({}, tuple(column.name for column in names))
    doubted = replace(project, source=replace(wrong, doubts={"names": ["who"]}))
    other = with_inspected_file(doubted, replace(known, settings={"header": True}, columns=names))
    assert other.remembered == {}


@pytest.mark.parametrize("state", ["cancelled", "failed"])
def test_nothing_is_said_about_another_file_in_the_place_of_the_one_before(
    client: PageClient, project: Project, fake_worker: FakeWorker, state: str
) -> None:
    fake_worker.results["release"] = make_release
    run_release(client, project)
    assert "release verified" in client.get("/").text
    if state == "failed":
        fake_worker.results["look"] = PageError.empty_file()
    before = (tmp := client.context.files[project.id]).read_bytes()
    assert client.send(f"/p/{project.id}/file", b"who,age\np,1\n", x_file_name="next.csv").status == 200
    if state == "cancelled":
        client.post(f"/p/{project.id}/cancel")
    assert client.get(f"/p/{project.id}/job").json["state"] == state
    assert "release verified" not in client.get("/").text
    assert "These are the files of an earlier run" in client.get(f"/p/{project.id}/release").text
    text = client.get(f"/p/{project.id}/data").text
    assert "The file could not be read" in text
    assert "Check your data" not in text
    assert f'href="/p/{project.id}/columns">Continue' not in text
    assert client.get(f"/p/{project.id}/preview").status == 409
    fake_worker.results["look"] = lambda params: replace(source(), sha256=sha256(tmp)).to_dict()
    assert client.send(f"/p/{project.id}/file", before, x_file_name="people.csv").status == 200
    client.get(f"/p/{project.id}/job")
    assert "release verified" in client.get("/").text, "the same file, and the same decisions"


def test_a_way_of_reading_that_nobody_looked_at_is_not_released(
    client: PageClient, project: Project, fake_worker: FakeWorker
) -> None:
    fake_worker.results["release"] = make_release
    assert client.post(f"/p/{project.id}/reading", form(project, missing="5")).status == 303
    client.post(f"/p/{project.id}/cancel")
    now = client.context.store.read(project.id)
    assert now.reading == {"missing": "5"}
    for path in ("release", "compare"):
        assert client.post(f"/p/{project.id}/{path}", form(now, k=3)).status == 409
    for path in ("exposure", "preview", "columns/1/hierarchy/offers"):
        assert client.get(f"/p/{project.id}/{path}").status == 409
    assert [task for task, _ in fake_worker.requests] == ["look"]


def test_a_comparison_is_never_taken_for_one_of_other_decisions(
    client: PageClient, project: Project, fake_worker: FakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is killed, or the disk full, between the figures and the note that they are there."""
    fake_worker.results["compare"] = comparison()
    first = project.choices.columns
    changed = set_choices(client, project, columns=project.choices.with_column(1, weight=9.0).columns)

    def full(*_: object, **__: object) -> None:
        raise OutputError.unwritable("project.json", "no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(ProjectStore, "update", full)
        client.post(f"/p/{project.id}/compare", form(changed, k=3))
        client.get(f"/p/{project.id}/job")
    assert client.context.store.read_results(project.id, "comparison.json")
    assert "made with other decisions" not in client.get(f"/p/{project.id}/run").text
    set_choices(client, project, columns=first)
    assert "made with other decisions" in client.get(f"/p/{project.id}/run").text


def test_a_kept_copy_serves_when_the_original_is_gone(client: PageClient, tmp_path: Path) -> None:
    write_table(tmp_path / "people.csv")
    origin = incoming_files.file_origin(tmp_path / "people.csv")
    known = replace(source(), sha256=sha256(tmp_path / "people.csv"))
    new = client.context.store.create("people.csv", source=known, choices=ReleaseChoices.proposed(known), origin=origin)
    client.get("/")
    assert client.post(f"/p/{new.id}/keep", form(new, keep="yes")).status == 303
    (tmp_path / "people.csv").rename(tmp_path / "elsewhere.csv")
    text = client.get(f"/p/{new.id}/data").text
    assert "Check your data" in text
    assert "the page needs the file once more" not in text
    assert client.context.files[new.id] == client.context.store.folder(new.id) / "data.csv"


def test_a_copy_is_not_removed_by_an_old_form(client: PageClient, project: Project) -> None:
    assert client.post(f"/p/{project.id}/keep", form(project, keep="yes")).status == 303
    stored = client.context.store.read(project.id)
    set_choices(client, project, k=3)
    assert client.post(f"/p/{project.id}/keep", form(stored, keep="no")).status == 409
    assert (client.context.store.folder(project.id) / "data.csv").is_file()
    assert client.context.store.read(project.id).keeps_data


def test_a_file_takes_the_place_of_the_one_that_its_page_shows(
    client: PageClient, project: Project, fake_worker: FakeWorker
) -> None:
    displayed = re.search(r'data-known="(\w*)"', client.get(f"/p/{project.id}/data").text)[1]
    assert displayed == project.source.sha256
    sent = {"x_file_name": "next.csv", "x_known_file": displayed}
    assert client.send(f"/p/{project.id}/file", b"who,age\np,1\n", **sent).status == 200
    client.post(f"/p/{project.id}/cancel")
    response = client.send(f"/p/{project.id}/file", b"who,age\nq,2\n", **sent)
    assert (response.status, "changed in another tab" in response.text) == (409, True)
    assert client.context.files[project.id].read_bytes() == b"who,age\np,1\n"


@pytest.mark.parametrize("path", ["release", "compare"])
def test_a_run_of_decisions_that_a_page_does_not_show_is_refused(
    client: PageClient, project: Project, fake_worker: FakeWorker, path: str
) -> None:
    set_choices(client, project, k=3)
    for fields in (form(project, k=3), {"k": 3}):
        assert client.post(f"/p/{project.id}/{path}", fields).status == 409
    assert fake_worker.requests == []


@pytest.mark.parametrize(
    "damage",
    [
        {"changed": "yesterday"},
        {"changed": 5},
        {"origin": None},
        {"reading": [1]},
        {"revision": "1"},
        {"revision": True},
        {"source": {"records": "many"}},
        {"source": {"columns": []}},
        {"source": {"columns": [{"name": 1}]}},
        {"choices": {"columns": []}},
        {"choices": {"k": "4"}},
        {"choices": {"columns": [{"role": "king"}] * 5}},
        {"choices": {"columns": [{"role": "sensitive", "kind": "odd"}] * 5}},
    ],
    ids=str,
)
def test_damaged_notes_of_one_project_are_told_and_hinder_no_other(
    client: PageClient, project: Project, damage: dict[str, Any]
) -> None:
    other = client.project(source(), name="another one")
    path = client.context.store.folder(project.id) / "project.json"
    notes = json.loads(path.read_text())
    for name, value in damage.items():
        notes[name] = {**notes[name], **value} if isinstance(value, dict) else value
    path.write_text(json.dumps(notes))
    text = client.get("/").text
    assert "another one" in text
    assert f"<code>{project.id}</code>" in text
    for step in ("data", "columns", "protection", "run", "release"):
        response = client.get(f"/p/{project.id}/{step}")
        assert (response.status, "are damaged" in response.text) == (500, True)
        assert client.get(f"/p/{other.id}/{step}").status in (200, 303)


def test_a_hierarchy_that_comes_when_its_project_is_gone_is_not_kept(
    client: PageClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = hashlib.file_digest

    def late(file: Any, name: str) -> Any:
        client.context.store.purge(client.context.store.detach(project.id))
        return digest(file, name)

    monkeypatch.setattr(hashlib, "file_digest", late)
    response = client.send(f"/p/{project.id}/columns/1/hierarchy/upload", b"a;b\n", x_file_name="t.csv")
    assert response.status == 404
    assert not (client.context.scratch / project.id).exists()


def test_a_report_behind_a_link_is_not_shown(client: PageClient, project: Project, tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "report.internal.html").write_text("foreign")
    client.context.store.release(project.id).symlink_to(tmp_path / "else")
    assert client.get(f"/p/{project.id}/report").status == 404


@pytest.mark.parametrize(
    ("own", "compared", "method", "expected"),
    [
        ("balanced", "fast", "auto", "balanced"),
        ("best", "fast", "mdav", "best"),
        ("", "fast", "mdav", "fast"),
        ("fast", "best", "auto", "best"),
        ("best", "", "auto", "best"),
        ("", "", "auto", "balanced"),
        ("balanced", "", "mdav", ""),
    ],
)
def test_a_point_is_released_with_no_shorter_search_than_was_decided(
    client: PageClient, project: Project, fake_worker: FakeWorker, own: str, compared: str, method: str, expected: str
) -> None:
    fake_worker.results["compare"] = comparison()
    project = set_choices(client, project, effort=own, method=method)
    client.post(f"/p/{project.id}/compare", form(project, k=3, effort=compared))
    client.get(f"/p/{project.id}/job")
    text = client.get(f"/p/{project.id}/run").text
    longer = (own, compared) in {("balanced", "fast"), ("best", "fast")}
    assert ("usually loses a little less" in text) == longer
    points = comparison()["points"]
    number = next(path for path, point in enumerate(points) if point["method"] == method)
    now = client.context.store.read(project.id)
    assert client.post(f"/p/{project.id}/choose", form(now, point=number)).status == 303
    assert client.context.store.read(project.id).choices.effort == expected


def test_what_failed_with_other_decisions_is_not_told_of_these(
    client: PageClient, project: Project, fake_worker: FakeWorker
) -> None:
    fake_worker.results["release"] = PageError.process_ended()
    assert run_release(client, project)["state"] == "failed"
    assert "The release was not made" in client.get(f"/p/{project.id}/run").text
    assert "run failed" in client.get("/").text
    set_choices(client, project, k=3)
    assert "The release was not made" not in client.get(f"/p/{project.id}/run").text
    assert "run failed" not in client.get("/").text


def test_a_tree_that_is_not_in_use_is_told_beside_its_column(client: PageClient, project: Project) -> None:
    link = f'href="/p/{project.id}/columns/2/hierarchy">tree not in use yet'
    assert link not in client.get(f"/p/{project.id}/columns").text
    draft = client.context.drafts.start(project.id, 2, source().names[2], None)
    draft.push(Hierarchy.from_dict({"any": ["u", "v"]}))
    assert link in client.get(f"/p/{project.id}/columns").text
    draft.used_fingerprint = draft.current.fingerprint
    assert link not in client.get(f"/p/{project.id}/columns").text


def test_a_node_above_several_values_needs_a_tree(client: PageClient, project: Project) -> None:
    assert 'value="lcs"' not in client.get(f"/p/{project.id}/columns/2").text
    client.post(f"/p/{project.id}/columns", form(project, **{"recode-2": "lcs"}))
    now = client.context.store.read(project.id)
    assert now.choices.columns[2].recode == ""
    tree = client.context.store.hierarchies(project.id) / "hierarchy-3.json"
    tree.write_text('{"any": ["u", "v"]}')
    now = set_choices(
        client, project, columns=now.choices.with_column(2, hierarchy=tree.name, kind="hierarchical").columns
    )
    assert 'value="lcs"' in client.get(f"/p/{project.id}/columns/2").text
    client.post(f"/p/{project.id}/columns", form(now, **{"recode-2": "lcs"}))
    now = client.context.store.read(project.id)
    assert now.choices.columns[2].recode == "lcs"
    client.post(f"/p/{project.id}/columns/2/hierarchy/remove", form(now))
    assert client.context.store.read(project.id).choices.columns[2].recode == ""


def test_only_dates_can_be_dates(client: PageClient, project: Project) -> None:
    assert '<option value="date"' not in client.get(f"/p/{project.id}/columns/1").text
    assert client.post(f"/p/{project.id}/columns", form(project, **{"kind-1": "date"})).status == 422
    assert client.context.store.read(project.id).choices == project.choices


@pytest.mark.parametrize(("missing", "least", "status"), [(0, 3, 422), (1, 3, 303), (1, 4, 422), (0, 2, 303)])
def test_more_different_values_than_there_are_cannot_be_asked_for(
    client: PageClient, project: Project, missing: int, least: int, status: int
) -> None:
    columns = [replace(column, distinct=2, missing=missing) for column in source().columns]
    client.context.store.update(
        project.id, lambda now: replace(now, source=replace(now.source, columns=tuple(columns))), new_revision=True
    )
    now = client.context.store.read(project.id)
    assert client.post(f"/p/{project.id}/protection", form(now, l=least)).status == status


def test_values_that_a_hierarchy_or_an_order_lacks_are_told_beside_the_columns(
    client: PageClient, project: Project
) -> None:
    folder = client.context.store.hierarchies(project.id)
    load = f'data-load="/p/{project.id}/columns/lacking"'
    assert load not in client.get(f"/p/{project.id}/columns").text
    (folder / "hierarchy-3.json").write_text('{"any": ["u", "w"]}')
    (folder / "levels-4.txt").write_text("none\ncold\nflu\n")
    columns = project.choices.with_column(2, hierarchy="hierarchy-3.json", kind="hierarchical", fingerprint="1")
    columns = columns.with_column(3, levels="levels-4.txt", kind="ordinal", fingerprint="2").columns
    set_choices(client, project, columns=columns)
    assert load in client.get(f"/p/{project.id}/columns").text
    text = client.get_complete(f"/p/{project.id}/columns/lacking").text
    assert text.count("notice warn") == 1
    assert "1 value of “&lt;script&gt;" in text
    assert f'href="/p/{project.id}/columns/2/hierarchy"' in text
    (folder / "levels-4.txt").write_text("none\ncold\n")
    (folder / "hierarchy-3.json").write_text('{"any": ["u", "v"]}')
    changed = [replace(column, fingerprint=column.fingerprint and "3") for column in columns]
    set_choices(client, project, columns=tuple(changed))
    text = client.get_complete(f"/p/{project.id}/columns/lacking").text
    assert "1 value of “ill” is not in its\n  order" in text
    assert text.count("notice warn") == 1
