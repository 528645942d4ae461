"""Charts as inline SVG: a report needs no script and no other host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from itertools import pairwise
from typing import Any

from shoal.errors.messages import pluralize, shorten
from shoal.report import html
from shoal.report.format import format_value

_EPOCH = date(1970, 1, 1).toordinal()
_ROW, _BAR = 34, 8
_HEAD, _HIGH, _AXIS = 18, 96, 22
_MOST = 30
_TICKS = 5
LABEL_HEIGHT = 15
DASHES = ("", "7 3", "2 3")
COLORS = 8
"""Number of line colors, c0 .. c7 in the style sheet."""
LEGEND = '<p class="key"><span class="was"></span> before <span class="now"></span> after</p>'


def bar_chart(rows: Sequence[tuple[str, float, str]], title: str, *, whole: float = 0) -> str:
    """Bar chart: one bar under each (label, value, text); the maximum, or ``whole`` if it is larger, has full width."""
    spoken = "; ".join(f"{label} {words}" for label, _, words in rows[:_MOST])
    return _bars([(label, words, {"now": value}) for label, value, words in rows], f"{title}: {spoken}", whole=whole)


def paired_bar_chart(rows: Sequence[tuple[str, int, int]], title: str) -> str:
    """Two bars under each (label, before, after); the maximum has full width."""
    pairs = [(label, f"{before:,} → {after:,}", {"was": before, "now": after}) for label, before, after in rows]
    return _bars(pairs, f"{title}: {_aria_text(rows[:_MOST])}")


def _bars(rows: Sequence[tuple[str, str, Mapping[str, float]]], spoken: str, *, whole: float = 0) -> str:
    """Bars of each kind under each (label, text, values by kind)."""
    visible, height = rows[:_MOST], 0
    longest = max((value for _, _, values in visible for value in values.values()), default=0)
    longest = max(longest, whole) or 1
    parts = []
    for label, words, values in visible:
        parts.append(_row_text(height, label, words))
        parts += [_bar(height + 20 + _BAR * i, value / longest, kind) for i, (kind, value) in enumerate(values.items())]
        height += _ROW + _BAR * (len(values) - 1)
    note = f"<p>{len(rows) - _MOST} more are not drawn.</p>" if len(rows) > _MOST else ""
    return _fluid(parts, height, spoken) + note


def histogram(ticks: Sequence[str], rows: Sequence[tuple[str, int, int]], title: str) -> str:
    """Histogram with two columns for each bin (label, before, after); ticks are at the edges of bins.

    There is one tick more than bins, or one less if the first and the last bin are open.
    """
    longest = max((max(before, after) for _, before, after in rows), default=0) or 1
    bin_width, offset, baseline = 100 / len(rows), 0 if len(ticks) > len(rows) else 1, _HEAD + _HIGH
    parts = [f'<text class="n" x="0" y="{_HEAD - 6}">{pluralize(longest, "record")}</text>']
    parts += [f'<rect class="axis" x="0" y="{y}" width="100%" height="1"/>' for y in (_HEAD, baseline)]
    for i, (_, before, after) in enumerate(rows):
        for name, count, start in (("was", before, 0.1), ("now", after, 0.5)):
            height = _HIGH * count / longest
            parts.append(
                f'<rect class="{name}" x="{(i + start) * bin_width:.2f}%" y="{baseline - height:.1f}"'
                f' width="{0.4 * bin_width:.2f}%" height="{height:.1f}"/>'
            )
    max_ticks = _TICKS if max(map(len, ticks), default=0) <= 7 else 3
    for i in range(0, len(ticks), -(-len(ticks) // max_ticks)):
        x = (i + offset) * bin_width
        anchor = "start" if x < 1 else "end" if x > 99 else "middle"
        parts.append(
            f'<text class="n" x="{x:.2f}%" y="{baseline + 16}" text-anchor="{anchor}">{escape(ticks[i])}</text>'
        )
    return _fluid(parts, baseline + _AXIS, f"{title}: {_aria_text(rows)}")


def _aria_text(rows: Sequence[tuple[str, int, int]]) -> str:
    return "; ".join(f"{label}: {before:,} before, {after:,} after" for label, before, after in rows)


def _row_text(y: int, label: str, figure: str) -> str:
    """Label at the left and figure at the right; the figure covers a label that is too long."""
    short = label if len(label) <= 34 else label[:33] + "…"
    return (
        f'<text x="0" y="{y + 14}">{escape(short)}</text>'
        f'<text class="n" x="100%" y="{y + 14}" text-anchor="end">{escape(figure)}</text>'
    )


def _bar(y: int, share: float, kind: str) -> str:
    width = max(100 * share, 0.3 if share > 0 else 0)
    return (
        f'<rect class="track" x="0" y="{y}" width="100%" height="{_BAR - 1}"/>'
        f'<rect class="{kind}" x="0" y="{y}" width="{width:.2f}%" height="{_BAR - 1}"/>'
    )


def _fluid(parts: Sequence[str], height: int, spoken: str) -> str:
    """Drawing of full width: horizontal positions are in percent, so that text keeps its size."""
    label = escape(spoken, quote=True)
    return f'<svg class="fluid" width="100%" height="{height}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def spread_labels(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Positions near the wanted ones that are one line of text apart, between top and bottom."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    positions = [0.0] * len(wanted)
    last = top - LABEL_HEIGHT
    for i in order:
        last = positions[i] = max(wanted[i], last + LABEL_HEIGHT)
    last = bottom + LABEL_HEIGHT
    for i in reversed(order):
        last = positions[i] = min(positions[i], last - LABEL_HEIGHT)
    return positions


def distribution_chart(distribution: Mapping[str, Any]) -> str:
    """Small chart of a column under its name."""
    name = shorten(distribution["name"])
    title = f"{name}, records before and after"
    before, after = distribution["before"], distribution["after"]
    if not before:
        chart = ""
    elif distribution["kind"] == "categories":
        labels = [shorten(label) or "(empty)" for label in distribution["labels"]]
        if distribution.get("others"):
            labels[-1] += f" ({distribution['others']:,})"
        chart = paired_bar_chart(list(zip(labels, before, after, strict=True)), title)
    else:
        ticks = edge_labels(distribution["edges"], dates=distribution["kind"] == "dates")
        chart = histogram(ticks, list(zip(bin_labels(ticks, len(before)), before, after, strict=True)), title)
    blank_before, blank_after = distribution["blank_before"], distribution["blank_after"]
    blank = html.paragraph(f"nothing shown: {format_value(blank_before)} → {format_value(blank_after)}", "note")
    note = blank if blank_before or blank_after else ""
    return f"<section><h4>{escape(name)}</h4>{chart}{note}</section>"


def edge_labels(ends: Sequence[float], *, dates: bool) -> list[str]:
    """Format the edges of bins."""
    return [_date_text(end) if dates else f"{end:,.10g}" if abs(end) < 1e9 else f"{end:.6g}" for end in ends]


def bin_labels(ticks: Sequence[str], count: int) -> list[str]:
    """Labels of bins: from edge to edge, open at both ends if there are no edges for these."""
    inner = [f"{low} to {high}" for low, high in pairwise(ticks)]
    return inner if len(inner) == count else [f"under {ticks[0]}", *inner, f"{ticks[-1]} and over"]


def _date_text(days: float) -> str:
    try:
        return date.fromordinal(_EPOCH + int(days)).isoformat()
    except (OverflowError, ValueError):  # before the year 1, or after 9999
        return f"day {days:.6g}"
