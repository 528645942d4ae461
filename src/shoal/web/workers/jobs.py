"""State and progress of a job: a long task in its own worker process."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from shoal.web.workers.process import TaskProgress

_MIN_FRACTION = 0.02
"""Fraction that must be done before the remaining time is estimated."""


@dataclass(eq=False)
class Job:
    """One job and its progress."""

    task: str
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    state: str = "running"
    """``running``, ``done``, ``failed`` or ``cancelled``."""
    progress: TaskProgress = field(default_factory=lambda: TaskProgress(0, 0, "starting"))
    sentence: str = ""
    mark: str = ""
    """Fingerprint of the file and options that it runs with."""
    time_limit: float | None = None
    ending: bool = False
    """Whether it is about to end; the wait for its process is not cancelled then."""
    runner: asyncio.Task[None] | None = None
    _stage_start: tuple[float, float] = (0.0, 0.0)
    """Time and fraction of the first progress message of the current stage that had a fraction."""

    @property
    def is_inspection(self) -> bool:
        """Whether it inspects a file; all other jobs compare or release."""
        return self.task in ("look", "example")

    @property
    def is_running(self) -> bool:
        return self.state == "running"

    def update_progress(self, progress: TaskProgress) -> None:
        if progress.stage != self.progress.stage or not self.progress.of:
            self._stage_start = time.monotonic(), progress.fraction or 0.0
        self.progress = progress

    def end(self, state: str, sentence: str = "") -> None:
        self.state, self.sentence, self.ended = state, sentence, time.monotonic()

    def cancel(self) -> None:
        """Cancel it without waiting, unless it is about to end."""
        if self.runner is not None and not self.ending:
            self.ending = True
            self.runner.cancel()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the page; ``share`` and ``left`` (seconds) are None where they are unknown."""
        now = self.ended or time.monotonic()
        fraction, (start, start_fraction) = self.progress.fraction, self._stage_start
        remaining = None
        if self.is_running and fraction is not None and fraction - start_fraction > _MIN_FRACTION:
            remaining = round((now - start) * (1 - fraction) / (fraction - start_fraction), 1)
            if self.time_limit is not None:
                remaining = min(remaining, max(round(self.started + self.time_limit - now, 1), 0.0))
        return {
            "task": self.task,
            "mark": self.mark,
            "state": self.state,
            "stage": self.progress.stage,
            "share": None if fraction is None else round(fraction, 4),
            "seconds": round(now - self.started, 1),
            "left": remaining,
            "sentence": self.sentence,
        }
