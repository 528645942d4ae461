"""Private scratch folder of a server process, for uploads and temporary files of workers.

It is removed at exit. The next start removes what killed processes left: the folder of a living process has a locked
file, and the system releases the lock with the process.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.aside import os_error_reason
from shoal.errors import OutputError

_OWNER = "owner.lock"
_CLEANING = ".turn"
"""Locked while a start cleans up, so that no other start removes a folder before its owner is locked."""
_NAME = re.compile(r"start-[0-9a-f]{16}")


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Yield a new private folder below ``parent`` and remove it at exit; abandoned ones are removed first."""
    try:
        _private(parent)
        with _locked(parent / _CLEANING, wait=True):
            _remove_abandoned(parent)
            folder = parent / f"start-{secrets.token_hex(8)}"
            folder.mkdir(mode=0o700)
            owner = _lock(folder / _OWNER, wait=False)
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


def _remove_abandoned(parent: Path) -> None:
    for folder in parent.iterdir():
        with suppress(OSError):
            status = folder.lstat()
            if _NAME.fullmatch(folder.name) and stat.S_ISDIR(status.st_mode) and _ours(status) and not _alive(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _alive(folder: Path) -> bool:
    try:
        with _locked(folder / _OWNER, wait=False):
            return False
    except OSError:
        return True


def _ours(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


@contextmanager
def _locked(path: Path, *, wait: bool) -> Iterator[None]:
    handle = _lock(path, wait=wait)
    try:
        yield
    finally:
        os.close(handle)


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
