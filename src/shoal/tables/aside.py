"""A file written aside and moved into its place when it is whole, or never."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.errors import OutputError
from shoal.tables.foreign import words
from shoal.tables.formats import is_packed

_NO_LINKS = {errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}


@contextmanager
def aside(path: str | os.PathLike[str], *, force: bool) -> Iterator[Path]:
    """Yield a new, hidden path in the folder of ``path``; on a clean exit it is moved there in one step.

    Whatever interrupts the writing, nothing appears at ``path``, and without ``force`` nothing there is lost.
    """
    path = Path(path)
    _check_place(path, force=force)
    hidden = _created(path)
    try:
        yield hidden
        _flush(hidden)
        _move(hidden, path, force=force)
        _flush_folder(path.parent)
    except OutputError as error:
        # The user asked for the path, and knows nothing of the hidden one.
        raise OutputError(error.fact.replace(repr(str(hidden)), repr(str(path))), error.hint) from None
    except OSError as error:
        raise OutputError.unwritable(path, words(error)) from None
    finally:
        with suppress(OSError):
            hidden.unlink(missing_ok=True)


def write_text(text: str, path: str | os.PathLike[str], *, force: bool) -> None:
    """Write a text, such as a report, whole or not at all."""
    with aside(path, force=force) as hidden:
        hidden.write_bytes(text.encode())


def _check_place(path: Path, *, force: bool) -> None:
    try:
        if path.is_dir():
            raise OutputError.unwritable(path, os.strerror(errno.EISDIR).lower())
        if path.exists() and not path.is_file():
            raise OutputError.unwritable(path, "it is a device")
        if not path.parent.is_dir():
            raise OutputError.no_folder(path.parent)
        if not force and os.path.lexists(path):
            raise OutputError.exists(path)
    except OSError as error:
        raise OutputError.unwritable(path, words(error)) from None


def _created(path: Path) -> Path:
    endings = "".join(path.suffixes[-2:]) if is_packed(path) else path.suffix
    hidden = path.with_name(f".shoal-{secrets.token_hex(8)}{endings}")
    try:
        # The mode of an ordinary new file, so that the umask and not this program decides who may read it.
        os.close(os.open(hidden, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise OutputError.unwritable(path, words(error)) from None
    return hidden


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
