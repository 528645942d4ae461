"""An evaluation of a table that comes in pieces: their sums in order, and the sizes of all classes.

The measures are those of any evaluation that partial sums tell. What only the whole table tells is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.measure.class_sizes import released_sizes
from shoal.measure.discernibility import alike
from shoal.measure.evaluate import Part, figured, summed
from shoal.measure.pair import Classes, Facts, Pair
from shoal.measure.registry import Measure, measures
from shoal.measure.sums import Tally, total
from shoal.values import Evaluation, ModelCheck

Sums = dict[Part, Any]
_OF_CLASSES = (alike, released_sizes)
"""Parts that look at classes alone: a piece does not know how large these are in the whole table."""
_RECORDS = 1 << 18
"""Records whose class sizes are spread out at a time."""


@dataclass(frozen=True, eq=False)
class Sizes:
    """The sizes of the classes of a table: how many classes have each; and how many records show nothing."""

    tally: Tally
    hidden: int = 0

    @property
    def records(self) -> int:
        return int((self.tally.keys * self.tally.counts).sum())

    @property
    def classes(self) -> int:
        return int(self.tally.counts.sum())

    def spread(self, k: int | None) -> Iterator[Classes]:
        """The records of all classes, some at a time, in the order of their sizes."""
        for size, count in zip(self.tally.keys.tolist(), self.tally.counts.tolist(), strict=True):
            left = size * count
            while left:
                some = min(left, _RECORDS)
                yield Classes(np.full(some, size, dtype=np.int64), k)
                left -= some


def sums_of(pair: Pair) -> Sums:
    """What the measures count in a piece; its facts are those of the whole table."""
    return summed(pair, [measure for measure in _told() if measure.part not in _OF_CLASSES])


def evaluation_of(
    sums: Sequence[Sums],
    facts: Facts,
    *,
    before: Sizes,
    after: Sizes,
    base: str,
    distance: str | None,
    models: tuple[ModelCheck, ...] = (),
    notes: tuple[str, ...] = (),
) -> Evaluation:
    """The evaluation of the whole table."""
    joined: Sums = {part: total([one[part] for one in sums]) for part in sums[0]}
    joined |= _of_classes(after, facts.k)
    told = _told()
    figures = {measure.name: figured(measure, joined, facts) for measure in told}

    def of(family: str) -> dict[str, Any]:
        return {measure.name: figures[measure.name] for measure in told if measure.family == family}

    changes: dict[str, dict[str, float | None]] = {}
    for name, columns in of("change").items():
        for column, figure in (columns or {}).items():
            changes.setdefault(column, {})[name] = figure
    return Evaluation(
        records=facts.records,
        k=facts.k,
        quasi_identifiers=facts.names,
        base=base,
        distance=distance,
        loss=of("loss"),
        before=_risks(before, facts.k),
        after=_risks(after, facts.k),
        changes={name: changes[name] for name in facts.names if name in changes},
        models=models,
        notes=notes,
    )


def _told() -> list[Measure]:
    """The losses and changes that sums tell."""
    return [m for m in measures().values() if m.family in ("loss", "change") and m.part is not None and not m.searching]


def _of_classes(sizes: Sizes, k: int | None) -> Sums:
    """What the parts that look at classes alone count; records that show nothing are told from none."""
    found: dict[Part, list[Any]] = {part: [] for part in _OF_CLASSES}
    for block in sizes.spread(k):
        pair = Pair(names=(), before=block, after=block)
        for part, sums in found.items():
            sums.append(part(pair))
    joined = {part: total(sums) for part, sums in found.items()}
    shown = joined[alike]
    joined[alike] = shown._replace(sizes=shown.sizes - float(sizes.hidden) ** 2, suppressed=sizes.hidden)
    return joined


def _risks(sizes: Sizes, k: int | None) -> dict[str, float | None]:
    asked = [measure for measure in measures().values() if measure.family == "risk" and not measure.searching]
    parts = list(dict.fromkeys(measure.part for measure in asked if measure.part is not None))
    found: dict[Part, list[Any]] = {part: [] for part in parts}
    for block in sizes.spread(k):
        for part in parts:
            found[part].append(part(block))
    sums = {part: total(of) for part, of in found.items()}
    return {
        measure.name: None
        if measure.part is None or sums[measure.part] is None
        else measure.finish(sums[measure.part], k)
        for measure in asked
    }
