"""The time and the steps that a search may take.

How far a search goes is counted in steps, so that the same table, options and seed give the same groups on every
machine. A clock only comes in where seconds are given; the steps that it came to are then kept with the release.
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
"""By effort, the steps of annealing for each different point, and in all."""
_FEW = 30
"""So few steps for each point are not worth to begin with."""
_LATE = 1.1
"""A search that planned its steps by the clock is stopped when it has taken so many times its seconds."""
_NODES = 64
"""Nodes of categories up to which a step takes about as long as any: a change is counted for all of them."""


def steps_for(effort: str, points: int, nodes: int = 0) -> int:
    """The steps of annealing for so many different points; the fewer in all, the more nodes a change is counted for."""
    each, most = _STEPS[effort]
    steps = min(each * points, most // max(nodes // _NODES, 1))
    return steps if steps >= _FEW * points else 0


@dataclass
class Budget:
    """What is left of the time, and whether somebody asked to stop; without seconds there is no end."""

    seconds: float | None = None
    start: float = field(default_factory=lambda: time.monotonic())
    worked: float = field(default_factory=lambda: time.process_time())
    """The seconds that all cores had worked for this process when it began."""
    compiled: float = field(default_factory=lambda: kernels.jit.compile_seconds())
    """The seconds that compiling had taken when it began: what it takes from then on is no part of the time."""
    stopped: threading.Event = field(default_factory=threading.Event)
    """Set when somebody asked to stop."""

    def part(self, share: float) -> Budget:
        """A budget with a share of the time that is left, which ends when this one is stopped."""
        return Budget(None if self.left is None else max(self.left, 0.0) * share, stopped=self.stopped)

    @property
    def elapsed(self) -> float:
        """The seconds that went by; at least those that were worked, where the clock stands still."""
        compiled = kernels.jit.compile_seconds() - self.compiled
        passed, worked = time.monotonic() - self.start, time.process_time() - self.worked
        return max(passed - compiled, (worked - compiled) / (os.cpu_count() or 1))

    @property
    def left(self) -> float | None:
        """The seconds that are left; None where there is no end."""
        return None if self.seconds is None else self.seconds - self.elapsed

    def over(self, beyond: float = 1.0) -> bool:
        """Whether it is time to stop: the seconds, times a factor, are over, or somebody asked to."""
        late = self.seconds is not None and self.elapsed >= beyond * self.seconds
        return late or self.stopped.is_set()

    @property
    def late(self) -> bool:
        """Whether even a search that planned its steps by the clock is to stop."""
        return self.over(_LATE)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Inside, the first interrupt from the keyboard asks to stop; the second one is an interrupt as ever."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.getsignal(signal.SIGINT)
        if before is not signal.default_int_handler:  # whoever handles interrupts in another way knows why
            yield
            return

        def heard(number: int, frame: FrameType | None) -> None:
            if self.stopped.is_set():
                signal.default_int_handler(number, frame)
            self.stopped.set()

        signal.signal(signal.SIGINT, heard)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
