"""Shoal hides every record of a table among at least k alike.

>>> import shoal
>>> release = shoal.anonymize(frame, k=5, quasi_identifiers=["age", "income"])  # doctest: +SKIP
>>> release.table, release.evaluation.information_loss  # doctest: +SKIP

Importing this package loads nothing heavy; each name is fetched when it is first used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError, ShoalWarning

if TYPE_CHECKING:
    from shoal.anonymize import anonymize, replay
    from shoal.assess import describe, evaluate, read, verify
    from shoal.bundle.check import BundleCheck, verify_bundle
    from shoal.bundle.contents import bundle
    from shoal.bundle.replay import replay_bundle
    from shoal.compare.comparison import Comparison, compare
    from shoal.explain import Explanation, explain
    from shoal.exposure import Exposure, exposure
    from shoal.hierarchy import Hierarchy
    from shoal.large import anonymize_file, replay_file
    from shoal.measure import measures
    from shoal.partition.registry import methods
    from shoal.partitions import bound, partition
    from shoal.pieced import LargeRelease
    from shoal.release import Release
    from shoal.reproduce.reproduction import reproduce
    from shoal.schema import Kind, Policy, Role, Schema
    from shoal.tables import Table, example_register
    from shoal.values import Bound, Evaluation, Partition, Verification

    __version__: str

_homes = {
    "anonymize": "shoal.anonymize",
    "anonymize_file": "shoal.large",
    "replay_file": "shoal.large",
    "LargeRelease": "shoal.pieced",
    "bound": "shoal.partitions",
    "partition": "shoal.partitions",
    "replay": "shoal.anonymize",
    "compare": "shoal.compare.comparison",
    "Comparison": "shoal.compare.comparison",
    "describe": "shoal.assess",
    "evaluate": "shoal.assess",
    "explain": "shoal.explain",
    "exposure": "shoal.exposure",
    "verify": "shoal.assess",
    "bundle": "shoal.bundle.contents",
    "verify_bundle": "shoal.bundle.check",
    "replay_bundle": "shoal.bundle.replay",
    "BundleCheck": "shoal.bundle.check",
    "reproduce": "shoal.reproduce.reproduction",
    "methods": "shoal.partition.registry",
    "measures": "shoal.measure",
    "read": "shoal.assess",
    "Table": "shoal.tables",
    "example_register": "shoal.tables",
    "Release": "shoal.release",
    "Evaluation": "shoal.values",
    "Explanation": "shoal.explain",
    "Exposure": "shoal.exposure",
    "Bound": "shoal.values",
    "Partition": "shoal.values",
    "Verification": "shoal.values",
    "Hierarchy": "shoal.hierarchy",
    "Schema": "shoal.schema",
    "Role": "shoal.schema",
    "Kind": "shoal.schema",
    "Policy": "shoal.schema",
}

__all__ = [
    "Bound",
    "BundleCheck",
    "Comparison",
    "Evaluation",
    "Explanation",
    "Exposure",
    "Hierarchy",
    "Kind",
    "LargeRelease",
    "Partition",
    "Policy",
    "Release",
    "Role",
    "Schema",
    "ShoalError",
    "ShoalWarning",
    "Table",
    "Verification",
    "__version__",
    "anonymize",
    "anonymize_file",
    "bound",
    "bundle",
    "compare",
    "describe",
    "evaluate",
    "example_register",
    "explain",
    "exposure",
    "measures",
    "methods",
    "partition",
    "read",
    "replay",
    "replay_bundle",
    "replay_file",
    "reproduce",
    "verify",
    "verify_bundle",
]


class _FrontDoor(ModuleType):
    """The package as its users see it.

    Some of its functions, such as ``anonymize`` and ``partition``, share their names with the places they live in.
    Python binds a submodule to its package when it is imported; here the function keeps the name.
    """

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            return version("shoal")
        if name not in _homes:
            raise AttributeError(f"module 'shoal' has no attribute {name!r}")
        value = getattr(import_module(_homes[name]), name)
        super().__setattr__(name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _homes and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(__all__)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        # as any module goes to the workers of a cluster: by its name
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _FrontDoor
