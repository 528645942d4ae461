"""Translate errors of other libraries, whose messages may quote cells."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from polars.exceptions import PanicException

from shoal.errors import FileError, OutputError, ShoalError
from shoal.system.atomic import os_error_reason


class translate_errors:  # noqa: N801 - used like a function: with translate_errors(...)
    """Context manager that replaces any exception by the error that ``build`` returns.

    With ``system``, errors of the operating system keep their message, which contains no data.
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
            raise self.system(os_error_reason(error)) from None
        # catch everything: the exceptions of polars, pyarrow and pyreadstat are not documented, and a panic of polars
        # is not an Exception
        if isinstance(error, Exception | PanicException):
            raise self.build() from None


def translate_read_errors(path: object, kind: str) -> translate_errors:
    """Translate errors while reading a file of this kind."""
    return translate_errors(
        lambda: FileError.damaged(path, kind), system=lambda message: FileError.unreadable(path, message)
    )


def translate_write_errors(path: object) -> translate_errors:
    """Translate errors while writing a file."""
    return translate_errors(
        lambda: OutputError.not_representable(path),
        system=lambda message: OutputError.unwritable(path, message),
    )
