"""Files and folders that a living process holds: the system lets go of them with the process, however that ends.

So what nobody holds was left by a run that was killed, whatever the clock says.
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


def hold(handle: int, *, wait: bool) -> bool:
    """Hold what is open here until it is closed; False where somebody else holds it. Not every system can."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        return error.errno not in _BUSY
    return True


def is_same(handle: int, path: Path) -> bool:
    """Whether what is open here still has this name."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except OSError:
        return False


@contextmanager
def held(place: Path) -> Iterator[None]:
    """Keep others away from a folder or a file; whoever is killed holds it no more. Not every system can."""
    handle = os.open(place, os.O_RDONLY)
    try:
        hold(handle, wait=True)
        yield
    finally:
        os.close(handle)


def is_held(place: Path) -> bool:
    """Whether somebody keeps others away from it."""
    try:
        handle = os.open(place, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not hold(handle, wait=False)
    finally:
        os.close(handle)


@contextmanager
def left_behind(path: Path) -> Iterator[bool]:
    """Whether this is a file or folder of this user which nobody holds any more; inside, it is held here.

    Where files cannot be held, nothing is known to be left behind.
    """
    try:
        import fcntl

        handle = os.open(path, os.O_RDONLY | _FOLLOW_NOT)
    except (ImportError, OSError):
        yield False
        return
    try:
        found = os.fstat(handle)
        ours = found.st_uid == os.geteuid() and (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode))
        free = False
        if ours:
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                free = is_same(handle, path)
        yield free
    finally:
        os.close(handle)
