"""Fuzz targets: a public function of Shoal that reads bytes, and the outcomes that are allowed."""

from __future__ import annotations

import signal
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType

from shoal.errors import ShoalError, ShoalWarning

MARKER = "Zebulon77"
"""A value in cells of the corpus. No message may contain it if it is certainly a cell."""
TIMEOUT = 60
"""Seconds after which a target counts as endless."""
CORPUS = Path(__file__).parent / "corpus"


class TimeLimitExceeded(Exception):
    """A target exceeded the time limit."""


class Leak(AssertionError):
    """A message contains a cell."""


@dataclass(frozen=True)
class Target:
    """One reader or parser, called by its public function."""

    name: str
    """Also the name of its corpus folder."""
    description: str
    """The kind of input, for the reliability page."""
    run: Callable[[bytes, Path], None]
    """Read the bytes, with a folder for files, and check what was read."""
    modules: tuple[str, ...]
    """The modules that read; their coverage guides the search."""
    is_cell: Callable[[bytes], bool]
    """Whether the marker in these bytes is certainly a cell."""

    @property
    def corpus(self) -> list[Path]:
        return sorted((CORPUS / self.name).iterdir())


READ_ONLY: list[str] = []
"""Not empty if targets only read and do not anonymize, so that more inputs can be tried."""
TARGETS: dict[str, Target] = {}


def target(
    name: str, description: str, *modules: str, is_cell: Callable[[bytes], bool] = lambda raw: False
) -> Callable[[Callable[[bytes, Path], None]], Callable[[bytes, Path], None]]:
    """Register a target."""

    def registered(run: Callable[[bytes, Path], None]) -> Callable[[bytes, Path], None]:
        TARGETS[name] = Target(name, description, run, modules, is_cell)
        return run

    return registered


def attempt(one: Target, raw: bytes) -> bool:
    """Return whether the bytes were read; False if Shoal refused them in one sentence. Anything else is a finding."""
    with _time_limit(), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ShoalWarning)
        try:
            one.run(raw, scratch())
        except ShoalError as error:
            message = str(error)
            if MARKER in message and one.is_cell(raw):
                raise Leak(f"{one.name}: the message shows a cell") from None
            assert message.isprintable(), f"{one.name}: {message!r} is no sentence"
            return False
        return True


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="shoal-fuzz-")


def scratch() -> Path:
    """The folder of this process where targets write; every run overwrites it."""
    return Path(_folder().name)


@contextmanager
def _time_limit() -> Iterator[None]:
    """Raise after the time limit, if the system has alarms and this is the main thread."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeLimitExceeded

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, TIMEOUT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
