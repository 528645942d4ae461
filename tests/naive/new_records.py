"""Naive assignment of new records to groups: every distance, and the smallest group anew after each closed one."""

from __future__ import annotations

from naive import Matrix


def nearest(point: Matrix, centers: Matrix, groups: list[int]) -> int:
    """The first of the groups whose center is nearest."""
    best, who = float("inf"), -1
    for group in groups:
        far = 0.0
        for a, b in zip(point.tolist(), centers[group].tolist(), strict=True):
            far += (a - b) * (a - b)
        if far < best:
            best, who = far, group
    return who


def merged(points: Matrix, centers: Matrix, k: int) -> list[int]:
    """Groups of at least k points."""
    labels = [nearest(point, centers, list(range(len(centers)))) for point in points]
    while min(labels.count(group) for group in set(labels)) < k:
        smallest = min(sorted(set(labels)), key=labels.count)
        others = sorted(set(labels) - {smallest})
        labels = [
            nearest(points[row], centers, others) if group == smallest else group for row, group in enumerate(labels)
        ]
    return labels
