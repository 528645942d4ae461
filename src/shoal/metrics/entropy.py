"""Entropy: the fraction of the information in the original values that the release loses."""

from __future__ import annotations

from shoal.metrics.column_frequencies import column_metric, count_columns
from shoal.metrics.inputs import MetricInputs
from shoal.metrics.registry import change, loss
from shoal.metrics.squared_error import percent

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
def entropy(inputs: MetricInputs) -> float | None:
    """Information in the original values that the released values lose, in percent of all bits.

    P(x | x′) is estimated from the records that have both, so a released value that replaces a single original value
    loses nothing. For global recoding this is what ARX computes.
    """
    counts = count_columns(inputs)
    if not counts:
        return None
    return percent(sum(column.lost_entropy for column in counts), sum(column.entropy for column in counts))


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
def entropy_lost(inputs: MetricInputs) -> dict[str, float]:
    """Information in each column that its released values lose, in percent of its bits."""
    return column_metric(inputs, lambda counts: percent(counts.lost_entropy, counts.entropy))
