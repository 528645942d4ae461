"""The scratch folder of a run: what it has done so far, so that a run that was killed can go on.

It holds cells of the data and lies beside the output, readable by its owner only. A run that ends, well or with an
error, removes it; one that is interrupted or killed leaves it, and the same run again takes up what it finds.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from shoal.aside import reason
from shoal.errors import OutputError
from shoal.held import hold, is_same, left_behind

_MARK = "shoal.scratch"
"""The file by which a folder is known to be one of ours, and which a run that is at work keeps locked."""


def scratch_path(target: Path, folder: Path | None = None) -> Path:
    """Where the run that makes this output keeps what it has done."""
    return (folder or target.parent) / f".shoal-scratch-{target.name}"


class Scratch:
    """A private folder for one run at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._lock = folder, -1

    def __enter__(self) -> Self:
        mark = self.folder / _MARK
        try:
            while True:
                self.folder.mkdir(mode=0o700, exist_ok=True)
                if not mark.exists() and any(self.folder.iterdir()):
                    why = "it is needed as a scratch folder, and holds something else"
                    raise OutputError.unwritable(self.folder, why)
                try:
                    self._lock = os.open(mark, os.O_CREAT | os.O_RDWR, 0o600)
                except FileNotFoundError:
                    continue  # the run before has just removed it
                if not hold(self._lock, wait=False):
                    os.close(self._lock)
                    raise OutputError.at_work(self.folder)
                if is_same(self._lock, mark):
                    return self
                os.close(self._lock)
        except OSError as error:
            with suppress(OSError):
                self.folder.rmdir()  # if it is empty
            raise OutputError.unwritable(self.folder, reason(error)) from None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        # a panic of a library is no Exception either, but nobody's wish
        interrupted = kind is not None and issubclass(kind, KeyboardInterrupt | SystemExit | GeneratorExit)
        if not interrupted:
            _remove(self.folder)
        with suppress(OSError):  # it is let go in any case
            os.close(self._lock)
        if isinstance(error, OSError):
            raise OutputError.unwritable(self.folder, reason(error)) from None

    def place(self, name: str) -> Path:
        """A folder in it, made where it is not there."""
        path = self.folder / name
        path.mkdir(mode=0o700, exist_ok=True)
        return path

    def note(self, name: str, facts: Mapping[str, Any]) -> None:
        """Keep some facts under a name, whole or not at all."""
        text = json.dumps(facts, sort_keys=True)
        part = self.folder / f"{name}.part"
        part.touch(mode=0o600)
        part.write_text(json.dumps({"facts": text, "sum": _sum(text)}), encoding="utf-8")
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(self.folder / f"{name}.json")

    def noted(self, name: str) -> dict[str, Any] | None:
        """The facts under a name; None where there are none, or where they are damaged."""
        try:
            found = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
            facts = json.loads(found["facts"]) if found["sum"] == _sum(found["facts"]) else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return facts if isinstance(facts, dict) else None

    def forget(self, *names: str) -> None:
        """Remove what is kept under these names, facts and folders."""
        for name in names:
            shutil.rmtree(self.folder / name, ignore_errors=True)
            with suppress(OSError):
                (self.folder / f"{name}.json").unlink()


def fingerprint(facts: Mapping[str, Any]) -> str:
    """Sixty-four letters that change with any of the facts."""
    return _sum(json.dumps(facts, sort_keys=True, default=str))


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _remove(folder: Path) -> None:
    """Remove a scratch folder. The mark goes last: who is killed on the way leaves a folder that is known as ours."""
    with suppress(OSError):
        for entry in [entry for entry in folder.iterdir() if entry.name != _MARK]:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                with suppress(OSError):
                    entry.unlink()
        (folder / _MARK).unlink(missing_ok=True)
        folder.rmdir()


def drop_left(folder: Path) -> None:
    """Remove a scratch folder that a killed run left, which nobody will take up any more."""
    if (folder / _MARK).is_file() and not folder.is_symlink():
        with left_behind(folder / _MARK) as free:
            if free:
                _remove(folder)
