"""The verdict: which points no other beats, which one is recommended, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shoal.compare.points import Point

EQUAL = 0.005
"""Losses that differ by less than this share are practically equal."""
_SAVED = 1.0
"""Seconds that a run must save, and half of the time, to count as the quicker one: clocks are noisy."""
_BEND = 1e-9


@dataclass(frozen=True)
class Recommendation:
    """The point to take, and the reason in plain words."""

    method: str
    k: int
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.method, "k": self.k, "reason": self.reason}


def frontier(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points that no other beats: none has less of loss or risk and no more of the other; by rising loss."""
    found: list[Point] = []
    for point in sorted((point for point in points if point.measured), key=lambda point: point.place):
        if not found or point.place[1] < found[-1].place[1] or point.place == found[-1].place:
            found.append(point)
    return tuple(found)


def best(points: Sequence[Point]) -> dict[int, Point]:
    """For each k the method with the least loss.

    Of those that are practically equal to it, one that is much quicker is taken, else the one that leaves least risk.
    """
    found: dict[int, Point] = {}
    for k in sorted({point.k for point in points if point.measured}):
        level = [point for point in points if point.measured and point.k == k]
        least = min(point.place[0] for point in level)
        equal = [point for point in level if point.place[0] <= least * (1 + EQUAL)]
        safe = min(equal, key=lambda point: (point.place[1], point.place[0]))
        quick = min(equal, key=lambda point: point.seconds or 0.0)
        found[k] = quick if _is_quicker(quick, safe) else safe
    return found


def knee(curve: Sequence[Point]) -> Point:
    """The point of a curve, one for each k, where more protection begins to cost more than it gives.

    Loss and risk are stretched so that the ends of the curve are 1 apart in both. The knee is the point that lies
    farthest below the straight line between the ends. Where none lies below it, the point with the least product of
    loss and risk is taken: k is raised as long as the risk falls by a larger factor than the loss grows. Of equal
    ones that with less risk is taken.
    """
    first, last = curve[0], curve[-1]
    width, height = last.place[0] - first.place[0], first.place[1] - last.place[1]
    if width > 0 and height > 0:
        depths = [1 - (p.place[0] - first.place[0]) / width - (p.place[1] - last.place[1]) / height for p in curve]
        deepest = max(range(len(curve)), key=lambda i: (depths[i], -curve[i].place[1]))
        if depths[deepest] > _BEND:
            return curve[deepest]
    return min(curve, key=lambda point: (point.place[0] * point.place[1], point.place[1]))


def recommend(points: Sequence[Point], *, usual: str) -> Recommendation | None:
    """The knee of the best points, or the best one where there is one k; None where nothing was measured."""
    winners = best(points)
    if not winners:
        return None
    chosen = knee(list(winners.values()))
    reasons = [_against_methods(chosen, points, usual), *_against_levels(chosen, winners)]
    said = "; ".join(reason for reason in reasons if reason)
    what = f"{chosen.method} at k = {chosen.k}"
    return Recommendation(chosen.method, chosen.k, f"{what}: {said}." if said else f"{what} is the only one measured.")


def _against_methods(chosen: Point, points: Sequence[Point], usual: str) -> str:
    """Beside the usual method and the next best one, at the same k."""
    others = [p for p in points if p.measured and p.k == chosen.k and p.method != chosen.method]
    others.sort(key=lambda point: point.place)
    if not others:
        return ""
    said = [_beside(chosen, other) for other in others if other.method == usual or other is others[0]]
    return f"at the same k {' and '.join(said)}"


def _beside(chosen: Point, other: Point) -> str:
    (mine, risk), (theirs, risk_there) = chosen.place, other.place
    if theirs - mine > EQUAL * mine:
        return f"{_percent(1 - mine / theirs)} less loss than {other.method}"
    same = f"{'the' if mine == theirs else 'practically the'} same loss as {other.method}"
    if _is_quicker(chosen, other):
        return f"{same} in less time"
    return f"{same} with a risk of {risk:.3g} instead of {risk_there:.3g} of 100" if risk < risk_there else same


def _against_levels(chosen: Point, winners: dict[int, Point]) -> list[str]:
    """What the next k would change, up and down."""
    levels = list(winners)
    at = levels.index(chosen.k)
    beside = [("up", levels[at + 1 : at + 2]), ("down", levels[at - 1 : at] if at else [])]
    return [
        f"going {way} to k = {k} would bring the risk {_risks(chosen, winners[k])} for {_times(winners[k], chosen)}"
        for way, found in beside
        for k in found
    ]


def _risks(point: Point, other: Point) -> str:
    return f"from {point.place[1]:.3g} to {other.place[1]:.3g} of 100"


def _times(point: Point, other: Point) -> str:
    mine, theirs = point.place[0], other.place[0]
    if mine == theirs:
        return "the same loss"
    if abs(mine - theirs) <= EQUAL * theirs:
        return "practically the same loss"
    return f"{mine / theirs:.2g} times the loss" if theirs else f"a loss of {mine:.3g} instead of 0"


def _percent(share: float) -> str:
    """A share in percent, with no more digits than it deserves."""
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def _is_quicker(point: Point, other: Point) -> bool:
    mine, theirs = point.seconds or 0.0, other.seconds or 0.0
    return not other.compiled and theirs - mine >= _SAVED and mine <= theirs / 2
