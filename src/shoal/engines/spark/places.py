"""Places: where on a cluster the records of each leaf are worked on, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.engines.pieces import Slice
from shoal.values import IntVector


@dataclass(frozen=True, eq=False)
class Places:
    """The slices of all pieces in their order; the place of a record is the number of its slice.

    In a piece records stand by their places and then by their numbers, as on one machine.
    """

    first: IntVector
    """The first place of each leaf, -1 where it has no record."""
    piece: IntVector
    """The piece of each place."""
    ranks: Mapping[int, tuple[int, ...]]
    """For each leaf that is sliced, how many of its records come before each slice but the first."""
    starts: Mapping[int, IntVector] = field(default_factory=dict)
    """The same by the numbers of the records with which these slices begin."""

    def of(self, leaf: IntVector, rows: IntVector) -> IntVector:
        """The places of records by their leaves and numbers."""
        found = self.first[leaf]
        for large, starts in self.starts.items():
            some = leaf == large
            found[some] += np.searchsorted(starts, rows[some], side="right")
        return found


def places(pieces: Sequence[Sequence[Slice]], leaves: int) -> Places:
    """By the pieces, as they were made from counts."""
    first, ranks, number = np.full(leaves, -1, dtype=np.int64), dict[int, list[int]](), 0
    for piece in pieces:
        for part in piece:
            if part.start:
                ranks.setdefault(part.leaf, []).append(part.start)
            else:
                first[part.leaf] = number
            number += 1
    owners = np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
    return Places(first, owners, {leaf: tuple(before) for leaf, before in ranks.items()})
