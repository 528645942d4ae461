"""Oracles of Mondrian on categories: every record by itself, every cut tried from scratch.

Sums of distances are exact, so their order does not matter; squared errors are added in the order of the nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from naive import Labels
from shoal.domain import Records
from shoal.domain.columns import Kind

Rows = list[int]
Cut = Callable[[Rows], Rows | None]


def _grouped(n: int, k: int, cut: Cut) -> Labels:
    """Cut parts until no cut is found; a cut names the records of one side, with k of them on both."""
    labels, groups, parts = np.full(n, -1), 0, [list(range(n))]
    while parts:
        rows = parts.pop()
        side = cut(rows) if len(rows) >= 2 * k else None
        if side is None:
            labels[rows] = groups
            groups += 1
        else:
            assert k <= len(side) <= len(rows) - k
            parts += [side, [row for row in rows if row not in set(side)]]
    return labels


class Column:
    """A column in an order of its nodes: the place of each record's value, and distances between places."""

    def __init__(self, records: Records, j: int, order: Sequence[int]) -> None:
        place = {node: at for at, node in enumerate(order)}
        self.places = [place[int(code)] for code in records.codes[:, j]]
        self.table = [[float(cell) for cell in row] for row in records.distance_table(j)[np.ix_(order, order)]]

    def counts(self, rows: Rows) -> Counter[int]:
        return Counter(self.places[row] for row in rows)

    def cost(self, counts: Counter[int], node: int) -> float:
        return sum(count * self.table[place][node] for place, count in counts.items())

    def center(self, rows: Rows) -> int:
        counts = self.counts(rows)
        return min(range(len(self.table)), key=lambda node: (self.cost(counts, node), node))

    def spread(self, rows: Rows) -> float:
        return self.cost(self.counts(rows), self.center(rows))

    def where(self, rows: Rows, test: Callable[[int], bool]) -> Rows:
        return [row for row in rows if test(self.places[row])]


def _columns(records: Records, *, first_seen: bool = False) -> list[Column]:
    columns = []
    for j, column in enumerate(records.categories):
        nodes = range(len(column.hierarchy))
        seen = list(dict.fromkeys(records.codes[:, j].tolist())) if first_seen else []
        columns.append(Column(records, j, [*seen, *(node for node in nodes if node not in seen)]))
    return columns


def _by_spread(columns: list[Column], rows: Rows) -> list[Column]:
    return sorted(columns, key=lambda column: -column.spread(rows))


def mondrian_strict_improved(records: Records, k: int, *, first_seen: bool = False) -> Labels:
    columns = _columns(records, first_seen=first_seen)

    def cut(rows: Rows) -> Rows | None:
        for column in _by_spread(columns, rows):
            counts = column.counts(rows)
            value = min(counts, key=lambda place: (column.cost(counts, place), place))
            for last in (value - 1, value):
                side = column.where(rows, lambda place, last=last: place <= last)
                if k <= len(side) <= len(rows) - k:
                    return side
        return None

    return _grouped(records.count, k, cut)


def mondrian_strict(records: Records, k: int) -> Labels:
    return mondrian_strict_improved(records, k, first_seen=True)


def sa_mondrian_strict(records: Records, k: int, *, persistent: bool = True) -> Labels:
    columns = _columns(records)

    def cut(rows: Rows) -> Rows | None:
        for column in _by_spread(columns, rows):
            values, sides = sorted(column.counts(rows)), []
            for before, after in pairwise(values):
                side = column.where(rows, lambda place, before=before: place <= before)
                smaller = min(len(side), len(rows) - len(side))
                sides.append((-column.table[before][after], -smaller if persistent else 0, before, side, smaller))
            sides.sort(key=lambda found: found[:3])
            for *_, side, smaller in sides if persistent else sides[:1]:
                if smaller >= k:
                    return side
        return None

    return _grouped(records.count, k, cut)


def mondrian_branch(records: Records, k: int) -> Labels:
    columns = _columns(records)

    def error(column: Column, counts: Counter[int], center: int, other: dict[int, float], within: set[int]) -> float:
        total = 0.0
        for place in sorted(within & set(counts)):
            away = column.table[place][center]
            total += away * (counts[place] * away + 2.0 * other[place])
        return total

    def cut(rows: Rows) -> Rows | None:
        return cheapest(rows, branches=True) or cheapest(rows, branches=False)

    def cheapest(rows: Rows, *, branches: bool) -> Rows | None:
        found = []
        centers = [column.center(rows) for column in columns]
        for j, (column, meaning) in enumerate(zip(columns, records.categories, strict=True)):
            counts, other = column.counts(rows), dict.fromkeys(range(len(column.table)), 0.0)
            for row in rows:
                for i, beside in enumerate(columns):
                    if i != j:
                        other[column.places[row]] += beside.table[beside.places[row]][centers[i]]
            everywhere = set(range(len(column.table)))
            stays = error(column, counts, centers[j], other, everywhere)
            for node, name in enumerate(meaning.hierarchy.nodes):
                inside = {n for n in everywhere if name in meaning.hierarchy.path(meaning.hierarchy.nodes[n])}
                if meaning.kind is Kind.ORDINAL or not branches:
                    inside = set(range(node + 1))
                side = column.where(rows, lambda place, inside=inside: place in inside)
                if not k <= len(side) <= len(rows) - k:
                    continue
                rest = [row for row in rows if row not in set(side)]
                here, there = column.center(side), column.center(rest)
                total = error(column, counts, here, other, inside)
                total += error(column, counts, there, other, {n for n in everywhere if n < min(inside)})
                total += error(column, counts, there, other, {n for n in everywhere if n > node})
                found.append((total - stays, j, node, side))
        return min(found, key=lambda cut: cut[:3])[3] if found else None

    return _grouped(records.count, k, cut)


def mosaicrown(records: Records, k: int, *, relaxed: bool = False) -> Labels:
    columns = [*records.matrix.T] if records.numeric else []
    for j in range(len(records.categories)):
        codes = records.codes[:, j].tolist()
        columns.append(np.array([float(sorted(set(codes)).index(code)) for code in codes]))
    names = [*records.numeric, *(column.name for column in records.categories)]
    weights = np.sqrt(records.weights_of(names) / records.weights.max())

    def width(j: int, rows: Rows) -> float:
        span = np.ptp(columns[j]) / weights[j]
        return np.ptp(columns[j][rows]) / span if span > 0 else 0.0

    def cut(rows: Rows) -> Rows | None:
        by_width = sorted(range(len(columns)), key=lambda j: -width(j, rows))
        if relaxed:
            column = columns[by_width[0]]
            return sorted(rows, key=lambda row: (column[row], row))[: len(rows) // 2]
        for j in by_width:
            median = sorted(columns[j][rows])[(len(rows) - 1) // 2]
            for side in ([r for r in rows if columns[j][r] <= median], [r for r in rows if columns[j][r] < median]):
                if k <= len(side) <= len(rows) - k:
                    return side
        return None

    return _grouped(records.count, k, cut)
