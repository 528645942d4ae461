"""Parts of a table: merged leaves of the cut tree, or slices of a leaf that is too large."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from shoal import kernels
from shoal.domain import IntMatrix, IntVector, ModelConstraints
from shoal.engines.parts_plan import PartsPlan
from shoal.errors.messages import pluralize
from shoal.microaggregation.cut_tree import CutTree

_MIN_GROUPS = 20
"""A part has at least this many times k records, if the table has."""


class Slice(NamedTuple):
    """A range of the records of a leaf."""

    leaf: int
    start: int
    stop: int


CountValues = Callable[[Sequence[Slice]], IntMatrix]
"""Counts the sensitive values of each slice."""


def split_into_parts(
    plan: PartsPlan,
    leaves: Sequence[int],
    value_counts: IntMatrix,
    count_values: CountValues,
    *,
    households: Sequence[int] | None = None,
) -> list[list[Slice]]:
    """Split the records of all leaves into parts, each large enough for groups that meet all constraints.

    A leaf that is too small joins its neighbors. A leaf far above the size of a part consists of equal records that no
    cut separates: it is cut into slices, as long as each slice meets the constraints. With the number of ``households``
    in each leaf, the size of a part is counted in households, and no leaf is cut, since a slice could separate members.
    """
    min_size = min(_MIN_GROUPS * plan.policy.k, plan.part_size)
    parts: list[list[Slice]] = []
    order = _leaf_order(plan.cuts)
    for first in range(0, plan.n_leaves, plan.cuts.n_blocks):  # stratum by stratum
        in_stratum = [Slice(first + leaf, 0, leaves[first + leaf]) for leaf in order if leaves[first + leaf]]
        if plan.sensitive_encoder is not None and len(plan.strata):
            counts = value_counts[[leaf.leaf for leaf in in_stratum]].sum(axis=0)
            plan.sensitive_encoder.check_feasible(counts, f"a stratum of {pluralize(_count(in_stratum), 'record')}")
        parts += _merge_small_leaves(plan, in_stratum, min_size, value_counts, households or leaves)
    if households is not None:
        return parts
    sliced = [_slice_large_leaf(part, plan.part_size) for part in parts]
    if plan.sensitive_encoder is None:
        return [part for slices in sliced for part in slices]
    return _merge_infeasible(plan.sensitive_encoder.constraints, sliced, count_values)


def _merge_small_leaves(
    plan: PartsPlan, leaves: Sequence[Slice], min_size: int, value_counts: IntMatrix, units: Sequence[int]
) -> list[list[Slice]]:
    parts: list[list[Slice]] = []
    pending: list[Slice] = []
    for leaf in leaves:
        pending.append(leaf)
        is_large = sum(units[each.leaf] for each in pending) >= min_size
        if is_large and _meets_models(plan, pending, value_counts):
            parts.append(pending)
            pending = []
    if pending and parts:
        parts[-1] += pending  # the rest joins the last part
    elif pending:
        parts.append(pending)
    return parts


def _count(slices: Sequence[Slice]) -> int:
    return sum(each.stop - each.start for each in slices)


def _leaf_order(cuts: CutTree) -> list[int]:
    """Return the leaves in depth-first order, so that siblings are adjacent."""
    leaf_number, order, stack = np.cumsum(cuts.column < 0) - 1, [], [0]
    while stack:
        node = stack.pop()
        if cuts.column[node] < 0:
            order.append(int(leaf_number[node]))
        else:
            stack += [int(cuts.right[node]), int(cuts.left[node])]
    return order


def _meets_models(plan: PartsPlan, part: Sequence[Slice], value_counts: IntMatrix) -> bool:
    """Return whether these leaves together meet all privacy models."""
    encoder = plan.sensitive_encoder
    return encoder is None or _satisfied(encoder.constraints, value_counts[[each.leaf for each in part]].sum(axis=0))


def _satisfied(constraints: ModelConstraints, counts: IntVector) -> bool:
    kernel: Any = kernels.constraint_counts
    return bool(kernel.satisfied(constraints, counts))


def _slice_large_leaf(part: list[Slice], max_size: int) -> list[list[Slice]]:
    """Cut a leaf that is far too large into equal slices; the other leaves stay with the first slice."""
    large = next((leaf for leaf in part if leaf.stop > 2 * max_size), None)
    if large is None:
        return [part]
    ends = np.linspace(0, large.stop, -(-large.stop // max_size) + 1).astype(np.int64).tolist()
    slices = [Slice(large.leaf, start, end) for start, end in pairwise(ends)]
    first = [slices[0] if leaf is large else leaf for leaf in part]
    return [*_slice_large_leaf(first, max_size), *([each] for each in slices[1:])]


def _merge_infeasible(
    constraints: ModelConstraints, sliced: Sequence[list[list[Slice]]], count_values: CountValues
) -> list[list[Slice]]:
    """Merge slices that do not meet the constraints with adjacent ones."""
    slices = [each for parts in sliced if len(parts) > 1 for part in parts for each in part]
    counts = dict(zip(slices, count_values(slices), strict=True)) if slices else {}

    def is_feasible(part: Sequence[Slice]) -> bool:
        return _satisfied(constraints, np.sum([counts[each] for each in part], axis=0))

    merged_parts: list[list[Slice]] = []
    for parts in sliced:
        merged: list[list[Slice]] = []
        pending: list[Slice] = []
        for part in parts if len(parts) > 1 else ():
            pending += part
            if is_feasible(pending):
                merged.append(pending)
                pending = []
        if pending and merged:
            last = merged[-1] + pending
            merged = [*merged[:-1], last] if is_feasible(last) else []
        merged_parts += merged or [[each for part in parts for each in part]]
    return [_merge_adjacent(part) for part in merged_parts]


def _merge_adjacent(part: list[Slice]) -> list[Slice]:
    merged: list[Slice] = []
    for each in part:
        if merged and merged[-1].leaf == each.leaf and merged[-1].stop == each.start:
            merged[-1] = merged[-1]._replace(stop=each.stop)
        else:
            merged.append(each)
    return merged


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
    for number, piece in enumerate(piece for part in parts for piece in part):
        by_leaf.setdefault(piece.leaf, []).append((piece.start, number))
    first, slices, ranks = np.full(leaves, -1, dtype=np.int64), {}, {}
    for leaf, slices_of_leaf in by_leaf.items():
        slices_of_leaf.sort()
        first[leaf] = slices_of_leaf[0][1]
        if len(slices_of_leaf) > 1:
            slices[leaf] = np.array([number for _, number in slices_of_leaf])
            ranks[leaf] = tuple(start for start, _ in slices_of_leaf[1:])
    owners = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return PartPositions(first, owners, slices, ranks)
