"""Kept results: a file with one line for each finished point, so that a comparison that was stopped goes on.

A point is found again by a fingerprint of all that decides its figures: the cells, the policy, the versions. The file
holds names of methods and figures, and never a cell of the data.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from shoal.aside import reason
from shoal.compare.points import LOSS, Point
from shoal.errors import OutputError
from shoal.release import check_places, named_path, versions
from shoal.schema import Policy

_MARK = "shoal-comparison"
_FORMAT = 2


def key(data: str, policy: Policy) -> str:
    """The fingerprint of all that decides a point, but for the clock."""
    decisions = replace(policy, input={}, output={}, versions=versions()).to_toml()
    facts = "\n".join([str(_FORMAT), data, LOSS, decisions])
    return hashlib.sha256(facts.encode(errors="backslashreplace")).hexdigest()


class Kept:
    """The points of earlier runs by their keys; new ones are appended, each as a whole line."""

    def __init__(self, path: Path | None, points: dict[str, Point]) -> None:
        self.path, self.points = path, points
        self._turn = threading.Lock()

    @classmethod
    def nowhere(cls) -> Self:
        """Nothing is kept."""
        return cls(None, {})

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, source: Path | None) -> Self:
        """Read what was kept; refuse early a place that cannot be written to, above all one that holds other data."""
        place = named_path(path)
        check_places([place], sources=[source], force=True)
        try:
            if place.exists() and not os.access(place, os.W_OK):
                raise OutputError.unwritable(place, os.strerror(errno.EACCES).lower())
            content = place.read_bytes() if place.exists() else b""
        except OSError as error:
            raise OutputError.unwritable(place, reason(error)) from None
        entries = [entry for line in content.split(b"\n") if (entry := _entry(line)) is not None]
        if content.strip() and not entries and not content.startswith(f'{{"{_MARK}"'.encode()):
            raise OutputError.not_kept(place)
        return cls(place, dict(entries))

    def add(self, key: str, point: Point) -> None:
        """Append a finished point; what was half written before stays a line of its own."""
        if self.path is None:
            return
        line = json.dumps({_MARK: _FORMAT, "key": key, "point": point.to_dict()}, allow_nan=False) + "\n"
        try:
            with self._turn, self.path.open("ab+") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    line = line if file.read(1) == b"\n" else "\n" + line
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError.unwritable(self.path, reason(error)) from None


def _entry(line: bytes) -> tuple[str, Point] | None:
    """The key and the point of a line; None where it is broken or something else."""
    try:
        facts: Any = json.loads(line)
        if facts[_MARK] != _FORMAT or not isinstance(facts["key"], str):
            return None
        point = Point.from_dict(facts["point"])
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    return None if point is None else (facts["key"], point)
