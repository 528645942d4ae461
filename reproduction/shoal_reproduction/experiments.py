"""Experiments that a paper plots without numbers: run again, without a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shoal import data
from shoal_reproduction.datasets import EXAMPLE_COLUMNS, encode_table
from shoal_reproduction.readings import XMONDRIAN, XMONDRIAN_AS_PRINTED, MethodReading
from shoal_reproduction.runs import RunCache, run_on_mixed

EXPERIMENT_PAPER, EXPERIMENT_DATASET = "padmaja-2021", "adult-mixed"


@dataclass(frozen=True)
class ExperimentSetting:
    """One point of a plot: the number of first records, of first columns, and k."""

    figure: str
    records: int
    columns: int
    k: int


SETTINGS = (
    *(ExperimentSetting("Figure 12", records, 4, 2) for records in range(50, 251, 50)),
    *(ExperimentSetting("Figure 13", 50, 4, k) for k in range(3, 8)),
    *(ExperimentSetting("Figure 14", 10, columns, 2) for columns in (2, 3, 4)),
)
"""Figure 11 of Padmaja and Santhi 2021, which gives only limits; the step from 50 to 250 records is ours."""
EXPERIMENT_READINGS: Sequence[MethodReading] = (
    MethodReading("mondrian-encoded", mixed=True),
    XMONDRIAN,
    MethodReading("mondrian-extent", mixed=True),
    XMONDRIAN_AS_PRINTED,
)


def run_experiment(runs: RunCache, setting: ExperimentSetting, reading: MethodReading) -> dict[str, Any]:
    """Run a reading on a setting; the figures are None if the data is missing."""
    facts = {
        "paper": EXPERIMENT_PAPER,
        "figure": setting.figure,
        "dataset": EXPERIMENT_DATASET,
        "records": setting.records,
        "columns": setting.columns,
        "k": setting.k,
        "method": reading.method,
        "as_printed": reading.as_printed,
    }
    table = runs.table(EXPERIMENT_DATASET)
    if table is None:
        return {**facts, **dict.fromkeys(("classes", "c_avg", "below_k", "milliseconds"))}
    frame = table.native().head(setting.records).select(EXAMPLE_COLUMNS[: setting.columns])
    run = run_on_mixed(reading, encode_table(data.read_table(frame)), setting.k)
    figures = {"classes": run.classes, "c_avg": run.c_avg, "below_k": run.below_k}
    return {**facts, **figures, "milliseconds": 1000.0 * (run.seconds or 0.0)}
