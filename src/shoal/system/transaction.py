"""Transactions over several outputs: a release, its policy and its reports appear together or not at all.

All outputs are written under hidden names first. A journal then records every move of a local file and is flushed to
disk before the first one. If a move fails, the completed moves are rolled back. If the process is killed between two
moves, the next process that writes to the folder finds the journal and commits the rest: all files were complete before
the journal was written. What is replaced is backed up until the commit.

Other storages than the local one are an `Output` of their own.
"""

from __future__ import annotations

import os
import secrets
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from shoal.errors import FileError, HierarchyError, OutputError, ShoalError
from shoal.system.atomic import (
    HIDDEN_PREFIX,
    JOURNAL_SUFFIX,
    NO_LINKS,
    check_place,
    flush_folder,
    move,
    open_hidden,
    os_error_reason,
    read_checked,
    remove,
    sweep,
    write_checked,
)
from shoal.system.locks import is_own, lock_abandoned, open_locked, unlock

_STOPPING = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no hang-up
)


class Output(Protocol):
    """A file or folder of a transaction, in any storage: written under a hidden name, then moved to its place."""

    @property
    def hidden(self) -> Any: ...

    @property
    def place(self) -> Any: ...

    def write_text(self, text: str) -> None: ...

    def flush(self) -> None:
        """Make what was written durable, and ready to be moved."""

    def back_up(self) -> None:
        """Keep what the move will replace."""

    def move(self) -> None: ...

    def roll_back(self) -> None:
        """Undo the move and restore the backup; raise if that fails."""

    def clean_up(self) -> None:
        """Remove the backup."""


@dataclass
class LocalOutput:
    """A local file or folder. The process holds the lock of the hidden one."""

    hidden: Path
    place: Path
    before: Path
    """Backup of what is replaced."""
    force: bool
    handle: int | None = None
    replaces: bool = False
    mark: tuple[int, int] = (0, 0)
    """Device and inode, which identify the file under any name."""

    @property
    def is_folder(self) -> bool:
        return self.hidden.is_dir()

    @property
    def moved(self) -> bool:
        try:
            found = self.place.lstat()
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self.mark

    def write_text(self, text: str) -> None:
        self.hidden.write_bytes(text.encode())

    def flush(self) -> None:
        if self.is_folder:
            flush_folder(self.hidden)
        else:
            with self.hidden.open("rb+") as file:
                os.fsync(file.fileno())
        stat = self.hidden.lstat()
        self.replaces, self.mark = self.force and os.path.lexists(self.place), (stat.st_dev, stat.st_ino)

    def back_up(self) -> None:
        if not self.replaces or self.moved or os.path.lexists(self.before):
            return
        try:
            # by a link if possible: the old file stays in its place until the new one replaces it
            os.link(self.place, self.before, follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            self.place.rename(self.before)

    def move(self) -> None:
        if self.moved or not self.hidden.exists():
            return
        try:
            # by a link if possible: the inode then distinguishes it from a file of another process until the commit
            move(self.hidden, self.place, force=self.replaces)
        except OutputError:
            if not self.force:
                raise
            move(self.hidden, self.place, force=True)

    def roll_back(self) -> None:
        if os.path.lexists(self.before):
            if self.moved and self.place.is_dir():
                self.place.rename(self.hidden)
            self.before.replace(self.place)
            self.before.unlink(missing_ok=True)  # a rename of a file onto itself is a no-op
        elif not self.replaces and self.moved:
            remove(self.place)

    def clean_up(self) -> None:
        remove(self.before, self.hidden)


class FileTransaction:
    """Transaction over several outputs.

    They are moved in the order in which they were added, after those of other storages; what they replace is backed up
    in the reverse order. So a policy that is added after its release is never visible without it.
    """

    def __init__(self, *, force: bool) -> None:
        self.force = force
        self._name = secrets.token_hex(8)
        self._local: list[LocalOutput] = []
        self._remote: list[Output] = []
        self._unresolved = False

    def add(self, path: Path, *, folder: bool = False) -> LocalOutput:
        """Create a hidden file, or a new private folder, that the commit moves to ``path``."""
        if not folder:
            check_place(path, force=self.force)
        sweep(path.parent)
        name = f"{self._name}-{len(self._local)}"
        hidden, handle = open_hidden(path, name, folder=folder)
        before = path.with_name(f"{HIDDEN_PREFIX}{name}.before")
        self._local.append(LocalOutput(hidden, path, before, self.force, handle))
        return self._local[-1]

    def add_remote(self, output: Output) -> Output:
        """Add an output of another storage."""
        self._remote.append(output)
        return output

    def commit(self) -> None:
        """Move all outputs to their places, or none. What was replaced is restored on failure."""
        with _defer_signals():
            for output in (*self._remote, *self._local):
                output.flush()
            try:
                _move_all(self._remote)
                self._commit_local()
            except BaseException:
                _roll_back(self._remote)
                raise
            for output in self._remote:
                output.clean_up()

    def _commit_local(self) -> None:
        if not self._local:
            return
        if len(self._local) == 1 and not self._local[0].is_folder:
            self._local[0].move()  # atomic
            flush_folder(self._local[0].place.parent)
            return
        with _journaled(self._name, self._local, force=self.force) as journals:
            try:
                _move_all(self._local)
            except BaseException:
                # without its journal nobody finishes the transaction; if the rollback fails, the next process does
                self._unresolved = not _roll_back(self._local)
                if not self._unresolved:
                    remove(*journals, *(output.hidden for output in self._local))
                raise
            _finish(self._local, journals)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        for output in self._local:
            if not self._unresolved:
                remove(output.hidden)
            unlock(output.handle)
        if isinstance(error, OSError) and self._local:
            # of a file of the transaction; if it is unknown which one, of the last one
            hidden = {str(output.hidden): output.hidden for output in self._local}
            about = hidden.get(str(error.filename), self._local[-1].hidden)
            error = OutputError.unwritable(about, os_error_reason(error))
        if isinstance(error, OutputError | FileError | HierarchyError):
            raise self._with_user_paths(error) from None

    def _with_user_paths(self, error: ShoalError) -> ShoalError:
        """Return the error with the paths of the user instead of the hidden ones."""
        fact = error.fact
        for output in (*self._local, *self._remote):
            fact = fact.replace(repr(str(output.hidden)), repr(str(output.place)))
            fact = fact.replace(f"{output.hidden}{os.sep}", "")  # files in a folder
        return type(error)(fact, error.hint)


@contextmanager
def atomic_write(path: str | os.PathLike[str], *, force: bool) -> Iterator[Path]:
    """Yield a hidden path in the folder of ``path``; on a clean exit, move the file there atomically.

    If the write is interrupted, nothing appears at ``path``. Without ``force``, an existing file is never replaced.
    """
    with FileTransaction(force=force) as files:
        yield files.add(Path(path)).hidden
        files.commit()


def write_file(
    path: str | os.PathLike[str], content: str | bytes, *, force: bool = False, private: bool = False
) -> None:
    """Write a file atomically; only its owner can read a private one."""
    with atomic_write(path, force=force) as part:
        if private:
            part.chmod(0o600)
        part.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a new private folder; on a clean exit it replaces the one at ``path``, which stays until then."""
    recover(path.parent)
    with FileTransaction(force=True) as files:
        yield files.add(path, folder=True).hidden
        files.commit()


def recover(folder: Path) -> None:
    """Finish the transactions of killed runs in this folder and remove their hidden files."""
    with suppress(OSError, ValueError):
        for path in sorted(folder.iterdir()):
            if path.name.startswith(HIDDEN_PREFIX) and path.suffix == JOURNAL_SUFFIX:
                _recover(path)
    sweep(folder)


def _recover(path: Path) -> None:
    """Finish the transaction of a journal; remove a journal that lists nothing to finish."""
    journal = _read(path)
    if journal is None:
        with lock_abandoned(path) as unlocked:
            if unlocked:
                remove(path)
        return
    outputs, journals = journal
    # the process that commits holds the lock of the first journal
    if path != journals[0] and not journals[0].exists():
        remove(path)
        return
    with lock_abandoned(journals[0]) as unlocked:
        if not unlocked:
            return
        try:
            _move_all([output for output in outputs if output.hidden.exists()])
        except (OSError, OutputError):
            if _roll_back(outputs):
                remove(*journals, *(output.hidden for output in outputs))
            return
        _finish(outputs, journals)


def _move_all(outputs: Sequence[Output]) -> None:
    for output in reversed(outputs):
        output.back_up()
    for output in outputs:
        output.move()


def _roll_back(outputs: Sequence[Output]) -> bool:
    """Roll back the moves. Return whether all succeeded; raise if it is the user who must restore something."""
    failures = []
    for output in reversed(outputs):
        try:
            output.roll_back()
        except (OSError, OutputError) as error:
            failures.append(error)
    for failure in reversed(failures):
        if isinstance(failure, OutputError):
            raise failure
    return not failures


def _finish(outputs: Sequence[LocalOutput], journals: Sequence[Path]) -> None:
    """Remove backups, hidden files and journals. The first journal goes last: it marks the transaction as open."""
    for folder in {output.place.parent for output in outputs}:
        flush_folder(folder)
    for output in outputs:
        output.clean_up()
    remove(*reversed(journals))


@contextmanager
def _journaled(name: str, outputs: Sequence[LocalOutput], *, force: bool) -> Iterator[list[Path]]:
    """Write a journal into every folder of the outputs; hold the lock of the first one."""
    folders = dict.fromkeys(output.place.parent for output in outputs)
    journals = [folder / f"{HIDDEN_PREFIX}{name}{JOURNAL_SUFFIX}" for folder in folders]
    facts = {
        "moves": [
            [*(str(path.absolute()) for path in (one.hidden, one.place, one.before)), one.replaces, *one.mark]
            for one in outputs
        ],
        "journals": [str(journal.absolute()) for journal in journals],
        "force": force,
    }
    handles: list[int | None] = []
    try:
        try:
            for journal in reversed(journals):
                handles.append(open_locked(journal, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                write_checked(journal, facts)
                flush_folder(journal.parent)
        except BaseException:
            remove(*journals)
            raise
        yield journals
    finally:
        unlock(*handles)


def _read(path: Path) -> tuple[list[LocalOutput], list[Path]] | None:
    """Return outputs and journals of a journal; None if it is torn or lists files of more than one run."""
    facts = read_checked(path)
    try:
        force = bool(facts["force"])
        outputs = [
            LocalOutput(
                *(Path(hidden), Path(place), Path(before)),
                force=force,
                replaces=bool(replaces),
                mark=(int(device), int(number)),
            )
            for hidden, place, before, replaces, device, number in facts["moves"]
        ]
        journals = [Path(journal) for journal in facts["journals"]]
        own = is_own(path.lstat())
    except (OSError, ValueError, KeyError, TypeError):
        return None
    prefix = path.name.removesuffix(JOURNAL_SUFFIX) + "-"
    hidden = [(part, one.place) for one in outputs for part in (one.hidden, one.before)]
    ours = all(part.name.startswith(prefix) and part.parent == place.parent for part, place in hidden)
    listed = path.absolute() in journals and all(journal.name == path.name for journal in journals)
    return (outputs, journals) if own and ours and listed else None


@contextmanager
def _defer_signals() -> Iterator[None]:
    """Defer signals that would stop the program until the block has ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = {
        number: signal.signal(number, lambda signal_number, _: received.append(signal_number)) for number in _STOPPING
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)
        for number in received[:1]:
            signal.raise_signal(number)
