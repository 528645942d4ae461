"""Leaf of each household: its members join the first of them, so that one part has all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.domain import IntVector, Survey
from shoal.errors import DataError
from shoal.microaggregation.group import check_stratum_sizes

_BYTES_PER_HOUSEHOLD = 48
"""Memory per household while two sorted runs of 16 bytes per household are merged."""


class HouseholdTotals(NamedTuple):
    """Totals over all households of a table."""

    per_leaf: IntVector
    largest: int
    too_large: int
    """Number of households with more members than allowed."""
    across_strata: int
    """Number of households with members in different strata."""

    def check(self, survey: Survey, k: int, *, blocks: int) -> None:
        """Raise if a household is too large or in several strata, or if a stratum has too few.

        ``blocks`` is the number of leaves of each stratum.
        """
        if self.across_strata:
            raise DataError.household_across_strata(self.across_strata)
        if self.too_large:
            raise DataError.household_too_large(
                largest=self.largest, most=survey.largest_household, households=self.too_large
            )
        check_stratum_sizes(self.per_leaf.reshape(-1, blocks).sum(axis=1), k, unit="household")


class _Run(NamedTuple):
    """Households sorted by key."""

    keys: IntVector
    leaves: NDArray[np.int32]
    sizes: NDArray[np.int32]

    def find(self, keys: IntVector) -> tuple[IntVector, IntVector]:
        """Return which of these keys are in the run, and where."""
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = np.flatnonzero(self.keys[places] == keys)
        return known, places[known]

    def merge(self, other: _Run) -> _Run:
        order = np.argsort(np.concatenate([self.keys, other.keys]), kind="stable")
        return _Run(
            np.concatenate([self.keys, other.keys])[order],
            np.concatenate([self.leaves, other.leaves])[order],
            np.concatenate([self.sizes, other.sizes])[order],
        )


class HouseholdLeaves:
    """Assigns the records of a table, given in its order, to the leaves of their households.

    Households are held in sorted runs, each more than twice as long as the next: a chunk is a new run, and runs are
    merged as they grow.
    """

    def __init__(self, *, blocks: int, max_bytes: int) -> None:
        """``blocks`` is the number of leaves of each stratum."""
        self._blocks, self._most = blocks, max_bytes // _BYTES_PER_HOUSEHOLD
        self._runs: list[_Run] = []
        self._across_strata = np.empty(0, dtype=np.int64)
        """Keys of households with members in different strata."""

    def assign(self, keys: IntVector, leaf: IntVector) -> IntVector:
        """Return the leaf of each record's household from its key and its own leaf."""
        distinct, first, numbers, sizes = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        leaves, is_new = leaf[first], np.ones(len(distinct), dtype=np.bool_)
        for run in self._runs:
            known, places = run.find(distinct)
            leaves[known] = run.leaves[places]
            run.sizes[places] += sizes[known].astype(np.int32)
            is_new[known] = False
        assigned: IntVector = leaves[numbers]
        across = leaf // self._blocks != assigned // self._blocks
        if across.any():
            self._across_strata = np.union1d(self._across_strata, keys[across])
        if is_new.any():
            self._add(_Run(distinct[is_new], leaves[is_new].astype(np.int32), sizes[is_new].astype(np.int32)))
        return assigned

    def _add(self, run: _Run) -> None:
        while self._runs and len(self._runs[-1].keys) <= 2 * len(run.keys):
            run = self._runs.pop().merge(run)
        self._runs.append(run)
        if sum(len(each.keys) for each in self._runs) > self._most:
            raise DataError.too_many_households(self._most)

    def totals(self, *, leaves: int, largest_household: int) -> HouseholdTotals:
        """Return the totals over all households."""
        return HouseholdTotals(
            per_leaf=np.sum([np.bincount(run.leaves, minlength=leaves) for run in self._runs], axis=0),
            largest=max(int(run.sizes.max()) for run in self._runs),
            too_large=sum(int((run.sizes > largest_household).sum()) for run in self._runs),
            across_strata=len(self._across_strata),
        )
