"""Arguments and output of the scripts in this folder.

Each runs in its own environment, so this file needs only the standard library.
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


def read_request() -> dict[str, Any]:
    """The table (a csv file), k, the columns and more, and where the release goes."""
    found: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    return found


@contextlib.contextmanager
def measure(figures: dict[str, Any], name: str = "seconds") -> Iterator[None]:
    """Add the seconds, CPU seconds and peak of memory of the work inside to the figures; redirect what it prints."""
    with contextlib.redirect_stdout(sys.stderr):
        start, cpu = time.perf_counter(), time.process_time()
        yield
        figures[name], figures[f"cpu_{name}"] = time.perf_counter() - start, time.process_time() - cpu
        figures["peak_mb"] = round(peak_memory() / 1e6)


def respond(package: str, figures: dict[str, Any]) -> None:
    """The figures as one line of JSON, with the version."""
    print(json.dumps({**figures, "version": version(package)}))


def peak_memory() -> float:
    """Peak of memory in bytes; on Linux, `getrusage` would include that of the parent process."""
    status = Path("/proc/self/status")
    if status.exists():
        return 1024.0 * int(status.read_text().partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1.0 if sys.platform == "darwin" else 1024.0)
