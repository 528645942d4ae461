"""Checks of every method on tables with missing values, dates and a sensitive column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.domain.columns import Kind
from shoal.hierarchy import Hierarchy
from shoal.microaggregation.registry import Method, get_method

_TREATMENTS = ("category", "wildcard")
"""Treatments of missing values. With ``category`` the method sees a separate category; in all other treatments it sees
an imputed center, or no such record."""
_TREE: dict[str, Any] = {"any": {"north": {"a": {}, "b": {}, "c": {}}, "south": {"d": {}, "e": {}}}}


def _table(method: Method, *, rows: int, seed: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return one column of each supported kind with a fifth of the cells missing, and a sensitive column."""
    draw = np.random.default_rng(seed)
    column_options: dict[str, Any] = {}
    columns: dict[Kind, pl.Series] = {
        Kind.NUMERIC: pl.Series("number", draw.integers(0, 40, rows).astype(np.float64)),
        Kind.DATE: pl.Series("date", draw.integers(0, 900, rows).astype(np.int32)).cast(pl.Date),
        Kind.NOMINAL: pl.Series("word", draw.choice(["x", "y", "z"], rows)),
        Kind.ORDINAL: pl.Series("level", draw.choice(["low", "middle", "high"], rows)),
        Kind.HIERARCHICAL: pl.Series("place", draw.choice(list("abcde"), rows)),
    }
    with_numbers = method.supports_mixed or Kind.NOMINAL not in method.kinds
    kinds = [kind for kind in method.kinds if with_numbers or kind not in (Kind.NUMERIC, Kind.DATE)]
    supported = [columns[kind] for kind in columns if kind in kinds][: method.max_columns]
    with_missing = [column.set(pl.Series(draw.random(rows) < 0.2), None) for column in supported]
    names = [column.name for column in supported]
    if "level" in names:
        column_options["levels"] = {"level": ["low", "middle", "high"]}
    if "place" in names:
        column_options["hierarchies"] = {"place": Hierarchy.from_dict(_TREE)}
    return pl.DataFrame([*with_missing, pl.Series("sensitive", draw.choice(["p", "q", "r"], rows))]), column_options


def _min_compatible(rows: Sequence[tuple[Any, ...]]) -> int:
    """Return the minimum number of records compatible with a record, where missing values match any value."""
    return min(
        sum(all(a is None or b is None or a == b for a, b in zip(one, other, strict=True)) for other in rows)
        for one in rows
    )


def check_missing_values(name: str, *, ways: Sequence[str] = _TREATMENTS) -> None:
    """With every treatment of missing values, the release is k-anonymous by a naive count and has all records."""
    method = get_method(name)
    for seed, way in enumerate(ways):
        frame, column_options = _table(method, rows=60, seed=seed)
        names = frame.columns[:-1]
        release = shoal.anonymize(
            frame,
            k=4,
            quasi_identifiers=names,
            sensitive="sensitive",
            method=name,
            missing_values=way,
            **column_options,
        )
        released = release.table.select(names).rows()
        smallest_class = _min_compatible(released) if way == "wildcard" else min(Counter(released).values())
        assert release.verification.ok, f"{name}: verification with {way}"
        assert smallest_class >= 4, f"{name}: naive count with {way}"
        assert release.table.columns == frame.columns, f"{name}: the columns are there with {way}"
        assert release.table["sensitive"].equals(frame["sensitive"]), f"{name}: other columns are as they were"
        assert way != "impute" or not any(release.table.select(names).null_count().row(0)), f"{name}: gaps are filled"


def check_privacy_models(name: str) -> None:
    """Every class satisfies l-diversity and t-closeness by a naive count."""
    method = get_method(name)
    for seed in range(3 if method.supports_constraints else 1):  # the others share the code that enforces the models
        frame, column_options = _table(method, rows=60, seed=seed)
        names = frame.columns[:-1]
        release = shoal.anonymize(
            frame, k=3, quasi_identifiers=names, sensitive="sensitive", l=3, t=0.4, method=name, **column_options
        )
        classes: dict[tuple[Any, ...], list[str]] = {}
        for row in release.table.rows():
            classes.setdefault(row[:-1], []).append(row[-1])
        table = Counter(frame["sensitive"])
        for values in classes.values():
            counts = Counter(values)
            distance = (
                sum(abs(counts[value] / len(values) - count / frame.height) for value, count in table.items()) / 2
            )
            assert len(values) >= 3, f"{name}: k records"
            assert len(counts) >= 3, f"{name}: l different values"
            assert distance <= 0.4 + 1e-9, f"{name}: as close to the table as asked"


CHECKS = (check_missing_values, check_privacy_models)
