"""Advisory file locks. The operating system releases them when the process ends.

An unlocked file was therefore left by a killed run, whatever its time stamp.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_BUSY = {errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES}
_FOLLOW_NOT = getattr(os, "O_NOFOLLOW", 0)


def lock_handle(descriptor: int, *, wait: bool) -> bool:
    """Lock an open file until it is closed. Return False if another process holds the lock.

    Systems without file locks return True.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        return error.errno not in _BUSY
    return True


def open_locked(path: Path, flags: int, mode: int = 0o600, *, wait: bool = True) -> int | None:
    """Open and lock a file that another process may remove meanwhile; None if another process holds the lock.

    The lock lasts until the file is closed.
    """
    while True:
        handle = os.open(path, flags, mode)
        if not lock_handle(handle, wait=wait):
            os.close(handle)
            return None
        if _is_same_file(handle, path):
            return handle
        os.close(handle)


def unlock(*handles: int | None) -> None:
    """Close locked files, which releases their locks."""
    for handle in handles:
        if handle is not None:
            with suppress(OSError):  # nothing was written, and the lock is released when the process ends
                os.close(handle)


def is_own(status: os.stat_result) -> bool:
    """Return whether a file belongs to this user."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _is_same_file(handle: int, path: Path) -> bool:
    """Return whether the open file still has this name."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except OSError:
        return False


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a folder or file within the context. Systems without file locks do nothing."""
    handle = os.open(path, os.O_RDONLY)
    try:
        lock_handle(handle, wait=True)
        yield
    finally:
        os.close(handle)


@contextmanager
def lock_abandoned(path: Path) -> Iterator[bool]:
    """Yield whether this user owns the file or folder and no process holds its lock; lock it within the context.

    Without file locks, yield False.
    """
    try:
        import fcntl

        # file systems of a network lock only what is open for writing
        handle = os.open(path, (os.O_RDONLY if path.is_dir() else os.O_RDWR) | _FOLLOW_NOT)
    except (ImportError, OSError):
        yield False
        return
    try:
        status = os.fstat(handle)
        unlocked = False
        if is_own(status) and (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                unlocked = _is_same_file(handle, path)
        yield unlocked
    finally:
        os.close(handle)
