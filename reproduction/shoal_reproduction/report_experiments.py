"""Experiments that a paper plots without numbers: one row per setting, with the figures of each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

Facts = Mapping[str, Any]
TITLE = "The experiments on XMondrian: C_avg, milliseconds, and records in classes below k"
WORDS = (
    "Figures 12 to 14 of padmaja-2021 plot these experiments without numbers, so that there is nothing to compare"
    " ours with, and do not say which records and columns were taken. Here they are the first records of Adult, as in"
    " its example, and the first of age, workclass, marital-status and native-country. As printed, each value of a"
    " column of categories is a part, whatever its size: its C_avg is low because records stay in classes below k,"
    " which the last column counts. That is no release. The other methods leave none there. Milliseconds (ms) are the"
    " least of five runs of the method alone, on one thread, after encoding and compiling; the one as printed is not"
    " compiled."
)
_SETTING = ("records", "columns", "k")


def rows(experiments: Sequence[Facts]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table."""
    settings = [
        list(setting_rows) for _, setting_rows in groupby(experiments, key=lambda row: [row[name] for name in _SETTING])
    ]
    head = ["Records", "Columns", "k"]
    for row in settings[0]:
        head += ["as printed", "ms", "below k"] if row["as_printed"] else [row["method"], "ms"]
    return head, [
        [*(str(setting_rows[0][name]) for name in _SETTING), *(cell for row in setting_rows for cell in _figures(row))]
        for setting_rows in settings
    ]


def _figures(row: Facts) -> list[str]:
    if row["c_avg"] is None:
        return ["no data", *["–"] * (1 + row["as_printed"])]
    figures = [f"{row['c_avg']:.3f}", f"{row['milliseconds']:.2f}"]
    return [*figures, str(row["below_k"])] if row["as_printed"] else figures
