"""Targets: what the page in the browser reads, without a server: forms, names of files, what it keeps of projects."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from fuzz_target import scratch, target

from shoal.hierarchy import Hierarchy
from shoal.web.errors import PageError
from shoal.web.http.forms import parse_form
from shoal.web.pages import recipes
from shoal.web.pages.columns_page import _updated_columns, columns_state
from shoal.web.pages.hierarchy_view import apply_edit
from shoal.web.pages.protection_page import choices_from_form
from shoal.web.pages.release_page import release_files
from shoal.web.pages.run_page import _chosen_methods, _levels, _seconds
from shoal.web.projects.arguments import release_arguments
from shoal.web.projects.hierarchy_files import read_hierarchy, read_levels
from shoal.web.projects.incoming_files import display_name, file_ending
from shoal.web.projects.model import ColumnChoice, ColumnFacts, Project, ReleaseChoices, SourceFile
from shoal.web.projects.store import ProjectStore

ID = "0123456789ab"
SOURCE = SourceFile(
    name="people.csv",
    kind="csv",
    settings={"delimiter": ","},
    records=500,
    size=20_000,
    sha256="0" * 64,
    columns=(
        ColumnFacts("age", "quasi-identifier", "numbers", "numeric", "integer", 70, 0, whole=True),
        ColumnFacts("job", "quasi-identifier", "words", "nominal", "text", 12, 3),
        ColumnFacts("born", "identifier", "days", "date", "date", 400, 0),
        ColumnFacts("ill", "sensitive", "words", "nominal", "text", 9, 0),
    ),
)
CHOICES = ReleaseChoices(
    (
        ColumnChoice("quasi-identifier"),
        ColumnChoice("quasi-identifier"),
        ColumnChoice("identifier"),
        ColumnChoice("sensitive"),
    ),
    k=5,
)
_MODULES = (
    *("shoal.web.http.forms", "shoal.web.http.security", "shoal.web.pages.hierarchy_view", "shoal.web.pages.recipes"),
    *("shoal.web.pages.protection_page", "shoal.web.projects.arguments", "shoal.web.projects.hierarchy_files"),
    *("shoal.web.projects.incoming_files", "shoal.web.projects.model", "shoal.web.pages.release_page"),
    "shoal.web.projects.store",
)


@cache
def _tree() -> Hierarchy:
    return Hierarchy.from_dict({"work": {"craft": {"baker": {}, "smith": {}}, "office": {"clerk": {}}}})


@target("page-form", "a form of the page with wrong fields", *_MODULES)
def form(raw: bytes, folder: Path) -> None:
    """The same form at every step that takes one."""
    found = parse_form(raw)
    refusals = []
    for step in (_columns, _protection, _tree_edit, _run):
        try:
            step(found, folder)
        except PageError as error:
            refusals.append(error)
        except Exception as error:
            if type(error).__module__.startswith("shoal.errors"):
                refusals.append(error)
                continue
            raise
    if len(refusals) == 4:
        raise refusals[0]


def _columns(form: object, folder: Path) -> None:
    columns = _updated_columns(SOURCE, CHOICES, form, folder)  # type: ignore[arg-type]
    choices = ReleaseChoices(columns, k=5)
    columns_state(SOURCE, choices)
    recipes.command(SOURCE, choices, reading={}, output="again.csv")
    recipes.python_code(SOURCE, choices, reading={}, output="again.csv")


def _protection(form: object, folder: Path) -> None:
    choices = choices_from_form(form, SOURCE, CHOICES, CHOICES.quasi_identifier_kinds(SOURCE))  # type: ignore[arg-type]
    release_arguments(SOURCE, choices, folder)
    compile(recipes.python_code(SOURCE, choices, reading={}, output="again.csv"), "recipe", "exec")


def _tree_edit(form: object, folder: Path) -> None:
    tree = apply_edit(_tree(), form)  # type: ignore[arg-type]
    assert len(set(tree.nodes)) == len(tree)


def _run(form: object, folder: Path) -> None:
    _levels(form)  # type: ignore[arg-type]
    _chosen_methods(form)  # type: ignore[arg-type]
    _seconds(form.get("seconds"))  # type: ignore[attr-defined]


@target("page-file-name", "a name of a file that is no name, sent to the page", "shoal.web.projects.incoming_files")
def file_name(raw: bytes, folder: Path) -> None:
    name = display_name(unquote(raw.decode("latin-1")))
    found = file_ending(name)
    assert not {"/", "\\"} & set(found)
    assert ".." not in found


@cache
def _store() -> ProjectStore:
    place = scratch() / "projects"
    store = ProjectStore(place)
    (place / ID).mkdir(exist_ok=True)
    return store


@target("page-project", "a damaged project of the page", *_MODULES)
def project(raw: bytes, folder: Path) -> None:
    store = _store()
    store.path(ID, "project.json").write_bytes(raw)
    found = store.read(ID)
    assert found.id == ID
    assert Project.from_dict(found.to_dict()) == found, "a project that is kept is another one when it is read"
    assert found.mark
    assert isinstance(found.looked_at, bool)
    source, choices = found.source, found.choices
    if source is None or choices is None:
        return
    if len(source.columns) == len(choices.columns):
        choices.quasi_identifier_kinds(source)
        columns_state(source, choices)
        release_arguments(source, choices, folder)
        recipes.command(source, choices, reading=found.reading, output="again.csv")
        recipes.python_code(source, choices, reading=found.reading, output="again.csv")


@target(
    "page-facts",
    "damaged facts about a release of the page",
    "shoal.web.pages.release_page",
    "shoal.web.projects.store",
)
def facts(raw: bytes, folder: Path) -> None:
    store = _store()
    store.path(ID, "comparison.json").write_bytes(raw)
    found = store.read_results(ID, "comparison.json")
    if found is None:
        raise PageError.damaged_project()
    project = Project(ID, "people", "2026-01-01", "2026-01-01")
    for one in release_files(project, SOURCE, found):
        assert "/" not in one.name
        one.disposition.encode("latin-1")


@target(
    "page-tree",
    "a damaged hierarchy that the page keeps",
    "shoal.web.projects.hierarchy_files",
    "shoal.hierarchy.formats.nested_json",
)
def tree(raw: bytes, folder: Path) -> None:
    place = folder / "kept"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    (place / "levels-2.txt").write_bytes(raw)
    read_levels(place / "levels-2.txt")
    (place / "hierarchy-2.json").write_bytes(raw)
    read_hierarchy(place / "hierarchy-2.json")
