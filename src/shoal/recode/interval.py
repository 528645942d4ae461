"""Intervals as text, from the lowest to the highest value of a group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.values import DateColumn, FloatVector, IntVector


def bounds(values: FloatVector, labels: IntVector, groups: int) -> tuple[FloatVector, FloatVector]:
    """Return the lowest and the highest value of each group."""
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, labels, values)
    np.maximum.at(high, labels, values)
    return low, high


def format_intervals(low: FloatVector, high: FloatVector, *, dates: bool, zone: str = "") -> list[str]:
    """Return ``[25-55]`` for each pair of bounds, ``39`` if both are equal; different bounds never give the same text.

    The whole column uses ``[-5 to -2]`` if the text of a number contains a minus sign, and for dates. Dates end with
    their time zone.
    """
    ends = np.concatenate((low, high))
    texts = [text + zone for text in DateColumn(ends).format(with_time=bool(zone))] if dates else _numbers(ends)
    between = " to " if any("-" in text for text in texts) else "-"
    pairs = zip(texts[: len(low)], texts[len(low) :], strict=True)
    return [first if first == last else f"[{first}{between}{last}]" for first, last in pairs]


def _numbers(values: FloatVector) -> Sequence[str]:
    """Format numbers as short as possible without loss; integers without a point, and no negative zero."""
    return [repr(number).removesuffix(".0") for number in (values + 0.0).tolist()]
