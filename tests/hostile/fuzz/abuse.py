"""What a target of fuzzing is: a door of Shoal, and all that may come out of it where bytes of any kind come in."""

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
"""A value that cells of the corpus have. No message may show it where it is certain that it is a cell."""
PATIENCE = 60
"""Seconds after which what should be a moment's work is taken for one without an end."""
CORPUS = Path(__file__).parent / "corpus"


class Endless(Exception):
    """Bytes that keep Shoal busy for ever."""


class Leak(AssertionError):
    """A message that shows a cell."""


@dataclass(frozen=True)
class Target:
    """One reader or parser, behind the door that users have."""

    name: str
    """That of the folder of its corpus."""
    abused: str
    """What comes in, as a reader of the page understands it."""
    run: Callable[[bytes, Path], None]
    """Hands the bytes to the door, with a folder for files; what is read is looked at and checked."""
    rooms: tuple[str, ...]
    """The modules of Shoal that do the reading: coverage of these guides the search."""
    is_cell: Callable[[bytes], bool]
    """Whether the marker in these bytes is a cell for certain."""

    @property
    def corpus(self) -> list[Path]:
        return sorted((CORPUS / self.name).iterdir())


READING: list[str] = []
"""Not empty where there is no time to protect what was read: many more bytes can be read then."""
TARGETS: dict[str, Target] = {}


def target(
    name: str, abused: str, *rooms: str, is_cell: Callable[[bytes], bool] = lambda raw: False
) -> Callable[[Callable[[bytes, Path], None]], Callable[[bytes, Path], None]]:
    """Register a target."""

    def registered(run: Callable[[bytes, Path], None]) -> Callable[[bytes, Path], None]:
        TARGETS[name] = Target(name, abused, run, rooms, is_cell)
        return run

    return registered


def attempt(one: Target, raw: bytes) -> bool:
    """Whether the bytes were read; false where Shoal refused them in one sentence. All else is a finding."""
    with _patient(), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ShoalWarning)
        try:
            one.run(raw, scratch())
        except ShoalError as error:
            said = str(error)
            if MARKER in said and one.is_cell(raw):
                raise Leak(f"{one.name}: the message shows a cell") from None
            assert said.isprintable(), f"{one.name}: {said!r} is no sentence"
            return False
        return True


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="shoal-fuzz-")


def scratch() -> Path:
    """A folder of this process for what a target writes; every run overwrites what was there."""
    return Path(_folder().name)


@contextmanager
def _patient() -> Iterator[None]:
    """Give up on what has no end, where the system has an alarm and another thread does not wait for it."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise Endless

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
