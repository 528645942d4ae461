"""Cells of printed tables: the printed figure, the reproduced figure and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shoal_reproduction.published import PrintedTable
from shoal_reproduction.readings import CountReading, MethodReading, RowReadings
from shoal_reproduction.runs import CountResult, RunResult

VERDICTS = ("exact", "within 1 %", "better", "worse", "other", "no data")
TOLERANCE = 0.01
NOT_COMPARABLE = ("other hierarchy", "other sample", "k broken in print")
"""Definitions for which a difference is neither better nor worse."""
HIGHER_IS_BETTER = ("classes",)
"""Measures for which higher is better."""


@dataclass(frozen=True)
class FigureCell:
    """A printed figure and its reproduction."""

    table: PrintedTable
    name: str
    k: int | None
    row: RowReadings
    run: RunResult | CountResult | None
    alternatives: tuple[tuple[MethodReading | CountReading, RunResult | CountResult], ...] = ()

    @property
    def printed(self) -> str:
        return self.table.rows[self.name][self.k]

    @cached_property
    def reproduced(self) -> float | None:
        return None if self.run is None else float(getattr(self.run, self.table.measure))

    @property
    def difference(self) -> float | None:
        """Difference in percent of the printed figure, negative if ours is lower; None if 0 is printed."""
        printed = float(self.printed)
        return None if self.reproduced is None or printed == 0 else 100.0 * (self.reproduced / printed - 1.0)

    @property
    def verdict(self) -> str:
        if self.reproduced is None:
            return "no data"
        if equals_printed(self.reproduced, self.printed):
            return "exact"
        if self.row.readings[0].method and self.difference is not None and abs(self.difference) <= 100.0 * TOLERANCE:
            return "within 1 %"
        if self.row.definition in NOT_COMPARABLE or not self.row.readings[0].method:  # neither good nor bad
            return "other"
        lower = self.reproduced < float(self.printed)
        return "better" if lower != (self.table.measure in HIGHER_IS_BETTER) else "worse"

    def to_dict(self) -> dict[str, Any]:
        """Plain data with a stable key order."""
        return {
            "paper": self.table.paper,
            "table": self.table.place,
            "dataset": self.table.dataset,
            "method": self.name,
            "k": self.k,
            "measure": self.table.measure,
            "published": self.printed,
            "ours": self.reproduced,
            "difference_percent": self.difference,
            "verdict": self.verdict,
            "seconds": None if self.run is None else self.run.seconds,
            "published_seconds": self.table.seconds.get(self.name, {}).get(self.k),
            "reading": self.row.readings[0].description,
            "definition": self.row.definition,
            "explanation": self.row.explanation,
            "also": [
                {"reading": reading.difference(self.row.readings[0]), "value": getattr(run, self.table.measure)}
                for reading, run in self.alternatives
            ],
        }


def equals_printed(ours: float, printed: str) -> bool:
    """Whether a figure, rounded to the printed digits, is the printed one."""
    unit = 10.0 ** -len(printed.partition(".")[2])
    return abs(ours - float(printed)) <= 0.5 * unit * (1 + 1e-6)
