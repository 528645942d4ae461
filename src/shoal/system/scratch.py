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
from shoal.system.locks import is_own, lock_abandoned, open_locked, unlock

_MARKER, _TEMPORARY_MARKER = "shoal.scratch", "owner.lock"
"""Marker files of scratch folders; a running process holds the lock."""


def scratch_path(target: Path, folder: Path | None = None) -> Path:
    """Return the scratch folder of the run that writes this output."""
    return (folder or target.parent) / f".shoal-scratch-{target.name}"


class ScratchFolder:
    """A private folder for one run at a time; if it is resumable, an interrupt keeps it."""

    def __init__(self, folder: Path, *, resumable: bool = True) -> None:
        self.folder, self._resumable = folder, resumable
        self._lock: int | None = None

    @property
    def _marker(self) -> Path:
        return self.folder / (_MARKER if self._resumable else _TEMPORARY_MARKER)

    def __enter__(self) -> Self:
        try:
            while self._lock is None:
                self.folder.mkdir(mode=0o700, exist_ok=True)
                if not self._marker.exists() and any(self.folder.iterdir()):
                    why = "it is needed as a scratch folder, and holds something else"
                    raise OutputError.unwritable(self.folder, why)
                with suppress(FileNotFoundError):  # its last owner has just removed it
                    # a temporary folder can be locked only by a process that is about to remove it
                    self._lock = open_locked(self._marker, os.O_CREAT | os.O_RDWR, wait=not self._resumable)
                    if self._lock is None:
                        raise OutputError.locked(self.folder)
        except OSError as error:
            with suppress(OSError):
                self.folder.rmdir()  # only if empty
            about = self.folder if self._resumable else self.folder.parent
            raise OutputError.unwritable(about, os_error_reason(error)) from None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        # not simply `not Exception`: a panic of a library is no interrupt
        interrupted = kind is not None and issubclass(kind, KeyboardInterrupt | SystemExit | GeneratorExit)
        if not (interrupted and self._resumable):
            _remove_locked(self.folder, self._marker)
        unlock(self._lock)
        if not self._resumable:
            remove(self.folder)  # a network file system keeps the names of files that were open
        elif isinstance(error, OSError):
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
    return text_sha256(json.dumps(facts, sort_keys=True, default=str))


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new private folder and remove it at exit; those of killed processes are removed first.

    It is created below ``parent``, which becomes private, or in the shared folder for temporary files.
    """
    prefix = "shoal-scratch-" if parent is None else "start-"
    try:
        if parent is not None:
            _make_private(parent)
        place = parent or Path(tempfile.gettempdir())
        for other in place.iterdir():
            if re.fullmatch(f"{prefix}[0-9a-f]{{16}}", other.name):
                remove_abandoned(other, resumable=False)
    except OSError as error:
        raise OutputError.unwritable(parent or "the folder for temporary files", os_error_reason(error)) from None
    with ScratchFolder(place / f"{prefix}{secrets.token_hex(8)}", resumable=False) as scratch:
        yield scratch.folder


def remove_abandoned(folder: Path, *, resumable: bool = True) -> None:
    """Remove the scratch folder of a killed run that will not be resumed."""
    marker = folder / (_MARKER if resumable else _TEMPORARY_MARKER)
    with suppress(OSError):
        status = folder.lstat()
        if stat.S_ISDIR(status.st_mode) and is_own(status):
            if not resumable:  # its process may have been killed before it wrote the marker
                os.close(os.open(marker, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
            with lock_abandoned(marker) as unlocked:
                if unlocked:
                    _remove_locked(folder, marker)


def _remove_locked(folder: Path, marker: Path) -> None:
    """Remove a scratch folder. The marker goes last, so that a killed removal can be recognized and finished."""
    with suppress(OSError):
        remove(*(entry for entry in folder.iterdir() if entry != marker))
        marker.unlink(missing_ok=True)
        folder.rmdir()


def _make_private(folder: Path) -> None:
    """Create the folder, or check that it is owned by this user and no link."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or not is_own(status):
        raise OutputError.unwritable(folder, "it is a link or belongs to somebody else")
    folder.chmod(0o700)
