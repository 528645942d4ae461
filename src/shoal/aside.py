"""A file written aside and moved into its place when it is whole, or never.

While it is written it is held by its process. What a process left that was killed, the next one that writes to the
folder removes.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import FileError, OutputError, ShoalError
from shoal.held import hold, is_same, left_behind

HIDDEN = ".shoal-"
"""What the name of a file begins with while it is written."""
JOURNAL = ".shoal-moves"
"""The ending of the file that tells which files are about to appear together."""
NO_LINKS = {errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}
_NAME = re.compile(rf"{re.escape(HIDDEN)}([0-9a-f]{{16}})(-\d+)?(\..*)?", re.DOTALL)


@dataclass(frozen=True)
class Part:
    """A file on its way to its place, held until it is let go."""

    place: Path
    hidden: Path
    handle: int

    def flush(self) -> None:
        """Return when all of it is on the disk."""
        with self.hidden.open("rb+") as file:
            os.fsync(file.fileno())

    def let_go(self) -> None:
        """Remove what is left of it aside."""
        with suppress(OSError):
            self.hidden.unlink(missing_ok=True)
        with suppress(OSError):
            os.close(self.handle)


@contextmanager
def aside(path: str | os.PathLike[str], *, force: bool) -> Iterator[Path]:
    """Yield a new, hidden path in the folder of ``path``; on a clean exit it is moved there in one step.

    Whatever interrupts the writing, nothing appears at ``path``, and without ``force`` nothing there is lost.
    """
    part = None
    try:
        part = put_aside(path, force=force)
        yield part.hidden
        part.flush()
        move(part.hidden, part.place, force=force)
        flush_folder(part.place.parent)
    except (OutputError, FileError) as error:
        raise as_asked(error, [part] if part else []) from None
    except OSError as error:
        raise OutputError.unwritable(Path(path), reason(error)) from None
    finally:
        if part is not None:
            part.let_go()


def put_aside(path: str | os.PathLike[str], *, force: bool, name: str | None = None) -> Part:
    """A new hidden file, held, beside the place that it is meant for; what killed runs left there is removed."""
    asked, place = os.fspath(path), Path(path)
    if not asked:
        raise OutputError.unwritable(asked, "it is no name")
    _check_place(place, force=force)
    sweep(place.parent)
    hidden = place
    try:
        while True:
            hidden = place.with_name(f"{HIDDEN}{name or secrets.token_hex(8)}{_endings(place)}")
            # The mode is that of an ordinary new file: the umask and not this program decides who may read it.
            handle = os.open(hidden, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
            hold(handle, wait=True)
            if is_same(handle, hidden):
                return Part(place, hidden, handle)
            os.close(handle)  # another start took it for one that was left, in the moment before it was held
    except OSError as error:
        raise OutputError.unwritable(place, reason(error)) from None
    except BaseException:
        # a signal the moment after it was made leaves nothing
        if hidden != place:
            with suppress(OSError):
                hidden.unlink(missing_ok=True)
        raise


def as_asked(error: ShoalError, parts: list[Part]) -> ShoalError:
    """The error by the paths that the user asked for, who knows nothing of the hidden ones."""
    fact = error.fact
    for part in parts:
        fact = fact.replace(repr(str(part.hidden)), repr(str(part.place)))
    return type(error)(fact, error.hint)


def sweep(folder: Path) -> None:
    """Remove what runs that were killed had written aside in this folder; what living ones write stays."""
    with suppress(OSError, ValueError):
        found = {path: named[1] for path in folder.iterdir() if (named := _NAME.fullmatch(path.name))}
        journals = {name for path, name in found.items() if path.suffix == JOURNAL}
        for path, name in found.items():
            # what is told of in a journal is finished by it, or stays until it is
            if name not in journals:
                with left_behind(path) as free, suppress(OSError):
                    if free:
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


def _endings(path: Path) -> str:
    return "".join(path.suffixes[-2:]) if path.suffix.lower() == ".gz" else path.suffix


def flush_folder(folder: Path) -> None:
    """So that a move survives a loss of power; not every system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def move(hidden: Path, path: Path, *, force: bool) -> None:
    """Let a file appear in its place in one step."""
    if force:
        hidden.replace(path)
        return
    try:
        # A link fails where a file exists, even one that appeared a moment ago; a move would replace it.
        os.link(hidden, path)
    except FileExistsError:
        raise OutputError.exists(path) from None
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if os.path.lexists(path):
            raise OutputError.exists(path) from None
        hidden.replace(path)
