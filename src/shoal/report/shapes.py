"""Shapes of columns: how often values occurred before, and how often they do after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from itertools import pairwise
from typing import Any

from shoal.report import html
from shoal.report.charts import histogram, pairs
from shoal.report.figures import figure
from shoal.words import short

_DAY_ZERO = date(1970, 1, 1).toordinal()


def section(found: Mapping[str, Any]) -> str:
    """A small chart of a column under its name."""
    name = short(found["name"])
    title = f"{name}, records before and after"
    if not found["before"]:
        drawn = ""
    elif found["kind"] == "categories":
        labels = [_named(label) for label in found["labels"]]
        if found.get("others"):
            labels[-1] += f" ({found['others']:,})"
        rows = list(zip(labels, found["before"], found["after"], strict=True))
        drawn = pairs(rows, title)
    else:
        ticks = edges(found["edges"], dates=found["kind"] == "dates")
        rows = list(zip(bins(ticks, len(found["before"])), found["before"], found["after"], strict=True))
        drawn = histogram(ticks, rows, title)
    blank = [found["blank_before"], found["blank_after"]]
    note = html.paragraph(f"nothing shown: {figure(blank[0])} → {figure(blank[1])}", "note") if any(blank) else ""
    return f"<section><h4>{escape(name)}</h4>{drawn}{note}</section>"


def edges(ends: Sequence[float], *, dates: bool) -> list[str]:
    """The ends of bins as people write them."""
    return [_day(end) if dates else f"{end:,.10g}" if abs(end) < 1e9 else f"{end:.6g}" for end in ends]


def bins(ticks: Sequence[str], count: int) -> list[str]:
    """The names of bins: from edge to edge; open at both ends where there are no edges for these."""
    inner = [f"{low} to {high}" for low, high in pairwise(ticks)]
    return inner if len(inner) == count else [f"under {ticks[0]}", *inner, f"{ticks[-1]} and over"]


def _named(label: str) -> str:
    return short(label) or "(empty)"


def _day(days: float) -> str:
    try:
        return date.fromordinal(_DAY_ZERO + int(days)).isoformat()
    except (OverflowError, ValueError):  # before the year 1, or after 9999
        return f"day {days:.6g}"
