"""How a file comes to a project, and what becomes of the decisions made before."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import FileError, OptionError
from shoal.web.context import AppContext
from shoal.web.errors import PageError
from shoal.web.projects.incoming_files import (
    create_example_project,
    inspect_file,
    is_unchanged,
    open_path,
    restore_file,
    with_inspected_file,
)
from shoal.web.projects.model import ColumnFacts, Project, ReleaseChoices, SourceFile
from shoal.web.projects.store import ProjectStore
from shoal.web.workers.jobs import Jobs, OnResult
from shoal.web.workers.pool import WorkerPool
from shoal.web.workers.process import WorkerLimits


class Held(Jobs):
    """Jobs that wait until a test says what they found."""

    def __init__(self) -> None:
        super().__init__(WorkerLimits(0, Path()))
        self.asked: list[tuple[str, str, Mapping[str, Any]]] = []
        self.then: list[OnResult] = []

    def start(self, project: str, task: str, asked: Mapping[str, Any], *, then: OnResult) -> Any:
        self.asked.append((project, task, asked))
        self.then.append(then)

    def finish(self, source: SourceFile) -> None:
        asyncio.run(self.then[-1](source.to_dict()))  # type: ignore[arg-type]


@pytest.fixture
def place(tmp_path: Path) -> AppContext:
    (tmp_path / "scratch").mkdir()
    limits = WorkerLimits(0, tmp_path)
    return AppContext(ProjectStore(tmp_path / "projects"), WorkerPool(limits), Held(), tmp_path / "scratch", 1000)


def held(place: AppContext) -> Held:
    assert isinstance(place.jobs, Held)
    return place.jobs


def source(*names: str) -> SourceFile:
    columns = tuple(ColumnFacts(name, "insensitive", "", "nominal", "text", 1, 0) for name in names)
    return SourceFile("a.csv", "csv", {}, 3, 10, "sum", columns)


def decided(*names: str, **facts: Any) -> Project:
    """A project where the first column is a quasi-identifier with a hierarchy."""
    known = source(*names)
    choices = replace(ReleaseChoices.proposed(known), k=5, strata=names[-1:], households=names[-1])
    choices = choices.with_column(0, role="quasi-identifier", hierarchy="hierarchy-1.json")
    return Project("0" * 12, "p", "", "", source=known, choices=choices, **facts)


def test_the_first_look_proposes() -> None:
    found = with_inspected_file(Project("0" * 12, "p", "", ""), source("a", "b"))
    assert found.choices == ReleaseChoices.proposed(source("a", "b"))
    assert found.source == source("a", "b")


def test_a_second_look_keeps_what_was_decided_about_columns_of_the_same_name() -> None:
    before = decided("a", "b", "c")
    found = with_inspected_file(before, source("c", "new", "a"))
    assert found.choices is not None
    assert [choice.role for choice in found.choices.columns] == ["insensitive", "insensitive", "quasi-identifier"]
    assert found.choices.columns[2].hierarchy == "hierarchy-1.json"
    assert (found.choices.k, found.choices.strata, found.choices.households) == (5, ("c",), "c")
    gone = with_inspected_file(before, source("a"))
    assert gone.choices is not None
    assert (gone.choices.strata, gone.choices.households, len(gone.choices.columns)) == ((), "", 1)


def test_the_next_delivery_keeps_all_decisions_in_whatever_order_its_columns_stand() -> None:
    before = decided("a", "b", follows="1" * 12)
    same = with_inspected_file(before, source("a", "b"))
    assert same.choices == before.choices
    turned = with_inspected_file(before, source("b", "a"))
    assert turned.choices is not None
    assert turned.choices.columns[1].role == "quasi-identifier"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("a",), "it lacks 1 column ('b');"),
        (("a", "b", "x", "y"), "it has 2 columns that it did not have ('x', 'y');"),
        (("a", "x"), "it lacks 1 column ('b') and has 1 column that it did not have ('x');"),
    ],
)
def test_the_next_delivery_with_other_columns_is_refused(names: tuple[str, ...], words: str) -> None:
    with pytest.raises(PageError, match="does not fit the decisions") as error:
        with_inspected_file(decided("a", "b", follows="1" * 12), source(*names))
    assert words in str(error.value)


def test_a_file_that_does_not_fit_is_not_at_hand(place: AppContext, tmp_path: Path) -> None:
    first = place.store.create("first", source=source("a", "b"), choices=ReleaseChoices.proposed(source("a", "b")))
    second = place.store.create("second", choices=first.choices, follows=first.id)
    place.files[second.id] = tmp_path / "b.csv"
    (tmp_path / "b.csv").write_text("x")
    inspect_file(place, second)
    with pytest.raises(PageError, match="lacks 1 column"):
        held(place).finish(source("a"))
    assert second.id not in place.files
    place.files[second.id] = tmp_path / "b.csv"
    inspect_file(place, second)
    held(place).finish(source("b", "a"))
    assert place.store.read(second.id).source == source("b", "a")
    assert second.id in place.files


def test_a_file_on_the_command_line_is_used_where_it_is(place: AppContext, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a\n1\n")
    (tmp_path / "link.csv").symlink_to(path)
    project = asyncio.run(open_path(place, tmp_path / "link.csv"))
    assert place.files[project.id] == path
    assert project.origin == {"path": str(path), "size": 4, "changed": path.stat().st_mtime_ns}
    assert held(place).asked[0][1:] == ("look", {"file": place.file(project), "name": "link.csv"})
    held(place).finish(source("a"))
    # the same file once more is the same project, and needs no other look
    assert asyncio.run(open_path(place, path)).id == project.id
    assert len(held(place).asked) == 1
    # when it has changed, it is looked at again
    path.write_text("a,b\n1,2\n")
    assert not is_unchanged(place.store.read(project.id))
    with pytest.raises(PageError, match="not at hand"):
        place.file(place.store.read(project.id))
    again = asyncio.run(open_path(place, path))
    assert (again.id, again.origin["size"], len(held(place).asked)) == (project.id, 8, 2)
    assert place.file(again)["path"] == str(path)
    with pytest.raises(FileError, match="does not exist"):
        asyncio.run(open_path(place, tmp_path / "none.csv"))


def test_files_are_found_again_after_a_restart(place: AppContext, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a\n1\n")
    named = asyncio.run(open_path(place, path))
    kept = place.store.create("kept", keeps_data=True)
    (place.store.folder(kept.id) / "data.csv.gz").write_bytes(b"x")
    sent = place.store.create("sent")
    place.files.clear()
    for project in place.store.all():
        restore_file(place, project)
    assert place.files == {named.id: path, kept.id: place.store.folder(kept.id) / "data.csv.gz"}
    with pytest.raises(PageError, match="choose the file again"):
        place.file(sent)
    place.files.clear()
    path.write_text("another")
    restore_file(place, named)
    assert named.id not in place.files


def test_the_example_is_made_and_made_again(place: AppContext) -> None:
    project = asyncio.run(create_example_project(place, 200))
    path = place.scratch / project.id / "data.csv"
    assert place.files == {project.id: path}
    ((_, task, asked),) = held(place).asked
    assert (task, asked["rows"], asked["file"]["path"]) == ("example", 200, str(path))
    place.files.clear()
    restore_file(place, project, generate=False)
    assert len(held(place).asked) == 1
    restore_file(place, project)
    assert held(place).asked[1] == held(place).asked[0]
    for rows in (99, 1_000_001, -5):
        with pytest.raises(OptionError, match="'rows'"):
            asyncio.run(create_example_project(place, rows))


def test_the_example_is_written_and_looked_at(tmp_path: Path) -> None:
    import io

    from shoal.web.workers.tasks import example
    from shoal.web.workers.worker import WorkerContext

    path = tmp_path / "data.csv"
    asked = {"file": {"path": str(path), "reading": {}}, "name": "example.csv", "rows": 100}
    found = SourceFile.from_dict(example.run(asked, WorkerContext(io.BytesIO())))
    assert (found.records, found.name, found.size) == (100, "example.csv", path.stat().st_size)
    assert "diagnosis" in found.names


def test_another_reading_of_the_same_file_brings_its_proposals_where_nothing_was_decided() -> None:
    before = source("born", "note", "town")
    project = Project("0" * 12, "x", "2026-01-01", "2026-01-01", source=before, choices=ReleaseChoices.proposed(before))
    project = replace(project, choices=project.choices.with_column(1, role="sensitive"))
    columns = tuple(replace(column, role="quasi-identifier") for column in before.columns)
    now = with_inspected_file(project, replace(before, columns=columns))
    assert [choice.role for choice in now.choices.columns] == ["quasi-identifier", "sensitive", "quasi-identifier"]
    other = with_inspected_file(project, replace(before, columns=columns, sha256="another file"))
    assert [choice.role for choice in other.choices.columns] == ["insensitive", "sensitive", "insensitive"]
