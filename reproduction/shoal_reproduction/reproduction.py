"""Reproduction of printed figures: plan, runs and result."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from shoal.domain import Kind, Progress, no_progress
from shoal.errors import OptionError
from shoal.metrics import total_sum_of_squares
from shoal.microaggregation import registry
from shoal.release.save import package_versions
from shoal.search import elementary_bound
from shoal_reproduction.cells import VERDICTS, FigureCell
from shoal_reproduction.datasets import DATASETS, data_folder, encode_table, matches_checksum
from shoal_reproduction.errors import SelectionError
from shoal_reproduction.experiments import (
    EXPERIMENT_DATASET,
    EXPERIMENT_PAPER,
    EXPERIMENT_READINGS,
    SETTINGS,
    ExperimentSetting,
    run_experiment,
)
from shoal_reproduction.published import PAPERS, TABLES, PrintedTable
from shoal_reproduction.readings import MethodReading, get_row_readings
from shoal_reproduction.runs import RunCache

_NUMBERS, _CATEGORIES = (3, 4, 5, 10), tuple(range(2, 11))
COMPARED_LEVELS: Mapping[str, Sequence[int]] = {
    **dict.fromkeys(("tarragona", "census", "eia"), _NUMBERS),
    **dict.fromkeys(("adult", "analytics", "analytics-sample-one", "analytics-sample-two"), _CATEGORIES),
}
"""Datasets on which all methods are compared, with the values of k."""
MULTI_DSORT = "Multi-DSort"
BASES = ("multi-dsort", "mdav-1")
"""Methods run on standardized and on raw columns, to show that the base explains the figure."""


@dataclass(frozen=True)
class Reproduction:
    """Result: all cells, with comparisons, experiments and warnings."""

    cells: tuple[FigureCell, ...]
    bases: tuple[Mapping[str, Any], ...]
    comparison: tuple[Mapping[str, Any], ...]
    experiments: tuple[Mapping[str, Any], ...]
    datasets: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def summary(self) -> dict[str, int]:
        """Number of cells per verdict."""
        counts = Counter(cell.verdict for cell in self.cells)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    def to_dict(self) -> dict[str, Any]:
        """Plain data with a stable key order."""
        return {
            "versions": package_versions(),
            "papers": PAPERS,
            "datasets": {name: DATASETS[name].description for name in self.datasets},
            "warnings": list(self.warnings),
            "summary": self.summary,
            "cells": [cell.to_dict() for cell in self.cells],
            "bases": [dict(row) for row in self.bases],
            "experiments": [dict(row) for row in self.experiments],
            "comparison": [dict(row) for row in self.comparison],
        }


class Selection:
    """Filter of runs: terms of one kind are alternatives, terms of different kinds must all match."""

    def __init__(self, words: Iterable[str]) -> None:
        kinds = {
            "paper": dict.fromkeys(PAPERS),
            "dataset": dict.fromkeys(DATASETS),
            "place": dict.fromkeys(
                [name for table in TABLES for name in _places(table)] + [setting.figure.lower() for setting in SETTINGS]
            ),
            "method": dict.fromkeys([*registry.methods(), *(name.lower() for table in TABLES for name in table.rows)]),
        }
        known = [name for names in kinds.values() for name in names]
        self.terms = [word.strip().lower() for word in words]
        for word in self.terms:
            if word not in known:
                raise OptionError.unknown_choice("paper, data set, table or method", word, known)
        self.selected = {kind: names.keys() & set(self.terms) for kind, names in kinds.items()}

    def _matches(self, **names_by_kind: set[str]) -> bool:
        return all(not self.selected[kind] or self.selected[kind] & names for kind, names in names_by_kind.items())

    def has_cell(self, table: PrintedTable, name: str, k: int | None) -> bool:
        """Whether a printed cell is selected."""
        readings = get_row_readings(name, table.dataset, k).readings
        return self._matches(
            paper={table.paper},
            place=_places(table),
            dataset={table.dataset, *(reading.dataset for reading in readings if reading.dataset)},
            method={name.lower(), *(reading.method for reading in readings)},
        )

    def has_comparison(self, dataset: str, method: str) -> bool:
        """Whether the comparison of all methods, which is in no paper, is selected."""
        return self._matches(paper=set(), place=set(), dataset={dataset}, method={method})

    def has_bases(self, table: PrintedTable) -> bool:
        """Whether the two bases of Multi-DSort are selected."""
        return self._matches(paper={table.paper}, place=_places(table), dataset={table.dataset}, method={"multi-dsort"})

    def has_experiment(self, setting: ExperimentSetting, reading: MethodReading) -> bool:
        """Whether an experiment, which is printed without numbers, is selected."""
        return self._matches(
            paper={EXPERIMENT_PAPER},
            place={setting.figure.lower()},
            dataset={EXPERIMENT_DATASET},
            method={reading.method},
        )


def _places(table: PrintedTable) -> set[str]:
    """Return the names of a table; two tables with the same figures can also be named separately."""
    place = table.place.lower()
    noun = place.split()[0].removesuffix("s")
    return {place, *(f"{noun} {number}" for number in re.findall(r"[\d.]+", place))}


@dataclass(frozen=True)
class ReproductionPlan:
    """Runs to do: cells of tables, compared methods, tables to run on both bases, and experiments."""

    folder: Path
    cells: Sequence[tuple[PrintedTable, str, int | None]]
    comparisons: Sequence[tuple[str, str, int]]
    base_tables: Sequence[PrintedTable]
    experiments: Sequence[tuple[ExperimentSetting, MethodReading]]


def reproduce(
    data: str | os.PathLike[str] | None = None, *, only: Sequence[str] = (), progress: Progress | None = None
) -> Reproduction:
    """Reproduce every printed figure that the data allows, and compare all methods on the same datasets.

    Parameters
    ----------
    data
        The folder of the datasets; by default that of SHOAL_DATA, else ``../shared/data``.
    only
        Papers, tables, datasets or methods, by their printed name or that in Shoal; all by default.
    progress
        Called with the number of finished runs and of all runs.
    """
    return run_plan(make_plan(data, only=only), progress=progress or no_progress)


def make_plan(data: str | os.PathLike[str] | None, *, only: Sequence[str]) -> ReproductionPlan:
    """Select the runs and find the data, before any run."""
    selection = Selection(only)
    cells = [
        (table, name, k)
        for table in TABLES
        for name, row in table.rows.items()
        for k in row
        if selection.has_cell(table, name, k)
    ]
    compared = [
        (dataset, method, k)
        for dataset, levels in COMPARED_LEVELS.items()
        for method in _applicable_methods(dataset)
        if selection.has_comparison(dataset, method)
        for k in levels
    ]
    experiments = [
        (setting, reading)
        for setting in SETTINGS
        for reading in EXPERIMENT_READINGS
        if selection.has_experiment(setting, reading)
    ]
    if not cells and not compared and not experiments:
        raise SelectionError.empty(selection.terms)
    based = [table for table in TABLES if MULTI_DSORT in table.rows and selection.has_bases(table)]
    return ReproductionPlan(data_folder(data), cells, compared, based, experiments)


def run_plan(plan: ReproductionPlan, *, progress: Progress) -> Reproduction:
    """Do all runs of a plan in order."""
    runs = RunCache(plan.folder)
    steps, done = sum(map(len, (plan.cells, plan.comparisons, plan.base_tables, plan.experiments))), count(1)
    cells, comparison, bases, experiments = [], [], [], []
    for table, name, k in plan.cells:
        cells.append(_cell(runs, table, name, k))
        progress(next(done), steps)
    for dataset, method, k in plan.comparisons:
        comparison += _compare(runs, dataset, method, k)
        progress(next(done), steps)
    for table in plan.base_tables:
        bases += _bases(runs, table)
        progress(next(done), steps)
    for setting, reading in plan.experiments:
        experiments.append(run_experiment(runs, setting, reading))
        progress(next(done), steps)
    available = tuple(name for name in DATASETS if runs.tables.get(name) is not None)
    return Reproduction(tuple(cells), tuple(bases), tuple(comparison), tuple(experiments), available, _warnings(runs))


def _warnings(runs: RunCache) -> tuple[str, ...]:
    """Warn about missing files, and about files other than those of the papers."""
    other = {
        DATASETS[name].file: None
        for name, table in runs.tables.items()
        if table and not matches_checksum(DATASETS[name], table)
    }
    warnings = [
        f"{file} is not in the data folder; the cells that need it are counted as 'no data'."
        for file in runs.missing_files
    ]
    warnings += [f"{file} does not hold the numbers that the papers used; do not trust the verdicts." for file in other]
    return tuple(warnings)


def _cell(runs: RunCache, table: PrintedTable, name: str, k: int | None) -> FigureCell:
    row = get_row_readings(name, table.dataset, k)
    results = [(reading, runs.evaluate(reading, table.dataset, k)) for reading in row.readings]
    also = tuple((reading, run) for reading, run in results[1:] if run is not None)
    return FigureCell(table=table, name=name, k=k, row=row, run=results[0][1], alternatives=also)


def _applicable_methods(dataset: str) -> list[str]:
    """Return the methods that support the kind and number of the dataset's columns, without ``auto``.

    On categories, only methods that keep equal records together or support categories only: others would take hours on
    hundreds of thousands of records with a few hundred distinct tuples.
    """
    data = DATASETS[dataset]
    kind = Kind.HIERARCHICAL if data.categories else Kind.NUMERIC
    return [
        name
        for name, method in registry.methods().items()
        if name != registry.AUTO
        and kind in method.kinds
        and (method.max_columns or data.n_columns) >= data.n_columns
        and (not data.categories or Kind.NUMERIC not in method.kinds or method.largest_group is None)
    ]


def _compare(runs: RunCache, dataset: str, method: str, k: int) -> list[dict[str, Any]]:
    run = runs.run(MethodReading(method, semantic=bool(DATASETS[dataset].categories)), dataset, k)
    if run is None:
        return []
    facts = {"dataset": dataset, "family": registry.get_method(method).family, "method": method, "k": k}
    losses = {"information_loss": run.information_loss, "semantic_loss": run.semantic_loss}
    return [{**facts, **losses, "seconds": run.seconds}]


def _bases(runs: RunCache, table: PrintedTable) -> list[dict[str, Any]]:
    """Run Multi-DSort and MDAV on standardized and on raw columns, with the lower bound of any partition.

    The raw columns are those of the printed figures.
    """
    rows = []
    for standardize in (True, False):
        for k, figure in table.rows[MULTI_DSORT].items():
            raw = get_row_readings(MULTI_DSORT, table.dataset, k).readings[0]
            if k is None or not isinstance(raw, MethodReading):
                continue
            base = replace(raw, standardize=standardize, dataset=None if standardize else raw.dataset)
            ours, mdav = (runs.run(replace(base, method=method), table.dataset, k) for method in BASES)
            data = runs.table(base.dataset or table.dataset)
            if ours is None or mdav is None or data is None:
                continue
            records = encode_table(data, standardize=standardize)
            bound = 100.0 * elementary_bound(records.matrix, k).value / total_sum_of_squares(records.matrix)
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
