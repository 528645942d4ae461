"""Projects on disk: whole, private, and never elsewhere."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.errors import OutputError
from shoal.system.atomic_folder import atomic_folder, remove_leftovers
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
    made = store.new("people", origin={"example": 10})
    choices = ReleaseChoices((ColumnChoice("quasi-identifier", weight=2.0),), k=5, strata=("age",))
    changed = store.update(made.id, lambda project: replace(project, source=source, choices=choices))
    assert store.read(made.id) == changed
    assert (changed.revision, changed.source, changed.choices) == (1, source, choices)
    assert ProjectStore(store.folder(made.id).parent).all() == [changed]


def test_what_does_not_change_is_not_written(store) -> None:
    made = store.new("people")
    assert store.update(made.id, lambda project: project) == made


def test_a_change_in_another_tab_is_noticed(store) -> None:
    made = store.new("people")
    store.update(made.id, lambda project: replace(project, name="one"), revision=0)
    with pytest.raises(PageError, match="another tab") as caught:
        store.update(made.id, lambda project: replace(project, name="two"), revision=0)
    assert caught.value.status == 409
    assert store.read(made.id).name == "one"


def test_two_pages_with_one_folder_lose_no_change(store) -> None:
    made = store.new("0")

    def count() -> None:
        other = ProjectStore(store.folder(made.id).parent)
        for _ in range(20):
            other.update(made.id, lambda project: replace(project, name=str(int(project.name) + 1)))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (store.read(made.id).name, store.read(made.id).revision) == ("80", 80)


@posix
def test_all_is_private(store) -> None:
    before = os.umask(0)
    try:
        made = store.new("people")
        store.keep(made.id, "comparison.json", {"points": []})
    finally:
        os.umask(before)
    folder = store.folder(made.id)
    assert [mode(place) for place in (folder, store.hierarchies(made.id))] == [0o700, 0o700]
    assert [mode(folder / name) for name in ("project.json", "comparison.json")] == [0o600, 0o600]
    assert store.facts(made.id, "comparison.json") == {"points": []}


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
    whole, broken = store.new("whole"), store.new("broken")
    text = notes.replace("ID", json.dumps(broken.id))
    (store.folder(broken.id) / "project.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(PageError, match="damaged"):
        store.read(broken.id)
    assert store.all() == [whole]


def test_facts_that_are_none_are_not_there(store) -> None:
    made = store.new("people")
    assert store.facts(made.id, "comparison.json") is None
    (store.folder(made.id) / "comparison.json").write_text("[1, 2")
    assert store.facts(made.id, "comparison.json") is None


def test_a_deleted_project_is_gone(store) -> None:
    made = store.new("people")
    store.keep(made.id, "comparison.json", {})
    store.delete(made.id)
    assert list(store.folder(made.id).parent.iterdir()) == []
    with pytest.raises(PageError, match="no such project"):
        store.delete(made.id)


@posix
def test_links_lead_nowhere(store, tmp_path) -> None:
    made, outside = store.new("people"), tmp_path / "outside"
    outside.mkdir()
    (outside / "facts.json").write_text('{"secret": 1}')
    (outside / "project.json").write_text(json.dumps(replace(made, id="0123456789ab").to_dict()))
    (store.folder(made.id).parent / "0123456789ab").symlink_to(outside)
    store.release(made.id).symlink_to(outside)
    (store.folder(made.id) / "comparison.json").symlink_to(outside / "facts.json")
    with pytest.raises(PageError, match="damaged"):
        store.read("0123456789ab")
    assert store.facts(made.id, "release/facts.json") is None
    assert store.facts(made.id, "comparison.json") is None
    with pytest.raises(PageError, match="damaged"):
        store.keep(made.id, "comparison.json", {})
    store.delete(made.id)
    assert (outside / "facts.json").exists()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        ProjectStore(tmp_path / "file" / "projects")


def test_a_folder_is_replaced_whole(tmp_path) -> None:
    place = tmp_path / "release"
    for number in (1, 2):
        with atomic_folder(place) as folder:
            (folder / "file").write_text(str(number))
            assert not place.exists() or (place / "file").read_text() == "1"
    assert (place / "file").read_text() == "2"
    assert [one.name for one in tmp_path.iterdir()] == ["release"]


def test_a_folder_that_fails_leaves_the_old_one(tmp_path) -> None:
    place = tmp_path / "release"
    with atomic_folder(place) as folder:
        (folder / "file").write_text("old")

    def fail() -> None:
        with atomic_folder(place) as folder:
            (folder / "file").write_text("new")
            raise OutputError.exists(folder / "file")

    with pytest.raises(OutputError) as caught:
        fail()
    assert "'file'" in str(caught.value)
    assert (place / "file").read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["release"]


def test_what_killed_runs_left_is_put_right(tmp_path) -> None:
    place = tmp_path / "release"
    (tmp_path / ".before-1").mkdir()
    (tmp_path / ".before-1" / "file").write_text("old")
    (tmp_path / ".making-2").mkdir()
    remove_leftovers(place)
    assert (place / "file").read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["release"]


@posix
def test_what_another_run_is_making_stays(tmp_path) -> None:
    with atomic_folder(tmp_path / "release") as folder:
        (folder / "file").write_text("new")
        remove_leftovers(tmp_path / "release")
        assert (folder / "file").exists()


def test_marks_follow_the_decisions() -> None:
    choices = ReleaseChoices((ColumnChoice("quasi-identifier"),), k=3)
    project = Project("0123456789ab", "n", "", "", choices=choices)
    other = replace(project, choices=replace(choices, k=5, method="mdav"))
    assert project.mark != other.mark
    assert project.comparison_fingerprint == other.comparison_fingerprint
