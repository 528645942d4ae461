"""An evaluation: the measures that are asked for, on one pair of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from shoal.errors import OptionError
from shoal.measure.pair import Classes, Facts, Pair
from shoal.measure.registry import Measure, measures
from shoal.measure.sums import total
from shoal.schema.columns import Kind
from shoal.threads import share
from shoal.values import Evaluation, ModelCheck

DEFAULT, ALL = "default", "all"
Part = Callable[[Any], Any]


def chosen(which: str | Iterable[str]) -> tuple[Measure, ...]:
    """The measures of these names; ``default`` are those that one look at every record tells, ``all`` is all."""
    known = measures()
    if which == ALL:
        return tuple(known.values())
    if which == DEFAULT:
        return tuple(measure for measure in known.values() if not measure.searching)
    if not isinstance(which, Iterable):
        raise OptionError.bad_option("measures", "default, all, or the names of some measures")
    names = [which] if isinstance(which, str) else [str(name) for name in which]
    if not names or not {DEFAULT, ALL}.isdisjoint(names):
        raise OptionError.bad_option("measures", "default, all, or the names of some measures")
    for name in names:
        if name not in known:
            raise OptionError.unknown_choice("measure", name, (DEFAULT, ALL, *known))
    return tuple(known[name] for name in names)


@np.errstate(over="ignore", invalid="ignore")  # a release may show what is far beyond the original
def evaluate(
    pair: Pair,
    *,
    which: str | Iterable[str] = DEFAULT,
    notes: tuple[str, ...] = (),
    models: tuple[ModelCheck, ...] = (),
) -> Evaluation:
    """These measures on a table and its release; notes and models are counted before."""
    asked = chosen(which)
    risks = [measure for measure in asked if measure.family == "risk"]
    others = [measure for measure in asked if measure.family != "risk"]
    sums = summed(pair, others)
    figures = {
        measure.name: measure.finish(pair) if measure.part is None else figured(measure, sums, pair.facts)
        for measure in others
    }

    def of(family: str) -> dict[str, Any]:
        return {measure.name: figures[measure.name] for measure in others if measure.family == family}

    def by_column(family: str) -> dict[str, dict[str, float | None]]:
        found: dict[str, dict[str, float | None]] = {}
        for name, columns in of(family).items():
            for column, figure in (columns or {}).items():
                found.setdefault(column, {})[name] = figure
        return found

    changes = by_column("change")
    return Evaluation(
        records=pair.records,
        k=pair.after.k,
        quasi_identifiers=pair.names,
        base=pair.scale.name if pair.scale and pair.numeric else "none",
        distance=_named(pair),
        loss=of("loss"),
        before=_risks(pair.before, risks),
        after=_risks(pair.after, risks),
        attacks=of("attack"),
        changes={name: changes[name] for name in pair.names if name in changes},
        disclosures=by_column("disclosure"),
        notes=notes,
        models=models,
    )


def summed(data: Pair | Classes, asked: Sequence[Measure]) -> dict[Part, Any]:
    """What each part that these measures share counts in all blocks together."""
    parts = list(dict.fromkeys(measure.part for measure in asked if measure.part is not None))
    if not parts:
        return {}
    found = zip(*share(lambda block: [part(block) for part in parts], data.blocks()), strict=True)
    return {part: total(sums) for part, sums in zip(parts, found, strict=True)}


def figured(measure: Measure, sums: dict[Part, Any], facts: Facts) -> Any:
    """The figure of a measure that sums tell."""
    counted = sums[measure.part] if measure.part is not None else None
    return None if counted is None else measure.finish(counted, facts)


def _risks(classes: Classes, asked: Sequence[Measure]) -> dict[str, float | None]:
    sums = summed(classes, asked)
    found: dict[str, float | None] = {}
    for measure in asked:
        counted = None if measure.part is None else sums[measure.part]
        found[measure.name] = None if counted is None else measure.finish(counted, classes.k)
    return found


def _named(pair: Pair) -> str | None:
    """How distances between categories were measured; without a hierarchy there are equality and ranks only."""
    if not pair.categories:
        return None
    hierarchical = any(column.kind is Kind.HIERARCHICAL for column in pair.categories)
    return pair.distance if hierarchical else "rank or equality"
