"""Journalist: somebody who looks for any person, in a list of the population that the table was drawn from.

F are the persons of a class in the population: counted in a table of it where there is one, else estimated by the sum
of the sampling weights, else those of the table, which is then the population itself. Then the risks are those of the
prosecutor. Suppressed records are a class as any other.
"""

from __future__ import annotations

from typing import NamedTuple

from shoal.measure.pair import Classes
from shoal.measure.prosecutor import REFERENCE, THRESHOLD
from shoal.measure.registry import risk
from shoal.measure.sums import Tally


class Persons(NamedTuple):
    """The records by the sizes of their classes, in the population and in the table; and Σ F over classes."""

    population: Tally
    table: Tally
    all: float
    records: int

    @property
    def found(self) -> float:
        """Σ f/F over classes: every record of a class is found in 1 of F tries."""
        return float((self.population.counts / self.population.keys).sum())

    @property
    def classes(self) -> float:
        """The number of classes."""
        return float((self.table.counts / self.table.keys).sum())

    @property
    def average(self) -> float:
        """The share of the records that is found by looking up every one of them."""
        return self.found / self.records


def persons(block: Classes) -> Persons:
    """Of a block, by its classes in the whole table and population."""
    known = block.persons
    return Persons(Tally.of(known), Tally.of(block.sizes), float((known / block.sizes).sum()), block.records)


@risk(
    name="journalist_highest",
    label="highest journalist risk",
    formula="1 / min F",
    range="0 to 1",
    good="low",
    reference=REFERENCE,
    sentence="Who looks for any person in the population finds one in at most 1 of {one_in} tries.",
    part=persons,
)
def journalist_highest(sums: Persons, _: int | None) -> float | None:
    """The risk of the records in the class with the fewest persons of the population."""
    return 1.0 / float(sums.population.keys[0])


@risk(
    name="journalist_average",
    label="average journalist risk",
    formula="the larger of number of classes / Σ F over classes and 1/n · Σ f/F over classes",
    range="0 to 1",
    good="low",
    reference=REFERENCE,
    sentence="Who looks for any person in the population finds one in 1 of {one_in} tries on average.",
    part=persons,
)
def journalist_average(sums: Persons, _: int | None) -> float | None:
    """The mean risk, whether persons of the population are looked up in the table or its records in the population."""
    return max(sums.classes / sums.all, sums.average)


@risk(
    name="journalist_at_risk",
    label="records at journalist risk",
    unit="%",
    formula=f"100 · records with 1/F above {THRESHOLD} / n",
    range="0 to 100 percent",
    good="0",
    reference=REFERENCE,
    sentence="{figure} of 100 records hide among fewer than five persons of the population.",
    part=persons,
)
def journalist_at_risk(sums: Persons, _: int | None) -> float | None:
    """The share of the records whose risk is above 0.2, in percent."""
    few = sums.population.counts[sums.population.keys < 1.0 / THRESHOLD]
    return 100.0 * float(few.sum()) / sums.records
