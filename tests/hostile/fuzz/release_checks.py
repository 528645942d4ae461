"""What a release of any table promises, counted in plain Python over what its user gets."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import polars as pl
from odd_tables import DrawnTable

import shoal
from naive.wildcard import wildcard_counts

Rows = list[tuple[Any, ...]]


def cells(frame: Any, name: str) -> list[Any]:
    """The cells of a column of any frame."""
    if isinstance(frame, pl.DataFrame):
        return frame[name].to_list()
    if hasattr(frame, "to_pylist"):
        return frame.column(name).to_pylist()
    if hasattr(frame, "iloc"):
        return frame[name].tolist()
    return frame[:, int(name)].tolist()


def names(frame: Any) -> list[str]:
    if hasattr(frame, "column_names"):
        return list(frame.column_names)
    if hasattr(frame, "columns"):
        return [str(name) for name in frame.columns]
    return [str(position) for position in range(frame.shape[1])]


def rows(frame: Any, keys: list[str]) -> Rows:
    """The records as they show themselves: what reads the same is the same, a missing one is None."""
    return list(zip(*([_shown(cell) for cell in cells(frame, name)] for name in keys), strict=True))


def _shown(cell: Any) -> str | None:
    missing = cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell)
    return None if missing else f"{type(cell).__name__} {cell!r}"


def check(drawn: DrawnTable, options: Mapping[str, Any], release: shoal.Release) -> None:
    """k in every class, every record once with all else that it had, no identifier; the input as it was."""
    frame = release.table
    keys = [name for name in names(frame) if name in options["quasi_identifiers"]]
    assert set(keys) == set(options["quasi_identifiers"]), "a quasi-identifier is gone"
    found = rows(frame, keys)
    assert len(found) == drawn.plain.height, "a record is lost or doubled"
    assert not set(options.get("identifiers", ())) & set(names(frame)), "an identifier is left in"
    before = drawn.plain if drawn.form in ("csv", "tsv.gz", "parquet", "feather") else drawn.data
    for name in names(frame):
        if name not in keys:
            assert list(map(repr, cells(frame, name))) == list(map(repr, cells(before, name))), f"{name} changed"
    _check_classes(drawn, options, release, found)
    assert drawn.unchanged(), "the input changed"


def _check_classes(drawn: DrawnTable, options: Mapping[str, Any], release: shoal.Release, found: Rows) -> None:
    k, height = options["k"], drawn.plain.height
    suppressed = release.partition.suppressed
    hidden = [False] * height if suppressed is None else suppressed.tolist()
    apart = any(options.get(name) for name in ("models", "strata", "households", "sensitive"))
    if options.get("missing_values") == "wildcard" and not apart:
        released_rows = [row for row, lost in zip(found, hidden, strict=True) if not lost]
        counts = wildcard_counts(released_rows, [1.0] * len(released_rows), options.get("alpha", 1.0))
        assert min(counts, default=k) >= k - 1e-9, "a class below k, wildcards counted"
        assert sum(hidden) == 0 or sum(hidden) >= k, "too few are suppressed"
        return
    strata = drawn.plain["region"].to_list() if options.get("strata") else [""] * height
    units = drawn.plain["home"].to_list() if options.get("households") else list(range(height))
    classes: dict[Any, set[Any]] = defaultdict(set)
    for row, stratum, unit, lost in zip(found, strata, units, hidden, strict=True):
        classes[row, stratum, lost].add(unit)
    assert min(map(len, classes.values())) >= k, "a class below k"


def check_figures(evaluation: shoal.Evaluation) -> None:
    """Every figure is a number or None, and every share lies between its ends."""
    flat = [evaluation.loss, evaluation.before, evaluation.after, evaluation.attacks]
    for figures in (*flat, *evaluation.changes.values(), *evaluation.disclosures.values()):
        for name, figure in figures.items():
            beyond = name in ("sse", "sst") and figure == math.inf  # squares of what is not standardized
            assert figure is None or beyond or math.isfinite(figure), f"{name} is {figure}"
    for name in ("global_risk", "highest_risk"):
        for figures in (evaluation.before, evaluation.after):
            risk = figures.get(name)
            assert risk is None or -1e-9 <= risk <= 100 + 1e-9, f"{name} is {risk}"
