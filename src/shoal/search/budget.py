"""Time and step budget of a search.

A search is limited by steps, so that the same table, options and seed give the same groups on every machine. The clock
matters only if the user sets a time limit; the release then records the steps that were done.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from shoal import kernels

_STEPS = {"fast": (0, 0), "balanced": (3_000, 9_000_000), "best": (40_000, 200_000_000)}
"""Annealing steps by effort: per distinct point, and in total."""
_MIN_STEPS_PER_POINT = 30
"""Minimum steps per point for which annealing is worthwhile."""
_LATE = 1.1
"""A search that planned its steps by the clock stops at this multiple of its time limit."""
_CHEAP_NODES = 64
"""Category nodes up to which the time of a step is about constant; a move is evaluated for every node."""


def annealing_steps(effort: str, points: int, nodes: int = 0) -> int:
    """Return the annealing steps for a number of distinct points; more category nodes allow fewer steps in total."""
    per_point, total = _STEPS[effort]
    steps = min(per_point * points, total // max(nodes // _CHEAP_NODES, 1))
    return steps if steps >= _MIN_STEPS_PER_POINT * points else 0


def _clocks() -> tuple[float, float, float]:
    """Seconds so far: of the clock, of the CPU, and of compilation."""
    return time.monotonic(), time.process_time(), kernels.jit.compile_seconds()


@dataclass
class Budget:
    """Remaining time of a search, and whether a stop was requested; no limit without ``time_limit``."""

    time_limit: float | None = None
    start: tuple[float, float, float] = field(default_factory=_clocks)
    stop_requested: threading.Event = field(default_factory=threading.Event)
    """Set by a request to stop."""

    def sub_budget(self, fraction: float) -> Budget:
        """Return a budget with a fraction of the remaining time that stops together with this one."""
        return Budget(
            None if self.remaining is None else max(self.remaining, 0.0) * fraction, stop_requested=self.stop_requested
        )

    @property
    def elapsed(self) -> float:
        """Elapsed seconds without compilation."""
        clock, cpu, compiling = (now - start for now, start in zip(_clocks(), self.start, strict=True))
        # some clocks stop during a computation: the time of the CPU by core is a minimum
        return max(clock - compiling, (cpu - compiling) / (os.cpu_count() or 1))

    @property
    def remaining(self) -> float | None:
        """Remaining seconds; None without a limit."""
        return None if self.time_limit is None else self.time_limit - self.elapsed

    def is_over(self, factor: float = 1.0) -> bool:
        """Whether a multiple of the time limit has passed or a stop was requested."""
        late = self.time_limit is not None and self.elapsed >= factor * self.time_limit
        return late or self.stop_requested.is_set()

    @property
    def is_overdue(self) -> bool:
        """Whether even a search that planned its steps by the clock must stop."""
        return self.is_over(_LATE)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Turn the first keyboard interrupt into a request to stop; the second one interrupts as usual."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = signal.getsignal(signal.SIGINT)
        if previous is not signal.default_int_handler:  # keep a handler that somebody else installed
            yield
            return

        def request_stop(number: int, frame: FrameType | None) -> None:
            if self.stop_requested.is_set():
                signal.default_int_handler(number, frame)
            self.stop_requested.set()

        signal.signal(signal.SIGINT, request_stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)
