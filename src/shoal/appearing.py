"""Files that appear together or not at all: a release, its policy, its reports.

All are written aside first. Then a journal tells what is about to move where, and is on the disk before anything moves.
If a move fails, what has moved is moved back. If the process is killed between two moves, the next one that writes to
the folder finds the journal and finishes the moves: all files were whole before it was written.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from shoal import aside
from shoal.aside import HIDDEN, JOURNAL, NO_LINKS, Part, as_asked, flush_folder, move, put_aside, reason
from shoal.errors import FileError, OutputError
from shoal.held import hold, left_behind


@dataclass(frozen=True)
class _Move:
    """One file, from where it was written to its place; what stood there is kept under a third name meanwhile."""

    hidden: Path
    place: Path
    before: Path
    replaces: bool
    mark: tuple[int, int]
    """The device and the number of the file, by which it is known wherever it is."""

    @property
    def gone(self) -> bool:
        """Whether it has appeared."""
        try:
            found = self.place.lstat()
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self.mark

    def go(self, *, force: bool) -> None:
        """Let it appear, if it has not yet."""
        if self.gone or not self.hidden.exists():
            return
        if self.replaces and not os.path.lexists(self.before):
            self._keep()
        try:
            # by a link where it can be: it can be told apart from a file of somebody else until all have appeared
            move(self.hidden, self.place, force=self.replaces)
        except OutputError:
            if not force:
                raise
            move(self.hidden, self.place, force=True)

    def _keep(self) -> None:
        try:
            os.link(self.place, self.before, follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            self.place.rename(self.before)

    def come_back(self) -> None:
        """As it was before."""
        if os.path.lexists(self.before):
            self.before.replace(self.place)
            self.before.unlink(missing_ok=True)  # a move of a file onto itself moves nothing
        elif not self.replaces and self.gone:
            self.place.unlink(missing_ok=True)


class Appearing:
    """Files on their way, of which the one that was put aside last appears first."""

    def __init__(self, *, force: bool) -> None:
        self.force = force
        self._name = secrets.token_hex(8)
        self._parts: list[Part] = []
        self._kept = False

    def aside(self, path: Path) -> Path:
        """A new, hidden path for a file that is to appear at this one."""
        part = put_aside(path, force=self.force, name=f"{self._name}-{len(self._parts)}")
        self._parts.append(part)
        return part.hidden

    def appear(self) -> None:
        """Let all files appear, or none: what stood there before comes back then."""
        for part in self._parts:
            part.flush()
        moves = []
        for number, part in reversed(list(enumerate(self._parts))):
            before = part.place.with_name(f"{HIDDEN}{self._name}-{number}.before")
            replaces, found = self.force and os.path.lexists(part.place), part.hidden.lstat()
            moves.append(_Move(part.hidden, part.place, before, replaces, (found.st_dev, found.st_ino)))
        with _told(self._name, moves, force=self.force) as journals:
            try:
                for one in moves:
                    one.go(force=self.force)
            except BaseException:
                # without its journal nobody finishes it; where it cannot be taken back, the next start does
                self._kept = not _back(moves)
                if not self._kept:
                    _remove([*journals, *(one.hidden for one in moves)])
                raise
            for folder in {one.place.parent for one in moves}:
                flush_folder(folder)
            _clear(moves, journals)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        try:
            if isinstance(error, OutputError | FileError):
                raise as_asked(error, self._parts) from None
            if isinstance(error, OSError):
                raise OutputError.unwritable(self._about(error), reason(error)) from None
        finally:
            for part in self._parts:
                if self._kept:
                    os.close(part.handle)
                else:
                    part.let_go()

    def _about(self, error: OSError) -> Path:
        """The file that an error of the system is about, as the user calls it."""
        named = [part.place for part in self._parts if str(part.hidden) == str(error.filename)]
        return (named or [part.place for part in self._parts[-1:]] or [Path(str(error.filename))])[0]


def tidy(folder: Path) -> None:
    """Finish in this folder what killed runs had begun to let appear, and remove what they had written aside."""
    with suppress(OSError, ValueError):
        for path in sorted(folder.iterdir()):
            if path.name.startswith(HIDDEN) and path.suffix == JOURNAL:
                _finish(path)
    aside.sweep(folder)


def _finish(found: Path) -> None:
    journal = _read(found)
    if journal is None:
        with left_behind(found) as free, suppress(OSError):
            if free:
                found.unlink()
        return
    moves, journals, force = journal
    # the first one is held by whoever lets the files appear
    if found != journals[0] and not journals[0].exists():
        with suppress(OSError):
            found.unlink()
        return
    with left_behind(journals[0]) as free:
        if not free:
            return
        try:
            for one in moves:
                one.go(force=force)
        except (OSError, OutputError):
            if _back(moves):
                _remove([*journals, *(one.hidden for one in moves)])
            return
        _clear(moves, journals)


@contextmanager
def _told(name: str, moves: Sequence[_Move], *, force: bool) -> Iterator[list[Path]]:
    """Write down in every folder what is about to move, and hold the first journal meanwhile."""
    journals = [folder / f"{HIDDEN}{name}{JOURNAL}" for folder in dict.fromkeys(one.place.parent for one in moves)]
    facts = json.dumps(
        {
            "moves": [
                [*(str(path.absolute()) for path in (one.hidden, one.place, one.before)), one.replaces, *one.mark]
                for one in moves
            ],
            "journals": [str(journal.absolute()) for journal in journals],
            "force": force,
        }
    )
    text = json.dumps({"facts": facts, "sum": _sum(facts)})
    handles: list[int] = []
    try:
        try:
            for journal in reversed(journals):
                handles.append(os.open(journal, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
                hold(handles[-1], wait=True)
                with os.fdopen(os.dup(handles[-1]), "w", encoding="utf-8") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
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
    """What a journal tells; None where it is torn, or tells of other files than those of one run."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        facts: Any = json.loads(found["facts"]) if found["sum"] == _sum(found["facts"]) else None
        moves = [
            _Move(Path(hidden), Path(place), Path(before), bool(replaces), (int(device), int(number)))
            for hidden, place, before, replaces, device, number in facts["moves"]
        ]
        journals = [Path(journal) for journal in facts["journals"]]
        owner = path.lstat().st_uid
    except (OSError, ValueError, KeyError, TypeError):
        return None
    own = path.name.removesuffix(JOURNAL) + "-"
    hidden = [(part, one.place) for one in moves for part in (one.hidden, one.before)]
    ours = all(part.name.startswith(own) and part.parent == place.parent for part, place in hidden)
    listed = path.absolute() in journals and all(journal.name == path.name for journal in journals)
    return (moves, journals, bool(facts["force"])) if ours and listed and owner == _user() else None


def _user() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0


def _back(moves: Sequence[_Move]) -> bool:
    """Whether all is as it was before."""
    whole = True
    for one in reversed(moves):
        try:
            one.come_back()
        except OSError:
            whole = False
    return whole


def _clear(moves: Sequence[_Move], journals: Sequence[Path]) -> None:
    """Remove what is not needed any more; the first journal, by which others know that it is, last."""
    _remove([*(one.before for one in moves), *(one.hidden for one in moves), *reversed(journals)])


def _remove(paths: Sequence[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
