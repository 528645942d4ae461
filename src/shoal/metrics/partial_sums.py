"""Partial sums of the metrics and how to merge them.

A partial function maps one block of records to a NamedTuple of numbers, arrays, counts by key and extremes. Blocks may
be computed on several machines; they are merged in their order, so the values do not depend on who computed them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.domain import FloatMatrix

S = TypeVar("S")


class MergeByMin(float):
    """A number that merges to the minimum."""


class MergeByMax(float):
    """A number that merges to the maximum."""


class BeforeAfter(NamedTuple):
    """Sums over the original and over the released records."""

    before: FloatMatrix
    after: FloatMatrix


class KeyedCounts(NamedTuple):
    """Counts, or other sums, by key; the keys are sorted and distinct."""

    keys: NDArray[Any]
    counts: NDArray[Any]

    @classmethod
    def of(cls, keys: NDArray[Any], weights: NDArray[Any] | None = None) -> Self:
        """Count each key, or sum its weights."""
        if weights is None:
            return cls(*np.unique(keys, return_counts=True))
        distinct, index = np.unique(keys, return_inverse=True)
        return cls(distinct, np.bincount(index, weights, minlength=len(distinct)))


def merge_partials(partials: Sequence[S]) -> S:
    """Merge partial sums field by field: add numbers and arrays, add counts by key, compare extremes."""
    first: Any = partials[0]
    present: Sequence[Any] = partials
    if len(partials) == 1 or first is None:
        return first  # type: ignore[no-any-return]
    merged: Any
    if isinstance(first, KeyedCounts):
        integral = first.counts.dtype.kind in "iu"
        keys, index = np.unique(np.concatenate([part.keys for part in present]), return_inverse=True)
        counts = np.bincount(index, np.concatenate([part.counts for part in present]), minlength=len(keys))
        merged = KeyedCounts(keys, np.rint(counts).astype(np.int64) if integral else counts)
    elif isinstance(first, tuple):
        fields = [merge_partials(field) for field in zip(*present, strict=True)]
        merged = type(first)(*fields) if hasattr(first, "_fields") else tuple(fields)
    elif isinstance(first, MergeByMin):
        merged = min(present)
    elif isinstance(first, MergeByMax):
        merged = max(present)
    elif isinstance(first, np.ndarray):
        merged = sum(present[1:], start=first)
    else:
        merged = sum(present) if isinstance(first, int) else math.fsum(present)
    return merged  # type: ignore[no-any-return]
