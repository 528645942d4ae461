"""Cache of a comparison: a file with one line per finished point, so that an interrupted comparison can resume.

The key of a point is a digest of everything that determines its measures: cells, policy, versions. The file contains
names of methods and measures, and never a cell of the data.
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

from shoal.domain import Policy
from shoal.errors import OutputError
from shoal.release.compare.points import LOSS, ComparisonPoint
from shoal.release.save import check_output_paths, check_path, package_versions
from shoal.system.atomic import os_error_reason

_MARK = "shoal-comparison"
_FORMAT = 2


def point_digest(data: str, policy: Policy) -> str:
    """Digest of everything that determines a point, except time."""
    decisions = replace(policy, input={}, output={}, versions=package_versions()).to_toml()
    facts = "\n".join([str(_FORMAT), data, LOSS, decisions])
    return hashlib.sha256(facts.encode(errors="backslashreplace")).hexdigest()


class ResultCache:
    """Cached points by key; new ones are appended as whole lines. Without a path, nothing is stored."""

    def __init__(self, path: Path | None, points: dict[str, ComparisonPoint]) -> None:
        self.path, self.points = path, points
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, source: Path | None) -> Self:
        """Open a cache file. A path that cannot be written, or that contains other data, is refused early."""
        place = check_path(path)
        check_output_paths([place], sources=[source], force=True)
        try:
            if place.exists() and not os.access(place, os.W_OK):
                raise OutputError.unwritable(place, os.strerror(errno.EACCES).lower())
            content = place.read_bytes() if place.exists() else b""
        except OSError as error:
            raise OutputError.unwritable(place, os_error_reason(error)) from None
        entries = [entry for line in content.split(b"\n") if (entry := _parse_line(line)) is not None]
        if content.strip() and not entries and not content.startswith(f'{{"{_MARK}"'.encode()):
            raise OutputError.not_a_cache(place)
        return cls(place, dict(entries))

    def add(self, key: str, point: ComparisonPoint) -> None:
        """Append a finished point. If the last line is incomplete, the point starts a new one."""
        if self.path is None:
            return
        line = json.dumps({_MARK: _FORMAT, "key": key, "point": point.to_dict()}, allow_nan=False) + "\n"
        try:
            with self._lock, self.path.open("ab+") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    line = line if file.read(1) == b"\n" else "\n" + line
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError.unwritable(self.path, os_error_reason(error)) from None


def _parse_line(line: bytes) -> tuple[str, ComparisonPoint] | None:
    """Key and point of a line; None if it is damaged or something else."""
    try:
        facts: Any = json.loads(line)
        if facts[_MARK] != _FORMAT or not isinstance(facts["key"], str):
            return None
        point = ComparisonPoint.from_dict(facts["point"])
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    return None if point is None else (facts["key"], point)
