"""The intervals that stand for groups: from the least of their values to the greatest, as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.values import Days, FloatVector, IntVector


def bounds(values: FloatVector, labels: IntVector, groups: int) -> tuple[FloatVector, FloatVector]:
    """The least and the greatest value of every group."""
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, labels, values)
    np.maximum.at(high, labels, values)
    return low, high


def intervals(low: FloatVector, high: FloatVector, *, dates: bool, zone: str = "") -> list[str]:
    """``[25-55]`` for each pair of bounds, ``39`` where both are the same; one text only for the same bounds.

    ``[-5 to -2]`` in the whole column where the text of a number has a minus sign in it, and for dates, which bear the
    zone that they are in.
    """
    ends = np.concatenate((low, high))
    texts = [text + zone for text in Days(ends).texts(timed=bool(zone))] if dates else _numbers(ends)
    between = " to " if any("-" in text for text in texts) else "-"
    pairs = zip(texts[: len(low)], texts[len(low) :], strict=True)
    return [first if first == last else f"[{first}{between}{last}]" for first, last in pairs]


def _numbers(values: FloatVector) -> Sequence[str]:
    """As short as they can be told apart, whole ones without a point; no negative zero."""
    return [repr(number).removesuffix(".0") for number in (values + 0.0).tolist()]
