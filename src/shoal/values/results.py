"""What comes out: partitions, verifications, evaluations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from shoal.values.arrays import BoolVector, IntVector
from shoal.values.bound import Bound
from shoal.values.shown import Shown, named, rows
from shoal.values.together import Together
from shoal.words import number


@dataclass(frozen=True)
class Search:
    """What local search made of a partition: its error before and after, and the steps of annealing by stratum."""

    effort: str
    before: float
    after: float
    planned: tuple[int, ...]
    done: tuple[int, ...]
    looks: tuple[int, ...]
    """The looks on the way down, by stratum."""
    timed: bool = False
    """Whether a clock or an interrupt had a say in the steps and looks."""
    bound: Bound | None = None
    """What no partition of the records that are not suppressed can go below, where that was looked into."""

    @property
    def gained(self) -> float:
        """By how much it lowered the squared error, in percent."""
        return 100 * (1 - self.after / self.before) if self.after < self.before else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys; steps are those of all strata."""
        return {
            "effort": self.effort,
            "gained": self.gained,
            **_finite({"before": self.before, "after": self.after}),
            "planned": sum(self.planned),
            "done": sum(self.done),
        }

    @property
    def sentence(self) -> str:
        """What it did, in words."""
        return searched(self.to_dict())


def searched(search: Mapping[str, Any]) -> str:
    """What local search did, in words; without its steps where these are not told."""
    gained = f"lowered the squared error by {search['gained']:.3g} %"
    said = f"Local search ({search['effort']}) {gained if search['gained'] else 'found nothing better'}"
    if "planned" not in search:
        return f"{said}."
    planned, done = search["planned"], search["done"]
    how = f", then annealing in {done:,} steps" if planned else ""
    return f"{said}: downhill{how}{f' of {planned:,}, where it was stopped' if done < planned else ''}."


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
    account: tuple[str, ...] = ()
    """What was done and why, where the method chose by itself."""
    search: Search | None = None
    """What local search did; None where the groups are as the method made them."""

    @cached_property
    def sizes(self) -> IntVector:
        """The number of records of each group."""
        return np.bincount(self.labels).astype(np.int64)

    @property
    def count(self) -> int:
        """The number of groups."""
        return len(self.sizes)

    @property
    def told(self) -> tuple[str, ...]:
        """How the groups came about, beyond the name of the method: sentences."""
        return (*self.account, *(() if self.search is None else (self.search.sentence,)))

    @property
    def hidden(self) -> int:
        """The number of suppressed records."""
        return 0 if self.suppressed is None else int(self.suppressed.sum())

    def __repr__(self) -> str:
        losses = {"information_loss": self.information_loss, "semantic_loss": self.semantic_loss}
        said = "".join(f", {name}={value:.6g}" for name, value in losses.items() if value is not None)
        refined = "" if self.search is None else f" refined={self.search.effort!r},"
        return (
            f"Partition(method={self.method!r}, k={self.k},{refined} records={len(self.labels)}, groups={self.count},"
            f" smallest={self.sizes.min()}, largest={self.sizes.max()}{said})"
        )

    @property
    def _shown(self) -> Shown:
        facts = {
            "k": self.k,
            "records": len(self.labels),
            "groups": self.count,
            "smallest group": int(self.sizes.min()),
            "largest group": int(self.sizes.max()),
            "suppressed records": self.hidden or None,
            "information loss (%)": self.information_loss,
            "semantic loss (%)": self.semantic_loss,
        }
        return Shown(f"Partition by {self.method}", ("", ""), rows(facts), notes=self.told)

    def _repr_html_(self) -> str:
        return self._shown.html()

    def __rich__(self) -> Any:
        return self._shown.rich()


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
    together: Together | None = None
    """What one who has another release too finds; None where none was given."""

    @property
    def ok(self) -> bool:
        """Whether every record hides among at least k alike, and every privacy model holds; also together."""
        alone = self.violations == 0 and self.min_class >= self.k and all(check.ok for check in self.models)
        return alone and (self.together is None or self.together.ok)

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
            **({} if self.together is None else {"together": self.together.to_dict()}),
        }

    @property
    def verdict(self) -> str:
        """The verdict in one line."""
        if self.violations:
            return f"Not k-anonymous: {self.violations:,} of {self.records:,} records are in classes below k = {self.k}"
        broken = [check for check in self.models if not check.ok]
        if broken:
            return f"Not verified: k = {self.k} holds, but {', '.join(check.model for check in broken)} does not"
        if self.together is not None and not self.together.ok:
            return self.together.verdict
        return (
            f"Verified: k = {self.k} holds; the smallest of {self.classes:,} classes has {number(self.min_class)}"
            f" {self.unit}"
        )

    @property
    def _shown(self) -> Shown:
        checks = [
            [f"{check.model} on {named([check.column])}", number(check.reached), "holds" if check.ok else "broken"]
            for check in self.models
        ]
        basis = f"counted on {named(self.quasi_identifiers)} of {self.records:,} records"
        notes = (basis, *(() if self.together is None else (self.together.verdict, *self.together.advice)))
        return Shown(self.verdict, ("model", "in the worst class", ""), checks, ok=self.ok, notes=notes)

    def _repr_html_(self) -> str:
        return self._shown.html()

    def __rich__(self) -> Any:
        return self._shown.rich()


Figures = Mapping[str, float | None]


@dataclass(frozen=True)
class Evaluation:
    """What a release cost and what risk is left.

    ``loss``, ``before``, ``after`` and ``attacks`` map the names of measures to figures, ``changes`` and
    ``disclosures`` the names of columns to such figures; a figure that does not apply is None. Every name of the first
    four can also be read as an attribute: a loss, an attack, or a risk after the release.
    """

    records: int
    k: int | None
    quasi_identifiers: tuple[str, ...]
    base: str
    loss: Figures
    before: Figures
    after: Figures
    attacks: Figures = field(default_factory=dict)
    """What an outsider gets out of the release who knows the original quasi-identifiers."""
    changes: Mapping[str, Figures] = field(default_factory=dict)
    """What happened to each quasi-identifier."""
    disclosures: Mapping[str, Figures] = field(default_factory=dict)
    """What the classes give away about each sensitive column."""
    distance: str | None = None
    """How the distances between categories were measured; None where there are none."""
    notes: tuple[str, ...] = ()
    models: tuple[ModelCheck, ...] = ()
    """What the privacy models that were asked for find in the classes of the release."""

    @property
    def columns(self) -> dict[str, float]:
        """The loss of each quasi-identifier by itself, in percent: of information, or semantic."""
        found = {name: figures.get("loss") for name, figures in self.changes.items()}
        return {name: figure for name, figure in found.items() if figure is not None}

    def __getattr__(self, name: str) -> Any:
        for figures in ("loss", "after", "attacks"):
            if name in self.__dict__.get(figures, {}):
                return self.__dict__[figures][name]
        raise AttributeError(f"an evaluation has no measure {name!r}")

    @property
    def _shown(self) -> Shown:
        """Risk before and after, then attacks, sensitive columns and losses, then the loss of each column."""
        given = {
            f"{measure} of {named([name])}": figure
            for name, figures in self.disclosures.items()
            for measure, figure in figures.items()
        }
        lost = {f"loss of {named([name])} (%)": loss for name, loss in self.columns.items()}
        costs = rows({**self.attacks, **given, **self.loss, **lost})
        told = [*rows(self.before, self.after), *([name, "", value] for name, value in costs)]
        promised = "" if self.k is None else f", k = {self.k}"
        return Shown(
            f"Evaluation of {self.records:,} records{promised}", ("", "before", "after"), told, notes=self.notes
        )

    def _repr_html_(self) -> str:
        return self._shown.html()

    def __rich__(self) -> Any:
        return self._shown.rich()

    def __repr__(self) -> str:
        after = {name: self.after.get(name) for name in ("classes", "min_class", "global_risk")}
        losses = {name: self.loss.get(name) for name in ("mixed_loss", "information_loss", "semantic_loss")}
        said = [f"{name}={value:.6g}" for name, value in {**after, **losses}.items() if value is not None]
        return f"Evaluation({', '.join([f'records={self.records}', f'k={self.k}', *said])})"

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
            "attacks": _finite(self.attacks),
            "columns": {name: loss for name, loss in self.columns.items() if math.isfinite(loss)},
            "changes": {name: _finite(figures) for name, figures in self.changes.items()},
            "disclosures": {name: _finite(figures) for name, figures in self.disclosures.items()},
            "models": [check.to_dict() for check in self.models],
            "notes": list(self.notes),
        }


def _finite(figures: Figures) -> dict[str, float | None]:
    """JSON knows no infinity: a figure beyond the range of a float is None there."""
    return {name: None if value is None or not math.isfinite(value) else value for name, value in figures.items()}
