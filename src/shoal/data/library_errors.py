"""Translate errors of other libraries, whose messages may quote cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from polars.exceptions import PanicException

from shoal.errors import FileError, OutputError, ShoalError
from shoal.system.atomic import os_error_reason


@contextmanager
def translate_errors(
    build: Callable[[], ShoalError], *, system: Callable[[str], ShoalError] | None = None
) -> Iterator[None]:
    """Replace any exception by the error that ``build`` returns.

    With ``system``, errors of the operating system keep their message, which contains no data.
    """
    try:
        yield
    except (ShoalError, MemoryError):
        raise
    # everything: the exceptions of polars, pyarrow and pyreadstat are not documented, and a panic of polars is not an
    # Exception
    except (Exception, PanicException) as error:  # noqa: BLE001
        if isinstance(error, OSError) and error.errno and system:
            raise system(os_error_reason(error)) from None
        raise build() from None


def translate_read_errors(path: object, kind: str) -> AbstractContextManager[None]:
    """Translate errors while reading a file of this kind."""
    return translate_errors(
        lambda: FileError.damaged(path, kind), system=lambda message: FileError.unreadable(path, message)
    )


def translate_write_errors(path: object) -> AbstractContextManager[None]:
    """Translate errors while writing a file."""
    return translate_errors(
        lambda: OutputError.not_representable(path),
        system=lambda message: OutputError.unwritable(path, message),
    )
