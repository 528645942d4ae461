"""C_avg: the mean class size relative to k."""

from __future__ import annotations

from shoal.measure.class_sizes import ClassSizeSums, released_class_size_sums
from shoal.measure.pair import TableFacts
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
    partial=released_class_size_sums,
)
def c_avg(sums: ClassSizeSums, facts: TableFacts) -> float | None:
    """Mean class size as a multiple of k."""
    # with wildcards there are no disjoint classes
    return None if facts.k is None or sums.known_classes >= 0 else sums.records / (sums.n_classes * facts.k)
