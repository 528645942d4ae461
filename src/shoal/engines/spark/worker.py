"""What a Python worker of Spark is sent, and how it fails.

A worker gets the name of a chore and a payload that is unpacked in it. What goes wrong leaves as one line without a
cell of the data: the errors of Shoal whole, of all others the name alone.
"""

from __future__ import annotations

import base64
import gc
import json
import pickle
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from shoal import errors
from shoal.errors import ShoalError

_TOLD = "shoal-told:"
_settled = set[str]()
"""The chores that this worker has done."""


class Told(RuntimeError):
    """An error of Shoal on its way from a worker to the driver."""


class Chore:
    """A function of `chores` or `looks` with all that it needs, as Spark sends it to its workers."""

    def __init__(self, name: str, state: Any) -> None:
        self.name, self.payload = name, pickle.dumps(state, protocol=pickle.HIGHEST_PROTOCOL)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        told = ""
        try:
            room, function = self.name.split(".")
            chore = getattr(import_module(f"shoal.engines.spark.{room}"), function)
            with import_module("shoal.threads").using(1):  # Spark shares out the cores
                yield from chore(pickle.loads(self.payload), iter(batches))  # noqa: S301 - sent by the driver
            _settle(self.name)
            return
        except ShoalError as error:
            told = packed(error)
        except (GeneratorExit, KeyboardInterrupt, MemoryError, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - its words may hold cells of the data; a panic is no Exception
            told = f"{type(error).__name__} in {self.name}"
        raise Told(told)


def _settle(name: str) -> None:
    """Spark looks for garbage after each task: what the first task of a chore has loaded stays, and is left out."""
    if name not in _settled:
        _settled.add(name)
        gc.freeze()


def packed(error: ShoalError) -> str:
    """An error as one word that survives any wrapping."""
    text = json.dumps([type(error).__name__, error.fact, error.hint])
    return _TOLD + base64.b64encode(text.encode()).decode()


def unpacked(text: str) -> ShoalError | None:
    """The error of Shoal in the words of another one, if there is one."""
    found = re.search(_TOLD + r"([A-Za-z0-9+/=]+)", text)
    if found is None:
        return None
    kind, fact, hint = json.loads(base64.b64decode(found[1]))
    error: ShoalError = getattr(errors, kind)(fact, hint)
    return error
