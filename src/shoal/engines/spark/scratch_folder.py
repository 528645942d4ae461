"""Scratch folders on a cluster."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from shoal.engines.spark.storage import HadoopStorage
from shoal.errors import EngineError, ShoalError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def scratch_folder(session: SparkSession, base: str, *, keep: str | None = None) -> Iterator[str]:
    """Create a private scratch folder, removed at the end of the run or when the JVM exits.

    The folder ``keep`` in it is kept after success.
    """
    storage = HadoopStorage(session)
    folder = f"{storage.qualified(storage.resolve(base)).rstrip('/')}/.shoal-scratch-{secrets.token_hex(8)}"
    storage.make_folder(folder)
    storage.remove_at_exit(folder)
    try:
        yield folder
    except BaseException:
        with suppress(ShoalError):  # the original error is raised
            storage.remove(folder)
        raise
    if keep is not None:
        storage.keep_only(folder, keep)
    else:
        storage.remove(folder)


def default_scratch(session: SparkSession, scratch: str | None) -> str:
    """Return a folder that all machines can access: the given one, or the checkpoint folder of the session."""
    context = session.sparkContext
    if scratch is not None:
        return scratch
    if found := context.getCheckpointDir():
        return found
    if not str(context.master).startswith("local"):
        raise EngineError.no_scratch_folder()
    return tempfile.gettempdir()
