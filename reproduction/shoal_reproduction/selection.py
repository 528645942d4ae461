"""Selection of runs by papers, tables, datasets and methods."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shoal.errors import OptionError
from shoal.microaggregation import registry
from shoal_reproduction import experiments
from shoal_reproduction.datasets import DATASETS
from shoal_reproduction.published import PAPERS, TABLES, PrintedTable
from shoal_reproduction.readings import MethodReading, get_row_readings


class Selection:
    """Filter of runs: terms of one kind are alternatives, terms of different kinds must all match."""

    def __init__(self, words: Iterable[str]) -> None:
        kinds = {
            "paper": dict.fromkeys(PAPERS),
            "dataset": dict.fromkeys(DATASETS),
            "place": dict.fromkeys(
                [name for table in TABLES for name in _places(table)]
                + [setting.figure.lower() for setting in experiments.SETTINGS]
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

    def has_experiment(self, setting: experiments.ExperimentSetting, reading: MethodReading) -> bool:
        """Whether an experiment, which is printed without numbers, is selected."""
        return self._matches(
            paper={experiments.PAPER},
            place={setting.figure.lower()},
            dataset={experiments.DATASET},
            method={reading.method},
        )


def _places(table: PrintedTable) -> set[str]:
    """Return the names of a table; two tables with the same figures can also be named separately."""
    place = table.place.lower()
    noun = place.split()[0].removesuffix("s")
    return {place, *(f"{noun} {number}" for number in re.findall(r"[\d.]+", place))}
