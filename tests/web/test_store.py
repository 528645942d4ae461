"""Project store: atomic writes, private files, no escape from the folder."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import OutputError
from shoal.system import transaction
from shoal.system.transaction import atomic_folder, recover
from shoal.web.errors import PageError
from shoal.web.projects.model import ColumnChoice, ColumnFacts, Project, ReleaseChoices, SourceFile
from shoal.web.projects.store import ProjectStore

posix = pytest.mark.skipif(os.name != "posix", reason="modes and links are those of Unix")


@pytest.fixture
def store(tmp_path: Path) -> ProjectStore:
    return ProjectStore(tmp_path / "deep" / "projects")


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_project_is_read_as_it_was_written(store) -> None:
    column = ColumnFacts("age", "quasi-identifier", "its name", "numeric", "integer", 7, 0, True)
    source = SourceFile("people.csv", "csv", {"delimiter": ","}, 10, 100, "ab", (column,), 3)
    created = store.create("people", origin={"example": 10})
    choices = ReleaseChoices((ColumnChoice("quasi-identifier", weight=2.0),), k=5, strata=("age",))
    changed = store.update(created.id, lambda project: replace(project, source=source, choices=choices))
    assert store.read(created.id) == changed
    assert (changed.revision, changed.source, changed.choices) == (1, source, choices)
    assert ProjectStore(store.folder(created.id).parent).all() == [changed]


def test_what_does_not_change_is_not_written(store) -> None:
    created = store.create("people")
    assert store.update(created.id, lambda project: project) == created


def test_a_change_in_another_tab_is_noticed(store) -> None:
    created = store.create("people")
    store.update(created.id, lambda project: replace(project, name="one"), revision=0)
    with pytest.raises(PageError, match="another tab") as caught:
        store.update(created.id, lambda project: replace(project, name="two"), revision=0)
    assert caught.value.status == 409
    assert store.read(created.id).name == "one"


def test_two_pages_with_one_folder_lose_no_change(store) -> None:
    created = store.create("0")

    def count() -> None:
        other = ProjectStore(store.folder(created.id).parent)
        for _ in range(20):
            other.update(created.id, lambda project: replace(project, name=str(int(project.name) + 1)))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (store.read(created.id).name, store.read(created.id).revision) == ("80", 80)


@posix
def test_all_is_private(store) -> None:
    before = os.umask(0)
    try:
        created = store.create("people")
        store.write_results(created.id, "comparison.json", {"points": []})
    finally:
        os.umask(before)
    folder = store.folder(created.id)
    assert [mode(path) for path in (folder, store.hierarchies(created.id))] == [0o700, 0o700]
    assert [mode(folder / name) for name in ("project.json", "comparison.json")] == [0o600, 0o600]
    assert store.read_results(created.id, "comparison.json") == {"points": []}


@pytest.mark.parametrize("id", ["", "..", "../..", "0123456789ab/..", "0123456789AB", "0123456789ab\n", "x" * 12, "\0"])
def test_what_is_no_id_is_no_project(store, id) -> None:
    with pytest.raises(PageError, match="no such project"):
        store.read(id)


@pytest.mark.parametrize(
    "notes",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        '{"id": "other"}',
        '{"id": ID}',
        '{"id": ID, "name": "n", "created": "", "changed": "", "source": "text"}',
        '{"id": ID, "name": "n", "created": "", "changed": "", "choices": {"columns": [3]}}',
        '{"id": ID, "name": "n", "created": "", "changed": "", "choices": {"columns": 3}}',
        "\udcff",
    ],
)
def test_damaged_notes_are_told_and_other_projects_stay(store, notes) -> None:
    whole, broken = store.create("whole"), store.create("broken")
    text = notes.replace("ID", json.dumps(broken.id))
    (store.folder(broken.id) / "project.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(PageError, match="damaged"):
        store.read(broken.id)
    assert store.all() == [whole]


def test_facts_that_are_none_are_not_there(store) -> None:
    created = store.create("people")
    assert store.read_results(created.id, "comparison.json") is None
    (store.folder(created.id) / "comparison.json").write_text("[1, 2")
    assert store.read_results(created.id, "comparison.json") is None


def test_a_deleted_project_is_gone(store) -> None:
    created = store.create("people")
    store.write_results(created.id, "comparison.json", {})
    store.purge(store.detach(created.id))
    assert list(store.folder(created.id).parent.iterdir()) == []
    with pytest.raises(PageError, match="no such project"):
        store.purge(store.detach(created.id))


@posix
def test_links_lead_nowhere(store, tmp_path) -> None:
    created, outside = store.create("people"), tmp_path / "outside"
    outside.mkdir()
    (outside / "facts.json").write_text('{"secret": 1}')
    (outside / "project.json").write_text(json.dumps(replace(created, id="0123456789ab").to_dict()))
    (store.folder(created.id).parent / "0123456789ab").symlink_to(outside)
    store.release(created.id).symlink_to(outside)
    (store.folder(created.id) / "comparison.json").symlink_to(outside / "facts.json")
    with pytest.raises(PageError, match="damaged"):
        store.read("0123456789ab")
    assert store.read_results(created.id, "release/facts.json") is None
    assert store.read_results(created.id, "comparison.json") is None
    with pytest.raises(PageError, match="damaged"):
        store.write_results(created.id, "comparison.json", {})
    store.purge(store.detach(created.id))
    assert (outside / "facts.json").exists()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        ProjectStore(tmp_path / "file" / "projects")


def test_a_folder_is_replaced_whole(tmp_path) -> None:
    path = tmp_path / "release"
    for number in (1, 2):
        with atomic_folder(path) as folder:
            (folder / "file").write_text(str(number))
            assert not path.exists() or (path / "file").read_text() == "1"
    assert (path / "file").read_text() == "2"
    assert [one.name for one in tmp_path.iterdir()] == ["release"]


def test_a_folder_that_fails_leaves_the_old_one(tmp_path) -> None:
    path = tmp_path / "release"
    with atomic_folder(path) as folder:
        (folder / "file").write_text("old")

    def fail() -> None:
        with atomic_folder(path) as folder:
            (folder / "file").write_text("new")
            raise OutputError.exists(folder / "file")

    with pytest.raises(OutputError) as caught:
        fail()
    assert "'file'" in str(caught.value)
    assert (path / "file").read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("step", ["written", "backed up", "moved"])
def test_what_killed_runs_left_is_put_right(tmp_path, monkeypatch, step) -> None:
    path = tmp_path / "release"
    with atomic_folder(path) as folder:
        (folder / "file").write_text("old")

    class Killed(BaseException):
        pass

    def killed(*_: Any, **__: Any) -> None:
        raise Killed

    def replace_folder() -> None:
        with atomic_folder(path) as folder:
            (folder / "file").write_text("new")
            if step == "written":
                killed()

    with monkeypatch.context() as patch:
        patch.setattr(transaction, "remove", lambda *_: None)
        patch.setattr(transaction, "_roll_back", lambda _: False)
        patch.setattr(transaction, "_finish" if step == "moved" else "move", killed)
        with pytest.raises(Killed):
            replace_folder()
    assert len(list(tmp_path.iterdir())) > 1
    recover(tmp_path)
    assert (path / "file").read_text() == ("old" if step == "written" else "new")
    assert [one.name for one in tmp_path.iterdir()] == ["release"]


@posix
def test_what_another_run_is_making_stays(tmp_path) -> None:
    with atomic_folder(tmp_path / "release") as folder:
        (folder / "file").write_text("new")
        recover(tmp_path)
        assert (folder / "file").exists()


def test_marks_follow_the_decisions() -> None:
    choices = ReleaseChoices((ColumnChoice("quasi-identifier"),), k=3)
    project = Project("0123456789ab", "n", "", "", choices=choices)
    other = replace(project, choices=replace(choices, k=5, method="mdav"))
    assert project.mark != other.mark
    assert project.comparison_fingerprint == other.comparison_fingerprint
