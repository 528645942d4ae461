"""The checks that every method must pass on tables with missing values, dates and a sensitive column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from shoal.hierarchy import Hierarchy
from shoal.partition.registry import Method, find
from shoal.schema.columns import Kind
from shoal.testing.battery import Check

CHECKS: list[Check] = []
_walk = import_module("shoal")
_WAYS = ("category", "wildcard")
"""What a missing value is: a category of its own is one to the method as well; in all other ways the method gets to
see a center in its place, or no such record at all."""
_TREE: dict[str, Any] = {"any": {"north": {"a": {}, "b": {}, "c": {}}, "south": {"d": {}, "e": {}}}}


def _check(function: Check) -> Check:
    CHECKS.append(function)
    return function


def _table(method: Method, *, rows: int, seed: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A column of every kind that the method takes, a fifth of the cells missing, and a sensitive one."""
    draw = np.random.default_rng(seed)
    meaning: dict[str, Any] = {}
    columns: dict[Kind, pl.Series] = {
        Kind.NUMERIC: pl.Series("number", draw.integers(0, 40, rows).astype(np.float64)),
        Kind.DATE: pl.Series("date", draw.integers(0, 900, rows).astype(np.int32)).cast(pl.Date),
        Kind.NOMINAL: pl.Series("word", draw.choice(["x", "y", "z"], rows)),
        Kind.ORDINAL: pl.Series("level", draw.choice(["low", "middle", "high"], rows)),
        Kind.HIERARCHICAL: pl.Series("place", draw.choice(list("abcde"), rows)),
    }
    measured = method.mixes or Kind.NOMINAL not in method.kinds
    kinds = [kind for kind in method.kinds if measured or kind not in (Kind.NUMERIC, Kind.DATE)]
    taken = [columns[kind] for kind in columns if kind in kinds][: method.most_columns]
    gaps = [column.set(pl.Series(draw.random(rows) < 0.2), None) for column in taken]
    names = [column.name for column in taken]
    if "level" in names:
        meaning["levels"] = {"level": ["low", "middle", "high"]}
    if "place" in names:
        meaning["hierarchies"] = {"place": Hierarchy.from_dict(_TREE)}
    return pl.DataFrame([*gaps, pl.Series("sensitive", draw.choice(["p", "q", "r"], rows))]), meaning


def _alike(rows: Sequence[tuple[Any, ...]]) -> int:
    """The fewest records that agree with one wherever both have a value."""
    return min(
        sum(all(a is None or b is None or a == b for a, b in zip(one, other, strict=True)) for other in rows)
        for one in rows
    )


@_check
def check_missing_values(name: str, *, ways: Sequence[str] = _WAYS) -> None:
    """Whatever a missing value is, the release keeps its promise by a naive count, and keeps every record."""
    method = find(name)
    for seed, way in enumerate(ways):
        frame, meaning = _table(method, rows=60, seed=seed)
        names = frame.columns[:-1]
        made = _walk.anonymize(
            frame, k=4, quasi_identifiers=names, sensitive="sensitive", method=name, missing_values=way, **meaning
        )
        released = made.table.select(names).rows()
        fewest = _alike(released) if way == "wildcard" else min(Counter(released).values())
        assert made.verification.ok, f"{name}: verification with {way}"
        assert fewest >= 4, f"{name}: naive count with {way}"
        assert made.table.columns == frame.columns, f"{name}: the columns are there with {way}"
        assert made.table["sensitive"].equals(frame["sensitive"]), f"{name}: other columns are as they were"
        assert way != "impute" or not any(made.table.select(names).null_count().row(0)), f"{name}: gaps are filled"


@_check
def check_privacy_models(name: str) -> None:
    """Every class has as many sensitive values as are asked for, by a naive count."""
    method = find(name)
    for seed in range(3 if method.enforces else 1):  # groups of others are mended by what all of them share
        frame, meaning = _table(method, rows=60, seed=seed)
        names = frame.columns[:-1]
        made = _walk.anonymize(
            frame, k=3, quasi_identifiers=names, sensitive="sensitive", l=3, t=0.4, method=name, **meaning
        )
        classes: dict[tuple[Any, ...], list[str]] = {}
        for row in made.table.rows():
            classes.setdefault(row[:-1], []).append(row[-1])
        table = Counter(frame["sensitive"])
        for held in classes.values():
            found = Counter(held)
            apart = sum(abs(found[value] / len(held) - count / frame.height) for value, count in table.items()) / 2
            assert len(held) >= 3, f"{name}: k records"
            assert len(found) >= 3, f"{name}: l different values"
            assert apart <= 0.4 + 1e-9, f"{name}: as close to the table as asked"
