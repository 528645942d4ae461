"""Evaluation of a release: run the selected metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from shoal.domain import Evaluation, ModelCheck
from shoal.domain.columns import Kind
from shoal.errors import OptionError
from shoal.metrics.inputs import EquivalenceClasses, MetricInputs, TableFacts
from shoal.metrics.partial_sums import merge_partials
from shoal.metrics.registry import Measure, measures
from shoal.system.threads import parallel_map

DEFAULT, ALL = "default", "all"
PartialFunction = Callable[[Any], Any]


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
    others = [measure for measure in selected if measure.family != "risk"]
    sums = compute_partials(inputs, others)
    figures = {
        measure.name: measure.finalize(inputs)
        if measure.partial is None
        else finalize_measure(measure, sums, inputs.facts)
        for measure in others
    }

    def of(family: str) -> dict[str, Any]:
        return {measure.name: figures[measure.name] for measure in others if measure.family == family}

    def by_column(family: str) -> dict[str, dict[str, float | None]]:
        result: dict[str, dict[str, float | None]] = {}
        for name, columns in of(family).items():
            for column, figure in (columns or {}).items():
                result.setdefault(column, {})[name] = figure
        return result

    changes = by_column("change")
    return Evaluation(
        records=inputs.records,
        k=inputs.released_classes.k,
        quasi_identifiers=inputs.quasi_identifiers,
        base=inputs.scale.name if inputs.scale and inputs.numeric else "none",
        distance=_distance_name(inputs),
        loss=of("loss"),
        before=_risks(inputs.original_classes, risks),
        after=_risks(inputs.released_classes, risks),
        attacks=of("attack"),
        changes={name: changes[name] for name in inputs.quasi_identifiers if name in changes},
        disclosures=by_column("disclosure"),
        notes=notes,
        models=models,
    )


def compute_partials(
    data: MetricInputs | EquivalenceClasses, selected: Sequence[Measure]
) -> dict[PartialFunction, Any]:
    """Run each partial function of these metrics once per block and merge the results."""
    partials = list(dict.fromkeys(measure.partial for measure in selected if measure.partial is not None))
    if not partials:
        return {}
    results = zip(*parallel_map(lambda block: [partial(block) for partial in partials], data.blocks()), strict=True)
    return {partial: merge_partials(sums) for partial, sums in zip(partials, results, strict=True)}


def finalize_measure(measure: Measure, partials: dict[PartialFunction, Any], facts: TableFacts) -> Any:
    """Finalize a metric that has partial sums."""
    merged = partials[measure.partial] if measure.partial is not None else None
    return None if merged is None else measure.finalize(merged, facts)


def _risks(classes: EquivalenceClasses, selected: Sequence[Measure]) -> dict[str, float | None]:
    sums = compute_partials(classes, selected)
    values: dict[str, float | None] = {}
    for measure in selected:
        merged = None if measure.partial is None else sums[measure.partial]
        values[measure.name] = None if merged is None else measure.finalize(merged, classes.k)
    return values


def _distance_name(inputs: MetricInputs) -> str | None:
    """The distance between categories that was used; without a hierarchy only equality and ranks are."""
    if not inputs.categories:
        return None
    hierarchical = any(column.kind is Kind.HIERARCHICAL for column in inputs.categories)
    return inputs.distance if hierarchical else "rank or equality"
