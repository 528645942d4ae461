"""Evaluation of a release, in one piece or from the partial sums of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from shoal.data.model_checks import ClassDistribution
from shoal.domain import CategoricalColumn, Evaluation, FloatVector, IntVector, ModelCheck
from shoal.domain.columns import Kind
from shoal.errors import OptionError
from shoal.metrics.class_size import (
    ClassSizeSums,
    DiscernibilitySums,
    class_size_sums,
    discernibility_sums,
    released_class_size_sums,
)
from shoal.metrics.disclosure_sums import DisclosureSums, sum_disclosures
from shoal.metrics.inputs import EquivalenceClasses, MetricInputs, TableFacts
from shoal.metrics.partial_sums import KeyedCounts, merge_partials
from shoal.metrics.registry import Measure, measures
from shoal.system.threads import parallel_map

DEFAULT, ALL = "default", "all"
PartialSums = dict[Callable[[Any], Any], Any]
"""Partial sums by the function that computes them."""
_BLOCK = 1 << 18
"""Records per block when class sizes are expanded."""


def select_measures(which: str | Iterable[str]) -> tuple[Measure, ...]:
    """Select metrics by name; ``default`` is every metric that is not slow, ``all`` is every metric."""
    known = measures()
    if which == ALL:
        return tuple(known.values())
    if which == DEFAULT:
        return tuple(measure for measure in known.values() if not measure.searching)
    if not isinstance(which, Iterable):
        raise OptionError.invalid_value("measures", "default, all, or the names of some measures")
    names = [which] if isinstance(which, str) else [str(name) for name in which]
    if not names or not {DEFAULT, ALL}.isdisjoint(names):
        raise OptionError.invalid_value("measures", "default, all, or the names of some measures")
    for name in names:
        if name not in known:
            raise OptionError.unknown_choice("measure", name, (DEFAULT, ALL, *known))
    return tuple(known[name] for name in names)


@dataclass(frozen=True, eq=False)
class ClassSizeCounts:
    """The number of classes of each size in a table, and the number of suppressed records."""

    counts: KeyedCounts
    n_suppressed: int = 0

    @classmethod
    def of(cls, sizes: Mapping[int, int], n_suppressed: int = 0) -> Self:
        """Build from the number of classes of each size, in ascending order."""
        return cls(KeyedCounts(np.array([*sizes]), np.array([*sizes.values()])), n_suppressed)

    @property
    def records(self) -> int:
        return int((self.counts.keys * self.counts.counts).sum())

    @property
    def classes(self) -> int:
        return int(self.counts.counts.sum())

    @property
    def discernibility(self) -> DiscernibilitySums:
        """The partial sums of discernibility; the suppressed records are one class."""
        squares = sum(size**2 * count for size, count in zip(*(part.tolist() for part in self.counts), strict=True))
        return DiscernibilitySums(float(squares) - float(self.n_suppressed) ** 2, self.n_suppressed)

    def blocks(self, k: int | None) -> Iterator[EquivalenceClasses]:
        """Yield the records of all classes in blocks, ordered by class size."""
        for size, count in zip(*(part.tolist() for part in self.counts), strict=True):
            for start in range(0, size * count, _BLOCK):
                n = min(size * count - start, _BLOCK)
                yield EquivalenceClasses(np.full(n, size, dtype=np.int64), k)


@np.errstate(over="ignore", invalid="ignore")  # released values may be far beyond the original
def evaluate(
    inputs: MetricInputs,
    *,
    which: str | Iterable[str] = DEFAULT,
    notes: tuple[str, ...] = (),
    models: tuple[ModelCheck, ...] = (),
) -> Evaluation:
    """Evaluate a release with the selected metrics; notes and models were computed before."""
    selected = select_measures(which)
    risks = [measure for measure in selected if measure.family == "risk"]
    disclosures = [measure for measure in selected if measure.family == "disclosure"]
    others = [measure for measure in selected if measure.family not in ("risk", "disclosure")]
    sums = _compute_partials(inputs.blocks(), others)
    figures = {
        measure: measure.finalize(inputs) if measure.partial is None else _finalize(measure, sums, inputs.facts)
        for measure in others
    }
    k = inputs.released_classes.k
    return Evaluation(
        records=inputs.records,
        k=k,
        quasi_identifiers=inputs.quasi_identifiers,
        base=inputs.scale.name if inputs.scale and inputs.numeric else "none",
        distance=distance_name(inputs.categories, inputs.distance),
        before=_risks(_compute_partials(inputs.original_classes.blocks(), risks), risks, k=inputs.original_classes.k),
        after=_risks(_compute_partials(inputs.released_classes.blocks(), risks), risks, k=k),
        disclosures=_disclosures(_disclosure_sums(inputs), disclosures) if disclosures else {},
        notes=notes,
        models=models,
        **_by_family(figures, inputs.quasi_identifiers),
    )


def compute_part_sums(inputs: MetricInputs) -> PartialSums:
    """Compute the partial sums of one part; its statistics are those of the whole table."""
    needs_classes = (discernibility_sums, released_class_size_sums)  # one part of the table does not know class sizes
    return _compute_partials(
        inputs.blocks(), [measure for measure in _mergeable_measures() if measure.partial not in needs_classes]
    )


def evaluate_parts(
    sums: Sequence[PartialSums],
    facts: TableFacts,
    *,
    before: ClassSizeCounts,
    after: ClassSizeCounts,
    base: str,
    distance: str | None,
    risks: tuple[PartialSums, PartialSums] | None = None,
    disclosures: Mapping[str, DisclosureSums] = MappingProxyType({}),
    models: tuple[ModelCheck, ...] = (),
    notes: tuple[str, ...] = (),
) -> Evaluation:
    """Evaluate the whole table from the partial sums of its parts, without metrics that need it at once.

    ``disclosures`` are the sums of each sensitive column over the classes of the release, and ``risks`` those over the
    classes before and after, if they do not follow from the sizes of the classes alone.
    """
    evaluation, class_sums = _evaluate_classes(before, after, facts.k, risks)
    merged = merge_sums(sums)
    merged |= {discernibility_sums: after.discernibility, released_class_size_sums: class_sums}
    figures = {measure: _finalize(measure, merged, facts) for measure in _mergeable_measures()}
    return Evaluation(
        records=facts.records,
        k=facts.k,
        quasi_identifiers=facts.quasi_identifiers,
        base=base,
        distance=distance,
        disclosures=_all_disclosures(disclosures),
        notes=notes,
        models=models,
        **evaluation,
        **_by_family(figures, facts.quasi_identifiers),
    )


def evaluate_classes(
    before: ClassSizeCounts,
    after: ClassSizeCounts,
    *,
    k: int | None,
    quasi_identifiers: tuple[str, ...],
    disclosures: Mapping[str, DisclosureSums] = MappingProxyType({}),
    models: tuple[ModelCheck, ...] = (),
    notes: tuple[str, ...] = (),
) -> Evaluation:
    """Evaluate the classes of a release: risks and disclosures, but no losses, which need the original records."""
    return Evaluation(
        records=after.records,
        k=k,
        quasi_identifiers=quasi_identifiers,
        base="none",
        loss={},
        disclosures=_all_disclosures(disclosures),
        notes=notes,
        models=models,
        **_evaluate_classes(before, after, k)[0],
    )


def _evaluate_classes(
    before: ClassSizeCounts,
    after: ClassSizeCounts,
    k: int | None,
    risks: tuple[PartialSums, PartialSums] | None = None,
) -> tuple[dict[str, Any], ClassSizeSums]:
    """Return the risks before and after, and the sums over the released classes."""
    sums = risks or [_compute_partials(sizes.blocks(k), _risk_measures()) for sizes in (before, after)]
    before_risks, after_risks = (_risks(each, _risk_measures(), k=k) for each in sums)
    return {"before": before_risks, "after": after_risks}, sums[1][class_size_sums]


def _all_disclosures(sums: Mapping[str, DisclosureSums]) -> dict[str, dict[str, float | None]]:
    return _disclosures(sums, [measure for measure in measures().values() if measure.family == "disclosure"])


def compute_risk_sums(classes: Iterable[tuple[IntVector, FloatVector]], k: int | None) -> PartialSums:
    """Compute the partial sums of risks over classes, of which the sizes and the sums of weights are given."""
    return _compute_partials(_weighted_blocks(classes, k), _risk_measures())


def _weighted_blocks(classes: Iterable[tuple[IntVector, FloatVector]], k: int | None) -> Iterator[EquivalenceClasses]:
    """Yield the records of the classes in blocks."""
    for sizes, weights in classes:
        block = np.cumsum(sizes) // _BLOCK
        for some in np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(block)) + 1):
            yield EquivalenceClasses(np.repeat(sizes[some], sizes[some]), k, np.repeat(weights[some], sizes[some]))


def merge_sums(sums: Sequence[PartialSums]) -> PartialSums:
    """Merge the partial sums of several parts."""
    return {partial: merge_partials([part_sums[partial] for part_sums in sums]) for partial in sums[0]}


def _risk_measures() -> list[Measure]:
    return [measure for measure in measures().values() if measure.family == "risk" and not measure.searching]


def _mergeable_measures() -> list[Measure]:
    return [
        m for m in measures().values() if m.family in ("loss", "change") and m.partial is not None and not m.searching
    ]


def _compute_partials(blocks: Iterator[Any], selected: Sequence[Measure]) -> PartialSums:
    """Run each partial function of these metrics once per block and merge the results."""
    partials = list(dict.fromkeys(measure.partial for measure in selected if measure.partial is not None))
    if not partials:
        return {}
    results = zip(*parallel_map(lambda block: [partial(block) for partial in partials], blocks), strict=True)
    return {partial: merge_partials(sums) for partial, sums in zip(partials, results, strict=True)}


def _finalize(measure: Measure, sums: PartialSums, facts: TableFacts | int | None) -> Any:
    """Finalize a metric that has partial sums; a risk needs only k of the facts."""
    merged = None if measure.partial is None else sums[measure.partial]
    return None if merged is None else measure.finalize(merged, facts)


def _risks(sums: PartialSums, selected: Sequence[Measure], *, k: int | None) -> dict[str, float | None]:
    return {measure.name: _finalize(measure, sums, k) for measure in selected}


def _disclosure_sums(inputs: MetricInputs) -> dict[str, DisclosureSums]:
    """Sums of each sensitive column; none with wildcards, which make no classes."""
    classes = inputs.released_classes.labels
    if classes is None:
        return {}
    blocks = parallel_map(lambda column: ClassDistribution.of(column, classes), inputs.sensitive)
    return sum_disclosures(blocks)


def _disclosures(sums: Mapping[str, DisclosureSums], selected: Sequence[Measure]) -> dict[str, dict[str, float | None]]:
    return {
        name: {measure.name: measure.finalize(of_column) for measure in selected} for name, of_column in sums.items()
    }


def _by_family(figures: dict[Measure, Any], quasi_identifiers: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Arrange the values of all metrics but risks and disclosures as the fields of an evaluation."""

    def of(family: str) -> dict[str, Any]:
        return {measure.name: figure for measure, figure in figures.items() if measure.family == family}

    changes: dict[str, dict[str, float | None]] = {}
    for name, columns in of("change").items():
        for column, figure in (columns or {}).items():
            changes.setdefault(column, {})[name] = figure
    return {
        "loss": of("loss"),
        "attacks": of("attack"),
        "changes": {name: changes[name] for name in quasi_identifiers if name in changes},
    }


def distance_name(categories: Sequence[CategoricalColumn], distance: str | None) -> str | None:
    """Return the distance between categories that was used; without a hierarchy only equality and ranks are."""
    if not categories:
        return None
    hierarchical = any(column.kind is Kind.HIERARCHICAL for column in categories)
    return distance if hierarchical else "rank or equality"
