"""Prosecutor model: an intruder who looks for one person and knows that the person is in the table."""

from __future__ import annotations

from typing import NamedTuple

from shoal.metrics.class_size import ClassSizeSums, class_size_sums
from shoal.metrics.inputs import EquivalenceClasses
from shoal.metrics.partial_sums import KeyedCounts
from shoal.metrics.registry import risk

RISK_THRESHOLD = 0.2
"""Records with a risk above this, in classes of fewer than five, are at risk."""
REFERENCE = "El Emam (2013), Guide to the de-identification of personal health information, CRC Press"


@risk(
    name="prosecutor_highest",
    label="highest prosecutor risk",
    formula="1 / min f",
    range="1/n to 1",
    good="at most 1/k",
    reference=REFERENCE,
    sentence="Who knows that a person is in the table finds the record in at most 1 of {one_in} tries.",
    partial=class_size_sums,
)
def prosecutor_highest(sums: ClassSizeSums, _: int | None) -> float | None:
    """Risk of the records in the smallest class, for an intruder who knows that a person is in the table."""
    return 1.0 / float(sums.counts.keys[0])


@risk(
    name="prosecutor_average",
    label="average prosecutor risk",
    formula="number of classes / n; with wildcards the mean of 1/f",
    range="1/n to 1",
    good="at most 1/k",
    reference=REFERENCE,
    sentence="Who knows that a person is in the table finds the record in 1 of {one_in} tries on average.",
    partial=class_size_sums,
)
def prosecutor_average(sums: ClassSizeSums, _: int | None) -> float | None:
    """Mean risk of all records, for an intruder who knows that a person is in the table."""
    return sums.reciprocal_sum / sums.records


@risk(
    name="prosecutor_at_risk",
    label="records at prosecutor risk",
    unit="%",
    formula=f"100 · records with 1/f above {RISK_THRESHOLD} / n",
    range="0 to 100 percent",
    good="0",
    reference=REFERENCE,
    sentence="{figure} of 100 records hide among fewer than five in the table.",
    partial=class_size_sums,
)
def prosecutor_at_risk(sums: ClassSizeSums, _: int | None) -> float | None:
    """Percentage of the records with a risk above 0.2."""
    return 100.0 * sums.records_below(1.0 / RISK_THRESHOLD) / sums.records


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


@risk(
    name="marketer",
    label="marketer risk",
    formula="1/n · Σ f/F over classes",
    range="0 to 1",
    good="low",
    reference=REFERENCE,
    sentence="Who looks up every record in the population is right about 1 of {one_in}.",
    partial=population_sums,
)
def marketer(sums: PopulationSums, _: int | None) -> float | None:
    """Expected fraction of the records that is re-identified if every record is looked up in the population."""
    return sums.mean_risk
