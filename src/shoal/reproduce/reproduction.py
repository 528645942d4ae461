"""Every printed figure beside ours."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from shoal.errors import OptionError
from shoal.measure import variation
from shoal.partition import registry
from shoal.refine import elementary_bound
from shoal.release import versions
from shoal.reproduce.cells import VERDICTS, Cell
from shoal.reproduce.choice import Choice
from shoal.reproduce.datasets import DATASETS, data_folder, encoded, known
from shoal.reproduce.experiments import READINGS, SETTINGS, Setting, experiment
from shoal.reproduce.published import PAPERS, TABLES, PrintedTable
from shoal.reproduce.readings import Reading, row_of
from shoal.reproduce.runs import Runs
from shoal.schema import Kind
from shoal.values import Progress, silent

_NUMBERS, _CATEGORIES = (3, 4, 5, 10), tuple(range(2, 11))
COMPARED: Mapping[str, Sequence[int]] = {
    **dict.fromkeys(("tarragona", "census", "eia"), _NUMBERS),
    **dict.fromkeys(("adult", "analytics", "analytics-sample-one", "analytics-sample-two"), _CATEGORIES),
}
"""The data sets on which all methods are compared, and the values of k."""
MULTI_DSORT = "Multi-DSort"
BASES = ("multi-dsort", "mdav-1")
"""Methods that are run on standardized and on raw columns, to show that the base decides the figure."""


@dataclass(frozen=True)
class Reproduction:
    """All cells, and what puts them into their place."""

    cells: tuple[Cell, ...]
    bases: tuple[Mapping[str, Any], ...]
    comparison: tuple[Mapping[str, Any], ...]
    experiments: tuple[Mapping[str, Any], ...]
    datasets: tuple[str, ...]
    warnings: tuple[str, ...]

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
            "warnings": list(self.warnings),
            "summary": self.summary,
            "cells": [cell.to_dict() for cell in self.cells],
            "bases": [dict(row) for row in self.bases],
            "experiments": [dict(row) for row in self.experiments],
            "comparison": [dict(row) for row in self.comparison],
        }


@dataclass(frozen=True)
class Plan:
    """What is to be run: cells of tables, methods to compare, tables whose bases are shown, and experiments."""

    folder: Path
    cells: Sequence[tuple[PrintedTable, str, int | None]]
    compared: Sequence[tuple[str, str, int]]
    based: Sequence[PrintedTable]
    experiments: Sequence[tuple[Setting, Reading]]


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
    return carry_out(plan(data, only=only), progress=progress or silent)


def plan(data: str | os.PathLike[str] | None, *, only: Sequence[str]) -> Plan:
    """Find the data and what is asked for, before anything is run."""
    choice = Choice(only)
    cells = [
        (table, name, k)
        for table in TABLES
        for name, row in table.rows.items()
        for k in row
        if choice.cell(table, name, k)
    ]
    compared = [
        (dataset, method, k)
        for dataset, levels in COMPARED.items()
        for method in _comparable(dataset)
        if choice.comparison(dataset, method)
        for k in levels
    ]
    tried = [(setting, reading) for setting in SETTINGS for reading in READINGS if choice.experiment(setting, reading)]
    if not cells and not compared and not tried:
        raise OptionError.nothing_chosen(choice.words)
    based = [table for table in TABLES if MULTI_DSORT in table.rows and choice.bases(table)]
    return Plan(data_folder(data), cells, compared, based, tried)


def carry_out(plan: Plan, *, progress: Progress) -> Reproduction:
    """Do all runs of a plan, one after another."""
    runs = Runs(plan.folder)
    steps, done = sum(map(len, (plan.cells, plan.compared, plan.based, plan.experiments))), count(1)
    cells, compared, bases, tried = [], [], [], []
    for table, name, k in plan.cells:
        cells.append(_cell(runs, table, name, k))
        progress(next(done), steps)
    for dataset, method, k in plan.compared:
        compared += _compared(runs, dataset, method, k)
        progress(next(done), steps)
    for table in plan.based:
        bases += _bases(runs, table)
        progress(next(done), steps)
    for setting, reading in plan.experiments:
        tried.append(experiment(runs, setting, reading))
        progress(next(done), steps)
    there = tuple(name for name in DATASETS if runs.tables.get(name) is not None)
    return Reproduction(tuple(cells), tuple(bases), tuple(compared), tuple(tried), there, _warnings(runs))


def _warnings(runs: Runs) -> tuple[str, ...]:
    """What is missing, and what is not what the papers used."""
    other = {
        DATASETS[name].file: None for name, table in runs.tables.items() if table and not known(DATASETS[name], table)
    }
    said = [
        f"{file} is not in the data folder; the cells that need it are counted as 'no data'." for file in runs.missing
    ]
    said += [f"{file} does not hold the numbers that the papers used; do not trust the verdicts." for file in other]
    return tuple(said)


def _cell(runs: Runs, table: PrintedTable, name: str, k: int | None) -> Cell:
    row = row_of(name, table.dataset, k)
    found = [(reading, runs.figure(reading, table.dataset, k)) for reading in row.readings]
    also = tuple((reading, run) for reading, run in found[1:] if run is not None)
    return Cell(table=table, name=name, k=k, row=row, run=found[0][1], also=also)


def _comparable(dataset: str) -> list[str]:
    """The methods that take columns of the kind that the data set has, and as many.

    On categories, those that keep equal records together, or are for categories alone: to look at each of hundreds of
    thousands of records, of which a few hundred differ, would take hours. The one that chooses among the others by
    itself is none of them.
    """
    data = DATASETS[dataset]
    kind = Kind.HIERARCHICAL if data.categories else Kind.NUMERIC
    return [
        name
        for name, method in registry.methods().items()
        if name != registry.AUTO
        and kind in method.kinds
        and (method.most_columns or data.width) >= data.width
        and (not data.categories or Kind.NUMERIC not in method.kinds or method.largest_group is None)
    ]


def _compared(runs: Runs, dataset: str, method: str, k: int) -> list[dict[str, Any]]:
    run = runs.run(Reading(method, semantic=bool(DATASETS[dataset].categories)), dataset, k)
    if run is None:
        return []
    facts = {"dataset": dataset, "family": registry.find(method).family, "method": method, "k": k}
    losses = {"information_loss": run.information_loss, "semantic_loss": run.semantic_loss}
    return [{**facts, **losses, "seconds": run.seconds}]


def _bases(runs: Runs, table: PrintedTable) -> list[dict[str, Any]]:
    """Multi-DSort and MDAV on standardized and on raw columns, with what no partition can go below.

    The raw columns are those that the printed figures are about.
    """
    rows = []
    for standardize in (True, False):
        for k, figure in table.rows[MULTI_DSORT].items():
            raw = row_of(MULTI_DSORT, table.dataset, k).readings[0]
            if k is None or not isinstance(raw, Reading):
                continue
            base = replace(raw, standardize=standardize, dataset=None if standardize else raw.dataset)
            ours, mdav = (runs.run(replace(base, method=method), table.dataset, k) for method in BASES)
            data = runs.table(base.dataset or table.dataset)
            if ours is None or mdav is None or data is None:
                continue
            records = encoded(data, standardize=standardize)
            bound = 100.0 * elementary_bound(records.matrix, k).value / variation(records.matrix)
            rows.append(
                {
                    "dataset": table.dataset,
                    "base": records.scale.name,
                    "columns": len(records.names),
                    "k": k,
                    "published": figure,
                    "multi_dsort": ours.information_loss,
                    "mdav_1": mdav.information_loss,
                    "lower_bound": bound,
                    "impossible": float(figure) < bound,
                }
            )
    return rows
