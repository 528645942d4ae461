"""Transactions over several files: a release, its policy and its reports appear together or not at all.

All files are written under hidden names first. A journal then records every move and is flushed to disk before the
first move. If a move fails, the completed moves are rolled back. If the process is killed between two moves, the next
process that writes to the folder finds the journal and commits the rest: all files were complete before the journal was
written.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from shoal.errors import FileError, OutputError
from shoal.system.atomic import (
    HIDDEN_PREFIX,
    JOURNAL_SUFFIX,
    NO_LINKS,
    PendingFile,
    flush_folder,
    move,
    open_hidden,
    os_error_reason,
    read_checked,
    sweep,
    with_user_paths,
    write_checked,
)
from shoal.system.locks import lock_abandoned, lock_handle


@dataclass(frozen=True)
class _Move:
    """The move of one file to its place. A file that it replaces is backed up as `before` until the commit."""

    hidden: Path
    place: Path
    before: Path
    replaces: bool
    mark: tuple[int, int]
    """Device and inode, which identify the file under any name."""

    @property
    def done(self) -> bool:
        """Whether the file has been moved."""
        try:
            found = self.place.lstat()
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self.mark

    def apply(self, *, force: bool) -> None:
        """Move the file unless it has been moved already."""
        if self.done or not self.hidden.exists():
            return
        if self.replaces and not os.path.lexists(self.before):
            self._back_up()
        try:
            # by a link if possible: the inode then distinguishes it from a file of another process until the commit
            move(self.hidden, self.place, force=self.replaces)
        except OutputError:
            if not force:
                raise
            move(self.hidden, self.place, force=True)

    def _back_up(self) -> None:
        try:
            os.link(self.place, self.before, follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            self.place.rename(self.before)

    def roll_back(self) -> None:
        """Roll back the move."""
        if os.path.lexists(self.before):
            self.before.replace(self.place)
            self.before.unlink(missing_ok=True)  # a rename of a file onto itself is a no-op
        elif not self.replaces and self.done:
            self.place.unlink(missing_ok=True)


class FileTransaction:
    """Transaction over several files. Moves them in reverse order of `add` calls."""

    def __init__(self, *, force: bool) -> None:
        self.force = force
        self._name = secrets.token_hex(8)
        self._parts: list[PendingFile] = []
        self._unresolved = False

    def add(self, path: Path) -> Path:
        """Return a hidden path for a file that the commit moves to ``path``."""
        part = open_hidden(path, force=self.force, name=f"{self._name}-{len(self._parts)}")
        self._parts.append(part)
        return part.hidden

    def commit(self) -> None:
        """Commit: move all files into place, or none. Files that were replaced are restored on failure."""
        for part in self._parts:
            part.flush()
        moves = []
        for number, part in reversed(list(enumerate(self._parts))):
            before = part.target.with_name(f"{HIDDEN_PREFIX}{self._name}-{number}.before")
            replaces, stat = self.force and os.path.lexists(part.target), part.hidden.lstat()
            moves.append(_Move(part.hidden, part.target, before, replaces, (stat.st_dev, stat.st_ino)))
        with _journaled(self._name, moves, force=self.force) as journals:
            try:
                for one in moves:
                    one.apply(force=self.force)
            except BaseException:
                # without its journal nobody finishes the transaction; if the rollback fails, the next process does
                self._unresolved = not _back(moves)
                if not self._unresolved:
                    _remove([*journals, *(one.hidden for one in moves)])
                raise
            for folder in {one.place.parent for one in moves}:
                flush_folder(folder)
            _clean_up(moves, journals)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        try:
            if isinstance(error, OutputError | FileError):
                raise with_user_paths(error, self._parts) from None
            if isinstance(error, OSError):
                raise OutputError.unwritable(self._about(error), os_error_reason(error)) from None
        finally:
            for part in self._parts:
                if self._unresolved:
                    os.close(part.handle)
                else:
                    part.discard()

    def _about(self, error: OSError) -> Path:
        """Return the path, as the user gave it, of the file that a system error is about."""
        named = [part.target for part in self._parts if str(part.hidden) == str(error.filename)]
        return (named or [part.target for part in self._parts[-1:]] or [Path(str(error.filename))])[0]


def recover(folder: Path) -> None:
    """Finish the transactions of killed runs in this folder and remove their hidden files."""
    with suppress(OSError, ValueError):
        for path in sorted(folder.iterdir()):
            if path.name.startswith(HIDDEN_PREFIX) and path.suffix == JOURNAL_SUFFIX:
                _finish(path)
    sweep(folder)


def _finish(path: Path) -> None:
    journal = _read(path)
    if journal is None:
        with lock_abandoned(path) as unlocked, suppress(OSError):
            if unlocked:
                path.unlink()
        return
    moves, journals, force = journal
    # the process that commits holds the lock of the first journal
    if path != journals[0] and not journals[0].exists():
        with suppress(OSError):
            path.unlink()
        return
    with lock_abandoned(journals[0]) as unlocked:
        if not unlocked:
            return
        try:
            for one in moves:
                one.apply(force=force)
        except (OSError, OutputError):
            if _back(moves):
                _remove([*journals, *(one.hidden for one in moves)])
            return
        _clean_up(moves, journals)


@contextmanager
def _journaled(name: str, moves: Sequence[_Move], *, force: bool) -> Iterator[list[Path]]:
    """Write a journal into every folder of the moves; hold the lock of the first one."""
    journals = [
        folder / f"{HIDDEN_PREFIX}{name}{JOURNAL_SUFFIX}" for folder in dict.fromkeys(one.place.parent for one in moves)
    ]
    facts = {
        "moves": [
            [*(str(path.absolute()) for path in (one.hidden, one.place, one.before)), one.replaces, *one.mark]
            for one in moves
        ],
        "journals": [str(journal.absolute()) for journal in journals],
        "force": force,
    }
    handles: list[int] = []
    try:
        try:
            for journal in reversed(journals):
                handles.append(os.open(journal, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
                lock_handle(handles[-1], wait=True)
                write_checked(journal, facts)
                flush_folder(journal.parent)
        except BaseException:
            _remove(journals)
            raise
        yield journals
    finally:
        for handle in handles:
            with suppress(OSError):
                os.close(handle)


def _read(path: Path) -> tuple[list[_Move], list[Path], bool] | None:
    """Return moves, journals and ``force`` of a journal; None if it is torn or lists files of more than one run."""
    facts = read_checked(path)
    try:
        moves = [
            _Move(Path(hidden), Path(place), Path(before), bool(replaces), (int(device), int(number)))
            for hidden, place, before, replaces, device, number in facts["moves"]
        ]
        journals = [Path(journal) for journal in facts["journals"]]
        owner = path.lstat().st_uid
    except (OSError, ValueError, KeyError, TypeError):
        return None
    own = path.name.removesuffix(JOURNAL_SUFFIX) + "-"
    hidden = [(part, one.place) for one in moves for part in (one.hidden, one.before)]
    ours = all(part.name.startswith(own) and part.parent == place.parent for part, place in hidden)
    listed = path.absolute() in journals and all(journal.name == path.name for journal in journals)
    user = os.geteuid() if hasattr(os, "geteuid") else 0
    return (moves, journals, bool(facts["force"])) if ours and listed and owner == user else None


def _back(moves: Sequence[_Move]) -> bool:
    """Roll back the moves. Return whether all succeeded."""
    complete = True
    for one in reversed(moves):
        try:
            one.roll_back()
        except OSError:
            complete = False
    return complete


def _clean_up(moves: Sequence[_Move], journals: Sequence[Path]) -> None:
    """Remove the backups, hidden files and journals. The first journal goes last: it marks the transaction as open."""
    _remove([*(one.before for one in moves), *(one.hidden for one in moves), *reversed(journals)])


def _remove(paths: Sequence[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)
