"""Errors of other libraries, kept away from the user: their messages quote cells."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from polars.exceptions import PanicException

from shoal.aside import reason
from shoal.errors import OutputError, ShoalError


class replaced_by:  # noqa: N801 - it is used as a word in a sentence: with replaced_by(...)
    """Whatever goes wrong inside becomes the error that is built here.

    An error of the operating system is told in its own words, which hold no data, where ``system`` is given.
    """

    def __init__(self, build: Callable[[], ShoalError], *, system: Callable[[str], ShoalError] | None = None) -> None:
        self.build = build
        self.system = system

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, ShoalError | MemoryError):
            return
        if isinstance(error, OSError) and error.errno and self.system:
            raise self.system(reason(error)) from None
        # Every exception there is: which ones polars, pyarrow or pyreadstat raise is not documented. A panic of
        # polars is not even an Exception.
        if isinstance(error, Exception | PanicException):
            raise self.build() from None


def writing(path: object) -> replaced_by:
    """Errors while a file is written."""
    return replaced_by(
        lambda: OutputError.does_not_fit(path),
        system=lambda why: OutputError.unwritable(path, why),
    )
