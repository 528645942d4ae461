"""Files of projects: uploaded, named on the command line, generated, or restored after a restart.

A job inspects the file and the project stores the result. If the file cannot be read, the project stays unchanged and
the failed job has the error, so that the user can change the import settings.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.file_formats import EXTENSIONS, GZIP_EXTENSION, ZIP_EXTENSION, format_of, full_extension
from shoal.errors import FileError, OptionError
from shoal.web.errors import PageError
from shoal.web.projects.model import ColumnChoice, Project, ReleaseChoices, SourceFile

if TYPE_CHECKING:
    from shoal.web.context import AppContext

_EXAMPLE = "example-register.csv"
_ROWS = range(100, 1_000_001)
_MAX_NAME = 120
_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories of invisible characters, and of those that break lines or change the text direction."""


def display_name(name: str) -> str:
    """Return the file name to display: without folders and invisible characters."""
    return printable(re.split(r"[/\\]", name)[-1])


def printable(text: str) -> str:
    """Return a text on one line, without invisible characters."""
    return " ".join(
        "".join(character for character in text if unicodedata.category(character) not in _INVISIBLE).split()
    )


def shorten_name(name: str) -> str:
    return name if len(name) <= _MAX_NAME else name[: _MAX_NAME - 1] + "…"


def file_ending(name: str) -> str:
    """Return a supported file ending, as ``.csv`` or ``.csv.gz``: the only part of a name used in a path."""
    path = Path(name)
    if format_of(path) is None:
        raise PageError.unknown_format((*EXTENSIONS, f".csv{GZIP_EXTENSION}", ZIP_EXTENSION))
    return full_extension(path) + (ZIP_EXTENSION if path.suffix.lower() == ZIP_EXTENSION else "")


def inspect_file(context: AppContext, project: Project, *, name: str = "") -> None:
    """Start the inspection of a file, under the name that the user gave it."""
    file_name = name or (project.source.name if project.source else project.name)
    _start(context, project, "look", {"file": context.file(project), "name": file_name})


async def create_example_project(context: AppContext, rows: int) -> Project:
    if rows not in _ROWS:
        raise OptionError.invalid_value("rows", f"a whole number from {_ROWS[0]:,} to {_ROWS[-1]:,}")
    project = context.store.create("Example register", origin={"example": rows})
    _generate_example(context, project)
    return project


async def open_path(context: AppContext, path: Path) -> Project:
    """Return the project of a local file, which is used in place; create one if there is none."""
    origin = file_origin(path)
    if origin is None:
        raise FileError.missing(path)
    existing = next((project for project in context.store.all() if project.origin.get("path") == origin["path"]), None)
    name = shorten_name(display_name(path.name))
    project = existing or context.store.create(name, origin=origin)
    context.files[project.id] = Path(origin["path"])
    if existing is None or existing.source is None or existing.origin != origin:
        project = context.store.update(project.id, lambda now: replace(without_file(now), origin=origin))
        context.store.drop_data(project.id)
        inspect_file(context, project, name=name)
    return project


def restore_file(context: AppContext, project: Project, *, generate: bool = True) -> None:
    """Restore the file of a project after a restart, if that needs no user.

    It is stored with the project, unchanged where the command line named it, or generated again (``generate``).
    """
    folder, current = context.store.folder(project.id), context.files.get(project.id)
    if current is not None and is_available(project, current):
        return
    if project.keeps_data:
        packings = ("", GZIP_EXTENSION, ZIP_EXTENSION)
        copies = (folder / f"data{ending}{packing}" for packing in packings for ending in EXTENSIONS)
        existing = [path for path in copies if path.is_file() and not path.is_symlink()]
        if existing:
            context.files[project.id] = existing[0]
    elif "path" in project.origin and is_unchanged(project):
        context.files[project.id] = Path(project.origin["path"])
    elif "example" in project.origin and generate and context.workers.job(project.id) is None:
        with suppress(PageError):  # too many jobs: the next request tries again
            _generate_example(context, project)


def file_origin(path: Path) -> dict[str, Any] | None:
    """Return the path, size and modification time of a file; None if there is none."""
    try:
        resolved = path.resolve(strict=True)
        stat = resolved.stat()
    except (OSError, ValueError, RuntimeError):
        return None
    return {"path": str(resolved), "size": stat.st_size, "changed": stat.st_mtime_ns} if resolved.is_file() else None


def is_unchanged(project: Project) -> bool:
    """Whether the file that the command line named is unchanged; true for all others."""
    return "path" not in project.origin or file_origin(Path(project.origin["path"])) == dict(project.origin)


def is_available(project: Project, path: Path) -> bool:
    """Whether a file of the project exists, unchanged if the command line named it."""
    return path.is_file() and (str(path) != project.origin.get("path") or is_unchanged(project))


def without_file(project: Project) -> Project:
    """Return the project without the facts and the stored copy of its file, which is replaced."""
    source = None if project.source is None else replace(project.source, sha256="")
    return replace(project, source=source, keeps_data=False)


def with_inspected_file(project: Project, source: SourceFile) -> Project:
    """Return the project with an inspected file; options are kept for columns of the same name.

    A project that follows another one accepts only the same columns, since its options were chosen for them. Column
    names that turn out to be values are not stored.
    """
    if project.choices is None or project.source is None:
        return replace(project, source=source, choices=project.choices or ReleaseChoices.proposed(source))
    current = dict(zip(project.source.names, project.choices.columns, strict=True))
    by_name = {name: ColumnChoice.from_dict(choice) for name, choice in project.remembered.items()} | current
    missing = [name for name in current if name not in source.names]
    new = [name for name in source.names if name not in current]
    if project.follows and (missing or new):
        raise PageError.different_columns(missing=missing, new=new)
    if project.source.sha256 == source.sha256:  # new import settings: proposed options follow the new proposal
        proposed = {column.name: ColumnChoice(role=column.role) for column in project.source.columns}
        by_name = {name: choice for name, choice in by_name.items() if choice != proposed.get(name)}
    columns = tuple(by_name.get(column.name, ColumnChoice(role=column.role)) for column in source.columns)
    choices = project.choices
    return replace(
        project,
        source=source,
        remembered={}
        if _were_values(project.source, source)
        else {name: choice.to_dict() for name, choice in by_name.items() if name not in source.names},
        choices=replace(
            choices,
            columns=columns,
            sampling_weights=_if_present(choices.sampling_weights, source),
            households=_if_present(choices.households, source),
            strata=tuple(name for name in choices.strata if name in source.names),
        ),
    )


def _were_values(before: SourceFile, source: SourceFile) -> bool:
    """Whether the previous column names seem to be the first record."""
    first_line_is_record = source.settings.get("header") is False and before.settings.get("header") is not False
    return first_line_is_record or bool(before.doubts.get("names"))


def _if_present(name: str, source: SourceFile) -> str:
    return name if name in source.names else ""


def _generate_example(context: AppContext, project: Project) -> None:
    folder = context.scratch / project.id
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / "data.csv"
    params = {"file": {"path": str(path), "reading": dict(project.reading), "name": _EXAMPLE}, "name": _EXAMPLE}
    _start(context, project, "example", {**params, "rows": project.origin["example"]})
    context.files[project.id] = path


def _start(context: AppContext, project: Project, task: str, params: Mapping[str, Any]) -> None:
    async def store_facts(result: dict[str, Any]) -> None:
        source = SourceFile.from_dict(result)
        try:
            context.store.update(project.id, lambda now: with_inspected_file(_with_names(context, now), source))
        except PageError:
            # the options are not for this file, so nothing may be released from it
            context.files.pop(project.id, None)
            raise
        context.workers.start_warmup()

    context.workers.start_job(project.id, task, params, on_result=store_facts)


def _with_names(context: AppContext, project: Project) -> Project:
    """Return the project with the known columns of the project that it follows."""
    if project.source is not None or not project.follows:
        return project
    with suppress(PageError):
        return replace(project, source=context.store.read(project.follows).source)
    return project
