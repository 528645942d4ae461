"""Every printed figure beside ours."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.partition import registry
from shoal.refine import elementary_bound
from shoal.release import versions
from shoal.reproduce.cells import VERDICTS, Cell
from shoal.reproduce.choice import Choice
from shoal.reproduce.datasets import DATASETS, data_folder, encoded
from shoal.reproduce.published import PAPERS, TABLES, PrintedTable
from shoal.reproduce.readings import Reading, row_of
from shoal.reproduce.runs import Runs, sst
from shoal.values import Progress, silent

COMPARED = ("tarragona", "census", "eia")
"""The data sets on which all methods are compared, at these values of k."""
LEVELS = (3, 4, 5, 10)
BASES = {"multi_dsort": "multi-dsort", "mdav_1": "mdav-1"}
"""Methods that are run on raw columns too, to show that the base decides the figure."""


@dataclass(frozen=True)
class Reproduction:
    """All cells, and what puts them into their place."""

    cells: tuple[Cell, ...]
    bases: tuple[Mapping[str, Any], ...]
    comparison: tuple[Mapping[str, Any], ...]
    datasets: tuple[str, ...]

    @property
    def summary(self) -> dict[str, int]:
        """How many cells got which verdict."""
        counts = Counter(cell.verdict for cell in self.cells)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return {
            "versions": versions(),
            "papers": PAPERS,
            "datasets": {name: DATASETS[name].words for name in self.datasets},
            "summary": self.summary,
            "cells": [cell.to_dict() for cell in self.cells],
            "bases": [dict(row) for row in self.bases],
            "comparison": [dict(row) for row in self.comparison],
        }


def reproduce(
    data: str | os.PathLike[str] | None = None, *, only: Sequence[str] = (), progress: Progress | None = None
) -> Reproduction:
    """Run every printed figure that the data allows, and all methods on the same data sets.

    Parameters
    ----------
    data
        The folder with the data sets; else the one that SHOAL_DATA names, or ``../shared/data``.
    only
        Papers, tables, data sets or methods, as printed or as Shoal names them; without any, all.
    progress
        Called with the number of runs done and the number of all runs.
    """
    runs, choice = Runs(data_folder(data)), Choice(only)
    cells = [
        (table, name, k)
        for table in TABLES
        for name, row in table.rows.items()
        for k in row
        if choice.cell(table, name, k)
    ]
    compared = [(d, m, k) for d in COMPARED for m in _comparable(d) if choice.comparison(d, m) for k in LEVELS]
    based = [t for t in TABLES if "Multi-DSort" in t.rows and choice.bases(t.dataset, t)]
    steps = len(cells) + len(compared) + len(based)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        (progress or silent)(done, steps)

    made, rows, bases = [], [], []
    for table, name, k in cells:
        made.append(_cell(runs, table, name, k))
        step()
    for dataset, method, k in compared:
        rows += _compared(runs, dataset, method, k)
        step()
    for table in based:
        bases += _bases(runs, table)
        step()
    there = tuple(name for name in DATASETS if runs.tables.get(name) is not None)
    return Reproduction(tuple(made), tuple(bases), tuple(rows), there)


def _cell(runs: Runs, table: PrintedTable, name: str, k: int) -> Cell:
    first, *others = row_of(name, table.dataset, k).readings
    also = [(reading, runs.run(reading, table.dataset, k)) for reading in others]
    return Cell(
        table=table,
        name=name,
        k=k,
        run=runs.run(first, table.dataset, k),
        also=tuple((reading, run) for reading, run in also if run is not None),
    )


def _comparable(dataset: str) -> list[str]:
    """The methods that take as many columns as the data set has."""
    columns = DATASETS[dataset].columns
    return [name for name, method in registry.methods().items() if (method.most_columns or columns) >= columns]


def _compared(runs: Runs, dataset: str, method: str, k: int) -> list[dict[str, Any]]:
    run = runs.run(Reading(method), dataset, k)
    if run is None:
        return []
    facts = {"dataset": dataset, "family": registry.find(method).family, "method": method, "k": k}
    return [{**facts, "information_loss": run.information_loss, "seconds": run.seconds}]


def _bases(runs: Runs, printed: PrintedTable) -> list[dict[str, Any]]:
    """Multi-DSort and MDAV on standardized and on raw columns, with what no partition can go below."""
    table = runs.table(printed.dataset)
    if table is None:
        return []
    rows = []
    for standardize in (True, False):
        records = encoded(table, standardize=standardize)
        for k, figure in printed.rows["Multi-DSort"].items():
            ours = {
                name: runs.run(Reading(method, standardize=standardize), printed.dataset, k)
                for name, method in BASES.items()
            }
            rows.append(
                {
                    "dataset": printed.dataset,
                    "base": records.scale.name,
                    "k": k,
                    "published": figure,
                    **{name: run.information_loss for name, run in ours.items() if run is not None},
                    "lower_bound": 100.0 * elementary_bound(records, k) / sst(records),
                }
            )
    return rows
