"""Discernibility: the number of records that each record is indistinguishable from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.measure.pair import MetricInputs, TableFacts
from shoal.measure.registry import loss
from shoal.values import to_builtin


class DiscernibilitySums(NamedTuple):
    """The sum of the class sizes over records, and the number of suppressed records."""

    sizes: float
    suppressed: int


def discernibility_sums(block: MetricInputs) -> DiscernibilitySums:
    """Partial sums of a block."""
    suppressed = np.zeros(block.records, dtype=np.bool_) if block.suppressed is None else block.suppressed
    return DiscernibilitySums(float(block.released_classes.sizes[~suppressed].sum()), int(suppressed.sum()))


@loss(
    name="discernibility",
    label="discernibility",
    formula="Σ over classes of size², and n for every suppressed record",
    range="n to n²",
    good="low",
    reference="Bayardo and Agrawal (2005), Data privacy through optimal k-anonymization, ICDE",
    sentence="The records that each record cannot be told from add up to {figure}.",
    partial=discernibility_sums,
)
def discernibility(sums: DiscernibilitySums, facts: TableFacts) -> float | None:
    """Sum over records of the number of records that it is indistinguishable from."""
    return to_builtin(sums.sizes + sums.suppressed * facts.records)
