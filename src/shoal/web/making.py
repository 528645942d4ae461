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
from shoal.held import held, is_held

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
