"""Results: bound, search, partition, verification and evaluation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from shoal.domain.arrays import BoolVector, IntVector
from shoal.domain.display import Displayable, DisplayTable, join_names, metric_rows
from shoal.domain.linked_results import LinkedReleases
from shoal.errors.deprecation import deprecated_property
from shoal.errors.messages import format_number


@dataclass(frozen=True)
class Bound:
    """A proven lower bound of the squared error of every partition into groups of at least k records."""

    value: float
    """The bound, after subtracting ``margin``."""
    kind: str
    """``elementary``, ``columns`` or ``exact``; an exact bound is attained by a partition."""
    margin: float
    """The allowance for floating-point rounding."""
    note: str
    """How the bound was computed, in words."""
    loss: float | None = None
    """The bound as information loss, in percent of the squared error of a single group."""

    def gap(self, error: float) -> float:
        """The largest part of this squared error that a better partition could save, in percent."""
        return max(100.0 * (error - self.value) / error, 0.0) if error > 0.0 else 0.0


@dataclass(frozen=True)
class Search:
    """Result of local search: squared error before and after, and annealing steps by stratum."""

    effort: str
    before: float
    after: float
    steps_planned: tuple[int, ...]
    steps_done: tuple[int, ...]
    descent_passes: tuple[int, ...]
    """Passes of the descent, by stratum."""
    timed: bool = False
    """Whether a time limit or an interrupt determined the number of steps and passes."""
    bound: Bound | None = None
    """A lower bound of the squared error of the records that are not suppressed; None if not computed."""

    @property
    def improvement(self) -> float:
        """The reduction of the squared error, in percent."""
        return 100 * (1 - self.after / self.before) if self.after < self.before else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys; steps are summed over strata."""
        return {
            "effort": self.effort,
            "gained": self.improvement,
            **_none_if_infinite({"before": self.before, "after": self.after}),
            "planned": sum(self.steps_planned),
            "done": sum(self.steps_done),
        }

    @property
    def sentence(self) -> str:
        """A one-sentence summary."""
        return summarize_search(self.to_dict())


def summarize_search(search: Mapping[str, Any]) -> str:
    """Summarize local search in one sentence, without the steps if they are unknown."""
    gained = f"lowered the squared error by {search['gained']:.3g} %"
    summary = f"Local search ({search['effort']}) {gained if search['gained'] else 'found nothing better'}"
    if "planned" not in search:
        return f"{summary}."
    planned, done = search["planned"], search["done"]
    annealing = f", then annealing in {done:,} steps" if planned else ""
    return f"{summary}: downhill{annealing}{f' of {planned:,}, where it was stopped' if done < planned else ''}."


@dataclass(frozen=True, eq=False)
class Partition(Displayable):
    """A group for every record, in input order; groups are numbered by first occurrence."""

    labels: IntVector
    k: int
    method: str
    information_loss: float | None = None
    """Information loss of group means in the numeric columns, in percent; None without such columns."""
    semantic_loss: float | None = None
    """Semantic loss of group centroids in the categorical columns, in percent; None without such columns."""
    suppressed: BoolVector | None = None
    """Mask of the suppressed records; they form one group per stratum."""
    account: tuple[str, ...] = ()
    """Decisions of the method and their reasons, as sentences."""
    search: Search | None = None
    """The result of local search; None if it did not run."""

    @cached_property
    def sizes(self) -> IntVector:
        """The number of records in each group."""
        return np.bincount(self.labels).astype(np.int64)

    @property
    def count(self) -> int:
        """The number of groups."""
        return len(self.sizes)

    @property
    def notes(self) -> tuple[str, ...]:
        """How the groups were formed, beyond the name of the method: sentences."""
        return (*self.account, *(() if self.search is None else (self.search.sentence,)))

    @property
    def n_suppressed(self) -> int:
        """The number of suppressed records."""
        return 0 if self.suppressed is None else int(self.suppressed.sum())

    hidden = deprecated_property("Partition.hidden", "n_suppressed")
    told = deprecated_property("Partition.told", "notes")

    def __repr__(self) -> str:
        losses = {"information_loss": self.information_loss, "semantic_loss": self.semantic_loss}
        loss_text = "".join(f", {name}={value:.6g}" for name, value in losses.items() if value is not None)
        refined = "" if self.search is None else f" refined={self.search.effort!r},"
        return (
            f"Partition(method={self.method!r}, k={self.k},{refined} records={len(self.labels)}, groups={self.count},"
            f" smallest={self.sizes.min()}, largest={self.sizes.max()}{loss_text})"
        )

    @property
    def _display(self) -> DisplayTable:
        facts = {
            "k": self.k,
            "records": len(self.labels),
            "groups": self.count,
            "smallest group": int(self.sizes.min()),
            "largest group": int(self.sizes.max()),
            "suppressed records": self.n_suppressed or None,
            "information loss (%)": self.information_loss,
            "semantic loss (%)": self.semantic_loss,
        }
        return DisplayTable(f"Partition by {self.method}", ("", ""), metric_rows(facts), notes=self.notes)


@dataclass(frozen=True)
class ModelCheck:
    """The result of checking one privacy model on the classes of a table."""

    column: str
    model: str
    """The model in the notation of the user."""
    reached: float
    """The l or t of the worst class."""
    violations: int
    """The number of records in classes that violate the model."""

    @property
    def ok(self) -> bool:
        """Whether every class satisfies the model."""
        return self.violations == 0

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys."""
        return {"ok": self.ok, **asdict(self)}


def to_builtin(value: float) -> float:
    """Convert integral floats to int, others to float."""
    return int(value) if value == int(value) else float(value)


@dataclass(frozen=True)
class Verification(Displayable):
    """The classes of a released table, counted on its released values."""

    k: int
    records: int
    classes: int
    min_class: float
    """The size of the smallest class; fractional only with weighted wildcards."""
    violations: int
    unique_records: int
    quasi_identifiers: tuple[str, ...]
    missing: str = "category"
    models: tuple[ModelCheck, ...] = ()
    unit: str = "records"
    """The unit of k: records or households."""
    together: LinkedReleases | None = None
    """The result for an intruder who also has another release; None if none was given."""

    @classmethod
    def of_counts(cls, k: int, records: Mapping[int, int] | Mapping[float, int], **facts: Any) -> Self:
        """Build from the number of records in classes of each size, and the other fields."""
        return cls(
            k=k,
            records=sum(records.values()),
            min_class=to_builtin(min(records)),
            violations=sum(count for size, count in records.items() if size < k),
            unique_records=sum(count for size, count in records.items() if size < 2),
            **facts,
        )

    @property
    def ok(self) -> bool:
        """Whether every class has at least k records and satisfies all privacy models, linked releases included."""
        alone = self.violations == 0 and self.min_class >= self.k and all(check.ok for check in self.models)
        return alone and (self.together is None or self.together.ok)

    def __bool__(self) -> bool:
        return self.ok

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys."""
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
            f"Verified: k = {self.k} holds; the smallest of {self.classes:,} classes has"
            f" {format_number(self.min_class)} {self.unit}"
        )

    @property
    def _display(self) -> DisplayTable:
        checks = [
            [
                f"{check.model} on {join_names([check.column])}",
                format_number(check.reached),
                "holds" if check.ok else "broken",
            ]
            for check in self.models
        ]
        basis = f"counted on {join_names(self.quasi_identifiers)} of {self.records:,} records"
        notes = (basis, *(() if self.together is None else (self.together.verdict, *self.together.advice)))
        return DisplayTable(self.verdict, ("model", "in the worst class", ""), checks, ok=self.ok, notes=notes)


MetricValues = Mapping[str, float | None]


@dataclass(frozen=True)
class Evaluation(Displayable):
    """Information loss and disclosure risk of a release.

    ``loss``, ``before``, ``after`` and ``attacks`` map names of metrics to values, ``changes`` and ``disclosures`` map
    column names to such mappings; a value that does not apply is None. Losses, attacks and risks after the release are
    also available as attributes.
    """

    records: int
    k: int | None
    quasi_identifiers: tuple[str, ...]
    base: str
    loss: MetricValues
    before: MetricValues
    after: MetricValues
    attacks: MetricValues = field(default_factory=dict)
    """Results of attacks by an intruder who knows the original quasi-identifiers."""
    changes: Mapping[str, MetricValues] = field(default_factory=dict)
    """Metrics of each quasi-identifier."""
    disclosures: Mapping[str, MetricValues] = field(default_factory=dict)
    """Metrics of attribute disclosure for each sensitive column."""
    distance: str | None = None
    """The distance between categories that was used; None without categorical columns."""
    notes: tuple[str, ...] = ()
    models: tuple[ModelCheck, ...] = ()
    """The checks of the requested privacy models on the released classes."""

    @property
    def columns(self) -> dict[str, float]:
        """The loss of each quasi-identifier, in percent."""
        losses = {name: figures.get("loss") for name, figures in self.changes.items()}
        return {name: figure for name, figure in losses.items() if figure is not None}

    def __getattr__(self, name: str) -> Any:
        for figures in ("loss", "after", "attacks"):
            if name in self.__dict__.get(figures, {}):
                return self.__dict__[figures][name]
        raise AttributeError(f"an evaluation has no measure {name!r}")

    @property
    def _display(self) -> DisplayTable:
        """Risk before and after, then attacks, sensitive columns and losses, then the loss of each column."""
        disclosures = {
            f"{measure} of {join_names([name])}": figure
            for name, figures in self.disclosures.items()
            for measure, figure in figures.items()
        }
        column_losses = {f"loss of {join_names([name])} (%)": loss for name, loss in self.columns.items()}
        costs = metric_rows({**self.attacks, **disclosures, **self.loss, **column_losses})
        table = [*metric_rows(self.before, self.after), *([name, "", value] for name, value in costs)]
        k_text = "" if self.k is None else f", k = {self.k}"
        return DisplayTable(
            f"Evaluation of {self.records:,} records{k_text}", ("", "before", "after"), table, notes=self.notes
        )

    def __repr__(self) -> str:
        after = {name: self.after.get(name) for name in ("classes", "min_class", "global_risk")}
        losses = {name: self.loss.get(name) for name in ("mixed_loss", "information_loss", "semantic_loss")}
        items = [f"{name}={value:.6g}" for name, value in {**after, **losses}.items() if value is not None]
        return f"Evaluation({', '.join([f'records={self.records}', f'k={self.k}', *items])})"

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys."""
        return {
            "records": self.records,
            "k": self.k,
            "quasi_identifiers": list(self.quasi_identifiers),
            "base": self.base,
            "distance": self.distance,
            "loss": _none_if_infinite(self.loss),
            "risk": {"before": _none_if_infinite(self.before), "after": _none_if_infinite(self.after)},
            "attacks": _none_if_infinite(self.attacks),
            "columns": {name: loss for name, loss in self.columns.items() if math.isfinite(loss)},
            "changes": {name: _none_if_infinite(figures) for name, figures in self.changes.items()},
            "disclosures": {name: _none_if_infinite(figures) for name, figures in self.disclosures.items()},
            "models": [check.to_dict() for check in self.models],
            "notes": list(self.notes),
        }


def _none_if_infinite(figures: MetricValues) -> dict[str, float | None]:
    """Replace infinite values by None, since JSON has no infinity."""
    return {name: None if value is None or not math.isfinite(value) else value for name, value in figures.items()}
