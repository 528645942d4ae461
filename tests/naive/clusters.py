"""Oracles of the methods that cut parts in two or move centers: Mondrian, k-means and fuzzy c-means."""

from __future__ import annotations

import numpy as np

from naive import Labels, Matrix, Table, distances, mdav_1, mean, numbers, renumbered
from naive.mixed import Mixed


def _grouped(n: int, groups: list[list[int]]) -> Labels:
    labels = np.full(n, -1)
    for group, rows in enumerate(groups):
        labels[rows] = group
    return labels


def _by_width(matrix: Matrix, rows: list[int]) -> list[int]:
    """Columns with the widest share of the whole table's range first; constant ones are left out."""
    widths = np.ptp(matrix[rows], axis=0)
    spans = np.ptp(matrix, axis=0)
    wide = {j: widths[j] / spans[j] for j in range(len(spans)) if widths[j] > 0}
    return sorted(wide, key=lambda j: (-wide[j], j))


def mondrian(matrix: Matrix, k: int) -> Labels:
    def groups(rows: list[int]) -> list[list[int]]:
        for j in _by_width(matrix, rows):
            median = sorted(matrix[rows, j])[(len(rows) - 1) // 2]
            for left in ([r for r in rows if matrix[r, j] <= median], [r for r in rows if matrix[r, j] < median]):
                if k <= len(left) <= len(rows) - k:
                    return groups(left) + groups([r for r in rows if r not in left])
        return [rows]

    return _grouped(len(matrix), groups(list(range(len(matrix)))))


def mondrian_relaxed(matrix: Matrix, k: int) -> Labels:
    def groups(rows: list[int]) -> list[list[int]]:
        if len(rows) < 2 * k:
            return [rows]
        j = [*_by_width(matrix, rows), 0][0]
        left = sorted(rows, key=lambda row: (matrix[row, j], row))[: len(rows) // 2]
        return groups(sorted(left)) + groups([r for r in rows if r not in left])

    return _grouped(len(matrix), groups(list(range(len(matrix)))))


def _two_means(table: Table, rows: list[int], k: int, free: int) -> list[int]:
    """The left side of a part."""
    part, size, center, order, matrix = table[rows], len(rows), mean(table, rows), rows, numbers(table)
    first = part[np.argmax(distances(part, center))]
    second = part[np.argmax(distances(part, first))]
    count = matrix.shape[1]
    axis, center, ends, pull = (second - first)[:count], center[:count], (first, second), 0.5
    best, left = 0.0, rows[: size // k // 2 * k]
    for _ in range(10):
        along = np.zeros(size)
        for j in range(count):
            along += (matrix[order, j] - center[j]) * axis[j]
        if isinstance(table, Mixed):
            along += pull * _nearer(table[order], *ends)
        order = [order[i] for i in np.argsort(along, kind="stable")]
        sums, before = np.zeros(len(axis)), best
        for cut in range(1, size - k + 1):
            sums = sums + (matrix[order[cut - 1]] - center)
            gain = 0.0
            for value in sums:
                gain += value * value
            gain /= cut * (size - cut)
            if isinstance(table, Mixed):
                gain += _gain(table, order, cut) / size
            whole = cut // k + (size - cut) // k == size // k
            if cut >= k and (size >= free or whole) and gain > best:
                best, left, axis = gain, order[:cut], -sums
                ends, pull = (mean(table, left), mean(table, order[cut:])), 0.5 * cut * (size - cut) / size
        if not best > before:
            break
    return left


def _nearer(table: Mixed, one: Matrix, other: Matrix) -> Matrix:
    """By how much the categories of each record are nearer to the second point than to the first."""
    count = table.numbers.shape[1]
    total = np.zeros(len(table))
    for far, near in zip(table.squares(one)[count:], table.squares(other)[count:], strict=True):
        total += far - near
    return total


def _gain(table: Mixed, order: list[int], cut: int) -> float:
    """By how much the loss of the categories falls if an order is cut there."""
    sides = zip(table.errors(order), table.errors(order[:cut]), table.errors(order[cut:]), strict=True)
    return float(sum(whole - left - right for whole, left, right in sides))


def _cut(matrix: Table, k: int, free: int) -> Labels:
    done, parts = [], [list(range(len(matrix)))]
    while parts:
        rows = parts.pop()
        if len(rows) < 2 * k:
            done.append(rows)
        else:
            left = set(_two_means(matrix, rows, k, free))
            parts += [[r for r in rows if r in left], [r for r in rows if r not in left]]
    return _grouped(len(matrix), done)


def k_means(matrix: Table, k: int) -> Labels:
    """The best of three ways to cut."""
    found = [_cut(matrix, k, free) for free in (0, 8 * k, len(matrix) + 1)]
    losses = []
    for labels in found:
        centers = np.array([mean(matrix, list(np.flatnonzero(labels == group))) for group in range(labels.max() + 1)])
        if isinstance(matrix, Mixed):
            losses.append(np.sum([distances(matrix[[row]], centers[g])[0] for row, g in enumerate(labels)]))
        else:
            losses.append(((matrix - centers[labels]) ** 2).sum())
    return found[int(np.argmin(losses))]


def _c_means(matrix: Matrix, centers: Matrix, power: int) -> tuple[Labels, Matrix]:
    labels = np.full(len(matrix), -1)
    for _ in range(5):
        table = np.array([distances(centers, record) for record in matrix])
        if np.array_equal(labels, table.argmin(axis=1)):
            break
        labels = table.argmin(axis=1)
        sums, totals = np.zeros_like(centers), np.zeros(len(centers))
        for record, row in zip(matrix, table, strict=True):
            order = np.argsort(row, kind="stable")
            weights = np.ones(len(row))
            far = row[order] > row.min()
            weights[far] = row.min() / row[order][far]
            for _ in range(power):
                weights *= weights
            weights[weights < 1e-6] = 0.0
            memberships = weights / np.cumsum(weights)[-1]
            roots = memberships
            for _ in range(power):
                roots = np.sqrt(roots)
            shares = memberships * roots
            totals[order] += shares
            sums[order] += shares[:, None] * record
        centers = np.where(totals[:, None] > 0, sums / np.where(totals > 0, totals, 1.0)[:, None], centers)
    return labels, centers


def _fuzzy(matrix: Matrix, k: int) -> Labels:
    start = np.array(renumbered(mondrian_relaxed(matrix, k)))
    centers = np.array([mean(matrix, list(np.flatnonzero(start == group))) for group in range(start.max() + 1)])
    for power in [5, 4, *[3] * 8]:
        labels, centers = _c_means(matrix, centers, power)
        sizes = np.bincount(labels, minlength=len(centers))
        if all(size == 0 or size >= k for size in sizes):
            return labels
        kept, last = centers[sizes >= k], centers
        centers = kept
    for row in np.flatnonzero(sizes[labels] < k):
        apart = np.where(sizes >= k, distances(last, matrix[row]), np.inf)
        labels[row] = np.argmin(apart)
    return labels


def fcm(matrix: Matrix, k: int) -> Labels:
    done, parts = [], [list(range(len(matrix)))]
    while parts:
        rows = parts.pop()
        if len(rows) < 2 * k:
            done.append(rows)
            continue
        labels = _fuzzy(matrix[rows], k)
        found = labels if len(set(labels)) > 1 else mdav_1(matrix[rows], k)
        sides = [[r for r, label in zip(rows, found, strict=True) if label == group] for group in sorted(set(found))]
        (parts if found is labels else done).extend(sides)
    return _grouped(len(matrix), done)
