"""Parts of a table: merged leaves of the cut tree, or slices of a leaf that is too large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from shoal import kernels
from shoal.domain import IntMatrix, IntVector, ModelConstraints
from shoal.engines.plan import ReleasePlan
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
    plan: ReleasePlan, leaves: Sequence[int], value_counts: IntMatrix | None, count_values: CountValues
) -> list[list[Slice]]:
    """Split the records of all leaves into parts, each large enough for groups that meet all constraints.

    A leaf that is too small joins its neighbors. A leaf far above the size of a part consists of equal records that no
    cut separates: it is cut into slices, as long as each slice meets the constraints.
    """
    least = min(_MIN_GROUPS * plan.policy.k, plan.part_size)
    parts: list[list[Slice]] = []
    pending: list[Slice] = []
    for leaf in _leaf_order(plan.cuts):
        count = leaves[leaf]
        if count:
            pending.append(Slice(leaf, 0, count))
        if pending and _is_large_enough(plan, pending, least, value_counts):
            parts.append(pending)
            pending = []
    if pending and parts:
        parts[-1] += pending  # the rest joins the last part
    elif pending:
        parts.append(pending)
    sliced = [_sliced(piece, plan.part_size) for piece in parts]
    if value_counts is None or plan.sensitive_encoder is None:
        return [part for piece in sliced for part in piece]
    return _merge_infeasible(plan.sensitive_encoder.constraints, sliced, value_counts, count_values)


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


def _is_large_enough(plan: ReleasePlan, piece: Sequence[Slice], least: int, tallies: IntMatrix | None) -> bool:
    """Return whether these records can form groups by themselves."""
    if sum(part.stop - part.start for part in piece) < least:
        return False
    if tallies is None or plan.sensitive_encoder is None:
        return True
    return _holds(plan.sensitive_encoder.constraints, tallies[[part.leaf for part in piece]].sum(axis=0))


def _holds(demands: ModelConstraints, tally: IntVector) -> bool:
    kernel: Any = kernels.constraint_counts
    return bool(kernel.satisfied(demands, tally))


def _sliced(piece: list[Slice], most: int) -> list[list[Slice]]:
    """Cut a leaf that is far too large into equal slices; the other leaves stay with the first slice."""
    large = next((part for part in piece if part.stop > 2 * most), None)
    if large is None:
        return [piece]
    ends = np.linspace(0, large.stop, -(-large.stop // most) + 1).astype(np.int64).tolist()
    slices = [Slice(large.leaf, start, end) for start, end in pairwise(ends)]
    first = [slices[0] if part is large else part for part in piece]
    return [*_sliced(first, most), *([part] for part in slices[1:])]


def _merge_infeasible(
    demands: ModelConstraints, cut: Sequence[list[list[Slice]]], tallies: IntMatrix, counted: CountValues
) -> list[list[Slice]]:
    """Merge slices that do not meet the constraints with adjacent ones."""
    slices = [part for piece in cut if len(piece) > 1 for one in piece for part in one]
    counts = dict(zip(slices, counted(slices), strict=True)) if slices else {}
    parts: list[list[Slice]] = []
    for piece in cut:
        merged: list[list[Slice]] = []
        pending: list[Slice] = []
        for part in piece if len(piece) > 1 else ():
            pending += part
            if _holds(demands, sum((counts[one] for one in pending), start=np.zeros_like(tallies[0]))):
                merged.append(pending)
                pending = []
        if pending and merged:
            last = merged[-1] + pending
            meets = _holds(demands, sum((counts[one] for one in last), start=np.zeros_like(tallies[0])))
            merged = [*merged[:-1], last] if meets else []
        parts += merged or [[part for one in piece for part in one]]
    return [_merge_adjacent(piece) for piece in parts]


def _merge_adjacent(piece: list[Slice]) -> list[Slice]:
    """Merge adjacent slices of a leaf."""
    merged: list[Slice] = []
    for part in piece:
        if merged and merged[-1].leaf == part.leaf and merged[-1].stop == part.start:
            merged[-1] = merged[-1]._replace(stop=part.stop)
        else:
            merged.append(part)
    return merged
