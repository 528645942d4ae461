"""The frontier and the knee of a comparison, written out from their definitions."""

from __future__ import annotations

from collections.abc import Sequence

Place = tuple[float, float]
"""Loss and risk."""


def beats(one: Place, other: Place) -> bool:
    """No more of loss and risk, and less of one of them."""
    return one[0] <= other[0] and one[1] <= other[1] and one != other


def frontier(places: Sequence[Place]) -> list[Place]:
    return sorted(place for place in places if not any(beats(other, place) for other in places))


def below_line(place: Place, first: Place, last: Place) -> float:
    """How far a place is below the line between two others, in units of their differences in loss and in risk."""
    across, up = (place[0] - first[0]) / (last[0] - first[0]), (place[1] - last[1]) / (first[1] - last[1])
    return 1 - across - up
