"""Survey design: sampling weights, strata and households by record."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.domain.arrays import FloatVector, IntVector


@dataclass(frozen=True, eq=False, repr=False)
class SurveyDesign:
    """The survey design of the records; every part is optional."""

    sampling_weights: FloatVector | None = None
    """The number of persons in the population that each record represents, above 0."""
    strata: IntVector | None = None
    """The stratum of each record, numbered from 0; groups never cross strata."""
    households: IntVector | None = None
    """The household of each record, numbered from 0; its members stay in one group."""

    def take(self, rows: IntVector) -> SurveyDesign:
        """Select records, in the given order."""
        return SurveyDesign(
            None if self.sampling_weights is None else self.sampling_weights[rows],
            None if self.strata is None else self.strata[rows],
            None if self.households is None else self.households[rows],
        )
