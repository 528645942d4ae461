"""Project store in a local folder: options and results, and the raw data only if the user asks for it.

::

    FOLDER/ID/project.json        facts and options
    FOLDER/ID/hierarchies/        hierarchy-3.json, levels-4.txt: by the number of the column
    FOLDER/ID/comparison.json     results of the last comparison
    FOLDER/ID/release/            the last release: its table, policy, reports, bundle; facts.json for the page, and
                                  decisions.json and mark with its options and their fingerprint
    FOLDER/ID/data.ENDING         a copy of the file, only on request

All folders and files are private. No path contains a name from a request: an id must match an existing folder.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shoal.errors import OutputError
from shoal.system.atomic import os_error_reason, remove
from shoal.system.cache_folder import user_cache_folder
from shoal.system.locks import lock_abandoned, locked
from shoal.system.transaction import recover, write_file
from shoal.web.errors import PageError
from shoal.web.projects.model import Project

_ID = re.compile(r"[0-9a-f]{12}")
_DELETED = ".gone-"
_PROJECT_FILE, _MARK_FILE = "project.json", "release/mark"


class ProjectStore:
    """Projects in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with _writing_to(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._repair()

    def _repair(self) -> None:
        """Repair what killed processes left half deleted or half written."""
        remove(*self._folder.glob(f"{_DELETED}*"))
        for project in self.all():
            _restore_release(self.release(project.id))
            for folder in (self.folder(project.id), self.hierarchies(project.id)):
                recover(folder)
            if not project.keeps_data:
                with suppress(OSError):
                    self.drop_data(project.id)

    def all(self) -> list[Project]:
        return self.scan()[0]

    def scan(self) -> tuple[list[Project], list[str]]:
        """Return every readable project, the latest first, and the folders of damaged ones."""
        projects, damaged = [], []
        with suppress(OSError):
            for folder in self._folder.iterdir():
                try:
                    projects.append(self.read(folder.name))
                except PageError as error:
                    if error.status != PageError.unknown_project().status:
                        damaged.append(folder.name)
        return sorted(projects, key=lambda project: (project.changed, project.id), reverse=True), sorted(damaged)

    def create(self, name: str, **facts: Any) -> Project:
        now = _now()
        project = Project(id=secrets.token_hex(6), name=name, created=now, changed=now, **facts)
        with _writing_to(self._folder):
            for folder in (self.folder(project.id), self.hierarchies(project.id)):
                folder.mkdir(mode=0o700)
        try:
            self._write(project)
        except OutputError:
            shutil.rmtree(self.folder(project.id), ignore_errors=True)
            raise
        return project

    def read(self, id: str) -> Project:
        """Return a project; raise if there is none."""
        if not _ID.fullmatch(id):
            raise PageError.unknown_project()
        try:
            facts = json.loads(self.path(id, _PROJECT_FILE).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise PageError.unknown_project() from None
        except (OSError, ValueError, RecursionError):
            raise PageError.damaged_project() from None
        if not isinstance(facts, dict) or facts.get("id") != id:
            raise PageError.damaged_project()
        try:
            return replace(Project.from_dict(facts), released=self._mark(id))
        except (TypeError, ValueError, AttributeError):
            raise PageError.damaged_project() from None

    def _mark(self, id: str) -> str:
        """Return the fingerprint stored in the release folder, which is replaced as a whole."""
        try:
            return self.path(id, _MARK_FILE).read_text(encoding="utf-8")[:64]
        except (OSError, ValueError, PageError):
            return ""

    def update(
        self, id: str, change: Callable[[Project], Project], *, revision: int | None = None, new_revision: bool = False
    ) -> Project:
        """Apply a change and return the project; refuse if its revision is not the given one.

        Without a change the revision stays, unless related files are new (``new_revision``).
        """
        self.read(id)
        with locked(self.folder(id)):
            project = self.read(id)
            if revision is not None and revision != project.revision:
                raise PageError.changed_elsewhere()
            changed = change(project)
            if changed == project and not new_revision:
                return project
            changed = replace(changed, revision=project.revision + 1, changed=_now())
            self._write(changed)
            return changed

    def detach(self, id: str) -> Path:
        """Move a project out of the store in one step, and return the folder to delete."""
        self.read(id)
        deleted = self._folder / f"{_DELETED}{secrets.token_hex(8)}"
        with _writing_to(self.folder(id)):
            return self.folder(id).rename(deleted)

    def purge(self, deleted: Path) -> None:
        """Delete the folder of a detached project."""
        with _writing_to(deleted):
            shutil.rmtree(deleted)

    def drop_data(self, id: str) -> None:
        for copy in self.folder(id).glob("data.*"):
            copy.unlink()

    def folder(self, id: str) -> Path:
        return self._folder / id

    def hierarchies(self, id: str) -> Path:
        return self.folder(id) / "hierarchies"

    def release(self, id: str) -> Path:
        return self.folder(id) / "release"

    def path(self, id: str, name: str) -> Path:
        """Return a path in the folder of a project; refuse symbolic links."""
        path = self.folder(id) / name
        if path.resolve() != self._folder.resolve() / id / name:
            raise PageError.damaged_project()
        return path

    def read_results(self, id: str, name: str) -> dict[str, Any] | None:
        """Return stored results: ``comparison.json``, ``release/facts.json``."""
        try:
            facts = json.loads(self.path(id, name).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError, PageError):
            return None
        return facts if isinstance(facts, dict) else None

    def write_results(self, id: str, name: str, facts: Any) -> None:
        write_file(self.path(id, name), json.dumps(facts), force=True, private=True)

    def _write(self, project: Project) -> None:
        self.write_results(project.id, _PROJECT_FILE, project.to_dict())


def _restore_release(folder: Path) -> None:
    """Restore a release folder whose replacement by version 0.1.0, which kept no journal, was killed."""
    for before in folder.parent.glob(".before-*"):
        if not folder.exists():
            with suppress(OSError):
                before.rename(folder)
        remove(before)
    for new in folder.parent.glob(".making-*"):
        with lock_abandoned(new) as unlocked:
            if unlocked:
                remove(new)


@contextmanager
def _writing_to(path: Path) -> Iterator[None]:
    """Raise an OSError as an `OutputError` about this path."""
    try:
        yield
    except OSError as error:
        raise OutputError.unwritable(path, os_error_reason(error)) from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def projects_folder() -> Path:
    """Return the default folder of projects."""
    from platformdirs import user_data_path

    return user_data_path("shoal", appauthor=False) / "projects"


def scratch_folder() -> Path:
    """Return the parent of scratch folders: in the cache of the user, else in the temporary folder.

    The cache is on disk, the temporary folder often in memory, and the files are large.
    """
    with suppress(OSError, RuntimeError):
        cache = user_cache_folder()
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(cache, os.W_OK | os.X_OK):
            return cache / "shoal-web"
    user = os.getuid() if hasattr(os, "getuid") else "own"
    return Path(tempfile.gettempdir()) / f"shoal-web-{user}"
