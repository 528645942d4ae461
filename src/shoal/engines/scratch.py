"""Scratch folder of a run: its finished steps, from which a killed run resumes.

The folder holds records of the data, lies next to the output and is readable by its owner only. A run removes it at the
end, with or without an error. An interrupted or killed run leaves it, and the same run resumes from it.
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

from shoal.aside import os_error_reason
from shoal.errors import OutputError
from shoal.held import is_same_file, lock_abandoned, lock_handle

_MARKER = "shoal.scratch"
"""Marker file of a scratch folder; a running process holds its lock."""


def scratch_path(target: Path, folder: Path | None = None) -> Path:
    """Return the scratch folder of the run that writes this output."""
    return (folder or target.parent) / f".shoal-scratch-{target.name}"


class ScratchFolder:
    """A private folder for one run at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._lock = folder, -1

    def __enter__(self) -> Self:
        marker = self.folder / _MARKER
        try:
            while True:
                self.folder.mkdir(mode=0o700, exist_ok=True)
                if not marker.exists() and any(self.folder.iterdir()):
                    why = "it is needed as a scratch folder, and holds something else"
                    raise OutputError.unwritable(self.folder, why)
                try:
                    self._lock = os.open(marker, os.O_CREAT | os.O_RDWR, 0o600)
                except FileNotFoundError:
                    continue  # the previous run has just removed it
                if not lock_handle(self._lock, wait=False):
                    os.close(self._lock)
                    raise OutputError.locked(self.folder)
                if is_same_file(self._lock, marker):
                    return self
                os.close(self._lock)
        except OSError as error:
            with suppress(OSError):
                self.folder.rmdir()  # only if empty
            raise OutputError.unwritable(self.folder, os_error_reason(error)) from None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        # not simply `not Exception`: a panic of a library is no interrupt
        interrupted = kind is not None and issubclass(kind, KeyboardInterrupt | SystemExit | GeneratorExit)
        if not interrupted:
            _remove_scratch(self.folder)
        with suppress(OSError):  # released when the process ends
            os.close(self._lock)
        if isinstance(error, OSError):
            raise OutputError.unwritable(self.folder, os_error_reason(error)) from None

    def subfolder(self, name: str) -> Path:
        """Return a subfolder; create it if necessary."""
        path = self.folder / name
        path.mkdir(mode=0o700, exist_ok=True)
        return path

    def write_note(self, name: str, facts: Mapping[str, Any]) -> None:
        """Write a note atomically."""
        text = json.dumps(facts, sort_keys=True)
        part = self.folder / f"{name}.part"
        part.touch(mode=0o600)
        part.write_text(json.dumps({"facts": text, "sum": _sum(text)}), encoding="utf-8")
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(self.folder / f"{name}.json")

    def read_note(self, name: str) -> dict[str, Any] | None:
        """Read a note; None if there is none or it is damaged."""
        try:
            content = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
            facts = json.loads(content["facts"]) if content["sum"] == _sum(content["facts"]) else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return facts if isinstance(facts, dict) else None

    def remove(self, *names: str) -> None:
        """Remove the notes and subfolders of these names."""
        for name in names:
            shutil.rmtree(self.folder / name, ignore_errors=True)
            with suppress(OSError):
                (self.folder / f"{name}.json").unlink()


def hash_facts(facts: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the facts."""
    return _sum(json.dumps(facts, sort_keys=True, default=str))


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _remove_scratch(folder: Path) -> None:
    """Remove a scratch folder. The marker goes last, so that a killed removal can be recognized and finished."""
    with suppress(OSError):
        for entry in [entry for entry in folder.iterdir() if entry.name != _MARKER]:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                with suppress(OSError):
                    entry.unlink()
        (folder / _MARKER).unlink(missing_ok=True)
        folder.rmdir()


def remove_abandoned(folder: Path) -> None:
    """Remove the scratch folder of a killed run that will not be resumed."""
    if (folder / _MARKER).is_file() and not folder.is_symlink():
        with lock_abandoned(folder / _MARKER) as unlocked:
            if unlocked:
                _remove_scratch(folder)
