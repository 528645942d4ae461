"""Anonymize tabular data with verified k-anonymity.

>>> import shoal
>>> release = shoal.anonymize(frame, k=5, quasi_identifiers=["age", "income"])  # doctest: +SKIP
>>> release.table, release.evaluation.information_loss  # doctest: +SKIP

Importing this package loads nothing heavy: each name is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError, ShoalWarning
from shoal.errors.deprecation import warn_deprecated

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
    from shoal.release.evaluate import evaluate
    from shoal.release.explain import Explanation, explain
    from shoal.release.file_release import FileRelease
    from shoal.release.inspect import describe, read, verify
    from shoal.release.partition import bound, partition
    from shoal.release.plan import Plan, plan
    from shoal.release.result import Release
    from shoal.release.uniqueness import Uniqueness, uniqueness

    __version__: str

_NAMES = {
    "shoal.data": ("Table", "example_register"),
    "shoal.domain": ("Bound", "Evaluation", "Kind", "Partition", "Policy", "Role", "Schema", "Verification"),
    "shoal.hierarchy": ("Hierarchy",),
    "shoal.metrics": ("measures",),
    "shoal.microaggregation.registry": ("methods",),
    "shoal.release.anonymize": ("anonymize", "replay"),
    "shoal.release.anonymize_file": ("anonymize_file", "replay_file"),
    "shoal.release.bundle.replay_bundle": ("replay_bundle",),
    "shoal.release.bundle.verify_bundle": ("BundleCheck", "verify_bundle"),
    "shoal.release.bundle.write_bundle": ("bundle",),
    "shoal.release.compare.comparison": ("Comparison", "compare"),
    "shoal.release.evaluate": ("evaluate",),
    "shoal.release.explain": ("Explanation", "explain"),
    "shoal.release.inspect": ("describe", "read", "verify"),
    "shoal.release.file_release": ("FileRelease",),
    "shoal.release.partition": ("bound", "partition"),
    "shoal.release.plan": ("Plan", "plan"),
    "shoal.release.result": ("Release",),
    "shoal.release.uniqueness": ("Uniqueness", "uniqueness"),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}
_RENAMED = {"exposure": "uniqueness", "Exposure": "Uniqueness", "LargeRelease": "FileRelease"}
"""New names by their deprecated names."""

__all__ = [
    "Bound",
    "BundleCheck",
    "Comparison",
    "Evaluation",
    "Explanation",
    "FileRelease",
    "Hierarchy",
    "Kind",
    "Partition",
    "Plan",
    "Policy",
    "Release",
    "Role",
    "Schema",
    "ShoalError",
    "ShoalWarning",
    "Table",
    "Uniqueness",
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
    "measures",
    "methods",
    "partition",
    "plan",
    "read",
    "replay",
    "replay_bundle",
    "replay_file",
    "uniqueness",
    "verify",
    "verify_bundle",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("shoal")
    if name in _RENAMED:
        warn_deprecated(f"shoal.{name}", f"shoal.{_RENAMED[name]}")
        return __getattr__(_RENAMED[name])
    if name == "reproduce":
        return _reproduce()
    if name not in _MODULES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def _reproduce() -> Any:
    try:
        from shoal_reproduction import reproduce
    except ImportError:
        raise AttributeError("shoal.reproduce exists only in a checkout: use shoal_reproduction.reproduce") from None
    warn_deprecated("shoal.reproduce", "shoal_reproduction.reproduce")
    return reproduce


def __dir__() -> list[str]:
    return sorted(__all__)
