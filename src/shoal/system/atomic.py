"""Hidden files that are written aside, and files with a checksum.

The writing process locks its hidden files and folders. The next process that writes to the same folder removes those of
killed processes.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

from shoal.errors import FileError, OutputError
from shoal.system.locks import lock_abandoned, open_locked

HIDDEN_PREFIX = ".shoal-"
"""Prefix of the name of a file or folder that is being written."""
JOURNAL_SUFFIX = ".shoal-moves"
"""File extension of the journal of a transaction."""
NO_LINKS = {errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}
_NAME = re.compile(rf"{re.escape(HIDDEN_PREFIX)}([0-9a-f]{{16}})(-\d+)?(\..*)?", re.DOTALL)


def open_hidden(place: Path, name: str, *, folder: bool) -> tuple[Path, int | None]:
    """Create a hidden file or folder next to ``place``; return its path and the handle that holds its lock."""
    hidden = place.with_name(f"{HIDDEN_PREFIX}{name}{_endings(place)}")
    try:
        if folder:
            hidden.mkdir(mode=0o700)
            return hidden, open_locked(hidden, os.O_RDONLY)
        # The default mode of a new file, so that the umask decides who may read it.
        return hidden, open_locked(hidden, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except OSError as error:
        raise OutputError.unwritable(place, os_error_reason(error)) from None
    except BaseException:
        # a signal right after the file was created must leave nothing
        remove(hidden)
        raise


def _endings(path: Path) -> str:
    return "".join(path.suffixes[-2:]) if path.suffix.lower() == ".gz" else path.suffix


def sweep(folder: Path) -> None:
    """Remove the hidden files and folders of killed runs in this folder. Those of running processes stay."""
    with suppress(OSError, ValueError):
        hidden = {path: match[1] for path in folder.iterdir() if (match := _NAME.fullmatch(path.name))}
        journals = {name for path, name in hidden.items() if path.suffix == JOURNAL_SUFFIX}
        for path, name in hidden.items():
            # files listed in a journal belong to a transaction that is finished or rolled back first
            if name not in journals:
                with lock_abandoned(path) as unlocked:
                    if unlocked:
                        remove(path)


def remove(*paths: Path) -> None:
    """Remove files and folders, one after the other. What cannot be removed stays."""
    for path in paths:
        with suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def check_place(path: Path, *, force: bool) -> None:
    """Refuse the path of a file that cannot be written."""
    try:
        exists = _exists(path)
        if exists and path.is_dir():
            raise OutputError.unwritable(path, os.strerror(errno.EISDIR).lower())
        if exists and path.exists() and not path.is_file():
            raise OutputError.unwritable(path, "it is a device")
        if not path.parent.is_dir():
            raise OutputError.no_folder(path.parent)
        if exists and not force:
            raise OutputError.exists(path)
    except OSError as error:
        raise OutputError.unwritable(path, os_error_reason(error)) from None
    except ValueError:
        # A NUL, or half a surrogate pair.
        raise OutputError.unwritable(path, "no file can have this name") from None


def _exists(path: Path) -> bool:
    """Return whether anything has this name, even a broken link. Unlike lexists, raise if that cannot be known."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def os_error_reason(error: OSError) -> str:
    """Return the message of the operating system, in lower case and without the path."""
    return (error.strerror or "the system refused").lower()


def open_regular(path: Path) -> BufferedReader:
    """Open a file to read; refuse folders and devices."""
    try:
        if path.is_dir():
            raise FileError.is_folder(path)
        if path.exists() and not path.is_file():
            raise FileError.not_a_regular_file(path)
        return path.open("rb")
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise FileError.missing(path) from None
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None


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
