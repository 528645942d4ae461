"""Experiments that a paper plots without printing their numbers: run again, with nothing to compare them with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shoal import tables
from shoal.reproduce.datasets import encoded
from shoal.reproduce.example import COLUMNS
from shoal.reproduce.readings import AS_PRINTED, XMONDRIAN, Reading
from shoal.reproduce.runs import Runs, on_mixed

PAPER, DATASET = "padmaja-2021", "adult-mixed"


@dataclass(frozen=True)
class Setting:
    """One point of a plot: the first records, the first columns, and k."""

    figure: str
    records: int
    columns: int
    k: int


SETTINGS = (
    *(Setting("Figure 12", records, 4, 2) for records in range(50, 251, 50)),
    *(Setting("Figure 13", 50, 4, k) for k in range(3, 8)),
    *(Setting("Figure 14", 10, columns, 2) for columns in (2, 3, 4)),
)
"""Figure 11 of Padmaja and Santhi 2021: it gives limits, and the step from 50 records to 250 is ours."""
READINGS: Sequence[Reading] = (
    Reading("mondrian-encoded", mixed=True),
    XMONDRIAN,
    Reading("mondrian-extent", mixed=True),
    AS_PRINTED,
)


def experiment(runs: Runs, setting: Setting, reading: Reading) -> dict[str, Any]:
    """What a reading makes of a setting; where the data is missing, its figures are None."""
    facts = {
        "paper": PAPER,
        "figure": setting.figure,
        "dataset": DATASET,
        "records": setting.records,
        "columns": setting.columns,
        "k": setting.k,
        "method": reading.method,
        "as_printed": reading.as_printed,
    }
    table = runs.table(DATASET)
    if table is None:
        return {**facts, **dict.fromkeys(("classes", "c_avg", "below_k", "milliseconds"))}
    frame = table.native().head(setting.records).select(COLUMNS[: setting.columns])
    run = on_mixed(reading, encoded(tables.read(frame)), setting.k)
    figures = {"classes": run.classes, "c_avg": run.c_avg, "below_k": run.below_k}
    return {**facts, **figures, "milliseconds": 1000.0 * (run.seconds or 0.0)}
