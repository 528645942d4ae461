"""Files of projects, and the options after a file is replaced."""

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
from shoal.web.workers.pool import OnResult, WorkerPool
from shoal.web.workers.process import WorkerLimits


class RecordingPool(WorkerPool):
    """Pool whose jobs wait until a test says what they found."""

    def __init__(self) -> None:
        super().__init__(WorkerLimits(0, Path()))
        self.requests: list[tuple[str, str, Mapping[str, Any]]] = []
        self.then: list[OnResult] = []

    def start_job(self, project: str, task: str, params: Mapping[str, Any], *, on_result: OnResult) -> Any:
        self.requests.append((project, task, params))
        self.then.append(on_result)

    def finish(self, source: SourceFile) -> None:
        asyncio.run(self.then[-1](source.to_dict()))  # type: ignore[arg-type]


@pytest.fixture
def context(tmp_path: Path) -> AppContext:
    (tmp_path / "scratch").mkdir()
    return AppContext(ProjectStore(tmp_path / "projects"), RecordingPool(), tmp_path / "scratch", 1000)


def recorded(context: AppContext) -> RecordingPool:
    assert isinstance(context.workers, RecordingPool)
    return context.workers


def source(*names: str) -> SourceFile:
    columns = tuple(ColumnFacts(name, "insensitive", "", "nominal", "text", 1, 0) for name in names)
    return SourceFile("a.csv", "csv", {}, 3, 10, "sum", columns)


def project_with_columns(*names: str, **facts: Any) -> Project:
    """A project where the first column is a quasi-identifier with a hierarchy."""
    known = source(*names)
    choices = replace(ReleaseChoices.proposed(known), k=5, strata=names[-1:], households=names[-1])
    choices = choices.with_column(0, role="quasi-identifier", hierarchy="hierarchy-1.json")
    return Project("0" * 12, "p", "", "", source=known, choices=choices, **facts)


def test_the_first_look_proposes() -> None:
    result = with_inspected_file(Project("0" * 12, "p", "", ""), source("a", "b"))
    assert result.choices == ReleaseChoices.proposed(source("a", "b"))
    assert result.source == source("a", "b")


def test_a_second_look_keeps_what_was_decided_about_columns_of_the_same_name() -> None:
    before = project_with_columns("a", "b", "c")
    result = with_inspected_file(before, source("c", "new", "a"))
    assert result.choices is not None
    assert [choice.role for choice in result.choices.columns] == ["insensitive", "insensitive", "quasi-identifier"]
    assert result.choices.columns[2].hierarchy == "hierarchy-1.json"
    assert (result.choices.k, result.choices.strata, result.choices.households) == (5, ("c",), "c")
    updated = with_inspected_file(before, source("a"))
    assert updated.choices is not None
    assert (updated.choices.strata, updated.choices.households, len(updated.choices.columns)) == ((), "", 1)


def test_the_next_delivery_keeps_all_decisions_in_whatever_order_its_columns_stand() -> None:
    before = project_with_columns("a", "b", follows="1" * 12)
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
        with_inspected_file(project_with_columns("a", "b", follows="1" * 12), source(*names))
    assert words in str(error.value)


def test_a_file_that_does_not_fit_is_not_at_hand(context: AppContext, tmp_path: Path) -> None:
    first = context.store.create("first", source=source("a", "b"), choices=ReleaseChoices.proposed(source("a", "b")))
    second = context.store.create("second", choices=first.choices, follows=first.id)
    context.files[second.id] = tmp_path / "b.csv"
    (tmp_path / "b.csv").write_text("x")
    inspect_file(context, second)
    with pytest.raises(PageError, match="lacks 1 column"):
        recorded(context).finish(source("a"))
    assert second.id not in context.files
    context.files[second.id] = tmp_path / "b.csv"
    inspect_file(context, second)
    recorded(context).finish(source("b", "a"))
    assert context.store.read(second.id).source == source("b", "a")
    assert second.id in context.files


def test_a_file_on_the_command_line_is_used_where_it_is(context: AppContext, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a\n1\n")
    (tmp_path / "link.csv").symlink_to(path)
    project = asyncio.run(open_path(context, tmp_path / "link.csv"))
    assert context.files[project.id] == path
    assert project.origin == {"path": str(path), "size": 4, "changed": path.stat().st_mtime_ns}
    assert recorded(context).requests[0][1:] == ("look", {"file": context.file(project), "name": "link.csv"})
    recorded(context).finish(source("a"))
    # the same file once more is the same project, and needs no other look
    assert asyncio.run(open_path(context, path)).id == project.id
    assert len(recorded(context).requests) == 1
    # when it has changed, it is looked at again
    path.write_text("a,b\n1,2\n")
    assert not is_unchanged(context.store.read(project.id))
    with pytest.raises(PageError, match="keeps no copy"):
        context.file(context.store.read(project.id))
    again = asyncio.run(open_path(context, path))
    assert (again.id, again.origin["size"], len(recorded(context).requests)) == (project.id, 8, 2)
    assert context.file(again)["path"] == str(path)
    with pytest.raises(FileError, match="does not exist"):
        asyncio.run(open_path(context, tmp_path / "none.csv"))


def test_files_are_found_again_after_a_restart(context: AppContext, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a\n1\n")
    named = asyncio.run(open_path(context, path))
    stored = context.store.create("kept", keeps_data=True)
    (context.store.folder(stored.id) / "data.csv.gz").write_bytes(b"x")
    sent = context.store.create("sent")
    context.files.clear()
    for project in context.store.all():
        restore_file(context, project)
    assert context.files == {named.id: path, stored.id: context.store.folder(stored.id) / "data.csv.gz"}
    with pytest.raises(PageError, match="choose the file again"):
        context.file(sent)
    context.files.clear()
    path.write_text("another")
    restore_file(context, named)
    assert named.id not in context.files


def test_the_example_is_made_and_made_again(context: AppContext) -> None:
    project = asyncio.run(create_example_project(context, 200))
    path = context.scratch / project.id / "data.csv"
    assert context.files == {project.id: path}
    ((_, task, params),) = recorded(context).requests
    assert (task, params["rows"], params["file"]["path"]) == ("example", 200, str(path))
    context.files.clear()
    restore_file(context, project, generate=False)
    assert len(recorded(context).requests) == 1
    restore_file(context, project)
    assert recorded(context).requests[1] == recorded(context).requests[0]
    for rows in (99, 1_000_001, -5):
        with pytest.raises(OptionError, match="'rows'"):
            asyncio.run(create_example_project(context, rows))


def test_the_example_is_written_and_looked_at(tmp_path: Path) -> None:
    import io

    from shoal.web.workers.tasks.file_tasks import example
    from shoal.web.workers.worker import WorkerContext

    path = tmp_path / "data.csv"
    params = {"file": {"path": str(path), "reading": {}}, "name": "example.csv", "rows": 100}
    result = SourceFile.from_dict(example(params, WorkerContext(io.BytesIO())))
    assert (result.records, result.name, result.size) == (100, "example.csv", path.stat().st_size)
    assert "diagnosis" in result.names


def test_another_reading_of_the_same_file_brings_its_proposals_where_nothing_was_decided() -> None:
    before = source("born", "note", "town")
    project = Project("0" * 12, "x", "2026-01-01", "2026-01-01", source=before, choices=ReleaseChoices.proposed(before))
    project = replace(project, choices=project.choices.with_column(1, role="sensitive"))
    columns = tuple(replace(column, role="quasi-identifier") for column in before.columns)
    now = with_inspected_file(project, replace(before, columns=columns))
    assert [choice.role for choice in now.choices.columns] == ["quasi-identifier", "sensitive", "quasi-identifier"]
    other = with_inspected_file(project, replace(before, columns=columns, sha256="another file"))
    assert [choice.role for choice in other.choices.columns] == ["insensitive", "sensitive", "insensitive"]
