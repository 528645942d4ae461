"""Tasks sent to Python workers, and their errors.

A worker gets the name of a task function and a pickled state. An error leaves the worker as one line without cells of
the data: Shoal errors in full, other errors by name only.
"""

from __future__ import annotations

import base64
import gc
import json
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, TypeVar

from shoal import errors
from shoal.errors import ShoalError

S = TypeVar("S")
_PREFIX = "shoal-error:"
_frozen = set[str]()
"""Tasks that this worker has run."""


class WorkerError(RuntimeError):
    """A Shoal error on its way from a worker to the driver."""


class SparkTask:
    """A function of `tasks` or `statistics_tasks` with its state, as sent to the workers."""

    def __init__(self, function: Callable[[S, Iterator[Any]], Iterator[Any]], state: S) -> None:
        self.name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        self.payload = pickle.dumps(state, protocol=pickle.HIGHEST_PROTOCOL)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        message = ""
        try:
            module, function = self.name.split(".")
            task = getattr(import_module(f"shoal.engines.spark.{module}"), function)
            with import_module("shoal.system.threads").use_threads(1):  # Spark schedules the cores
                yield from task(pickle.loads(self.payload), iter(batches))  # noqa: S301 - sent by the driver
            _freeze_loaded_objects(self.name)
            return
        except ShoalError as error:
            message = encode_error(error)
        except (GeneratorExit, KeyboardInterrupt, MemoryError, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - messages may quote cells; a panic is no Exception
            message = f"{type(error).__name__} in {self.name}"
        raise WorkerError(message)


def _freeze_loaded_objects(name: str) -> None:
    """Exclude loaded objects from garbage collection after the first run: Spark collects garbage after each task."""
    if name not in _frozen:
        _frozen.add(name)
        gc.freeze()


def encode_error(error: ShoalError) -> str:
    """Encode an error as one word that survives any wrapping."""
    text = json.dumps([type(error).__name__, error.fact, error.hint])
    return _PREFIX + base64.b64encode(text.encode()).decode()


def decode_error(text: str) -> ShoalError | None:
    """Decode the Shoal error in the message of another error, if any."""
    match = re.search(_PREFIX + r"([A-Za-z0-9+/=]+)", text)
    if match is None:
        return None
    kind, fact, hint = json.loads(base64.b64decode(match[1]))
    error: ShoalError = getattr(errors, kind)(fact, hint)
    return error
