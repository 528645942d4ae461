"""Run the releases of a comparison in threads, within a time limit."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from shoal import kernels
from shoal.data import Table
from shoal.domain import Policy, Progress
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


class _Clock:
    def __init__(self, time_limit: float | None) -> None:
        self.time_limit = time_limit
        self.start, self.compiled = time.monotonic(), kernels.jit.compile_seconds()
        self.stopped = threading.Event()

    @property
    def over(self) -> bool:
        return self.stopped.is_set() or (self.time_limit is not None and self.elapsed >= self.time_limit)

    @property
    def elapsed(self) -> float:
        """Elapsed seconds, without those of compilation."""
        return time.monotonic() - self.start - (kernels.jit.compile_seconds() - self.compiled)

    @property
    def sentence(self) -> str:
        return (
            "the comparison was stopped"
            if self.time_limit is None
            else f"the budget of {format_number(self.time_limit)} s was over"
        )


class _ProgressBoard:
    """Progress of all runs; a lock serializes the calls of the user's function.

    A run counts by its k: larger groups take longer to search.
    """

    def __init__(self, levels: Sequence[int], progress: RunProgress) -> None:
        self.fractions, self.levels, self.progress = [0.0] * len(levels), levels, progress
        self._lock = threading.Lock()

    def tell(self, index: int, fraction: float) -> None:
        with self._lock:
            self.fractions[index] = max(self.fractions[index], fraction)
            done = sum(k * fraction for k, fraction in zip(self.levels, self.fractions, strict=True))
            self.progress(len(self.fractions) * done / sum(self.levels), len(self.fractions))


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
    clock, board = _Clock(time_limit), _ProgressBoard([policy.k for policy in policies.values()], progress)
    compiled_kernels: list[str] = []

    def run_one(index: int, point_key: str, policy: Policy) -> ComparisonPoint:
        point = _run_policy(table, policy, clock, compiled_kernels, _run_progress(index, board, clock))
        if point.error is None:
            finished(point_key, point)
        board.tell(index, 1.0)
        return point

    # filters of warnings are global to all threads, so the filter is set once around the pool
    with (
        warnings.catch_warnings(),
        kernels.jit.compiling(compiled_kernels.append),
        ThreadPoolExecutor(workers) as pool,
    ):
        warnings.simplefilter("ignore", ShoalWarning)
        futures: dict[str, Future[ComparisonPoint]] = {}
        try:
            for index, (point_key, policy) in enumerate(policies.items()):
                futures[point_key] = pool.submit(run_one, index, point_key, policy)
            _wait(futures.values())
            return {point_key: future.result() for point_key, future in futures.items()}
        finally:
            # on an interrupt or an error, running releases stop at their next progress call
            clock.stopped.set()
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


def _run_policy(
    table: Table, policy: Policy, clock: _Clock, compiled_kernels: list[str], progress: Progress
) -> ComparisonPoint:
    if clock.over:
        return ComparisonPoint(policy.method, policy.k, error=f"not run: {clock.sentence}")
    start, before = time.perf_counter(), len(compiled_kernels)
    try:
        result = run_in_memory(table, policy, progress=progress)
    except _Stopped:
        return ComparisonPoint(policy.method, policy.k, error=f"stopped: {clock.sentence}")
    except ShoalError as error:
        return ComparisonPoint(policy.method, policy.k, error=str(error))
    except MemoryError:
        return ComparisonPoint(policy.method, policy.k, error="There was not enough memory for this method.")
    seconds = round(time.perf_counter() - start, 3)
    return ComparisonPoint.of(result, seconds=seconds, compiled=len(compiled_kernels) > before)


def _run_progress(index: int, board: _ProgressBoard, clock: _Clock) -> Progress:
    """Progress of one run: it updates the board, and stops the run when the time is over."""

    def move(done: int, total: int) -> None:
        if clock.over:
            raise _Stopped
        # the steps after grouping take time, too
        board.tell(index, 0.95 * done / max(total, 1))

    return move
