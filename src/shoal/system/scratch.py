"""Scratch folders: private, locked by the run that uses them, and removed at exit.

The folder of a resumable run has a fixed name. It holds the finished steps of the run, contains records of the data and
lies next to the output. A run removes it at the end, with or without an error; an interrupted or killed run leaves it,
and the same run resumes from it. Other scratch folders have a random name and are always removed: at exit, or by the
next process if theirs was killed.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from shoal.errors import OutputError
from shoal.system.atomic import os_error_reason, read_checked, remove, text_sha256, write_checked
from shoal.system.locks import is_same_file, lock_abandoned, lock_handle

_MARKER, _TEMPORARY_MARKER = "shoal.scratch", "owner.lock"
"""Marker files of scratch folders; a running process holds the lock."""
_TEMPORARY = re.compile(r"(start|shoal-scratch)-[0-9a-f]{16}")
_FOLLOW_NOT = getattr(os, "O_NOFOLLOW", 0)


def scratch_path(target: Path, folder: Path | None = None) -> Path:
    """Return the scratch folder of the run that writes this output."""
    return (folder or target.parent) / f".shoal-scratch-{target.name}"


class ScratchFolder:
    """A private folder for one run at a time; if it is resumable, an interrupt keeps it."""

    def __init__(self, folder: Path, *, resumable: bool = True) -> None:
        self.folder, self._resumable, self._lock = folder, resumable, -1

    @property
    def _marker(self) -> Path:
        return self.folder / (_MARKER if self._resumable else _TEMPORARY_MARKER)

    def __enter__(self) -> Self:
        try:
            while True:
                self.folder.mkdir(mode=0o700, exist_ok=True)
                if not self._marker.exists() and any(self.folder.iterdir()):
                    why = "it is needed as a scratch folder, and holds something else"
                    raise OutputError.unwritable(self.folder, why)
                try:
                    self._lock = os.open(self._marker, os.O_CREAT | os.O_RDWR, 0o600)
                except FileNotFoundError:
                    continue  # the previous run has just removed it
                # a temporary folder can be locked only by a process that is about to remove it
                if not lock_handle(self._lock, wait=not self._resumable):
                    os.close(self._lock)
                    raise OutputError.locked(self.folder)
                if is_same_file(self._lock, self._marker):
                    return self
                os.close(self._lock)
        except OSError as error:
            with suppress(OSError):
                self.folder.rmdir()  # only if empty
            about = self.folder if self._resumable else self.folder.parent
            raise OutputError.unwritable(about, os_error_reason(error)) from None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if not self._resumable:
            with suppress(OSError):
                os.close(self._lock)  # first, since a network file system keeps the name of a file that is open
            remove(self.folder)
            return
        # not simply `not Exception`: a panic of a library is no interrupt
        if kind is None or not issubclass(kind, KeyboardInterrupt | SystemExit | GeneratorExit):
            _remove_content(self.folder, self._marker)
        with suppress(OSError):  # released when the process ends
            os.close(self._lock)
        if isinstance(error, OSError):
            raise OutputError.unwritable(self.folder, os_error_reason(error)) from None

    def subfolder(self, name: str) -> Path:
        """Return a subfolder; create it if necessary."""
        path = self.folder / name
        path.mkdir(mode=0o700, exist_ok=True)
        return path

    def write_note(self, name: str, facts: Mapping[str, Any]) -> None:
        """Write a note atomically."""
        part = self.folder / f"{name}.part"
        part.touch(mode=0o600)
        write_checked(part, facts)
        part.replace(self.folder / f"{name}.json")

    def read_note(self, name: str) -> dict[str, Any] | None:
        """Read a note; None if there is none or it is damaged."""
        facts = read_checked(self.folder / f"{name}.json")
        return facts if isinstance(facts, dict) else None

    def remove(self, *names: str) -> None:
        """Remove the notes and subfolders of these names."""
        for name in names:
            shutil.rmtree(self.folder / name, ignore_errors=True)
            remove(self.folder / f"{name}.json")


def hash_facts(facts: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the facts."""
    return text_sha256(json.dumps(facts, sort_keys=True, default=str))


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new private folder and remove it at exit; those of killed processes are removed first.

    It is created below ``parent``, which becomes private, or in the shared folder for temporary files.
    """
    try:
        if parent is not None:
            _make_private(parent)
        shared = Path(tempfile.gettempdir())
        for folder in (parent or shared).iterdir():
            if _TEMPORARY.fullmatch(folder.name):
                _remove_temporary(folder)
    except OSError as error:
        raise OutputError.unwritable(parent or "the folder for temporary files", os_error_reason(error)) from None
    name = secrets.token_hex(8)
    folder = shared / f"shoal-scratch-{name}" if parent is None else parent / f"start-{name}"
    with ScratchFolder(folder, resumable=False):
        yield folder


def remove_abandoned(folder: Path) -> None:
    """Remove the scratch folder of a killed run that will not be resumed."""
    marker = folder / _MARKER
    if marker.is_file() and not folder.is_symlink():
        with lock_abandoned(marker) as unlocked:
            if unlocked:
                _remove_content(folder, marker)


def _remove_temporary(folder: Path) -> None:
    with suppress(OSError):
        status, marker = folder.lstat(), folder / _TEMPORARY_MARKER
        if stat.S_ISDIR(status.st_mode) and _is_own(status):
            # a process that was killed before it locked its folder left none
            os.close(os.open(marker, os.O_RDWR | os.O_CREAT | _FOLLOW_NOT, 0o600))
            with lock_abandoned(marker) as unlocked:
                if unlocked:
                    remove(folder)


def _remove_content(folder: Path, marker: Path) -> None:
    """Remove a scratch folder. The marker goes last, so that a killed removal can be recognized and finished."""
    with suppress(OSError):
        remove(*(entry for entry in folder.iterdir() if entry.name != marker.name))
        marker.unlink(missing_ok=True)
        folder.rmdir()


def _make_private(folder: Path) -> None:
    """Create the folder, or check that it is owned by this user and no link."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or not _is_own(status):
        raise OutputError.unwritable(folder, "it is a link or belongs to somebody else")
    folder.chmod(0o700)


def _is_own(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
