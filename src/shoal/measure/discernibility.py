"""Discernibility: how many records each record cannot be told from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.measure.pair import Facts, Pair
from shoal.measure.registry import loss
from shoal.values import plain


class Alike(NamedTuple):
    """The sizes of classes summed over the records that are shown, and the number of those that are not."""

    sizes: float
    suppressed: int


def alike(block: Pair) -> Alike:
    """Of a block."""
    hidden = np.zeros(block.records, dtype=np.bool_) if block.suppressed is None else block.suppressed
    return Alike(float(block.after.sizes[~hidden].sum()), int(hidden.sum()))


@loss(
    name="discernibility",
    label="discernibility",
    formula="Σ over classes of size², and n for every suppressed record",
    range="n to n²",
    good="low",
    reference="Bayardo and Agrawal (2005), Data privacy through optimal k-anonymization, ICDE",
    sentence="The records that each record cannot be told from add up to {figure}.",
    part=alike,
)
def discernibility(sums: Alike, facts: Facts) -> float | None:
    """For every record the number of records that it cannot be told from, summed."""
    return plain(sums.sizes + sums.suppressed * facts.records)
