"""The choice of what to run: words that name papers, tables, data sets or methods."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shoal.errors import OptionError
from shoal.partition import registry
from shoal.reproduce import experiments
from shoal.reproduce.datasets import DATASETS
from shoal.reproduce.published import PAPERS, TABLES, PrintedTable
from shoal.reproduce.readings import Reading, row_of


class Choice:
    """Every kind of word must fit; words of one kind are alternatives; a kind without a word fits all."""

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
        self.words = [word.strip().lower() for word in words]
        for word in self.words:
            if word not in known:
                raise OptionError.unknown_choice("paper, data set, table or method", word, known)
        self.asked = {kind: names.keys() & set(self.words) for kind, names in kinds.items()}

    def _fits(self, **facts: set[str]) -> bool:
        return all(not self.asked[kind] or self.asked[kind] & names for kind, names in facts.items())

    def cell(self, table: PrintedTable, name: str, k: int | None) -> bool:
        """Whether a printed cell is asked for."""
        readings = row_of(name, table.dataset, k).readings
        return self._fits(
            paper={table.paper},
            place=_places(table),
            dataset={table.dataset, *(reading.dataset for reading in readings if reading.dataset)},
            method={name.lower(), *(reading.method for reading in readings)},
        )

    def comparison(self, dataset: str, method: str) -> bool:
        """Whether the comparison of all methods, which is in no paper, is asked for."""
        return self._fits(paper=set(), place=set(), dataset={dataset}, method={method})

    def bases(self, table: PrintedTable) -> bool:
        """Whether the two bases of Multi-DSort are asked for."""
        return self._fits(paper={table.paper}, place=_places(table), dataset={table.dataset}, method={"multi-dsort"})

    def experiment(self, setting: experiments.Setting, reading: Reading) -> bool:
        """Whether an experiment, which is printed without numbers, is asked for."""
        return self._fits(
            paper={experiments.PAPER},
            place={setting.figure.lower()},
            dataset={experiments.DATASET},
            method={reading.method},
        )


def _places(table: PrintedTable) -> set[str]:
    """What a table may be called: of two tables with the same figures, each by itself too."""
    place = table.place.lower()
    noun = place.split()[0].removesuffix("s")
    return {place, *(f"{noun} {number}" for number in re.findall(r"[\d.]+", place))}
