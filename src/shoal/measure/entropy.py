"""Entropy: how many of the bits of the original values the released ones leave unsaid."""

from __future__ import annotations

from shoal.measure.pair import Pair
from shoal.measure.registry import change, loss
from shoal.measure.squared_error import percent
from shoal.measure.tallies import tallies

_REFERENCE = (
    "De Waal and Willenborg (1999), Information loss through global recoding and local suppression, Netherlands"
    " Official Statistics 14; non-uniform entropy in ARX"
)


@loss(
    name="entropy",
    label="non-uniform entropy loss",
    unit="%",
    formula="100 · Σ −log2 P(x | x′) / Σ −log2 P(x) over cells, P by the counts of the column",
    range="0 to 100 percent",
    good="low",
    reference=_REFERENCE,
    sentence="The released values leave {figure} % of what the original ones say unsaid.",
)
def entropy(pair: Pair) -> float | None:
    """The share of the bits of the original values that the released ones do not tell, in percent.

    P(x | x′) is by the records that have both, so that a value is told wholly by any other that it alone became. For a
    recoding that is the same in the whole table this is what ARX computes.
    """
    found = tallies(pair)
    return percent(sum(one.unsaid for one in found), sum(one.entropy for one in found)) if found else None


@change(
    name="entropy_lost",
    label="non-uniform entropy loss",
    unit="%",
    formula="100 · Σ −log2 P(x | x′) / Σ −log2 P(x) over the cells of the column",
    range="0 to 100 percent",
    good="low",
    reference=_REFERENCE,
    sentence="The released values of {column} leave {figure} % of what the original ones say unsaid.",
)
def entropy_lost(pair: Pair) -> dict[str, float]:
    """The share of the bits of each column that its released values do not tell, in percent."""
    found = zip(pair.facts.measured, tallies(pair), strict=True)
    return {name: percent(one.unsaid, one.entropy) for name, one in found}
