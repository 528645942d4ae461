"""Compare sample rows of a table and its release. For internal use: they contain original values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.row_order import take
from shoal.data.table import Table, text_list
from shoal.domain import IntVector
from shoal.errors import OptionError

_CLASSES, _MEMBERS = 8, 25
"""Candidate classes per displayed row, and candidate records per class."""
TextRows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class ComparedRows:
    """Sample records before and after the release, as text; a missing cell is empty."""

    names: tuple[str, ...]
    changed: tuple[str, ...]
    """The released quasi-identifiers."""
    records: tuple[int, ...]
    """Record numbers in the original, from 1."""
    before: TextRows
    after: TextRows

    def to_frame(self) -> pl.DataFrame:
        """Return the record numbers, then each column before and after; an unchanged column once."""
        columns: dict[str, list[int] | list[str]] = {}
        columns[_unused_name("record", self.names)] = list(self.records)
        for j, name in enumerate(self.names):
            columns[name] = [row[j] for row in self.before]
            if name in self.changed:
                columns[_unused_name(f"{name} (released)", (*self.names, *columns))] = [row[j] for row in self.after]
        return pl.DataFrame(columns)


def compare_rows(
    original: Table,
    released: Table,
    *,
    quasi_identifiers: Sequence[str],
    groups: IntVector,
    released_order: IntVector | None = None,
    rows: int = 5,
) -> ComparedRows:
    """Select rows of a table and its release that show changes in different groups.

    ``released_order`` gives the original row of each released row; without it both have the same order. Deterministic.
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise OptionError.invalid_value("rows", "a whole number from 1")
    changed = tuple(name for name in released.names if name in quasi_identifiers)
    candidates = _candidates(groups, rows)
    released_row = np.arange(original.height) if released_order is None else np.argsort(released_order, kind="stable")
    before, after = (
        _rows_as_text(original, released.names, candidates),
        _rows_as_text(released, released.names, released_row[candidates]),
    )
    changed_columns = [j for j, name in enumerate(released.names) if name in changed]
    score = np.array([sum(old[j] != new[j] for j in changed_columns) for old, new in zip(before, after, strict=True)])
    best: dict[int, int] = {}  # the first of the most changed records of each group
    for at in np.argsort(-score, kind="stable").tolist():
        best.setdefault(int(groups[candidates[at]]), at)
    ranked = sorted(best.values(), key=lambda at: (score[at] == 0, at))
    ranked = ranked[: max(rows, sum(1 for at in ranked if score[at]))]  # fill up with unchanged records
    positions = np.linspace(0, len(ranked) - 1, num=min(rows, len(ranked))).astype(np.int64)
    chosen = sorted(ranked[at] for at in positions)
    return ComparedRows(
        released.names,
        changed,
        tuple(int(candidates[at]) + 1 for at in chosen),
        tuple(before[at] for at in chosen),
        tuple(after[at] for at in chosen),
    )


def _candidates(groups: IntVector, rows: int) -> IntVector:
    """Return the first records of evenly spaced groups, in table order."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    selected = np.unique(np.linspace(0, len(starts) - 1, num=min(len(starts), _CLASSES * rows)).astype(np.int64))
    rows_by_group = [order[starts[group] : min(ends[group], starts[group] + _MEMBERS)] for group in selected]
    return np.sort(np.concatenate(rows_by_group))


def _rows_as_text(table: Table, names: tuple[str, ...], rows: IntVector) -> TextRows:
    """Return the cells of these rows as text: as written in a file, or converted from a frame."""
    subset = take(table, rows)
    columns = [
        subset.cells.text(name).to_list() if isinstance(subset.cells, DelimitedCells) else text_list(subset, name)
        for name in names
    ]
    return tuple(tuple("" if cell is None else cell for cell in row) for row in zip(*columns, strict=True))


def _unused_name(name: str, others: tuple[str, ...]) -> str:
    """Return the name, with underscores appended until no column has it."""
    while name in others:
        name += "_"
    return name
