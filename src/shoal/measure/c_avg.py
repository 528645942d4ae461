"""C_avg: how far the classes go beyond what k asks."""

from __future__ import annotations

from shoal.measure.class_sizes import Sizes, released_sizes
from shoal.measure.pair import Facts
from shoal.measure.registry import loss


@loss(
    name="c_avg",
    label="mean class size / k",
    formula="n / (number of classes · k)",
    range="1 and up for a release that keeps its promise",
    good="near 1",
    reference="LeFevre, DeWitt and Ramakrishnan (2006), Mondrian multidimensional k-anonymity, ICDE",
    sentence="The mean class size as a multiple of k: {figure}.",
    headline=True,
    part=released_sizes,
)
def c_avg(sums: Sizes, facts: Facts) -> float | None:
    """The mean class size as a multiple of k."""
    # records that may be alike make no classes: wildcards split them into smaller ones
    return None if facts.k is None or sums.classes >= 0 else sums.records / (sums.number * facts.k)
