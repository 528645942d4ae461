"""A folder that appears whole or not at all: made aside, and put in the place of an older one at the end."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.aside import reason
from shoal.errors import FileError, HierarchyError, OutputError

_NEW, _OLD = ".making-", ".before-"


@contextmanager
def making(folder: Path) -> Iterator[Path]:
    """Yield a new private folder beside this one; on a clean exit it takes its place.

    What stands there stays until then. Whatever interrupts the making, `sweep` puts things right afterwards.
    """
    sweep(folder)
    name = secrets.token_hex(8)
    new, old = folder.with_name(_NEW + name), folder.with_name(_OLD + name)
    try:
        new.mkdir(mode=0o700)
        with held(new):
            yield new
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
    except (OutputError, FileError, HierarchyError) as error:
        # whoever reads it knows nothing of the folder aside
        raise type(error)(error.fact.replace(f"{new}{os.sep}", ""), error.hint) from None
    except OSError as error:
        raise OutputError.unwritable(folder.name, reason(error)) from None
    finally:
        sweep(folder)


def sweep(folder: Path) -> None:
    """Remove what runs that were killed left beside a folder; where one was about to replace it, it comes back."""
    for old in folder.parent.glob(_OLD + "*"):
        if not folder.exists():
            with suppress(OSError):
                old.rename(folder)
        _remove(old)
    for new in folder.parent.glob(_NEW + "*"):
        if not is_held(new):
            _remove(new)


def _remove(folder: Path) -> None:
    if not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def held(place: Path) -> Iterator[None]:
    """Keep others away from a folder or a file; whoever is killed holds it no more. Not every system can."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def is_held(place: Path) -> bool:
    """Whether somebody keeps others away from it."""
    try:
        import fcntl

        handle = os.open(place, os.O_RDONLY)
    except (ImportError, OSError):
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
