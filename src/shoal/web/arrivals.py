"""How a file comes to a project: from the browser, from the command line, made up, or found again after a restart.

Then it is looked at, in a job whose result the project keeps. A file that cannot be read leaves the project as it is,
with the sentence of the failed job, so that one can say how it is to be read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import FileError, OptionError, PageError
from shoal.tables.formats import ARCHIVE, ENDINGS, PACKED, format_of, full_ending
from shoal.web.interface import Choices, ColumnChoice, Project, Source

if TYPE_CHECKING:
    from shoal.web.workplace import Workplace

_EXAMPLE = "example-register.csv"
_ROWS = range(100, 1_000_001)
_LONGEST = 120
"""Characters of a name."""
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Kinds of characters that a name does not show, or that turn the text around it: controls, marks, breaks of lines."""


def display_name(given: str) -> str:
    """The name of a file as it is shown: never a path, and without what cannot be seen."""
    return seen(re.split(r"[/\\]", given)[-1])


def seen(text: str) -> str:
    """A text without what cannot be seen, on one line."""
    return " ".join("".join(letter for letter in text if unicodedata.category(letter) not in _UNSEEN).split())


def shortened(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"


def ending(name: str) -> str:
    """The ending of a name if it is one of ours, as ``.csv`` or ``.csv.gz``: the only part of a name in any path."""
    path = Path(name)
    if format_of(path) is None:
        raise PageError.unknown_format((*ENDINGS, f".csv{PACKED}", ARCHIVE))
    return full_ending(path) + (ARCHIVE if path.suffix.lower() == ARCHIVE else "")


def look(place: Workplace, project: Project, *, name: str = "") -> None:
    """Look at the file of a project, under the name that its owner gave it; the result is kept when it is there."""
    known = name or (project.source.name if project.source else project.name)
    _start(place, project, "look", {"file": place.file(project), "name": known})


async def take_example(place: Workplace, rows: int) -> Project:
    """A new project with a made-up register of so many persons."""
    if rows not in _ROWS:
        raise OptionError.bad_option("rows", f"a whole number from {_ROWS[0]:,} to {_ROWS[-1]:,}")
    project = place.store.new("Example register", origin={"example": rows})
    _make_example(place, project)
    return project


async def take_path(place: Workplace, path: Path) -> Project:
    """The project of a file that lies on this machine and is used where it is; a new one if it has none yet."""
    origin = origin_of(path)
    if origin is None:
        raise FileError.missing(path)
    known = next((found for found in place.store.all() if found.origin.get("path") == origin["path"]), None)
    name = shortened(display_name(path.name))
    project = known or place.store.new(name, origin=origin)
    place.files[project.id] = Path(origin["path"])
    if known is None or known.source is None or known.origin != origin:
        project = place.store.update(project.id, lambda now: replace(other_file(now), origin=origin))
        place.store.drop_data(project.id)
        look(place, project, name=name)
    return project


def found_again(place: Workplace, project: Project, *, make: bool = True) -> None:
    """Put the file of a project at hand where that needs nobody: after a restart, or when a file is back.

    It is kept with the project, or lies unchanged where the command line named it, or is made up again (``make``).
    """
    kept, known = place.store.folder(project.id), place.files.get(project.id)
    if known is not None and is_there(project, known):
        return
    if project.keeps_data:
        copies = (kept / f"data{ending}" for ending in (*ENDINGS, *_packed()))
        found = [path for path in copies if path.is_file() and not path.is_symlink()]
        if found:
            place.files[project.id] = found[0]
    elif "path" in project.origin and unchanged(project):
        place.files[project.id] = Path(project.origin["path"])
    elif "example" in project.origin and make and place.jobs.of(project.id) is None:
        with suppress(PageError):  # too many jobs: the next look finds it again
            _make_example(place, project)


def origin_of(path: Path) -> dict[str, Any] | None:
    """Where a file is and how to tell that it is still the same; None where there is none."""
    try:
        whole = path.resolve(strict=True)
        facts = whole.stat()
    except (OSError, ValueError, RuntimeError):
        return None
    return {"path": str(whole), "size": facts.st_size, "changed": facts.st_mtime_ns} if whole.is_file() else None


def unchanged(project: Project) -> bool:
    """Whether the file that the command line named is as it was; true for all others."""
    return "path" not in project.origin or origin_of(Path(project.origin["path"])) == dict(project.origin)


def is_there(project: Project, path: Path) -> bool:
    """Whether a file of the project is there, and as it was if it is the one that the command line named."""
    return path.is_file() and (str(path) != project.origin.get("path") or unchanged(project))


def other_file(project: Project) -> Project:
    """The project when another file takes the place of the one it had: nothing is known about it, and no copy kept."""
    source = None if project.source is None else replace(project.source, sha256="")
    return replace(project, source=source, keeps_data=False)


def received(project: Project, source: Source) -> Project:
    """The project with what a look at its file told; what was decided before holds for columns of the same name.

    A project that follows another one takes only a file with the same columns: its decisions were made for them.
    What were values in the place of names is not kept.
    """
    if project.choices is None or project.source is None:
        return replace(project, source=source, choices=project.choices or Choices.proposed(source))
    decided = dict(zip(project.source.names, project.choices.columns, strict=True))
    known = {name: ColumnChoice.from_dict(choice) for name, choice in project.remembered.items()} | decided
    missing = [name for name in decided if name not in source.names]
    new = [name for name in source.names if name not in decided]
    if project.follows and (missing or new):
        raise PageError.other_columns(missing=missing, new=new)
    if project.source.sha256 == source.sha256:  # read in another way: where nothing was decided the new proposal holds
        known = {name: choice for name, choice in known.items() if not _as_proposed(project.source, name, choice)}
    columns = tuple(known.get(column.name, ColumnChoice(role=column.role)) for column in source.columns)
    choices = project.choices
    return replace(
        project,
        source=source,
        remembered={}
        if _were_values(project.source, source)
        else {name: choice.to_dict() for name, choice in known.items() if name not in source.names},
        choices=replace(
            choices,
            columns=columns,
            sampling_weights=_still(choices.sampling_weights, source),
            households=_still(choices.households, source),
            strata=tuple(name for name in choices.strata if name in source.names),
        ),
    )


def _as_proposed(source: Source, name: str, choice: ColumnChoice) -> bool:
    """Whether nothing but the proposal stands in the choice about a column."""
    return any(column.name == name and choice == ColumnChoice(role=column.role) for column in source.columns)


def _were_values(before: Source, source: Source) -> bool:
    """Whether the names that were known seem to have been the first record."""
    record_now = source.settings.get("header") is False and before.settings.get("header") is not False
    return record_now or bool(before.doubts.get("names"))


def _still(name: str, source: Source) -> str:
    return name if name in source.names else ""


def _packed() -> tuple[str, ...]:
    return tuple(known + packing for known in ENDINGS for packing in (PACKED, ARCHIVE))


def _make_example(place: Workplace, project: Project) -> None:
    folder = place.scratch / project.id
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / "data.csv"
    asked = {"file": {"path": str(path), "reading": dict(project.reading), "name": _EXAMPLE}, "name": _EXAMPLE}
    _start(place, project, "example", {**asked, "rows": project.origin["example"]})
    place.files[project.id] = path


def _start(place: Workplace, project: Project, task: str, asked: Mapping[str, Any]) -> None:
    async def then(result: dict[str, Any]) -> None:
        source = Source.from_dict(result)
        try:
            place.store.update(project.id, lambda now: received(_with_names(place, now), source))
        except PageError:
            # no decision was made for this file, so nothing may be released from it
            place.files.pop(project.id, None)
            raise
        place.warm()

    place.jobs.start(project.id, task, asked, then=then)


def _with_names(place: Workplace, project: Project) -> Project:
    """The project, with what was known about the file whose decisions it took over."""
    if project.source is not None or not project.follows:
        return project
    with suppress(PageError):
        return replace(project, source=place.store.read(project.follows).source)
    return project
