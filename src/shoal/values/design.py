"""The design of a survey: weights, strata and households, by record."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.values.arrays import FloatVector, IntVector


@dataclass(frozen=True, eq=False, repr=False)
class Design:
    """What is known about how the records came into the table; all of it may be unknown."""

    sampling: FloatVector | None = None
    """How many persons of the population each record stands for, above 0."""
    strata: IntVector | None = None
    """The stratum of each record, numbered from 0; groups never cross strata."""
    households: IntVector | None = None
    """The household of each record, numbered from 0; its members stay together."""

    def some(self, rows: IntVector) -> Design:
        """What is known about some records, in their order."""
        return Design(
            None if self.sampling is None else self.sampling[rows],
            None if self.strata is None else self.strata[rows],
            None if self.households is None else self.households[rows],
        )
