"""Atomic writes of files and folders: write aside, then move into place.

The writing process locks the hidden file or folder. The next process that writes to the same place removes those of
killed processes.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import FileError, HierarchyError, OutputError, ShoalError
from shoal.system.locks import is_locked, is_same_file, lock_abandoned, lock_handle, locked

HIDDEN_PREFIX = ".shoal-"
"""Prefix of the name of a file that is being written."""
JOURNAL_SUFFIX = ".shoal-moves"
"""File extension of the journal of a transaction."""
NO_LINKS = {errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}
_NAME = re.compile(rf"{re.escape(HIDDEN_PREFIX)}([0-9a-f]{{16}})(-\d+)?(\..*)?", re.DOTALL)
_NEW_FOLDER, _OLD_FOLDER = ".making-", ".before-"


@dataclass(frozen=True)
class PendingFile:
    """A hidden file that will be moved to `target`. The process holds its lock until `discard`."""

    target: Path
    hidden: Path
    handle: int

    def flush(self) -> None:
        """Flush the file to disk."""
        with self.hidden.open("rb+") as file:
            os.fsync(file.fileno())

    def discard(self) -> None:
        """Remove the hidden file and release its lock."""
        with suppress(OSError):
            self.hidden.unlink(missing_ok=True)
        with suppress(OSError):
            os.close(self.handle)


@contextmanager
def atomic_write(path: str | os.PathLike[str], *, force: bool) -> Iterator[Path]:
    """Yield a hidden path in the folder of ``path``; on a clean exit, move the file there atomically.

    If the write is interrupted, nothing appears at ``path``. Without ``force``, an existing file is never replaced.
    """
    part = None
    try:
        part = open_hidden(path, force=force)
        yield part.hidden
        part.flush()
        move(part.hidden, part.target, force=force)
        flush_folder(part.target.parent)
    except (OutputError, FileError) as error:
        raise with_user_paths(error, [part] if part else []) from None
    except OSError as error:
        raise OutputError.unwritable(Path(path), os_error_reason(error)) from None
    finally:
        if part is not None:
            part.discard()


def open_hidden(path: str | os.PathLike[str], *, force: bool, name: str | None = None) -> PendingFile:
    """Create and lock a hidden file next to ``path``; remove the hidden files of killed runs first."""
    given, place = os.fspath(path), Path(path)
    if not given:
        raise OutputError.unwritable(given, "it is no name")
    _check_place(place, force=force)
    sweep(place.parent)
    hidden = place
    try:
        while True:
            hidden = place.with_name(f"{HIDDEN_PREFIX}{name or secrets.token_hex(8)}{_endings(place)}")
            # The default mode of a new file, so that the umask decides who may read it.
            handle = os.open(hidden, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
            lock_handle(handle, wait=True)
            if is_same_file(handle, hidden):
                return PendingFile(place, hidden, handle)
            os.close(handle)  # another process removed it before it was locked
    except OSError as error:
        raise OutputError.unwritable(place, os_error_reason(error)) from None
    except BaseException:
        # a signal right after the file was created must leave nothing
        if hidden != place:
            with suppress(OSError):
                hidden.unlink(missing_ok=True)
        raise


def with_user_paths(error: ShoalError, parts: list[PendingFile]) -> ShoalError:
    """Return the error with the paths of the user instead of the hidden ones."""
    fact = error.fact
    for part in parts:
        fact = fact.replace(repr(str(part.hidden)), repr(str(part.target)))
    return type(error)(fact, error.hint)


def sweep(folder: Path) -> None:
    """Remove the hidden files of killed runs in this folder. The files of running processes stay."""
    with suppress(OSError, ValueError):
        hidden = {path: match[1] for path in folder.iterdir() if (match := _NAME.fullmatch(path.name))}
        journals = {name for path, name in hidden.items() if path.suffix == JOURNAL_SUFFIX}
        for path, name in hidden.items():
            # files listed in a journal belong to a transaction that is finished or rolled back first
            if name not in journals:
                with lock_abandoned(path) as unlocked, suppress(OSError):
                    if unlocked:
                        path.unlink()


def _check_place(path: Path, *, force: bool) -> None:
    try:
        there = _is_there(path)
        if there and path.is_dir():
            raise OutputError.unwritable(path, os.strerror(errno.EISDIR).lower())
        if there and path.exists() and not path.is_file():
            raise OutputError.unwritable(path, "it is a device")
        if not path.parent.is_dir():
            raise OutputError.no_folder(path.parent)
        if there and not force:
            raise OutputError.exists(path)
    except OSError as error:
        raise OutputError.unwritable(path, os_error_reason(error)) from None
    except ValueError:
        # A NUL, or half a surrogate pair.
        raise OutputError.unwritable(path, "no file can have this name") from None


def _is_there(path: Path) -> bool:
    """Return whether anything has this name, even a broken link. Unlike lexists, raise if that cannot be known."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def os_error_reason(error: OSError) -> str:
    """Return the message of the operating system, in lower case and without the path."""
    return (error.strerror or "the system refused").lower()


def _endings(path: Path) -> str:
    return "".join(path.suffixes[-2:]) if path.suffix.lower() == ".gz" else path.suffix


def flush_folder(folder: Path) -> None:
    """Flush the folder to disk so that a move survives a power loss. Not every system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def move(hidden: Path, path: Path, *, force: bool) -> None:
    """Move a file into place atomically."""
    if force:
        hidden.replace(path)
        return
    try:
        # A link fails if a file exists, even one created a moment ago. A move would replace it.
        os.link(hidden, path)
    except FileExistsError:
        raise OutputError.exists(path) from None
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if os.path.lexists(path):
            raise OutputError.exists(path) from None
        hidden.replace(path)


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """Yield a new private folder; on a clean exit it replaces this one.

    The old folder stays until then. `remove_leftovers` repairs an interrupted replacement.
    """
    remove_leftovers(folder)
    name = secrets.token_hex(8)
    new, old = folder.with_name(_NEW_FOLDER + name), folder.with_name(_OLD_FOLDER + name)
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
    for old in folder.parent.glob(_OLD_FOLDER + "*"):
        if not folder.exists():
            with suppress(OSError):
                old.rename(folder)
        _remove_tree(old)
    for new in folder.parent.glob(_NEW_FOLDER + "*"):
        if not is_locked(new):
            _remove_tree(new)


def _remove_tree(folder: Path) -> None:
    if not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)


def write_checked(path: Path, facts: Any) -> None:
    """Write facts as JSON with a checksum, for a file that a killed process may leave torn; flush it to disk."""
    text = json.dumps(facts, sort_keys=True)
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps({"facts": text, "sum": text_sha256(text)}))
        file.flush()
        os.fsync(file.fileno())


def read_checked(path: Path) -> Any:
    """Return the facts of such a file; None if there is none or it is damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return json.loads(content["facts"]) if content["sum"] == text_sha256(content["facts"]) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
