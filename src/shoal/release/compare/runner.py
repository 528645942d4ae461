"""Run the releases of a comparison in threads, within a time limit."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from shoal import kernels
from shoal.data import Table
from shoal.domain import Policy
from shoal.errors import ShoalError, ShoalWarning
from shoal.errors.messages import format_number
from shoal.release.compare.points import ComparisonPoint
from shoal.release.pipeline import run_in_memory

RunProgress = Callable[[float, int], None]
"""Called with the number of runs done, which counts running ones in part, and the number of all runs."""
_POLL = 0.2
"""Polling interval in seconds."""


class _Stopped(Exception):
    """The time limit is reached, or the comparison was interrupted."""


class _Runs:
    """The runs of a comparison: their time limit and their progress.

    A run counts by its k: larger groups take longer to search. A lock serializes the calls of the user's function.
    """

    def __init__(
        self, table: Table, policies: Sequence[Policy], time_limit: float | None, progress: RunProgress
    ) -> None:
        self.table, self.policies, self.time_limit, self.progress = table, policies, time_limit, progress
        self.fractions = [0.0] * len(policies)
        self.start, self.compile_seconds = time.monotonic(), kernels.jit.compile_seconds()
        self.compiled: list[str] = []
        self.stopped = threading.Event()
        self._lock = threading.Lock()

    @property
    def over(self) -> bool:
        """Whether the runs are stopped, or the time is over; compilation does not count."""
        elapsed = time.monotonic() - self.start - (kernels.jit.compile_seconds() - self.compile_seconds)
        return self.stopped.is_set() or (self.time_limit is not None and elapsed >= self.time_limit)

    def run(self, index: int) -> ComparisonPoint:
        """Make one release, or return the reason why there is none."""
        policy, why = self.policies[index], "the comparison was stopped"
        if self.time_limit is not None:
            why = f"the budget of {format_number(self.time_limit)} s was over"
        if self.over:
            return ComparisonPoint(policy.method, policy.k, error=f"not run: {why}")

        def advance(done: int, total: int) -> None:
            if self.over:
                raise _Stopped
            self.report(index, 0.95 * done / max(total, 1))  # the steps after grouping take time, too

        start, before = time.perf_counter(), len(self.compiled)
        try:
            result = run_in_memory(self.table, policy, progress=advance)
        except _Stopped:
            return ComparisonPoint(policy.method, policy.k, error=f"stopped: {why}")
        except ShoalError as error:
            return ComparisonPoint(policy.method, policy.k, error=str(error))
        except MemoryError:
            return ComparisonPoint(policy.method, policy.k, error="There was not enough memory for this method.")
        seconds = round(time.perf_counter() - start, 3)
        return ComparisonPoint.of(result, seconds=seconds, compiled=len(self.compiled) > before)

    def report(self, index: int, fraction: float) -> None:
        with self._lock:
            self.fractions[index] = max(self.fractions[index], fraction)
            done = sum(policy.k * part for policy, part in zip(self.policies, self.fractions, strict=True))
            total = sum(policy.k for policy in self.policies)
            self.progress(len(self.policies) * done / total, len(self.policies))


def run_all(
    table: Table,
    policies: Mapping[str, Policy],
    *,
    workers: int,
    time_limit: float | None,
    progress: RunProgress,
    finished: Callable[[str, ComparisonPoint], None],
) -> dict[str, ComparisonPoint]:
    """Run all policies, and return a point for each by its key. A point without a release has the reason.

    ``finished`` is called with every release as soon as it is done.
    """
    runs = _Runs(table, list(policies.values()), time_limit, progress)

    def run_one(index: int, key: str) -> ComparisonPoint:
        point = runs.run(index)
        if point.error is None:
            finished(key, point)
        runs.report(index, 1.0)
        return point

    # filters of warnings are global to all threads, so the filter is set once around the pool
    with (
        warnings.catch_warnings(),
        kernels.jit.compiling(runs.compiled.append),
        ThreadPoolExecutor(workers) as pool,
    ):
        warnings.simplefilter("ignore", ShoalWarning)
        futures: dict[str, Future[ComparisonPoint]] = {}
        try:
            for index, key in enumerate(policies):
                futures[key] = pool.submit(run_one, index, key)
            _wait(futures.values())
            return {key: future.result() for key, future in futures.items()}
        finally:
            # on an interrupt or an error, running releases stop at their next progress call
            runs.stopped.set()
            for future in futures.values():
                future.cancel()


def _wait(futures: Iterable[Future[ComparisonPoint]]) -> None:
    """Wait for all runs, or for the first error.

    Signals are handled in this thread only, so it wakes up at intervals.
    """
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, timeout=_POLL, return_when=FIRST_COMPLETED)
        for future in done:
            future.result()
