"""Loops over arrays, compiled by Numba. Kernels take arrays and numbers only: no frame, no schema.

Importing Numba takes half a second, so a module of this package is imported on first use:
``kernels.groups`` imports ``shoal.kernels.groups``.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"there is no kernel file {name!r}") from None
