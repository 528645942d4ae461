"""Naive attacks of outsiders: record by record and class by class, in plain Python."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

Row = tuple[Any, ...]


def risks(rows: Sequence[Row], persons: Callable[[Row], Fraction]) -> dict[str, Fraction]:
    """The risks of prosecutor, journalist and marketer; ``persons`` tells how many of a class are in the population."""
    f = Counter(rows)
    F = {row: max(persons(row), Fraction(f[row])) for row in f}  # noqa: N806
    n = len(rows)
    found = sum((Fraction(f[row]) / F[row] for row in f), Fraction(0)) / n
    return {
        "prosecutor_highest": Fraction(1, min(f.values())),
        "prosecutor_average": Fraction(len(f), n),
        "prosecutor_at_risk": Fraction(100 * sum(f[row] < 5 for row in rows), n),
        "journalist_highest": 1 / min(F.values()),
        "journalist_average": max(len(f) / sum(F.values(), Fraction(0)), found),
        "journalist_at_risk": Fraction(100 * sum(F[row] < 5 for row in rows), n),
        "marketer": found,
    }


def disclosed(classes: Sequence[Hashable], cells: Sequence[Hashable]) -> dict[str, float]:
    """What classes give away about a sensitive column, but for closeness."""
    groups: dict[Hashable, list[Hashable]] = defaultdict(list)
    for label, cell in zip(classes, cells, strict=True):
        groups[label].append(cell)
    n, q = len(cells), Counter(cells)
    tallies = [Counter(group) for group in groups.values()]
    entropies, gains, logs = [], [Fraction(0)], []
    for tally in tallies:
        size = tally.total()
        shares = {value: Fraction(count, size) for value, count in tally.items()}
        entropies.append(-math.fsum(p * math.log(p) for p in shares.values()))
        for value, p in shares.items():
            ratio = p / Fraction(q[value], n)
            gains.append(ratio - 1)
            logs.append(abs(math.log(ratio)))
    alone = [tally.total() for tally in tallies if len(tally) == 1]
    return {
        "distinct_l": min(len(tally) for tally in tallies),
        "entropy_l": math.exp(min(entropies)),
        "beta": float(max(gains)),
        "delta": max(logs),
        "homogeneous_records": 100 * sum(alone) / n,
        "homogeneous_classes": len(alone),
        "guessed": 100 * sum(max(tally.values()) for tally in tallies) / n,
        "guessed_before": 100 * max(q.values()) / n,
    }


def linked(original: Sequence[Row], released: Sequence[Row], distance: Callable[[Row, Row], float]) -> float:
    """The share of records found by taking one of the nearest released records, in percent."""
    credit = 0.0
    for place, row in enumerate(original):
        apart = [distance(row, other) for other in released]
        nearest = [other for other, d in enumerate(apart) if d <= min(apart) * (1 + 1e-9)]
        credit += 1 / len(nearest) if place in nearest else 0.0
    return 100 * credit / len(original)


def told(original: Sequence[Row], released: Sequence[Row], share: float) -> tuple[float, list[float | None]]:
    """The records identified by their numbers, and the numbers disclosed by column, in percent; None is missing."""
    columns = zip(zip(*original, strict=True), zip(*released, strict=True), strict=True)
    spreads = [
        spread([y for x, y in zip(was, now, strict=True) if x is not None and y is not None]) for was, now in columns
    ]
    inside: list[list[bool | None]] = [
        [
            None if x is None else y is not None and y - share * sd <= x <= y + share * sd
            for x, y, sd in zip(was, now, spreads, strict=True)
        ]
        for was, now in zip(original, released, strict=True)
    ]
    records = sum(row.count(True) > 0 and row.count(False) <= 1 for row in inside)
    by_column = []
    for column in zip(*inside, strict=True):
        known = [cell for cell in column if cell is not None]
        by_column.append(100 * sum(known) / len(known) if known else None)
    return 100 * records / len(original), by_column


def spread(numbers: Sequence[float]) -> float:
    """The standard deviation with n - 1; 0 of fewer than two."""
    if len(numbers) < 2:
        return 0.0
    mean = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((x - mean) ** 2 for x in numbers) / (len(numbers) - 1))


def fewest(rows: Sequence[Row], most: int) -> list[int]:
    """For each record the size of its smallest minimal unique combination of columns, 0 where it has none."""
    columns = range(len(rows[0]))
    found = []
    for row in rows:
        unique = [
            chosen
            for size in range(1, most + 1)
            for chosen in combinations(columns, size)
            if sum(all(other[j] == row[j] for j in chosen) for other in rows) == 1
        ]
        minimal = [one for one in unique if not any(set(other) < set(one) for other in unique)]
        found.append(min(map(len, minimal), default=0))
    return found
