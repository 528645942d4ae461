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
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            mark = self.folder / _MARK
            if not mark.exists() and any(self.folder.iterdir()):
                raise OutputError.unwritable(self.folder, "it is needed as a scratch folder, and holds something else")
            self._lock = os.open(mark, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise OutputError.unwritable(self.folder, reason(error)) from None
        if not _locked(self._lock):
            os.close(self._lock)
            raise OutputError.at_work(self.folder)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        interrupted = kind is not None and not issubclass(kind, Exception)
        if not interrupted:
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)

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


def _locked(handle: int) -> bool:
    """Whether this process has the folder for itself; systems without locks take it for granted."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
