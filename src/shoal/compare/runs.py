"""Runs: the releases of a comparison, side by side in threads, within a budget of time."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from shoal import kernels
from shoal.anonymize import release
from shoal.compare.points import Point
from shoal.errors import ShoalError, ShoalWarning
from shoal.schema import Policy
from shoal.tables import Table
from shoal.values import Progress
from shoal.words import number

RunProgress = Callable[[float, int], None]
"""Called with how much is done, counted in runs, those under way in part, and with the number of all runs."""
_LOOK = 0.2
"""Seconds."""


class _Over(Exception):
    """The budget is over, or the comparison was interrupted: a run that hears of it ends."""


class _Clock:
    """What time is left."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.start, self.compiled = time.monotonic(), kernels.jit.compile_seconds()
        self.stopped = threading.Event()

    @property
    def over(self) -> bool:
        return self.stopped.is_set() or (self.seconds is not None and self.elapsed >= self.seconds)

    @property
    def elapsed(self) -> float:
        """The seconds that went by without those of compiling."""
        return time.monotonic() - self.start - (kernels.jit.compile_seconds() - self.compiled)

    @property
    def sentence(self) -> str:
        return (
            "the comparison was stopped" if self.seconds is None else f"the budget of {number(self.seconds)} s was over"
        )


class _Board:
    """How far each run is; one thread at a time tells the caller.

    A run counts by its k: large groups take longer to search, and time left is told by what is done.
    """

    def __init__(self, levels: Sequence[int], progress: RunProgress) -> None:
        self.shares, self.levels, self.progress = [0.0] * len(levels), levels, progress
        self._turn = threading.Lock()

    def tell(self, run: int, share: float) -> None:
        with self._turn:
            self.shares[run] = max(self.shares[run], share)
            done = sum(k * share for k, share in zip(self.levels, self.shares, strict=True))
            self.progress(len(self.shares) * done / sum(self.levels), len(self.shares))


class _Counter:
    """How many kernels were compiled, by whichever run."""

    def __init__(self) -> None:
        self.count = 0

    def more(self, _: str) -> None:
        self.count += 1


def carry_out(
    table: Table,
    policies: Mapping[str, Policy],
    *,
    workers: int,
    seconds: float | None,
    progress: RunProgress,
    finished: Callable[[str, Point], None],
) -> dict[str, Point]:
    """A point for each policy, by its mark; a method that refuses, or that the time is over for, tells why.

    Those that gave a release are told to ``finished`` as soon as they are there.
    """
    clock, board = _Clock(seconds), _Board([policy.k for policy in policies.values()], progress)
    compilations = _Counter()

    def carried_out(run: int, mark: str, policy: Policy) -> Point:
        point = _point(table, policy, clock, compilations, _heard(run, board, clock))
        if point.error is None:
            finished(mark, point)
        board.tell(run, 1.0)
        return point

    # warnings are the same for all points, and a filter holds for all threads: it is set once around them
    with (
        warnings.catch_warnings(),
        kernels.jit.compiling(compilations.more),
        ThreadPoolExecutor(workers) as pool,
    ):
        warnings.simplefilter("ignore", ShoalWarning)
        futures: dict[str, Future[Point]] = {}
        try:
            for run, (mark, policy) in enumerate(policies.items()):
                futures[mark] = pool.submit(carried_out, run, mark, policy)
            _wait(futures.values())
            return {mark: future.result() for mark, future in futures.items()}
        finally:
            # an interrupt, or an error that ends the comparison: what runs hears of it, what waits never starts
            clock.stopped.set()
            for future in futures.values():
                future.cancel()


def _wait(futures: Iterable[Future[Point]]) -> None:
    """Wait for all, or for the first error.

    A signal may reach any thread; this one, which has to deal with it, looks up every now and then.
    """
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
        for future in done:
            future.result()


def _point(table: Table, policy: Policy, clock: _Clock, compilations: _Counter, progress: Progress) -> Point:
    if clock.over:
        return Point(policy.method, policy.k, error=f"not run: {clock.sentence}")
    start, before = time.perf_counter(), compilations.count
    try:
        made = release(table, policy, progress=progress)
    except _Over:
        return Point(policy.method, policy.k, error=f"stopped: {clock.sentence}")
    except ShoalError as error:
        return Point(policy.method, policy.k, error=str(error))
    except MemoryError:
        return Point(policy.method, policy.k, error="There was not enough memory for this method.")
    seconds = round(time.perf_counter() - start, 3)
    return Point.of(made, seconds=seconds, compiled=compilations.count > before)


def _heard(run: int, board: _Board, clock: _Clock) -> Progress:
    """The progress of one run: told on the board, and the moment to stop it."""

    def move(done: int, total: int) -> None:
        if clock.over:
            raise _Over
        # what follows the grouping takes its time too
        board.tell(run, 0.95 * done / max(total, 1))

    return move
