"""Rows of a table before and after its release, side by side. For internal use: they show original values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.errors import OptionError
from shoal.tables.counts import texts
from shoal.tables.delimited import DelimitedCells
from shoal.tables.order import taken
from shoal.tables.table import Table
from shoal.values import IntVector

_CLASSES, _MEMBERS = 8, 25
"""For each row that is shown, classes that are looked at, and records of each of them."""
Texts = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class ComparedRows:
    """Some records as they were and as they are released, cell by cell as text; an empty one where nothing is."""

    names: tuple[str, ...]
    """The released columns."""
    changed: tuple[str, ...]
    """Those of them that the release protects."""
    records: tuple[int, ...]
    """The numbers of the records in the original, from 1."""
    before: Texts
    """A row for each record."""
    after: Texts

    def frame(self) -> pl.DataFrame:
        """The number of each record, then each column before and after; an unchanged column once."""
        columns: dict[str, list[int] | list[str]] = {}
        columns[_free("record", self.names)] = list(self.records)
        for j, name in enumerate(self.names):
            columns[name] = [row[j] for row in self.before]
            if name in self.changed:
                columns[_free(f"{name} (released)", (*self.names, *columns))] = [row[j] for row in self.after]
        return pl.DataFrame(columns)


def compare_rows(
    original: Table,
    released: Table,
    *,
    quasi_identifiers: Sequence[str],
    groups: IntVector,
    order: IntVector | None = None,
    rows: int = 5,
) -> ComparedRows:
    """Some rows of a table and of its release, of different groups where the release changed something.

    ``order`` says for each row of the release which row of the original it is; without it they stand in one order.
    The same release shows the same rows.
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise OptionError.bad_option("rows", "a whole number from 1")
    changed = tuple(name for name in released.names if name in quasi_identifiers)
    looked = _looked_at(groups, rows)
    place = np.arange(original.height) if order is None else np.argsort(order, kind="stable")
    before, after = _texts(original, released.names, looked), _texts(released, released.names, place[looked])
    kept = [j for j, name in enumerate(released.names) if name in changed]
    score = np.array([sum(one[j] != two[j] for j in kept) for one, two in zip(before, after, strict=True)])
    best: dict[int, int] = {}  # of each group the first of the records that changed most
    for at in np.argsort(-score, kind="stable").tolist():
        best.setdefault(int(groups[looked[at]]), at)
    telling = sorted(best.values(), key=lambda at: (score[at] == 0, at))
    telling = telling[: max(rows, sum(1 for at in telling if score[at]))]  # where too few changed, some that did not
    some = np.linspace(0, len(telling) - 1, num=min(rows, len(telling))).astype(np.int64)
    chosen = sorted(telling[at] for at in some)
    return ComparedRows(
        released.names,
        changed,
        tuple(int(looked[at]) + 1 for at in chosen),
        tuple(before[at] for at in chosen),
        tuple(after[at] for at in chosen),
    )


def _looked_at(groups: IntVector, rows: int) -> IntVector:
    """The first records of groups that lie evenly among all, in the order of the table."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    some = np.unique(np.linspace(0, len(starts) - 1, num=min(len(starts), _CLASSES * rows)).astype(np.int64))
    found = [order[starts[group] : min(ends[group], starts[group] + _MEMBERS)] for group in some]
    return np.sort(np.concatenate(found))


def _texts(table: Table, names: tuple[str, ...], rows: IntVector) -> Texts:
    """The cells of these rows as they are written, or as words where a frame holds them."""
    some = taken(table, rows)
    columns = [
        some.cells.text(name).to_list() if isinstance(some.cells, DelimitedCells) else texts(some, name)
        for name in names
    ]
    return tuple(tuple("" if cell is None else cell for cell in row) for row in zip(*columns, strict=True))


def _free(name: str, others: tuple[str, ...]) -> str:
    """The name, or one like it that no column has."""
    while name in others:
        name += "_"
    return name
