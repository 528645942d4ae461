"""The private folder of a start, for files that come in and what workers write for a while.

It is removed at the end. What a start left that was killed, the next one removes: a folder whose owner is alive has a
locked file in it, and the system takes the lock away with the process, however that ended.
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

from shoal.aside import reason
from shoal.errors import OutputError

_OWNER = "owner.lock"
_TURN = ".turn"
"""Locked by the start that looks through the folder, so that no other one takes a half-made folder for a left one."""
_NAME = re.compile(r"start-[0-9a-f]{16}")


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """A new private folder below ``parent``, gone at the end; those that nobody owns any more are removed before."""
    try:
        _private(parent)
        with _locked(parent / _TURN, wait=True):
            _remove_left(parent)
            folder = parent / f"start-{secrets.token_hex(8)}"
            folder.mkdir(mode=0o700)
            owner = _lock(folder / _OWNER, wait=False)
    except OSError as error:
        raise OutputError.unwritable(parent, reason(error)) from None
    try:
        yield folder
    finally:
        with suppress(OSError):
            os.close(owner)  # first, since Windows removes no file that is open
        shutil.rmtree(folder, ignore_errors=True)


def _private(folder: Path) -> None:
    """Make the folder, or make sure that it is ours alone and no link to somewhere else."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or not _ours(found):
        raise OutputError.unwritable(folder, "it is a link or belongs to somebody else")
    folder.chmod(0o700)


def _remove_left(parent: Path) -> None:
    for folder in parent.iterdir():
        with suppress(OSError):
            found = folder.lstat()
            if _NAME.fullmatch(folder.name) and stat.S_ISDIR(found.st_mode) and _ours(found) and not _alive(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _alive(folder: Path) -> bool:
    try:
        with _locked(folder / _OWNER, wait=False):
            return False
    except OSError:
        return True


def _ours(found: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()


@contextmanager
def _locked(path: Path, *, wait: bool) -> Iterator[None]:
    handle = _lock(path, wait=wait)
    try:
        yield
    finally:
        os.close(handle)


def _lock(path: Path, *, wait: bool) -> int:
    """An open file that is locked until it is closed; the error of the system where another process holds it."""
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
