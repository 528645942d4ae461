"""The frozen values that cross doors between rooms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import OptionError
from shoal.hierarchy import Hierarchy
from shoal.schema.columns import Kind

FloatMatrix = NDArray[np.float64]
FloatVector = NDArray[np.float64]
IntVector = NDArray[np.int64]
IntMatrix = NDArray[np.int64]

Progress = Callable[[int, int], None]
"""Called with the number of records done and the number of all records."""

_EXACT = 2.0**32
_MOST = 10**15
"""No table has so many records; a larger number need not be told to its last digit."""


def silent(done: int, total: int) -> None:
    """The progress of a caller who does not want to hear of it."""


def whole_k(k: Any, n: int | None = None) -> int:
    """k as a whole number of at least 2, and at most the n records there are."""
    try:
        number = int(k.__index__())
    except (AttributeError, TypeError):
        raise OptionError.k_not_whole() from None
    if isinstance(k, bool):
        raise OptionError.k_not_whole()
    number = max(-_MOST, min(number, _MOST))
    if number < 2:
        raise OptionError.k_too_small(number)
    if n is not None and number > n:
        raise OptionError.k_too_large(number, n)
    return number


def true_or_false(name: str, value: Any) -> bool:
    """An option that is a switch."""
    if not isinstance(value, bool):
        raise OptionError.bad_option(name, "true or false")
    return value


def one_of(name: str, value: Any, choices: Sequence[str]) -> str:
    """An option that is one of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise OptionError.unknown_choice(name, value, choices)
    return value


@dataclass(frozen=True, eq=False)
class Scale:
    """How raw numbers become the base on which distances and losses are measured.

    ``z = (x / 2**exponent - center) / spread``. The power of two changes no digit and keeps the squares
    of huge and tiny columns inside the range of a float.
    """

    name: str
    exponent: NDArray[np.int64]
    center: FloatVector
    spread: FloatVector

    @classmethod
    def standardized(cls, values: FloatMatrix) -> Scale:
        """Mean 0 and standard deviation 1 (with n - 1) in every column; a constant column only moves to 0."""
        exponent = np.frexp(np.abs(values).max(axis=0, initial=0.0))[1].astype(np.int64)
        small = np.ldexp(values, -exponent)
        center = small.mean(axis=0)
        spread = np.sqrt(((small - center) ** 2).sum(axis=0) / max(len(values) - 1, 1))
        constant = values.min(axis=0) == values.max(axis=0)
        return cls(
            "standardized",
            exponent=np.where(constant, 0, exponent),
            center=np.where(constant, values[0], center),
            spread=np.where(constant, 1.0, spread),
        )

    @classmethod
    def raw(cls, values: FloatMatrix) -> Scale:
        """The columns as they are, all divided by one power of two."""
        columns = values.shape[1]
        exponent = np.full(columns, np.frexp(np.abs(values).max(initial=0.0))[1], dtype=np.int64)
        return cls("raw", exponent, np.zeros(columns), np.ones(columns))

    def apply(self, values: FloatMatrix) -> FloatMatrix:
        return (np.ldexp(values, -self.exponent) - self.center) / self.spread

    @property
    def unit(self) -> float:
        """What one squared unit of the base is in squared units of the figures reported."""
        if self.name == "standardized":
            return 1.0
        with np.errstate(over="ignore", under="ignore"):
            return float(np.ldexp(1.0, 2 * self.exponent[0])) if len(self.exponent) else 1.0


@dataclass(frozen=True, eq=False)
class Worded:
    """A column of text in which few words stand often: the words, and for each record the place of its word."""

    words: tuple[str, ...]
    places: IntVector


@dataclass(frozen=True, eq=False)
class Categories:
    """What stands behind the codes of a column that is not measured in numbers.

    A code is the number of a node in the column's hierarchy: places in postorder, so that neighbors in code are near
    in meaning and the root is the last. A column without a hierarchy has one all the same: its values, in the order of
    their ranks if they have ranks, under ``*``.
    """

    name: str
    kind: Kind
    hierarchy: Hierarchy
    """The values of the column and the nodes above them; nothing else."""
    distance: FloatMatrix
    """Between any two nodes, from 0 to 1: semantic, by rank, or 1 between all that differ."""
    steps: int | None = None
    """How many steps make a distance of 1, where distances are counted in steps, as between ranks."""

    def rounded(self, share: float = 1.0) -> FloatMatrix:
        """The distances times the column's share, as multiples of 2**-32; two steps are twice as far as one."""
        if self.steps is None:
            return np.asarray(np.rint(self.distance * share * _EXACT) / _EXACT)
        step = np.rint(share / self.steps * _EXACT) / _EXACT
        return np.asarray(np.rint(self.distance * self.steps) * step)


class Tuples(NamedTuple):
    """The different combinations of categories in the order in which they first appear, and what lies between them.

    ``distance`` holds the tables of all columns one after another, row by row; that of column j begins at
    ``starts[j]`` and has rows of ``widths[j]``. They bear the weights, so that the sum over columns is the weighted
    mean distance. All are multiples of 2**-32: their sums over millions of records are exact, so that nothing depends
    on the order in which they were added.
    """

    codes: IntMatrix
    counts: IntVector
    distance: FloatVector
    starts: IntVector
    widths: IntVector


@dataclass(frozen=True, eq=False)
class Records:
    """The quasi-identifiers of a table as arrays: all that a method gets to see."""

    names: tuple[str, ...]
    values: FloatMatrix
    """The numeric columns, in the order of their names."""
    scale: Scale
    weights: FloatVector
    """How much each column counts, numeric or not."""
    categories: tuple[Categories, ...] = ()
    """The other columns, in the order of their names."""
    codes: IntMatrix = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    """A column of codes for each of the categories."""

    @property
    def count(self) -> int:
        return len(self.codes) if self.categories else len(self.values)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The names of the numeric columns."""
        other = {column.name for column in self.categories}
        return tuple(name for name in self.names if name not in other)

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The kind of each column."""
        other = {column.name: column.kind for column in self.categories}
        return {name: other.get(name, Kind.NUMERIC) for name in self.names}

    def weights_of(self, names: Sequence[str]) -> FloatVector:
        """The weights of some of the columns."""
        return self.weights[[self.names.index(name) for name in names]]

    @cached_property
    def matrix(self) -> FloatMatrix:
        """Scaled and weighted, row by row: squared distances are sums of squared differences here."""
        weights = self.weights_of(self.numeric)
        scaled = self.scale.apply(self.values) * np.sqrt(weights / weights.max(initial=0.0))
        return np.ascontiguousarray(scaled)

    @cached_property
    def tuples(self) -> Tuples:
        """The different combinations of categories."""
        first = self._distinct[0]
        weights = self.weights_of([column.name for column in self.categories])
        weights = weights / weights.max()
        shares = weights / weights.sum()
        tables = [column.rounded(share) for column, share in zip(self.categories, shares, strict=True)]
        widths = np.array([len(table) for table in tables], dtype=np.int64)
        return Tuples(
            codes=np.ascontiguousarray(self.codes[first]),
            counts=np.bincount(self.tuple_of).astype(np.int64),
            distance=np.concatenate([table.ravel() for table in tables]),
            starts=np.cumsum(widths**2) - widths**2,
            widths=widths,
        )

    def table_of(self, j: int) -> FloatMatrix:
        """The table of distances of one of the categories, as the methods see it."""
        tuples = self.tuples
        start, width = int(tuples.starts[j]), int(tuples.widths[j])
        return tuples.distance[start : start + width * width].reshape(width, width)

    @property
    def tuple_of(self) -> IntVector:
        """For each record its combination of categories."""
        return self._distinct[1]

    @cached_property
    def _distinct(self) -> tuple[IntVector, IntVector]:
        """The first record of each combination, and the combination of each record."""
        key = np.zeros(self.count, dtype=np.int64)
        for j, column in enumerate(self.categories):
            # numbered anew after each column, so that no product of sizes can overflow
            key = _dense(key * len(column.hierarchy) + self.codes[:, j])
        return by_first_row(key)

    def some(self, rows: IntVector) -> Records:
        """These records alone, on the same base."""
        codes = self.codes[rows] if self.categories else self.codes
        values = self.values[rows] if len(self.values) else self.values
        return Records(self.names, values, self.scale, self.weights, self.categories, codes)


def by_first_row(key: IntVector) -> tuple[IntVector, IntVector]:
    """The first row of each different number, in the order of rows; and the numbers by that order, without gaps."""
    dense = _dense(key)
    first = np.empty(int(dense.max()) + 1, dtype=np.int64)
    first[dense[::-1]] = np.arange(len(dense))[::-1]  # what is written last stays: the first row
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[dense]


def _dense(key: IntVector) -> IntVector:
    """The same numbers from 0 up, without gaps, in the same order."""
    size = int(key.max()) + 1
    if size > 10 * len(key) + 1_000_000:
        return np.unique(key, return_inverse=True)[1].astype(np.int64)
    taken = np.zeros(size, dtype=np.bool_)
    taken[key] = True
    numbered: IntVector = (np.cumsum(taken) - 1)[key]
    return numbered


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

    @cached_property
    def sizes(self) -> IntVector:
        """The number of records of each group."""
        return np.bincount(self.labels).astype(np.int64)

    @property
    def count(self) -> int:
        """The number of groups."""
        return len(self.sizes)

    def __repr__(self) -> str:
        losses = {"information_loss": self.information_loss, "semantic_loss": self.semantic_loss}
        said = "".join(f", {name}={value:.6g}" for name, value in losses.items() if value is not None)
        return (
            f"Partition(method={self.method!r}, k={self.k}, records={len(self.labels)}, groups={self.count},"
            f" smallest={self.sizes.min()}, largest={self.sizes.max()}{said})"
        )


@dataclass(frozen=True)
class Verification:
    """The classes of a released table, counted on its released values."""

    k: int
    records: int
    classes: int
    min_class: int
    violations: int
    unique_records: int
    quasi_identifiers: tuple[str, ...]
    missing: str = "category"

    @property
    def ok(self) -> bool:
        """Whether every record hides among at least k alike."""
        return self.violations == 0 and self.min_class >= self.k

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
