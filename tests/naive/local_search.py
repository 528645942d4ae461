"""Naive local search: the error of groups by its definition, the cost of a change, the best of all partitions.

A case is a table of numbers, categories or both, in groups of at least k units; a unit is a record, or a household.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from naive import models
from naive.mixed import Mixed
from naive.surveys import ILLS
from shoal import Hierarchy, data
from shoal.domain import Column, IntVector, Kind, ModelConstraints, Records, Role, Schema, Space
from shoal.domain.privacy_models import PrivacyModel
from shoal.hierarchy.distances import distances

KINDS = ("numbers", "categories", "mixed")
TREE = Hierarchy.from_dict({"a": {"b": {"d": {}, "e": {"h": {}}}, "c": {"f": {}, "g": {}}}})
MODELS = (
    "distinct-l(2)", "distinct-l(3)", "entropy-l(1.7)", "recursive-l(2,2)", "t-equal(0.5)", "t-hierarchical(0.4)",
    "t-ordered(0.3)",
)  # fmt: skip
Groups = list[list[int]]


def error(table: Mixed, rows: Sequence[int]) -> float:
    """The squared distances of these records to their center: means, and the nodes of least cost."""
    rows = sorted(rows)
    numbers = table.numbers[rows]
    return float(((numbers - numbers.mean(axis=0)) ** 2).sum()) + sum(table.errors(rows))


def errors(table: Mixed, labels: IntVector) -> float:
    """The error of all groups of these labels of records."""
    return sum(error(table, np.flatnonzero(labels == group).tolist()) for group in np.unique(labels))


def scale(table: Mixed) -> float:
    """The scale of rounding errors: the error of the whole table as one group, or a small number."""
    return max(error(table, range(len(table))), 1e-12)


class Case(NamedTuple):
    """A table in groups."""

    table: Mixed
    labels: IntVector
    """The group of each unit."""
    k: int
    unit_of: IntVector
    """The unit of each record."""

    @property
    def space(self) -> Space:
        return Space.of(self.table.numbers.copy(), self.table.codes, self.table.tables, self.table.weights)

    @property
    def units(self) -> Space:
        """The units as points: of a household, represented by its first member."""
        return self.space.take(np.unique(self.unit_of, return_index=True)[1])

    def error(self, labels: IntVector) -> float:
        """The error of these labels of units."""
        return errors(self.table, labels[self.unit_of])

    def rows(self, units: Sequence[int]) -> list[int]:
        return [row for row, unit in enumerate(self.unit_of) if unit in units]


def draw_case(seed: int, *, kind: str, rows: int = 24, k: int = 3, members: int = 1, steps: int = 10**6) -> Case:
    """A random case: numbers on a grid (few steps give many equal records) and skewed categories."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, steps, (rows, 0 if kind == "categories" else 2)) / max(steps - 1, 1)
    tables = [] if kind == "numbers" else [distances(TREE, distance="wu-palmer"), 1.0 - np.eye(4)]
    codes = [(rng.random(rows) ** 2 * len(table)).astype(np.int64) for table in tables]
    table = Mixed(
        np.column_stack([numbers, *codes]),
        [np.rint(table * 2**32) / 2**32 for table in tables],
        np.array([1.0, 0.3])[: len(tables)],
    )
    household = np.repeat(np.arange(rows), rng.integers(1, members + 1, rows))[:rows]
    unit_of = household[rng.permutation(rows)] if members > 1 else np.arange(rows)
    return Case(table, random_groups(int(unit_of.max()) + 1, k, rng), k, unit_of)


def random_groups(units: int, k: int, rng: np.random.Generator) -> IntVector:
    """Groups of k to 2k - 1 units at random."""
    labels = np.arange(units) // k
    labels[labels == max(units // k, 1)] = 0
    return rng.permutation(np.minimum(labels, max(units // k - 1, 0)))


def draw_constraints(seed: int, records: int) -> tuple[ModelConstraints, Callable[[Sequence[int]], bool]]:
    """One or two privacy models on sensitive columns, and a naive check of a group."""
    rng = np.random.default_rng(seed)
    tree = Hierarchy.from_dict(ILLS)
    cells = {
        "ill": ["Zflu", "Zasthma", "Zstroke", *rng.choice(["Zflu", "Zasthma", "Zstroke"], records - 3).tolist()],
        "score": [0, 1, 2, *rng.integers(0, 5, records - 3).tolist()],
    }
    table = data.read_table(pl.DataFrame({"q": [0] * records, **cells}))
    columns = (
        Column("q", Role.QUASI_IDENTIFIER, Kind.NUMERIC),
        Column("ill", Role.SENSITIVE, Kind.HIERARCHICAL, hierarchy=tree),
        Column("score", Role.SENSITIVE, Kind.NUMERIC),
    )
    values = {name: sorted(set(cells[name])) for name in cells}
    far = {"t-ordered": models.ordered(values["score"]), "t-hierarchical": models.hierarchical(tree, values["ill"])}

    chosen: list[PrivacyModel] = []

    def holds(rows: Sequence[int]) -> bool:
        return all(
            models.holds(
                model,
                [cells[model.column][row] for row in rows],
                cells[model.column],
                far.get(model.name, models.equal),
                values[model.column],
            )
            for model in chosen
        )

    for text in rng.permutation(MODELS)[: rng.integers(1, 3)]:
        chosen.append(PrivacyModel.parse("score" if text.startswith("t-ordered") else "ill", text))
        if not holds(range(records)):  # no group could satisfy what the whole table does not
            chosen[-1] = PrivacyModel.parse("ill", "distinct-l(2)")
    return data.encode_constraints(table, chosen, Schema(columns)), holds


def merge_infeasible(case: Case, holds: Callable[[Sequence[int]], bool]) -> Case:
    """The same case, with groups merged into the first one until every group satisfies the constraints."""
    labels = case.labels.copy()
    for group in np.unique(labels)[::-1]:
        if not holds(case.rows(np.flatnonzero(labels == group).tolist())):
            labels[labels == group] = 0
    if not holds(case.rows(np.flatnonzero(labels == 0).tolist())):
        labels[:] = 0
    return case._replace(labels=np.unique(labels, return_inverse=True)[1])


def groups_of(units: tuple[int, ...], k: int) -> Iterator[tuple[int, ...]]:
    """Every group of the first unit and others that leaves no unit or at least k."""
    first, others = units[0], units[1:]
    for size in [*range(k, len(units) - k + 1), len(units)]:
        yield from ((first, *more) for more in combinations(others, size - 1))


def optimum(case: Case, holds: Callable[[Sequence[int]], bool] | None = None) -> float:
    """The least error of all partitions into groups of at least k units that satisfy the constraints."""

    @cache
    def cost(group: tuple[int, ...]) -> float:
        rows = case.rows(group)
        return error(case.table, rows) if holds is None or holds(rows) else np.inf

    @cache
    def best(units: tuple[int, ...]) -> float:
        if not units:
            return 0.0
        return min(
            cost(group) + best(tuple(unit for unit in units if unit not in group)) for group in groups_of(units, case.k)
        )

    return best(tuple(range(len(case.labels))))


def whole(records: Records) -> Mixed:
    """Records with a category for each number with separate missing values."""
    mixed = Mixed.of(records)
    with_missing = [name for name in records.numeric if records.separate_missing and records.is_missing(name).any()]
    if not with_missing:
        return mixed
    weights = dict(zip(records.names, records.weights / max(records.weights), strict=True))
    return Mixed(
        np.column_stack([mixed.points, *(records.is_missing(name) for name in with_missing)]),
        [*mixed.tables, *(1.0 - np.eye(2) for _ in with_missing)],
        np.array([*mixed.weights, *(weights[name] for name in with_missing)]),
    )
