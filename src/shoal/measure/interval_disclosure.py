"""Interval disclosure: original numbers that lie near the released ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.measure.pair import Facts, Pair
from shoal.measure.registry import attack, change
from shoal.values import FloatVector

WINDOW = 0.05
"""How far from the released number an original one counts as told, in standard deviations of the released ones."""
_REFERENCE = "Mateo-Sanz, Sebé and Domingo-Ferrer (2004), Outlier protection in continuous microdata masking, PSD"
_FORMULA = f"the original number is at most {WINDOW} standard deviations of the released column from the released one"


class Near(NamedTuple):
    """The records of which too much is told; and for each column the numbers that are near, and all that are known."""

    told: int
    near: FloatVector
    known: FloatVector
    records: int


def near(block: Pair) -> Near | None:
    """Of a block; of an interval the middle counts, and what shows nothing is near to nothing."""
    if not block.numeric or not len(block.facts.shown_spread):  # of a table in pieces it is not known
        return None
    inside = np.abs(block.was - block.now) <= WINDOW * block.facts.shown_spread
    known = np.column_stack([~block.gone(j) for j in range(len(block.numeric))])
    shown = np.column_stack([~block.empty(j) for j in range(len(block.numeric))])
    inside &= known & shown
    told = inside.any(axis=1) & ((known & ~inside).sum(axis=1) <= 1)
    return Near(int(told.sum()), inside.sum(axis=0) * 1.0, known.sum(axis=0) * 1.0, block.records)


@attack(
    name="d_risk",
    label="records told by their numbers (dRisk)",
    unit="%",
    formula=f"100 · records / n for which {_FORMULA}: in all numeric columns but at most one, and in one at least",
    range="0 to 100 percent",
    good="low",
    reference=_REFERENCE,
    sentence="For {figure} of 100 records the released numbers tell the original ones, but for at most one of them.",
    part=near,
)
def d_risk(sums: Near, _: Facts) -> float | None:
    """The share of the records whose numbers all lie near the released ones, but for at most one, in percent.

    As dRisk of sdcMicro counts it, where there are two or more numbers and none is missing: there a single number, and
    one that is not shown, count as told.
    """
    return 100.0 * sums.told / sums.records


@change(
    name="interval_disclosure",
    label="interval disclosure",
    unit="%",
    formula=f"100 · records / records with a number for which {_FORMULA}",
    range="0 to 100 percent",
    good="low",
    reference=_REFERENCE,
    sentence="For {figure} of 100 records the release tells {column} to within a twentieth of its standard deviation.",
    part=near,
)
def interval_disclosure(sums: Near, facts: Facts) -> dict[str, float | None]:
    """The share of the numbers of each column that lie near the released ones, in percent."""
    shares = 100.0 * sums.near / np.maximum(sums.known, 1.0)
    known = zip(facts.numeric, shares.tolist(), sums.known.tolist(), strict=True)
    return {name: share if count else None for name, share, count in known}
