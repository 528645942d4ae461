"""Charts as inline SVG: a report needs no script and no other host."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from shoal.errors.messages import pluralize

_WIDTH = 760
_ROW, _PAIR, _BAR = 34, 42, 8
_HEAD, _HIGH, _AXIS = 18, 96, 22
_MOST = 30
_TICKS = 5
COLORS = 8
"""Number of line colors, c0 .. c7 in the style sheet."""
LEGEND = '<p class="key"><span class="was"></span> before <span class="now"></span> after</p>'
"""Legend of the colors before and after."""


def bar_chart(rows: Sequence[tuple[str, float, str]], title: str, *, whole: float = 0) -> str:
    """Bar chart: one bar under each (label, value, text); the maximum, or ``whole`` if it is larger, has full width."""
    visible = rows[:_MOST]
    longest = max((value for _, value, _ in visible), default=0)
    longest = max(longest, whole) or 1
    parts = []
    for i, (label, value, words) in enumerate(visible):
        y = i * _ROW
        parts += [_row_text(y, label, words), _bar(y + 20, value / longest, "now")]
    spoken = "; ".join(f"{label} {words}" for label, _, words in visible)
    return _fluid(parts, len(visible) * _ROW, f"{title}: {spoken}") + _omitted_note(rows)


def paired_bar_chart(rows: Sequence[tuple[str, int, int]], title: str) -> str:
    """Two bars under each (label, before, after); the maximum has full width."""
    visible = rows[:_MOST]
    longest = max((max(before, after) for _, before, after in visible), default=0) or 1
    parts = []
    for i, (label, before, after) in enumerate(visible):
        y = i * _PAIR
        parts += [
            _row_text(y, label, f"{before:,} → {after:,}"),
            _bar(y + 20, before / longest, "was"),
            _bar(y + 20 + _BAR, after / longest, "now"),
        ]
    return _fluid(parts, len(visible) * _PAIR, f"{title}: {_aria_text(visible)}") + _omitted_note(rows)


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


def _omitted_note(rows: Sequence[object]) -> str:
    return f"<p>{len(rows) - _MOST} more are not drawn.</p>" if len(rows) > _MOST else ""


@dataclass(frozen=True)
class ChartLine:
    """Named line through points (x, y), with the color and dashes of its style number."""

    name: str
    points: Sequence[tuple[float, float]]
    style: int = 0


_LEFT, _RIGHT, _TOP, _BOTTOM, LABEL_HEIGHT, _LEAD = 62, 220, 14, 40, 15, 46
DASHES = ("", "7 3", "2 3")


def line_chart(series: Sequence[ChartLine], title: str, *, across: str, up: str) -> str:
    """Line chart with labels at the right ends, which are moved apart where they overlap.

    The vertical axis is logarithmic, so that lines stay apart where values differ by factors.
    """
    plotted = [line for line in series if line.points]
    if not plotted:
        return ""
    xs = sorted({x for line in plotted for x, _ in line.points})
    ticks = _ticks([y for line in plotted for _, y in line.points])
    height = max(300, LABEL_HEIGHT * len(plotted)) + _TOP + _BOTTOM
    right, bottom, plot_height = _WIDTH - _RIGHT, height - _BOTTOM, height - _TOP - _BOTTOM
    low, high = math.log10(ticks[0]), math.log10(ticks[-1])

    def to_x(x: float) -> float:
        return _LEFT + (right - _LEFT) * (x - xs[0]) / ((xs[-1] - xs[0]) or 1)

    def to_y(y: float) -> float:
        return bottom - plot_height * (math.log10(y) - low) / (high - low)

    parts = [
        f'<path class="grid" d="M{_LEFT} {to_y(tick):.1f}H{right}"/>'
        f'<text class="n" x="{_LEFT - 8}" y="{to_y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        for tick in ticks
    ]
    parts += [f'<text class="n" x="{to_x(x):.1f}" y="{bottom + 18}" text-anchor="middle">{x:g}</text>' for x in xs]
    parts.append(
        f'<text class="n" x="{(right + _LEFT) / 2:.0f}" y="{height - 4}" text-anchor="middle">{escape(across)}</text>'
        f'<text class="n" transform="translate(12 {_TOP + plot_height / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(up)}</text>"
    )
    label_positions = spread_labels([to_y(line.points[-1][1]) for line in plotted], _TOP + 4, bottom)
    for line, label_y in zip(plotted, label_positions, strict=True):
        points = [f"{to_x(x):.1f} {to_y(y):.1f}" for x, y in line.points]
        dash = DASHES[line.style // COLORS % len(DASHES)]
        parts.append(
            f'<g class="line c{line.style % COLORS}"><path stroke-dasharray="{dash}" d="M{"L".join(points)}"/>'
            f'<path class="lead" d="M{points[-1]}L{right + _LEAD} {label_y:.1f}"/>'
            f'<text x="{right + _LEAD + 3}" y="{label_y + 4:.1f}">{escape(line.name)}</text></g>'
        )
    aria_label = escape(title, quote=True)
    return (
        f'<div class="scroll"><svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{aria_label}">'
        f"{''.join(parts)}</svg></div>"
    )


def _ticks(values: Sequence[float]) -> list[float]:
    """1, 2 and 5 times powers of ten that enclose the values; over many powers, only powers."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    factors = (1, 2, 5) if high - low < 4 else (1,)
    steps = [factor * 10.0**power for power in range(low, high + 2) for factor in factors]
    first = max(i for i, step in enumerate(steps) if step <= min(values))
    last = min(i for i, step in enumerate(steps) if step >= max(values) and i > first)
    return steps[first : last + 1]


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
