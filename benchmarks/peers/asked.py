"""What a peer is asked for, and what it answers: the one thing that all scripts of this folder share.

Each runs in an environment of its own, so that this file needs the standard library alone.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any


def request() -> dict[str, Any]:
    """The table (a csv file), k, the columns and more, and where the release goes."""
    found: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    return found


@contextlib.contextmanager
def clock(figures: dict[str, Any], name: str = "seconds") -> Iterator[None]:
    """The seconds of the work inside go into the figures, those of all cores, and the peak of memory until its end.

    What the work prints is not the answer.
    """
    with contextlib.redirect_stdout(sys.stderr):
        start, cpu = time.perf_counter(), time.process_time()
        yield
        figures[name], figures[f"cpu_{name}"] = time.perf_counter() - start, time.process_time() - cpu
        figures["peak_mb"] = round(peak() / 1e6)


def answer(package: str, figures: dict[str, Any]) -> None:
    """The figures as one line of JSON, with the version."""
    print(json.dumps({**figures, "version": version(package)}))


def peak() -> float:
    """The most bytes that were in use; Linux counts those of the parent into what `getrusage` tells."""
    status = Path("/proc/self/status")
    if status.exists():
        return 1024.0 * int(status.read_text().partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1.0 if sys.platform == "darwin" else 1024.0)
