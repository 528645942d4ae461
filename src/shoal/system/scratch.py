"""Scratch folders, which are removed at exit.

`ScratchFolder` is that of one run: its finished steps, from which a killed run resumes. It holds records of the data,
lies next to the output and is readable by its owner only. A run removes it at the end, with or without an error. An
interrupted or killed run leaves it, and the same run resumes from it.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from shoal.errors import OutputError
from shoal.system.atomic import os_error_reason, read_checked, text_sha256, write_checked
from shoal.system.locks import is_same_file, lock_abandoned, lock_handle

_MARKER = "shoal.scratch"
"""Marker file of a scratch folder; a running process holds its lock."""


def scratch_path(target: Path, folder: Path | None = None) -> Path:
    """Return the scratch folder of the run that writes this output."""
    return (folder or target.parent) / f".shoal-scratch-{target.name}"


class ScratchFolder:
    """A private folder for one run at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._lock = folder, -1

    def __enter__(self) -> Self:
        marker = self.folder / _MARKER
        try:
            while True:
                self.folder.mkdir(mode=0o700, exist_ok=True)
                if not marker.exists() and any(self.folder.iterdir()):
                    why = "it is needed as a scratch folder, and holds something else"
                    raise OutputError.unwritable(self.folder, why)
                try:
                    self._lock = os.open(marker, os.O_CREAT | os.O_RDWR, 0o600)
                except FileNotFoundError:
                    continue  # the previous run has just removed it
                if not lock_handle(self._lock, wait=False):
                    os.close(self._lock)
                    raise OutputError.locked(self.folder)
                if is_same_file(self._lock, marker):
                    return self
                os.close(self._lock)
        except OSError as error:
            with suppress(OSError):
                self.folder.rmdir()  # only if empty
            raise OutputError.unwritable(self.folder, os_error_reason(error)) from None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        # not simply `not Exception`: a panic of a library is no interrupt
        interrupted = kind is not None and issubclass(kind, KeyboardInterrupt | SystemExit | GeneratorExit)
        if not interrupted:
            _remove_scratch(self.folder)
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
            with suppress(OSError):
                (self.folder / f"{name}.json").unlink()


def hash_facts(facts: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the facts."""
    return text_sha256(json.dumps(facts, sort_keys=True, default=str))


def _remove_scratch(folder: Path) -> None:
    """Remove a scratch folder. The marker goes last, so that a killed removal can be recognized and finished."""
    with suppress(OSError):
        for entry in [entry for entry in folder.iterdir() if entry.name != _MARKER]:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                with suppress(OSError):
                    entry.unlink()
        (folder / _MARKER).unlink(missing_ok=True)
        folder.rmdir()


def remove_abandoned(folder: Path) -> None:
    """Remove the scratch folder of a killed run that will not be resumed."""
    if (folder / _MARKER).is_file() and not folder.is_symlink():
        with lock_abandoned(folder / _MARKER) as unlocked:
            if unlocked:
                _remove_scratch(folder)


_OWNER = "owner.lock"
_CLEANING = ".turn"
"""Locked while a start cleans up, so that no other start removes a folder before its owner is locked."""
_NAME = re.compile(r"start-[0-9a-f]{16}")


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Yield a new private folder below ``parent`` and remove it at exit; abandoned ones are removed first."""
    try:
        _private(parent)
        cleaning = _lock(parent / _CLEANING, wait=True)
        try:
            _remove_abandoned_starts(parent)
            folder = parent / f"start-{secrets.token_hex(8)}"
            folder.mkdir(mode=0o700)
            owner = _lock(folder / _OWNER, wait=False)
        finally:
            os.close(cleaning)
    except OSError as error:
        raise OutputError.unwritable(parent, os_error_reason(error)) from None
    try:
        yield folder
    finally:
        with suppress(OSError):
            os.close(owner)  # first, since Windows removes no file that is open
        shutil.rmtree(folder, ignore_errors=True)


def _private(folder: Path) -> None:
    """Create the folder, or check that it is owned by this user and no link."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or not _ours(status):
        raise OutputError.unwritable(folder, "it is a link or belongs to somebody else")
    folder.chmod(0o700)


def _remove_abandoned_starts(parent: Path) -> None:
    for folder in parent.iterdir():
        with suppress(OSError):
            status = folder.lstat()
            if _NAME.fullmatch(folder.name) and stat.S_ISDIR(status.st_mode) and _ours(status):
                os.close(_lock(folder / _OWNER, wait=False))  # raises while its process runs
                shutil.rmtree(folder, ignore_errors=True)


def _ours(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _lock(path: Path, *, wait: bool) -> int:
    """Return an open file that is locked until it is closed; raise OSError if another process holds the lock."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        try:
            import fcntl
        except ImportError:
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(handle)
        raise
    return handle
