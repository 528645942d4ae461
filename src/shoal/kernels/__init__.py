"""Loops over arrays, compiled by Numba. Kernels take arrays and numbers only: no frame, no schema.

Importing Numba takes half a second, so a module of this package is imported when it is first used:
``kernels.sequential.passes`` imports ``shoal.kernels.sequential.passes``.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType


def lazy_modules(package: str) -> Callable[[str], ModuleType]:
    """The ``__getattr__`` of a package that imports its modules on first use."""

    def get(name: str) -> ModuleType:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{name}":
                raise
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None

    return get


__getattr__ = lazy_modules(__name__)
