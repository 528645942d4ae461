"""Pareto frontier of a comparison, its knee, and the recommendation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shoal.release.compare.points import ComparisonPoint

EQUAL_LOSS = 0.005
"""Relative difference below which losses count as equal."""
_MIN_SAVED = 1.0
"""Seconds that a quicker run must save, besides half of the time: timings are noisy."""
_MIN_DEPTH = 1e-9


@dataclass(frozen=True)
class Recommendation:
    method: str
    k: int
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def frontier(points: Sequence[ComparisonPoint]) -> tuple[ComparisonPoint, ...]:
    """Pareto frontier of loss and risk, by rising loss."""
    efficient: list[ComparisonPoint] = []
    for point in sorted((point for point in points if point.is_measured), key=lambda point: point.coordinates):
        last = efficient[-1].coordinates if efficient else (math.inf, math.inf)
        if point.coordinates[1] < last[1] or point.coordinates == last:
            efficient.append(point)
    return tuple(efficient)


def best(points: Sequence[ComparisonPoint]) -> dict[int, ComparisonPoint]:
    """Best method for each k: the one with the least loss.

    Among losses that count as equal, a much quicker method is preferred, else the one with the least risk.
    """
    winners: dict[int, ComparisonPoint] = {}
    for k in sorted({point.k for point in points if point.is_measured}):
        level = [point for point in points if point.is_measured and point.k == k]
        min_loss = min(point.coordinates[0] for point in level)
        equal = [point for point in level if point.coordinates[0] <= min_loss * (1 + EQUAL_LOSS)]
        safest = min(equal, key=lambda point: (point.coordinates[1], point.coordinates[0]))
        quickest = min(equal, key=lambda point: point.seconds or 0.0)
        winners[k] = quickest if _is_quicker(quickest, safest) else safest
    return winners


def knee(curve: Sequence[ComparisonPoint]) -> ComparisonPoint:
    """Knee of a curve with one point for each k: where more protection begins to cost more than it gives.

    Loss and risk are scaled so that the ends of the curve are 1 apart in both. The knee is the point farthest below the
    straight line between the ends. If there is none below it, the point with the smallest product of loss and risk is
    returned: k is raised as long as the risk falls by a larger factor than the loss grows. Ties go to the lower risk.
    """
    first, last = curve[0], curve[-1]
    width, height = last.coordinates[0] - first.coordinates[0], first.coordinates[1] - last.coordinates[1]
    if width > 0 and height > 0:
        depths = [
            1 - (p.coordinates[0] - first.coordinates[0]) / width - (p.coordinates[1] - last.coordinates[1]) / height
            for p in curve
        ]
        deepest = max(range(len(curve)), key=lambda i: (depths[i], -curve[i].coordinates[1]))
        if depths[deepest] > _MIN_DEPTH:
            return curve[deepest]
    return min(curve, key=lambda point: (point.coordinates[0] * point.coordinates[1], point.coordinates[1]))


def recommend(points: Sequence[ComparisonPoint], *, default_method: str) -> Recommendation | None:
    """Recommend the knee of the best points, or the best point for a single k; None if nothing was measured."""
    winners = best(points)
    if not winners:
        return None
    chosen = knee(list(winners.values()))
    reasons = [_against_methods(chosen, points, default_method), *_against_levels(chosen, winners)]
    reason_text = "; ".join(reason for reason in reasons if reason)
    label = f"{chosen.method} at k = {chosen.k}"
    return Recommendation(
        chosen.method, chosen.k, f"{label}: {reason_text}." if reason_text else f"{label} is the only one measured."
    )


def _against_methods(chosen: ComparisonPoint, points: Sequence[ComparisonPoint], usual: str) -> str:
    """Comparison with the usual method and the next best one, at the same k."""
    others = [p for p in points if p.is_measured and p.k == chosen.k and p.method != chosen.method]
    others.sort(key=lambda point: point.coordinates)
    if not others:
        return ""
    comparisons = [_compare_pair(chosen, other) for other in others if other.method == usual or other is others[0]]
    return f"at the same k {' and '.join(comparisons)}"


def _compare_pair(chosen: ComparisonPoint, other: ComparisonPoint) -> str:
    (mine, risk), (theirs, risk_there) = chosen.coordinates, other.coordinates
    if theirs - mine > EQUAL_LOSS * mine:
        return f"{_as_percent(1 - mine / theirs)} less loss than {other.method}"
    same = f"{'the' if mine == theirs else 'practically the'} same loss as {other.method}"
    if _is_quicker(chosen, other):
        return f"{same} in less time"
    return f"{same} with a risk of {risk:.3g} instead of {risk_there:.3g} of 100" if risk < risk_there else same


def _against_levels(chosen: ComparisonPoint, winners: dict[int, ComparisonPoint]) -> list[str]:
    levels = list(winners)
    position = levels.index(chosen.k)
    neighbors = [("up", k) for k in levels[position + 1 :][:1]] + [("down", k) for k in levels[:position][-1:]]
    return [
        f"going {direction} to k = {k} would bring the risk from {chosen.coordinates[1]:.3g} to"
        f" {winners[k].coordinates[1]:.3g} of 100 for {_times(winners[k], chosen)}"
        for direction, k in neighbors
    ]


def _times(point: ComparisonPoint, other: ComparisonPoint) -> str:
    mine, theirs = point.coordinates[0], other.coordinates[0]
    if mine == theirs:
        return "the same loss"
    if abs(mine - theirs) <= EQUAL_LOSS * theirs:
        return "practically the same loss"
    return f"{mine / theirs:.2g} times the loss" if theirs else f"a loss of {mine:.3g} instead of 0"


def _as_percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def _is_quicker(point: ComparisonPoint, other: ComparisonPoint) -> bool:
    mine, theirs = point.seconds or 0.0, other.seconds or 0.0
    return not other.compiled and theirs - mine >= _MIN_SAVED and mine <= theirs / 2
