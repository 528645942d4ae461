"""A file written aside and moved into its place when it is whole, or never."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.errors import FileError, OutputError

HIDDEN = ".shoal-"
"""What the name of a file begins with while it is written."""
_NO_LINKS = {errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}


@contextmanager
def aside(path: str | os.PathLike[str], *, force: bool) -> Iterator[Path]:
    """Yield a new, hidden path in the folder of ``path``; on a clean exit it is moved there in one step.

    Whatever interrupts the writing, nothing appears at ``path``, and without ``force`` nothing there is lost.
    """
    asked, path = os.fspath(path), Path(path)
    if not asked:
        raise OutputError.unwritable(asked, "it is no name")
    _check_place(path, force=force)
    hidden = _hidden(path)
    try:
        # Inside, so that a signal the moment after leaves nothing. The mode is that of an ordinary new file:
        # the umask and not this program decides who may read it.
        os.close(os.open(hidden, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield hidden
        _flush(hidden)
        _move(hidden, path, force=force)
        _flush_folder(path.parent)
    except (OutputError, FileError) as error:
        # The user asked for the path, and knows nothing of the hidden one.
        raise type(error)(error.fact.replace(repr(str(hidden)), repr(str(path))), error.hint) from None
    except OSError as error:
        raise OutputError.unwritable(path, reason(error)) from None
    finally:
        with suppress(OSError):
            hidden.unlink(missing_ok=True)


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
        raise OutputError.unwritable(path, reason(error)) from None
    except ValueError:
        # A NUL, or half a surrogate pair.
        raise OutputError.unwritable(path, "no file can have this name") from None


def _is_there(path: Path) -> bool:
    """Whether anything has this name, be it a link to nowhere. Unlike lexists it says why it cannot know."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def reason(error: OSError) -> str:
    """What the operating system says, in lower case and without the path."""
    return (error.strerror or "the system refused").lower()


def _hidden(path: Path) -> Path:
    endings = "".join(path.suffixes[-2:]) if path.suffix.lower() == ".gz" else path.suffix
    return path.with_name(f"{HIDDEN}{secrets.token_hex(8)}{endings}")


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """So that the move survives a loss of power; not every system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _move(hidden: Path, path: Path, *, force: bool) -> None:
    if force:
        hidden.replace(path)
        return
    try:
        # A link fails where a file exists, even one that appeared a moment ago; a move would replace it.
        os.link(hidden, path)
    except FileExistsError:
        raise OutputError.exists(path) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise OutputError.exists(path) from None
        hidden.replace(path)
