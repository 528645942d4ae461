"""Losses written out record by record, from their definitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from shoal.domain import CategoricalColumn, Kind
from shoal.metrics import MetricInputs


def numbers(pair: MetricInputs, j: int) -> tuple[list[float | None], list[float | None]]:
    """A column before and after; None where it was missing, or after release where it is blank."""
    before, after = [], []
    for row in range(pair.records):
        gone = pair.original_missing is not None and bool(pair.original_missing[row, j])
        empty = pair.released_missing is not None and bool(pair.released_missing[row, j])
        before.append(None if gone else float(pair.original_values[j][row]))
        after.append(None if gone or empty else float(pair.released_values[j][row]))
    return before, after


def spread(cells: Sequence[float]) -> float:
    if len(cells) < 2 or min(cells) == max(cells):
        return 0.0
    mean = math.fsum(cells) / len(cells)
    return math.sqrt(math.fsum((cell - mean) ** 2 for cell in cells) / (len(cells) - 1))


def known(cells: Sequence[float | None]) -> list[float]:
    return [cell for cell in cells if cell is not None]


def mixed_loss(pair: MetricInputs) -> float | None:
    error = total = 0.0
    for j, name in enumerate(pair.numeric):
        was, now = (
            pair.to_scale(pair.original_values)[:, j].tolist(),
            pair.to_scale(pair.released_values)[:, j].tolist(),
        )
        there = [x for x, cell in zip(was, numbers(pair, j)[0], strict=True) if cell is not None]
        mean = math.fsum(there) / len(there) if there else 0.0
        weight = pair.weights.get(name, 1.0)
        error += weight * math.fsum((x - y) ** 2 for x, y in zip(was, now, strict=True))
        total += weight * math.fsum((x - mean) ** 2 for x in was)
    for j, column in enumerate(pair.categories):
        weight, codes, nodes = pair.weights.get(column.name, 1.0), pair.original_codes[:, j], pair.released_codes[:, j]
        places = range(len(column.hierarchy))
        sums = [sum(float(column.exact_distance()[code, node]) for code in codes) for node in places]
        center = sums.index(min(sums))
        error += weight * sum(column.distance[code, node] ** 2 for code, node in zip(codes, nodes, strict=True))
        total += weight * sum(column.distance[code, center] ** 2 for code in codes)
    if not pair.numeric and not pair.categories:
        return None
    return (100 * error / total) if total > 1e-12 else (math.inf if error > 1e-12 else 0.0)


def leaves(column: CategoricalColumn, node: int) -> set[str]:
    """The leaves at or below a node, except the one for missing values."""
    tree = column.hierarchy
    return {
        leaf for leaf in tree.leaves if tree.nodes[node] in tree.path(leaf) and tree.number(leaf) != column.missing_code
    }


def penalties(pair: MetricInputs) -> dict[str, list[float]]:
    """The penalty of each cell that was not missing, by column."""
    found: dict[str, list[float]] = {}
    for j, name in enumerate(pair.numeric):
        before, after = numbers(pair, j)
        there = known(before)
        cells = found[name] = []
        for row, cell in enumerate(before):
            if cell is None:
                continue
            width = 0.0
            if after[row] is None:
                width = 1.0
            elif name in pair.released_intervals and max(there) > min(there):
                low, high = (float(end[row]) for end in pair.released_intervals[name])
                width = min((high - low) / (max(there) - min(there)), 1.0)
            cells.append(width)
    for j, column in enumerate(pair.categories):
        root = len(column.hierarchy) - 1
        found[column.name] = []
        for row in range(pair.records):
            code, node = int(pair.original_codes[row, j]), int(pair.released_codes[row, j])
            if pair.original_codes_missing is not None and pair.original_codes_missing[row, j]:
                continue
            under = leaves(column, node)
            share = 1.0 if node == column.missing_code else len(under) / len(leaves(column, root))
            exact = node == code or (
                node != column.missing_code and column.hierarchy.nodes[node] in column.hierarchy.leaves
            )
            found[column.name].append(0.0 if exact else share)
    return found


def il1s(pair: MetricInputs) -> dict[str, list[float]]:
    found = {}
    for j, name in enumerate(pair.numeric):
        before, _ = numbers(pair, j)
        sd = spread(known(before))
        apart = [
            abs(pair.original_values[j][row] - pair.released_values[j][row])
            for row, cell in enumerate(before)
            if cell is not None
        ]
        found[name] = [step / (math.sqrt(2) * sd) if sd else 0.0 for step in apart]
    return found


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    if len(one) < 2 or not spread(one) or not spread(other):
        return None
    a, b = math.fsum(one) / len(one), math.fsum(other) / len(other)
    product = math.fsum((x - a) * (y - b) for x, y in zip(one, other, strict=True))
    return product / ((len(one) - 1) * spread(one) * spread(other))


def correlation_shifts(pair: MetricInputs) -> list[float]:
    found = []
    for i, j in combinations(range(len(pair.numeric)), 2):
        first, second = numbers(pair, i)[0], numbers(pair, j)[0]
        rows = [row for row in range(pair.records) if first[row] is not None and second[row] is not None]
        both = [
            correlation([float(table[i][row]) for row in rows], [float(table[j][row]) for row in rows])
            for table in (pair.original_values, pair.released_values)
        ]
        if None not in both:
            found.append(abs(both[0] - both[1]))
    return found


def released(pair: MetricInputs) -> dict[str, list[tuple[Hashable, Hashable]]]:
    """For each column the original and the released value of the records in which it was not missing."""
    found: dict[str, list[tuple[Hashable, Hashable]]] = {}
    for j, name in enumerate(pair.numeric):
        before, after = numbers(pair, j)
        ends = pair.released_intervals.get(name)
        shown = [
            cell if ends is None or cell is None else (ends[0][row], ends[1][row]) for row, cell in enumerate(after)
        ]
        found[name] = [(x, y) for x, y in zip(before, shown, strict=True) if x is not None]
    for j, column in enumerate(pair.categories):
        found[column.name] = [
            (int(pair.original_codes[row, j]), int(pair.released_codes[row, j]))
            for row in range(pair.records)
            if column.missing_code is not None
            or pair.original_codes_missing is None
            or not pair.original_codes_missing[row, j]
        ]
    return found


def bits(cells: Sequence[tuple[Hashable, Hashable]]) -> tuple[float, float]:
    """What the released values leave unsaid, and what the original ones say."""
    both, before, after = Counter(cells), Counter(x for x, _ in cells), Counter(y for _, y in cells)
    unsaid = math.fsum(-math.log2(both[x, y] / after[y]) for x, y in cells)
    return unsaid, math.fsum(-math.log2(before[x] / len(cells)) for x, _ in cells)


def ranked(column: CategoricalColumn, node: int) -> float:
    """The middle of the levels at or below a node."""
    tree = column.hierarchy
    places = [rank for rank, leaf in enumerate(tree.leaves) if tree.nodes[node] in tree.path(leaf)]
    return (min(places) + max(places)) / 2


def ordered(pair: MetricInputs) -> dict[str, tuple[list[float], list[float]]]:
    """For each ordered column, its known values before and their released values after."""
    found = {name: tuple(known(part) for part in numbers(pair, j)) for j, name in enumerate(pair.numeric)}
    for j, column in enumerate(pair.categories):
        if column.kind is Kind.ORDINAL:
            rows = [
                row
                for row in range(pair.records)
                if pair.original_codes_missing is None or not pair.original_codes_missing[row, j]
            ]
            root = len(column.hierarchy) - 1
            found[column.name] = (
                [ranked(column, int(pair.original_codes[row, j])) for row in rows],
                [
                    ranked(column, int(pair.released_codes[row, j]))
                    for row in rows
                    if pair.released_codes[row, j] != root
                ],
            )
    return found  # type: ignore[return-value]


def largest_difference(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Of the cumulated shares."""
    if not one or not other:
        return None
    return max(
        abs(sum(x <= point for x in one) / len(one) - sum(x <= point for x in other) / len(other))
        for point in {*one, *other}
    )


def total_variation(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    if not one:
        return None
    a, b = Counter(one), Counter(other)
    return sum(abs(a[key] / len(one) - b[key] / len(other)) for key in {*a, *b}) / 2


def groups(pair: MetricInputs, name: str) -> tuple[list[int], list[int]]:
    """For each record its group by a column, before and after."""
    if name in pair.numeric:
        j = pair.numeric.index(name)
        bases = [pair.to_scale(table)[:, j].tolist() for table in (pair.original_values, pair.released_values)]
        cells = [
            [None if cell is None else base[row] for row, cell in enumerate(part)]
            for part, base in zip(numbers(pair, j), bases, strict=True)
        ]
        there = known(cells[0]) or [0.0]
        cuts = np.quantile(there, (0.25, 0.5, 0.75)) + 1e-12 * max(map(abs, there))  # up to rounding
        places = [[4 if cell is None else sum(cell > cut for cut in cuts) for cell in part] for part in cells]
        return places[0], places[1]
    j = [column.name for column in pair.categories].index(name)
    counts = Counter(pair.original_codes[:, j].tolist())
    top = sorted(counts, key=lambda code: (-counts[code], code))[:12]
    lacked = [
        pair.original_codes_missing is not None and bool(pair.original_codes_missing[row, j])
        for row in range(pair.records)
    ]

    def of(codes: Any) -> list[int]:
        cells = zip(codes[:, j].tolist(), lacked, strict=True)
        return [top.index(code) if code in top and not gone else len(top) for code, gone in cells]

    return of(pair.original_codes), of(pair.released_codes)


def targets(pair: MetricInputs) -> dict[str, tuple[list[float | None], list[float | None]]]:
    """The numbers in standard deviations about their original means."""
    found = {name: numbers(pair, pair.numeric.index(name)) for name in pair.quasi_identifiers if name in pair.numeric}
    for column in pair.sensitive:
        cells = [None if math.isnan(cell) else cell for cell in column.numbers.tolist()]
        found[column.name] = (cells, cells)
    scaled = {}
    for name, (before, after) in found.items():
        there = known(before)
        sd = spread(there)
        if not sd:
            continue
        mean = math.fsum(there) / len(there)
        scaled[name] = tuple(
            [None if cell is None else (cell - mean) / sd for cell in part] for part in (before, after)
        )
    return scaled


def query_means(pair: MetricInputs) -> float | None:
    moved = []
    for target, (before, after) in targets(pair).items():
        for name in pair.quasi_identifiers:
            if name == target or not known(before):
                continue
            was, now = groups(pair, name)
            total = 0.0
            for group in set(was):
                one = [x for x, g in zip(before, was, strict=True) if g == group and x is not None]
                other = [x for x, g in zip(after, now, strict=True) if g == group and x is not None]
                mean = math.fsum(other) / len(other) if other else 0.0
                total += abs(math.fsum(one) / len(one) - mean) * len(one) if one else 0.0
            moved.append(total / len(known(before)))
    return sum(moved) / len(moved) if moved else None


def query_tables(pair: MetricInputs) -> float | None:
    found = []
    for one, other in combinations(pair.quasi_identifiers, 2):
        first, second = groups(pair, one), groups(pair, other)
        before, after = (list(zip(a, b, strict=True)) for a, b in zip(first, second, strict=True))
        found.append(total_variation(before, after))
    return sum(found) / len(found) if found else None


def query_regression(pair: MetricInputs) -> float | None:
    scaled = targets(pair)
    keys = [name for name in scaled if name in pair.numeric]
    others = [name for name in scaled if name not in pair.numeric]
    target = others[0] if others else keys[-1] if keys else None
    used = [name for name in keys if name != target]
    if target is None or not used:
        return None
    slopes = []
    for part in (0, 1):
        rows = zip(*(scaled[name][part] for name in (*used, target)), strict=True)
        table = np.array([row for row in rows if None not in row], dtype=float).reshape(-1, len(used) + 1)
        centered = table - table.mean(axis=0) if len(table) else table
        ridge = 1e-9 * max(len(table), 1) * np.eye(len(used))
        slopes.append(
            np.linalg.solve(centered[:, :-1].T @ centered[:, :-1] + ridge, centered[:, :-1].T @ centered[:, -1])
        )
    return float(np.abs(slopes[0] - slopes[1]).max())
