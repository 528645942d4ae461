"""Lower bounds of the SSE of every partition into groups of at least k."""

from __future__ import annotations

from shoal import kernels
from shoal.values import Progress, Records, Space, silent


def elementary_bound(records: Records, k: int, *, progress: Progress = silent) -> float:
    """A bound from near neighbors alone: no partition into groups of k has a smaller SSE of the numeric columns.

    The SSE of a group of s records is the sum of the squared distances of its ordered pairs, divided by 2s. So the
    share of one record is at least the sum of its s - 1 smallest squared distances to other records, divided by 2s.
    A best partition has groups of k to 2k - 1 records, so the least of these shares over such s, added up over the
    records, is a bound.
    """
    return float(kernels.bound.shares(Space.of_numbers(records.matrix), k, progress=progress).sum())
