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
    """The place of each leaf, that of its first slice where it has several; -1 where it has no record."""
    piece: IntVector
    """The piece of each place."""
    slices: Mapping[int, IntVector]
    """The places of the slices of each leaf that has several."""
    ranks: Mapping[int, tuple[int, ...]]
    """How many records of such a leaf come before each of its slices but the first."""
    starts: Mapping[int, IntVector] = field(default_factory=dict)
    """The same by the numbers of the records with which these slices begin."""

    def of(self, leaf: IntVector, rows: IntVector) -> IntVector:
        """The places of records by their leaves and numbers."""
        found = self.first[leaf]
        for large, starts in self.starts.items():
            some = leaf == large
            found[some] = self.slices[large][np.searchsorted(starts, rows[some], side="right")]
        return found


def places(pieces: Sequence[Sequence[Slice]], leaves: int) -> Places:
    """By the pieces, as they were made from counts."""
    by_leaf: dict[int, list[tuple[int, int]]] = {}
    for number, part in enumerate(part for piece in pieces for part in piece):
        by_leaf.setdefault(part.leaf, []).append((part.start, number))
    first, slices, ranks = np.full(leaves, -1, dtype=np.int64), {}, {}
    for leaf, found in by_leaf.items():
        found.sort()
        first[leaf] = found[0][1]
        if len(found) > 1:
            slices[leaf] = np.array([number for _, number in found])
            ranks[leaf] = tuple(start for start, _ in found[1:])
    owners = np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
    return Places(first, owners, slices, ranks)
