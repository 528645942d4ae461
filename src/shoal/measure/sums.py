"""Partial sums: what measures know of some records, put together to what they know of all.

A part of a measure looks at one block of records and gives a NamedTuple of numbers, arrays, tallies and extremes;
blocks may lie on one machine or on many. Blocks are put together in their order, so that figures do not depend on who
counted them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

S = TypeVar("S")


class Least(float):
    """A number of which the least counts."""


class Most(float):
    """A number of which the greatest counts."""


class Tally(NamedTuple):
    """Different keys in their order, and what each of them counts."""

    keys: NDArray[Any]
    counts: NDArray[Any]

    @classmethod
    def of(cls, keys: NDArray[Any], weights: NDArray[Any] | None = None) -> Self:
        """How often each key occurs, or the sum of its weights."""
        if weights is None:
            return cls(*np.unique(keys, return_counts=True))
        different, place = np.unique(keys, return_inverse=True)
        return cls(different, np.bincount(place, weights, minlength=len(different)))


def total(parts: Sequence[S]) -> S:
    """All parts in one, field by field: numbers and arrays added, tallies by key, extremes compared."""
    first: Any = parts[0]
    several: Sequence[Any] = parts
    if len(parts) == 1 or first is None:
        return first  # type: ignore[no-any-return]
    found: Any
    if isinstance(first, Tally):
        whole = first.counts.dtype.kind in "iu"
        keys, place = np.unique(np.concatenate([part.keys for part in several]), return_inverse=True)
        counts = np.bincount(place, np.concatenate([part.counts for part in several]), minlength=len(keys))
        found = Tally(keys, np.rint(counts).astype(np.int64) if whole else counts)
    elif isinstance(first, tuple):
        fields = [total(field) for field in zip(*several, strict=True)]
        found = type(first)(*fields) if hasattr(first, "_fields") else tuple(fields)
    elif isinstance(first, Least):
        found = min(several)
    elif isinstance(first, Most):
        found = max(several)
    elif isinstance(first, np.ndarray):
        found = sum(several[1:], start=first)
    else:
        found = sum(several) if isinstance(first, int) else math.fsum(several)
    return found  # type: ignore[no-any-return]
