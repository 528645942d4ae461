"""Atomic folders: write a new folder aside, and let it replace the old one at the end."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.errors import FileError, HierarchyError, OutputError
from shoal.system.atomic import os_error_reason
from shoal.system.locks import is_locked, locked

_NEW, _OLD = ".making-", ".before-"


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """Yield a new private folder; on a clean exit it replaces this one.

    The old folder stays until then. `sweep` repairs an interrupted replacement.
    """
    remove_leftovers(folder)
    name = secrets.token_hex(8)
    new, old = folder.with_name(_NEW + name), folder.with_name(_OLD + name)
    try:
        new.mkdir(mode=0o700)
        with locked(new):
            yield new
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
    except (OutputError, FileError, HierarchyError) as error:
        # the user does not know the temporary folder
        raise type(error)(error.fact.replace(f"{new}{os.sep}", ""), error.hint) from None
    except OSError as error:
        raise OutputError.unwritable(folder.name, os_error_reason(error)) from None
    finally:
        remove_leftovers(folder)


def remove_leftovers(folder: Path) -> None:
    """Remove what killed processes left beside a folder, and restore a folder that was being replaced."""
    for old in folder.parent.glob(_OLD + "*"):
        if not folder.exists():
            with suppress(OSError):
                old.rename(folder)
        _remove_tree(old)
    for new in folder.parent.glob(_NEW + "*"):
        if not is_locked(new):
            _remove_tree(new)


def _remove_tree(folder: Path) -> None:
    if not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)
