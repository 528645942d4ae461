"""Shoal hides every record of a table among at least k alike.

>>> import shoal
>>> release = shoal.anonymize(frame, k=5, quasi_identifiers=["age", "income"])  # doctest: +SKIP
>>> release.table, release.evaluation.information_loss  # doctest: +SKIP

Importing this package loads nothing heavy; each name is fetched when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError, ShoalWarning

if TYPE_CHECKING:
    from shoal.data import Table, example_register
    from shoal.domain import Bound, Evaluation, Kind, Partition, Policy, Role, Schema, Verification
    from shoal.hierarchy import Hierarchy
    from shoal.metrics import measures
    from shoal.microaggregation.registry import methods
    from shoal.release.anonymize import anonymize, replay
    from shoal.release.anonymize_file import anonymize_file, replay_file
    from shoal.release.bundle.replay_bundle import replay_bundle
    from shoal.release.bundle.verify_bundle import BundleCheck, verify_bundle
    from shoal.release.bundle.write_bundle import bundle
    from shoal.release.compare.comparison import Comparison, compare
    from shoal.release.explain import Explanation, explain
    from shoal.release.inspect import describe, evaluate, read, verify
    from shoal.release.out_of_core import LargeRelease
    from shoal.release.partition import bound, partition
    from shoal.release.result import Release
    from shoal.release.uniqueness import Exposure, exposure

    __version__: str

_MODULES = {
    "anonymize": "shoal.anonymize",
    "anonymize_file": "shoal.release.anonymize_file",
    "replay_file": "shoal.release.anonymize_file",
    "LargeRelease": "shoal.release.out_of_core",
    "bound": "shoal.release.partition",
    "partition": "shoal.release.partition",
    "replay": "shoal.anonymize",
    "compare": "shoal.release.compare.comparison",
    "Comparison": "shoal.release.compare.comparison",
    "describe": "shoal.release.inspect",
    "evaluate": "shoal.release.inspect",
    "explain": "shoal.explain",
    "exposure": "shoal.exposure",
    "verify": "shoal.release.inspect",
    "bundle": "shoal.release.bundle.write_bundle",
    "verify_bundle": "shoal.release.bundle.verify_bundle",
    "replay_bundle": "shoal.release.bundle.replay_bundle",
    "BundleCheck": "shoal.release.bundle.verify_bundle",
    "methods": "shoal.microaggregation.registry",
    "measures": "shoal.metrics",
    "read": "shoal.release.inspect",
    "Table": "shoal.data",
    "example_register": "shoal.data",
    "Release": "shoal.release.result",
    "Evaluation": "shoal.domain",
    "Explanation": "shoal.explain",
    "Exposure": "shoal.exposure",
    "Bound": "shoal.domain",
    "Partition": "shoal.domain",
    "Verification": "shoal.domain",
    "Hierarchy": "shoal.hierarchy",
    "Schema": "shoal.domain",
    "Role": "shoal.domain",
    "Kind": "shoal.domain",
    "Policy": "shoal.domain",
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
    "verify",
    "verify_bundle",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("shoal")
    if name not in _MODULES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
