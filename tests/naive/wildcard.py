"""The oracle of counts with wildcards: every record beside every other."""

from __future__ import annotations

from collections.abc import Sequence


def compatible(a: Sequence[object], b: Sequence[object]) -> bool:
    return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


def wildcard_counts(rows: Sequence[Sequence[object]], amounts: Sequence[float], alpha: float) -> list[float]:
    found = []
    for mine in rows:
        total = 0.0
        for other, amount in zip(rows, amounts, strict=True):
            if compatible(mine, other):
                fully = other == mine or None not in other or all(cell is None for cell in mine)
                total += amount if fully else alpha * amount
        found.append(total)
    return found
