"""Evaluation of a table that is processed in parts, from partial sums and class size counts.

Metrics that need the whole table at once are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.domain import Evaluation, ModelCheck
from shoal.metrics.class_size import discernibility_sums, released_class_size_sums
from shoal.metrics.evaluate import PartialFunction, compute_partials, finalize_measure
from shoal.metrics.inputs import EquivalenceClasses, MetricInputs, TableFacts
from shoal.metrics.partial_sums import KeyedCounts, merge_partials
from shoal.metrics.registry import Measure, measures

PartialSums = dict[PartialFunction, Any]
_CLASS_PARTIALS = (discernibility_sums, released_class_size_sums)
"""Partial functions that need class sizes, which one part of the table does not know."""
_BLOCK = 1 << 18
"""Records per block when class sizes are expanded."""


@dataclass(frozen=True, eq=False)
class ClassSizeCounts:
    """The number of classes of each size in a table, and the number of suppressed records."""

    counts: KeyedCounts
    n_suppressed: int = 0

    @property
    def records(self) -> int:
        return int((self.counts.keys * self.counts.counts).sum())

    @property
    def classes(self) -> int:
        return int(self.counts.counts.sum())

    def blocks(self, k: int | None) -> Iterator[EquivalenceClasses]:
        """Yield the records of all classes in blocks, ordered by class size."""
        for size, count in zip(self.counts.keys.tolist(), self.counts.counts.tolist(), strict=True):
            remaining = size * count
            while remaining:
                n = min(remaining, _BLOCK)
                yield EquivalenceClasses(np.full(n, size, dtype=np.int64), k)
                remaining -= n


def compute_part_sums(inputs: MetricInputs) -> PartialSums:
    """Compute the partial sums of one part; its statistics are those of the whole table."""
    return compute_partials(
        inputs, [measure for measure in _mergeable_measures() if measure.partial not in _CLASS_PARTIALS]
    )


def evaluate_parts(
    sums: Sequence[PartialSums],
    facts: TableFacts,
    *,
    before: ClassSizeCounts,
    after: ClassSizeCounts,
    base: str,
    distance: str | None,
    models: tuple[ModelCheck, ...] = (),
    notes: tuple[str, ...] = (),
) -> Evaluation:
    """Evaluate the whole table from the partial sums of its parts."""
    merged: PartialSums = {partial: merge_partials([part_sums[partial] for part_sums in sums]) for partial in sums[0]}
    merged |= _class_sums(after, facts.k)
    selected = _mergeable_measures()
    figures = {measure.name: finalize_measure(measure, merged, facts) for measure in selected}

    def of(family: str) -> dict[str, Any]:
        return {measure.name: figures[measure.name] for measure in selected if measure.family == family}

    changes: dict[str, dict[str, float | None]] = {}
    for name, columns in of("change").items():
        for column, figure in (columns or {}).items():
            changes.setdefault(column, {})[name] = figure
    return Evaluation(
        records=facts.records,
        k=facts.k,
        quasi_identifiers=facts.quasi_identifiers,
        base=base,
        distance=distance,
        loss=of("loss"),
        before=_risks_by_size(before, facts.k),
        after=_risks_by_size(after, facts.k),
        changes={name: changes[name] for name in facts.quasi_identifiers if name in changes},
        models=models,
        notes=notes,
    )


def _mergeable_measures() -> list[Measure]:
    """Losses and changes that have partial sums."""
    return [
        m for m in measures().values() if m.family in ("loss", "change") and m.partial is not None and not m.searching
    ]


def _class_sums(sizes: ClassSizeCounts, k: int | None) -> PartialSums:
    """Partial sums of the functions that need class sizes; suppressed records are indistinguishable from all."""
    results: dict[PartialFunction, list[Any]] = {partial: [] for partial in _CLASS_PARTIALS}
    for block in sizes.blocks(k):
        inputs = MetricInputs(quasi_identifiers=(), original_classes=block, released_classes=block)
        for partial, sums in results.items():
            sums.append(partial(inputs))
    merged = {partial: merge_partials(sums) for partial, sums in results.items()}
    indistinguishable = merged[discernibility_sums]
    merged[discernibility_sums] = indistinguishable._replace(
        sizes=indistinguishable.sizes - float(sizes.n_suppressed) ** 2, suppressed=sizes.n_suppressed
    )
    return merged


def _risks_by_size(sizes: ClassSizeCounts, k: int | None) -> dict[str, float | None]:
    selected = [measure for measure in measures().values() if measure.family == "risk" and not measure.searching]
    partials = list(dict.fromkeys(measure.partial for measure in selected if measure.partial is not None))
    results: dict[PartialFunction, list[Any]] = {partial: [] for partial in partials}
    for block in sizes.blocks(k):
        for partial in partials:
            results[partial].append(partial(block))
    sums = {partial: merge_partials(blocks) for partial, blocks in results.items()}
    return {
        measure.name: None
        if measure.partial is None or sums[measure.partial] is None
        else measure.finalize(sums[measure.partial], k)
        for measure in selected
    }
