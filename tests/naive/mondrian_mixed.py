"""Oracles of Mondrian on mixed tables: every record by itself, every cut tried from scratch.

They do the same arithmetic in the same order as the fast methods, so their partitions must be equal, ties included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from naive import Labels
from shoal.domain import Records
from shoal.domain.columns import Kind

Rows = list[int]
Cut = Callable[[Rows], list[Rows] | None]


class Table:
    """The columns of a mixed table: values in their order, numbers first; and what a group must have besides k."""

    def __init__(self, records: Records, k: int, *, by_word: bool = False) -> None:
        self.records, self.k, self.n = records, k, records.count
        self.columns: list[list[float]] = [column.tolist() for column in records.matrix.T] if records.numeric else []
        self.numbers = len(self.columns)
        for j, column in enumerate(records.categories):
            words = column.hierarchy.nodes
            key = words.__getitem__ if by_word else int
            places = {
                code: float(place) for place, code in enumerate(sorted(set(records.codes[:, j].tolist()), key=key))
            }
            self.columns.append([places[code] for code in records.codes[:, j].tolist()])
        names = [*records.numeric, *(column.name for column in records.categories)]
        self.weights = records.weights_of(names)

    def holds(self, rows: Rows) -> bool:
        """Whether records have l different values in every constrained column."""
        demands = self.records.constraints
        if demands is None:
            return True
        rules = zip(demands.column, demands.threshold, strict=True)
        return all(len({demands.codes[row, column] for row in rows}) >= least for column, least in rules)

    def allows(self, sides: Sequence[Rows]) -> bool:
        return all(len(side) >= self.k and self.holds(side) for side in sides)

    def by_width(self, rows: Rows) -> list[int]:
        """The columns, the widest in these records first."""

        def width(j: int) -> float:
            span = (max(self.columns[j]) - min(self.columns[j])) / np.sqrt(self.weights[j] / self.weights.max())
            column = [self.columns[j][row] for row in rows]
            return (max(column) - min(column)) / span if span > 0 else 0.0

        return sorted(range(len(self.columns)), key=lambda j: -width(j))

    def varies(self, rows: Rows, j: int) -> bool:
        return len({self.columns[j][row] for row in rows}) > 1

    def cut(self, rows: Rows, j: int, test: Callable[[float], bool]) -> list[Rows]:
        """The records whose value in column j fails a test, and those where it does not."""
        return [[row for row in rows if test(self.columns[j][row]) is way] for way in (False, True)]

    def at_median(self, rows: Rows, j: int) -> list[Rows] | None:
        median = sorted(self.columns[j][row] for row in rows)[(len(rows) - 1) // 2]
        for test in (lambda value: value > median, lambda value: value >= median):
            sides = self.cut(rows, j, test)
            if self.allows(sides):
                return sides
        return None

    def grouped(self, cut: Cut) -> Labels:
        """Cut parts until no cut is found, of two the one with fewer different records first."""
        labels, groups, parts = np.full(self.n, -1), 0, [list(range(self.n))]
        while parts:
            rows = parts.pop()
            sides = cut(rows) if len(rows) >= 2 * self.k else None
            if sides is None:
                labels[rows] = groups
                groups += 1
            else:
                assert self.allows(sides)
                assert sorted(row for side in sides for row in side) == sorted(rows)
                parts += sorted(sides, key=lambda side: -self.different(side))
        return labels

    def combination(self, row: int) -> tuple[float, ...]:
        demands = self.records.constraints
        return (*(column[row] for column in self.columns), *(demands.codes[row] if demands is not None else ()))

    def different(self, rows: Rows) -> int:
        return len({self.combination(row) for row in rows})


def mondrian(records: Records, k: int, *, by_word: bool = False) -> Labels:
    table = Table(records, k, by_word=by_word)

    def cut(rows: Rows) -> list[Rows] | None:
        found = (table.at_median(rows, j) for j in table.by_width(rows) if table.varies(rows, j))
        return next((sides for sides in found if sides is not None), None)

    return table.grouped(cut)


def mondrian_encoded(records: Records, k: int) -> Labels:
    return mondrian(records, k, by_word=True)


def mondrian_relaxed(records: Records, k: int) -> Labels:
    table = Table(records, k)

    def cut(rows: Rows) -> list[Rows] | None:
        for j in table.by_width(rows):
            order = sorted(rows, key=lambda row: (table.columns[j][row], row))
            sides = [sorted(order[: len(rows) // 2]), sorted(order[len(rows) // 2 :])]
            if table.allows(sides):
                return sides
        return None

    return table.grouped(cut)


def xmondrian(records: Records, k: int) -> Labels:
    table = Table(records, k)

    def one_by_one(rows: Rows, j: int) -> list[Rows] | None:
        codes = records.codes[:, j - table.numbers].tolist()
        distance = records.categories[j - table.numbers].exact_distance()
        parts = {code: [row for row in rows if codes[row] == code] for code in sorted({codes[row] for row in rows})}
        kept = {code: part for code, part in parts.items() if table.allows([part])}
        rest = [row for row in rows if codes[row] not in kept]

        def away(code: int) -> Fraction:
            return sum((Fraction(float(distance[code, codes[row]])) for row in rest), Fraction(0))

        while rest and not table.allows([rest]):
            if not kept:
                return None
            nearest = min(kept, key=lambda code: (away(code), len(kept[code]), code))
            rest += kept.pop(nearest)
        sides = [*kept.values(), *([rest] if rest else [])]
        return sides if len(sides) > 1 else None

    def cut(rows: Rows) -> list[Rows] | None:
        for j in table.by_width(rows):
            way = table.at_median if j < table.numbers else one_by_one
            sides = way(rows, j) if table.varies(rows, j) else None
            if sides is not None:
                return sides
        return None

    return table.grouped(cut)


def mondrian_extent(records: Records, k: int, *, rounds: int = 3) -> Labels:
    table = Table(records, k)
    ordered = [True] * table.numbers + [column.kind is Kind.ORDINAL for column in records.categories]
    shares = []
    for j, column in enumerate(table.columns):
        whole = max(column) - min(column) if ordered[j] else len(set(column)) - 1
        shares.append(table.weights[j] / table.weights.sum() / whole if whole else 0.0)

    def covered(rows: Rows, j: int) -> float:
        values = {table.columns[j][row] for row in rows}
        return max(values) - min(values) if ordered[j] else len(values)

    def rated(side: Rows, varying: list[int]) -> float:
        total = 0.0
        for j in varying:
            total += shares[j] * covered(side, j)
            total -= 0.0 if ordered[j] else shares[j]
        return total * (len(side) + len(side) % k)

    def cut(rows: Rows) -> list[Rows] | None:
        varying, found = [j for j in range(len(ordered)) if table.varies(rows, j)], []
        for j in varying:
            values = sorted({table.columns[j][row] for row in rows})
            runs = [values[: x + 1] for x in range(len(values) - 1)]
            runs += [] if ordered[j] else [[value] for value in values]
            for run in runs:
                sides = table.cut(rows, j, lambda value, run=run: value in run)
                if table.allows(sides):
                    found.append((rated(sides[0], varying) + rated(sides[1], varying), len(found), sides))
        return min(found)[2] if found else None

    def extent(rows: Rows) -> float:
        return sum(shares[j] * (covered(rows, j) - (0 if ordered[j] else 1)) for j in range(len(ordered)))

    def added(group: Rows, more: Rows, j: int) -> float:
        values, new = [table.columns[j][row] for row in group], table.columns[j][more[0]]
        return max(min(values) - new, new - max(values), 0.0) if ordered[j] else float(new not in values)

    def grows(group: Rows, more: Rows) -> float:
        total = len(more) * extent(group)
        for j in range(len(ordered)):
            total += (len(group) + len(more)) * (shares[j] * added(group, more, j))
        return total

    labels = table.grouped(cut)
    groups = [np.flatnonzero(labels == group).tolist() for group in range(labels.max() + 1)]
    alike: dict[tuple[float, ...], Rows] = {}
    for row in range(table.n):
        alike.setdefault(table.combination(row), []).append(row)
    for _ in range(rounds):
        for moving in alike.values():
            home = next(number for number, group in enumerate(groups) if moving[0] in group)
            left = [row for row in groups[home] if row not in moving]
            if len(left) < k or table.different(groups[home]) > 64:
                continue
            gain, target = len(groups[home]) * extent(groups[home]) - len(left) * extent(left), None
            for number in range(max(0, home - 64), min(len(groups), home + 65)):
                if number != home and table.different(groups[number]) <= 64 and grows(groups[number], moving) < gain:
                    gain, target = grows(groups[number], moving), number
            if target is not None and table.allows([left, [*groups[target], *moving]]):
                groups[home] = left
                groups[target] = [*groups[target], *moving]
    for number, group in enumerate(groups):
        labels[group] = number
    return labels


def extent(values: np.ndarray, codes: np.ndarray, ordinal: Sequence[bool], labels: Labels) -> float:
    """The mean extent, cell by cell."""
    total, cells = 0.0, 0
    for row in range(len(labels)):
        members = labels == labels[row]
        for column in values.T:
            total += np.ptp(column[members]) / np.ptp(column) if np.ptp(column) > 0 else 0.0
            cells += 1
        for column, ordered in zip(codes.T, ordinal, strict=True):
            places = np.array([sorted(set(column)).index(code) for code in column])
            reach = np.ptp(places[members]) if ordered else len(Counter(places[members])) - 1
            total += reach / places.max() if places.max() > 0 else 0.0
            cells += 1
    return total / cells
