"""Charts as inline SVG: drawn here, so that a report needs no script and no outside host."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _ROW, _LABEL, _FIGURE = 760, 26, 190, 110
_MOST = 30
COLORS = 8
"""Colors of lines; the style sheet of the page has them as c0 .. c7."""


def bars(rows: Sequence[tuple[str, float, str]], title: str) -> str:
    """A bar for each (label, value, words); the longest fills the room."""
    shown = rows[:_MOST]
    longest = max((value for _, value, _ in shown), default=0) or 1
    room = _WIDTH - _LABEL - _FIGURE
    parts = []
    for i, (label, value, words) in enumerate(shown):
        y = i * _ROW
        short = label if len(label) <= 26 else label[:25] + "…"
        width = max(room * value / longest, 1.5)
        parts.append(
            f'<text x="0" y="{y + 17}">{escape(short)}</text>'
            f'<rect x="{_LABEL}" y="{y + 5}" width="{width:.1f}" height="16" rx="2"/>'
            f'<text class="n" x="{_LABEL + width + 8:.1f}" y="{y + 17}">{escape(words)}</text>'
        )
    left = f"<p>{len(rows) - _MOST} more are not drawn.</p>" if len(rows) > _MOST else ""
    spoken = escape(title + ": " + "; ".join(f"{label} {words}" for label, _, words in shown), quote=True)
    height = len(shown) * _ROW + 4
    chart = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{spoken}">{"".join(parts)}</svg>'
    return f'<div class="scroll">{chart}</div>{left}'


@dataclass(frozen=True)
class Line:
    """A named line through points (x, y), drawn in the color and dashes of its number."""

    name: str
    points: Sequence[tuple[float, float]]
    style: int = 0


_LEFT, _RIGHT, _TOP, _BOTTOM, _STEP, _LEAD = 62, 220, 14, 40, 15, 46
_DASHES = ("", "7 3", "2 3")


def lines(series: Sequence[Line], title: str, *, across: str, up: str) -> str:
    """Lines over a common axis, each with its name at its right end; the names are moved apart where they meet.

    The upward axis is logarithmic, so that lines keep apart where values differ by factors.
    """
    drawn = [line for line in series if line.points]
    if not drawn:
        return ""
    xs = sorted({x for line in drawn for x, _ in line.points})
    ticks = _ticks([y for line in drawn for _, y in line.points])
    height = max(300, _STEP * len(drawn)) + _TOP + _BOTTOM
    right, bottom, room = _WIDTH - _RIGHT, height - _BOTTOM, height - _TOP - _BOTTOM
    low, high = math.log10(ticks[0]), math.log10(ticks[-1])

    def across_at(x: float) -> float:
        return _LEFT + (right - _LEFT) * (x - xs[0]) / ((xs[-1] - xs[0]) or 1)

    def up_at(y: float) -> float:
        return bottom - room * (math.log10(y) - low) / (high - low)

    parts = [
        f'<path class="grid" d="M{_LEFT} {up_at(tick):.1f}H{right}"/>'
        f'<text class="n" x="{_LEFT - 8}" y="{up_at(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        for tick in ticks
    ]
    parts += [f'<text class="n" x="{across_at(x):.1f}" y="{bottom + 18}" text-anchor="middle">{x:g}</text>' for x in xs]
    parts.append(
        f'<text class="n" x="{(right + _LEFT) / 2:.0f}" y="{height - 4}" text-anchor="middle">{escape(across)}</text>'
        f'<text class="n" transform="translate(12 {_TOP + room / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(up)}</text>"
    )
    places = _apart([up_at(line.points[-1][1]) for line in drawn], _TOP + 4, bottom)
    for line, place in zip(drawn, places, strict=True):
        points = [f"{across_at(x):.1f} {up_at(y):.1f}" for x, y in line.points]
        dash = _DASHES[line.style // COLORS % len(_DASHES)]
        parts.append(
            f'<g class="line c{line.style % COLORS}"><path stroke-dasharray="{dash}" d="M{"L".join(points)}"/>'
            f'<path class="lead" d="M{points[-1]}L{right + _LEAD} {place:.1f}"/>'
            f'<text x="{right + _LEAD + 3}" y="{place + 4:.1f}">{escape(line.name)}</text></g>'
        )
    spoken = escape(title, quote=True)
    return (
        f'<div class="scroll"><svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{spoken}">'
        f"{''.join(parts)}</svg></div>"
    )


def _ticks(values: Sequence[float]) -> list[float]:
    """1, 2 and 5 times powers of ten, from just below the values to just above them; over many powers only those."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    factors = (1, 2, 5) if high - low < 4 else (1,)
    steps = [factor * 10.0**power for power in range(low, high + 2) for factor in factors]
    first = max(i for i, step in enumerate(steps) if step <= min(values))
    last = min(i for i, step in enumerate(steps) if step >= max(values) and i > first)
    return steps[first : last + 1]


def _apart(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Places near the wanted ones, a line of text apart, between top and bottom."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = [0.0] * len(wanted)
    last = top - _STEP
    for i in order:
        last = places[i] = max(wanted[i], last + _STEP)
    last = bottom + _STEP
    for i in reversed(order):
        last = places[i] = min(places[i], last - _STEP)
    return places
