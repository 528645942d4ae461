"""Projects in a local folder: settings and results, never a copy of the raw data unless somebody asks for it.

::

    FOLDER/ID/project.json        what is known and decided
    FOLDER/ID/hierarchies/        hierarchy-3.json, levels-4.txt: by the number of the column
    FOLDER/ID/comparison.json     the figures of the last comparison
    FOLDER/ID/release/            the last release: its table, policy, reports, bundle; facts.json for the page, and
                                  decisions.json and mark, which tell what it was made with
    FOLDER/ID/data.ENDING         the file itself, only where it is kept

All folders and files are private. No name in a path comes from a request: an id must be one of those that are there.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shoal.aside import aside, reason
from shoal.aside import sweep as sweep_files
from shoal.errors import OutputError, PageError
from shoal.held import held
from shoal.web.interface import Project
from shoal.web.making import sweep

_ID = re.compile(r"[0-9a-f]{12}")
_GONE = ".gone-"
_NOTES, _MARK = "project.json", "release/mark"


class Store:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise OutputError.unwritable(folder, reason(error)) from None
        self._tidy()

    def _tidy(self) -> None:
        """Put right what starts that were killed left: half deleted, half made and half written."""
        for gone in self._folder.glob(f"{_GONE}*"):
            if not gone.is_symlink():
                shutil.rmtree(gone, ignore_errors=True)
        for project in self.all():
            sweep(self.release(project.id))
            for folder in (self.folder(project.id), self.hierarchies(project.id)):
                sweep_files(folder)
            if not project.keeps_data:
                with suppress(OSError):
                    self.drop_data(project.id)

    def all(self) -> list[Project]:
        """Every project that can be read, the one that changed last first."""
        return self.found()[0]

    def found(self) -> tuple[list[Project], list[str]]:
        """Every project that can be read, the one that changed last first; and the folders of those that cannot."""
        found, damaged = [], []
        with suppress(OSError):
            for place in self._folder.iterdir():
                try:
                    found.append(self.read(place.name))
                except PageError as error:
                    if error.status != PageError.no_project().status:
                        damaged.append(place.name)
        return sorted(found, key=lambda project: (project.changed, project.id), reverse=True), sorted(damaged)

    def new(self, name: str, **facts: Any) -> Project:
        """A new project."""
        now = _now()
        project = Project(id=secrets.token_hex(6), name=name, created=now, changed=now, **facts)
        try:
            for place in (self.folder(project.id), self.hierarchies(project.id)):
                place.mkdir(mode=0o700)
        except OSError as error:
            raise OutputError.unwritable(self._folder, reason(error)) from None
        try:
            self._write(project)
        except OutputError:
            shutil.rmtree(self.folder(project.id), ignore_errors=True)
            raise
        return project

    def read(self, id: str) -> Project:
        """The project, or the error that there is none."""
        if not _ID.fullmatch(id):
            raise PageError.no_project()
        try:
            facts = json.loads(self.place(id, _NOTES).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise PageError.no_project() from None
        except (OSError, ValueError, RecursionError):
            raise PageError.damaged_project() from None
        if not isinstance(facts, dict) or facts.get("id") != id:
            raise PageError.damaged_project()
        try:
            return replace(Project.from_dict(facts), released=self._mark(id))
        except (TypeError, ValueError, AttributeError):
            raise PageError.damaged_project() from None

    def _mark(self, id: str) -> str:
        """That of the release which is there. It lies in its folder, which changes in one step."""
        try:
            return self.place(id, _MARK).read_text(encoding="utf-8")[:64]
        except (OSError, ValueError, PageError):
            return ""

    def update(
        self, id: str, change: Callable[[Project], Project], *, revision: int | None = None, anew: bool = False
    ) -> Project:
        """The project after a change, which is kept; refused where another change came in between.

        Where nothing changed its revision stays, unless what belongs to it is new (``anew``).
        """
        self.read(id)
        with held(self.folder(id)):
            project = self.read(id)
            if revision is not None and revision != project.revision:
                raise PageError.changed_elsewhere()
            changed = change(project)
            if changed == project and not anew:
                return project
            changed = replace(changed, revision=project.revision + 1, changed=_now())
            self._write(changed)
            return changed

    def withdraw(self, id: str) -> Path:
        """Take a project away in one step, so that nobody finds it any more; the folder that is to be deleted then."""
        self.read(id)
        gone = self._folder / f"{_GONE}{secrets.token_hex(8)}"
        try:
            return self.folder(id).rename(gone)
        except OSError as error:
            raise OutputError.unwritable(self.folder(id), reason(error)) from None

    def delete(self, id: str) -> None:
        """The project and all that it keeps."""
        self.clear(self.withdraw(id))

    def clear(self, gone: Path) -> None:
        """All that a project kept which was withdrawn."""
        try:
            shutil.rmtree(gone)
        except OSError as error:
            raise OutputError.unwritable(gone, reason(error)) from None

    def drop_data(self, id: str) -> None:
        """The copy of the data that a project does not keep any more."""
        for copy in self.folder(id).glob("data.*"):
            copy.unlink()

    def folder(self, id: str) -> Path:
        return self._folder / id

    def hierarchies(self, id: str) -> Path:
        return self.folder(id) / "hierarchies"

    def release(self, id: str) -> Path:
        return self.folder(id) / "release"

    def place(self, id: str, name: str) -> Path:
        """Where something of a project is; refused where links on the way lead elsewhere."""
        found = self.folder(id) / name
        if found.resolve() != self._folder.resolve() / id / name:
            raise PageError.damaged_project()
        return found

    def facts(self, id: str, name: str) -> dict[str, Any] | None:
        """Results that are kept as plain data: ``comparison.json``, ``release/facts.json``."""
        try:
            found = json.loads(self.place(id, name).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError, PageError):
            return None
        return found if isinstance(found, dict) else None

    def keep(self, id: str, name: str, facts: Any) -> None:
        """Keep results as plain data."""
        with aside(self.place(id, name), force=True) as part:
            part.chmod(0o600)
            part.write_text(json.dumps(facts), encoding="utf-8")

    def _write(self, project: Project) -> None:
        self.keep(project.id, _NOTES, project.to_dict())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
