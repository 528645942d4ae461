"""Parts on a cluster: the part of each record and its position there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.domain import IntVector
from shoal.engines.parts import Slice


@dataclass(frozen=True, eq=False)
class PartPositions:
    """The slices of all parts in order; the position of a record is the number of its slice.

    Records of a part are sorted by position and row number, as on one machine.
    """

    first: IntVector
    """Position of each leaf, or of its first slice; -1 without records."""
    part: IntVector
    """Part of each position."""
    slices: Mapping[int, IntVector]
    """Positions of the slices of each leaf that has several."""
    ranks: Mapping[int, tuple[int, ...]]
    """Ranks at which the slices of such a leaf begin, without the first."""
    starts: Mapping[int, IntVector] = field(default_factory=dict)
    """The same as row numbers."""

    def of(self, leaf: IntVector, rows: IntVector) -> IntVector:
        """Return the positions of records by leaf and row number."""
        positions = self.first[leaf]
        for large, starts in self.starts.items():
            some = leaf == large
            positions[some] = self.slices[large][np.searchsorted(starts, rows[some], side="right")]
        return positions


def part_positions(parts: Sequence[Sequence[Slice]], leaves: int) -> PartPositions:
    """Compute the positions from the slices of the parts."""
    by_leaf: dict[int, list[tuple[int, int]]] = {}
    for number, part in enumerate(part for piece in parts for part in piece):
        by_leaf.setdefault(part.leaf, []).append((part.start, number))
    first, slices, ranks = np.full(leaves, -1, dtype=np.int64), {}, {}
    for leaf, found in by_leaf.items():
        found.sort()
        first[leaf] = found[0][1]
        if len(found) > 1:
            slices[leaf] = np.array([number for _, number in found])
            ranks[leaf] = tuple(start for start, _ in found[1:])
    owners = np.repeat(np.arange(len(parts)), [len(piece) for piece in parts])
    return PartPositions(first, owners, slices, ranks)
