"""Time and memory of work in this process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Usage:
    """Seconds of the clock, CPU seconds of all threads, and the peak of memory in MB."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0


def resident_mb() -> float:
    """Memory in use in MB; Linux only."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def measured_usage(interval: float = 0.005) -> Iterator[Usage]:
    """Measure the work inside; memory is sampled at an interval in seconds."""
    usage, stopped = Usage(), threading.Event()

    def sample() -> None:
        while not stopped.wait(interval):
            usage.peak_mb = max(usage.peak_mb, resident_mb())

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    start, cpu = time.perf_counter(), time.process_time()
    try:
        yield usage
    finally:
        usage.seconds, usage.cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
        stopped.set()
        sampler.join()
