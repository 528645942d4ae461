"""What comes out: partitions, verifications, evaluations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shoal.values.arrays import BoolVector, IntVector


@dataclass(frozen=True, eq=False)
class Partition:
    """A group for every record, in input order; groups are numbered by first appearance."""

    labels: IntVector
    k: int
    method: str
    information_loss: float | None = None
    """What group means lose of the numeric columns, in percent; None where there are none."""
    semantic_loss: float | None = None
    """What the semantic centroids of the groups lose of the other columns, in percent; None where there are none."""
    suppressed: BoolVector | None = None
    """The records whose quasi-identifiers are suppressed; they are a group of their own in each stratum."""

    @cached_property
    def sizes(self) -> IntVector:
        """The number of records of each group."""
        return np.bincount(self.labels).astype(np.int64)

    @property
    def count(self) -> int:
        """The number of groups."""
        return len(self.sizes)

    @property
    def hidden(self) -> int:
        """The number of suppressed records."""
        return 0 if self.suppressed is None else int(self.suppressed.sum())

    def __repr__(self) -> str:
        losses = {"information_loss": self.information_loss, "semantic_loss": self.semantic_loss}
        said = "".join(f", {name}={value:.6g}" for name, value in losses.items() if value is not None)
        return (
            f"Partition(method={self.method!r}, k={self.k}, records={len(self.labels)}, groups={self.count},"
            f" smallest={self.sizes.min()}, largest={self.sizes.max()}{said})"
        )


@dataclass(frozen=True)
class ModelCheck:
    """What one privacy model asks of the classes of a table, and what they have."""

    column: str
    model: str
    """As a user writes it."""
    reached: float
    """The l or the t of the worst class."""
    violations: int
    """The records in classes that break it."""

    @property
    def ok(self) -> bool:
        """Whether it holds in every class."""
        return self.violations == 0

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return {
            "ok": self.ok,
            "column": self.column,
            "model": self.model,
            "reached": self.reached,
            "violations": self.violations,
        }


def plain(figure: float) -> float:
    """A whole number without a point, as counts are shown."""
    return int(figure) if figure == int(figure) else float(figure)


@dataclass(frozen=True)
class Verification:
    """The classes of a released table, counted on its released values."""

    k: int
    records: int
    classes: int
    min_class: float
    """The fewest that a record is alike: a whole number, but where wildcards count in part."""
    violations: int
    unique_records: int
    quasi_identifiers: tuple[str, ...]
    missing: str = "category"
    models: tuple[ModelCheck, ...] = ()
    unit: str = "records"
    """What is counted: records, or households."""

    @property
    def ok(self) -> bool:
        """Whether every record hides among at least k alike, and every privacy model holds."""
        return self.violations == 0 and self.min_class >= self.k and all(check.ok for check in self.models)

    def __bool__(self) -> bool:
        return self.ok

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return {
            "ok": self.ok,
            "k": self.k,
            "records": self.records,
            "classes": self.classes,
            "min_class": self.min_class,
            "k_violations": self.violations,
            "unique_records": self.unique_records,
            "quasi_identifiers": list(self.quasi_identifiers),
            "missing": self.missing,
            "unit": self.unit,
            "models": [check.to_dict() for check in self.models],
        }


@dataclass(frozen=True)
class Evaluation:
    """What a release cost and what risk is left.

    ``loss``, ``before`` and ``after`` map the names of measures to figures; a figure that does not apply
    is None. Every name can also be read as an attribute: a loss, or a risk after the release.
    """

    records: int
    k: int | None
    quasi_identifiers: tuple[str, ...]
    base: str
    loss: Mapping[str, float | None]
    before: Mapping[str, float | None]
    after: Mapping[str, float | None]
    columns: Mapping[str, float]
    """The loss of each quasi-identifier by itself, in percent: of information, or semantic."""
    distance: str | None = None
    """How the distances between categories were measured; None where there are none."""
    notes: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        for figures in ("loss", "after"):
            if name in self.__dict__.get(figures, {}):
                return self.__dict__[figures][name]
        raise AttributeError(f"an evaluation has no measure {name!r}")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return {
            "records": self.records,
            "k": self.k,
            "quasi_identifiers": list(self.quasi_identifiers),
            "base": self.base,
            "distance": self.distance,
            "loss": _finite(self.loss),
            "risk": {"before": _finite(self.before), "after": _finite(self.after)},
            "columns": _finite(self.columns),
            "notes": list(self.notes),
        }


def _finite(figures: Mapping[str, float | None]) -> dict[str, float | None]:
    """JSON knows no infinity: a figure beyond the range of a float is None there."""
    return {name: None if value is None or not math.isfinite(value) else value for name, value in figures.items()}
