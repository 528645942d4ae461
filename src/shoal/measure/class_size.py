"""Losses by the size of classes: how far the release goes beyond what k asks."""

from __future__ import annotations

from shoal.measure.registry import Comparison, loss
from shoal.values import plain


@loss(
    name="c_avg",
    formula="n / (number of classes · k)",
    range="1 and up for a release that keeps its promise",
    good="near 1",
    reference="LeFevre, DeWitt and Ramakrishnan (2006), Mondrian multidimensional k-anonymity, ICDE",
)
def c_avg(comparison: Comparison) -> float | None:
    """The mean class size as a multiple of k."""
    classes = comparison.classes
    # records that may be alike make no classes: wildcards split them into smaller ones
    return None if classes.k is None or classes.classes is not None else classes.records / (classes.count * classes.k)


@loss(
    name="discernibility",
    formula="Σ over classes of size²",
    range="n to n²",
    good="low",
    reference="Bayardo and Agrawal (2005), Data privacy through optimal k-anonymization, ICDE",
)
def discernibility(comparison: Comparison) -> float | None:
    """For every record the number of records that it cannot be told from, summed."""
    return plain(comparison.classes.sizes.sum())
