"""Cells of printed tables: a printed figure, ours, and what to think of the difference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shoal.reproduce.published import PrintedTable
from shoal.reproduce.readings import Count, Reading, Row
from shoal.reproduce.runs import Run
from shoal.reproduce.tally import Tally

VERDICTS = ("exact", "within 1 %", "better", "worse", "other", "no data")
CLOSE = 0.01
OTHER = ("other hierarchy", "other sample", "k broken in print")
"""What cannot be called better or worse than print: it is the figure of something else."""
MORE = ("classes",)
"""Measures of which more is better."""


@dataclass(frozen=True)
class Cell:
    """A printed figure and ours."""

    table: PrintedTable
    name: str
    k: int | None
    row: Row
    run: Run | Tally | None
    also: tuple[tuple[Reading | Count, Run | Tally], ...] = ()

    @property
    def printed(self) -> str:
        return self.table.rows[self.name][self.k]

    @cached_property
    def ours(self) -> float | None:
        return None if self.run is None else float(getattr(self.run, self.table.measure))

    @property
    def difference(self) -> float | None:
        """In percent of the printed figure; below 0, ours is lower. None where 0 is printed."""
        printed = float(self.printed)
        return None if self.ours is None or printed == 0 else 100.0 * (self.ours / printed - 1.0)

    @property
    def verdict(self) -> str:
        if self.ours is None:
            return "no data"
        if equals_printed(self.ours, self.printed):
            return "exact"
        if self.row.readings[0].method and self.difference is not None and abs(self.difference) <= 100.0 * CLOSE:
            return "within 1 %"
        if self.row.kind in OTHER or not self.row.readings[0].method:  # neither good nor bad
            return "other"
        lower = self.ours < float(self.printed)
        return "better" if lower != (self.table.measure in MORE) else "worse"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return {
            "paper": self.table.paper,
            "table": self.table.place,
            "dataset": self.table.dataset,
            "method": self.name,
            "k": self.k,
            "measure": self.table.measure,
            "published": self.printed,
            "ours": self.ours,
            "difference_percent": self.difference,
            "verdict": self.verdict,
            "seconds": None if self.run is None else self.run.seconds,
            "published_seconds": self.table.seconds.get(self.name, {}).get(self.k),
            "reading": self.row.readings[0].words,
            "definition": self.row.kind,
            "explanation": self.row.why,
            "also": [
                {"reading": reading.beside(self.row.readings[0]), "value": getattr(run, self.table.measure)}
                for reading, run in self.also
            ],
        }


def equals_printed(ours: float, printed: str) -> bool:
    """Whether a figure is the printed one, rounded to the digits that were printed."""
    unit = 10.0 ** -len(printed.partition(".")[2])
    return abs(ours - float(printed)) <= 0.5 * unit * (1 + 1e-6)
