"""Line chart of published and reproduced figures as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from shoal.report.svg_charts import COLORS, DASHES, LABEL_HEIGHT, spread_labels

_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM, _LEAD = 760, 62, 220, 14, 40, 46


@dataclass(frozen=True)
class ChartLine:
    """Named line through points (x, y), with the color and dashes of its style number."""

    name: str
    points: Sequence[tuple[float, float]]
    style: int = 0


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
