"""The registry of measures: the door of this room.

A loss compares the released values with the original ones; a risk looks at the counts of the records, once
before and once after the release. A measure is a function under ``@loss(...)`` or ``@risk(...)``; a figure
that does not apply (no k was named, a column is not numeric) is None.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import Generic, TypeVar

import numpy as np

from shoal.measure.individual import individual_risk
from shoal.values import BoolMatrix, Categories, FloatMatrix, FloatVector, IntMatrix, IntVector


@dataclass(frozen=True, eq=False)
class Comparison:
    """What a loss sees: numeric quasi-identifiers on their base, categories, and the classes of the release."""

    original: FloatMatrix | None
    released: FloatMatrix | None
    unit: float
    classes: Classes
    meaning: Meaning | None = None
    gaps: BoolMatrix | None = None
    """Which of the original numbers were missing; those hold a stand-in."""


@dataclass(frozen=True, eq=False)
class Meaning:
    """The categories of the original and of the released records, as codes. All columns count the same."""

    categories: Sequence[Categories]
    original: IntMatrix
    released: IntMatrix

    def column(self, j: int) -> Meaning:
        """One column by itself."""
        return Meaning(self.categories[j : j + 1], self.original[:, [j]], self.released[:, [j]])


@dataclass(frozen=True, eq=False)
class Classes:
    """What a risk sees: for every record the size of its class, and the k that was promised."""

    sizes: IntVector | FloatVector
    """Where missing values are wildcards, how many records may look the same: not always a whole number."""
    k: int | None
    weights: FloatVector | None = None
    """The sum of the sampling weights of each record's class; None where the table is the population."""
    households: IntVector | None = None
    """The household of each record, numbered from 0."""
    classes: int | None = None
    """The number of classes, where the sizes do not tell it."""
    numbers: IntVector | None = None
    """The class of each record, numbered from 0."""

    @property
    def records(self) -> int:
        return len(self.sizes)

    @property
    def count(self) -> int:
        """The number of classes: every record counts for its share of one."""
        return round(self._shares) if self.classes is None else self.classes

    @cached_property
    def risk(self) -> FloatVector:
        """The individual risk of each record."""
        return individual_risk(self.sizes, self.weights)

    @property
    def found(self) -> float:
        """The sum of the individual risks."""
        return self._shares if self.weights is None else float(self.risk.sum())

    @cached_property
    def _shares(self) -> float:
        """Σ 1/f, size by size: a whole number where the sizes are those of classes."""
        size, records = np.unique(self.sizes, return_counts=True)
        return float((records / size).sum())


Loss = Callable[[Comparison], float | None]
Risk = Callable[[Classes], float | None]
F = TypeVar("F")


@dataclass(frozen=True)
class Measure(Generic[F]):
    name: str
    formula: str
    range: str
    good: str
    reference: str
    figure: F


_losses: dict[str, Measure[Loss]] = {}
_risks: dict[str, Measure[Risk]] = {}


def loss(*, name: str, formula: str, range: str, good: str, reference: str) -> Callable[[Loss], Loss]:
    """Register the function below as a loss."""

    def register(figure: Loss) -> Loss:
        _losses[name] = Measure(name, formula, range, good, reference, figure)
        return figure

    return register


def risk(*, name: str, formula: str, range: str, good: str, reference: str) -> Callable[[Risk], Risk]:
    """Register the function below as a risk."""

    def register(figure: Risk) -> Risk:
        _risks[name] = Measure(name, formula, range, good, reference, figure)
        return figure

    return register


@cache
def measures() -> tuple[Mapping[str, Measure[Loss]], Mapping[str, Measure[Risk]]]:
    """Every loss and every risk by name."""
    package = import_module("shoal.measure")
    for module in pkgutil.iter_modules(package.__path__, "shoal.measure."):
        import_module(module.name)
    return _losses, _risks
