"""Charts of distributions: frequencies of the values of a column before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from itertools import pairwise
from typing import Any

from shoal.errors.messages import shorten
from shoal.report import html
from shoal.report.format import format_value
from shoal.report.svg_charts import histogram, paired_bar_chart

_EPOCH = date(1970, 1, 1).toordinal()


def distribution_chart(distribution: Mapping[str, Any]) -> str:
    """Small chart of a column under its name."""
    name = shorten(distribution["name"])
    title = f"{name}, records before and after"
    if not distribution["before"]:
        chart = ""
    elif distribution["kind"] == "categories":
        labels = [_label(label) for label in distribution["labels"]]
        if distribution.get("others"):
            labels[-1] += f" ({distribution['others']:,})"
        rows = list(zip(labels, distribution["before"], distribution["after"], strict=True))
        chart = paired_bar_chart(rows, title)
    else:
        ticks = edge_labels(distribution["edges"], dates=distribution["kind"] == "dates")
        rows = list(
            zip(
                bin_labels(ticks, len(distribution["before"])),
                distribution["before"],
                distribution["after"],
                strict=True,
            )
        )
        chart = histogram(ticks, rows, title)
    blank = [distribution["blank_before"], distribution["blank_after"]]
    note = (
        html.paragraph(f"nothing shown: {format_value(blank[0])} → {format_value(blank[1])}", "note")
        if any(blank)
        else ""
    )
    return f"<section><h4>{escape(name)}</h4>{chart}{note}</section>"


def edge_labels(ends: Sequence[float], *, dates: bool) -> list[str]:
    """Format the edges of bins."""
    return [_date_text(end) if dates else f"{end:,.10g}" if abs(end) < 1e9 else f"{end:.6g}" for end in ends]


def bin_labels(ticks: Sequence[str], count: int) -> list[str]:
    """Labels of bins: from edge to edge, open at both ends if there are no edges for these."""
    inner = [f"{low} to {high}" for low, high in pairwise(ticks)]
    return inner if len(inner) == count else [f"under {ticks[0]}", *inner, f"{ticks[-1]} and over"]


def _label(label: str) -> str:
    return shorten(label) or "(empty)"


def _date_text(days: float) -> str:
    try:
        return date.fromordinal(_EPOCH + int(days)).isoformat()
    except (OverflowError, ValueError):  # before the year 1, or after 9999
        return f"day {days:.6g}"
