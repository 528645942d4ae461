"""Journalist model: an intruder who looks for any person, with a list of the population.

F is the number of persons of a class in the population: counted in a population table if there is one, else the sum of
the sampling weights, else the class size, since the table is then the population; the risks then equal those of the
prosecutor. Suppressed records are a class like any other.
"""

from __future__ import annotations

from typing import NamedTuple

from shoal.measure.pair import EquivalenceClasses
from shoal.measure.prosecutor import REFERENCE, RISK_THRESHOLD
from shoal.measure.registry import risk
from shoal.measure.sums import KeyedCounts


class PopulationSums(NamedTuple):
    """The number of records by class size in the population and in the table, and Σ F over classes."""

    population: KeyedCounts
    table: KeyedCounts
    population_size: float
    records: int

    @property
    def expected_hits(self) -> float:
        """Σ f/F over classes: each record of a class is re-identified with probability 1/F."""
        return float((self.population.counts / self.population.keys).sum())

    @property
    def n_classes(self) -> float:
        """The number of classes."""
        return float((self.table.counts / self.table.keys).sum())

    @property
    def mean_risk(self) -> float:
        """The expected fraction of the records that is re-identified if each of them is looked up."""
        return self.expected_hits / self.records


def population_sums(block: EquivalenceClasses) -> PopulationSums:
    """Partial sums of a block, by class size in the whole table and population."""
    known = block.population_sizes
    return PopulationSums(
        KeyedCounts.of(known), KeyedCounts.of(block.sizes), float((known / block.sizes).sum()), block.records
    )


@risk(
    name="journalist_highest",
    label="highest journalist risk",
    formula="1 / min F",
    range="0 to 1",
    good="low",
    reference=REFERENCE,
    sentence="Who looks for any person in the population finds one in at most 1 of {one_in} tries.",
    partial=population_sums,
)
def journalist_highest(sums: PopulationSums, _: int | None) -> float | None:
    """Risk of the records in the class with the fewest persons in the population."""
    return 1.0 / float(sums.population.keys[0])


@risk(
    name="journalist_average",
    label="average journalist risk",
    formula="the larger of number of classes / Σ F over classes and 1/n · Σ f/F over classes",
    range="0 to 1",
    good="low",
    reference=REFERENCE,
    sentence="Who looks for any person in the population finds one in 1 of {one_in} tries on average.",
    partial=population_sums,
)
def journalist_average(sums: PopulationSums, _: int | None) -> float | None:
    """Mean risk, if persons of the population are looked up in the table or records in the population."""
    return max(sums.n_classes / sums.population_size, sums.mean_risk)


@risk(
    name="journalist_at_risk",
    label="records at journalist risk",
    unit="%",
    formula=f"100 · records with 1/F above {RISK_THRESHOLD} / n",
    range="0 to 100 percent",
    good="0",
    reference=REFERENCE,
    sentence="{figure} of 100 records hide among fewer than five persons of the population.",
    partial=population_sums,
)
def journalist_at_risk(sums: PopulationSums, _: int | None) -> float | None:
    """Percentage of the records with a risk above 0.2."""
    at_risk = sums.population.counts[sums.population.keys < 1.0 / RISK_THRESHOLD]
    return 100.0 * float(at_risk.sum()) / sums.records
