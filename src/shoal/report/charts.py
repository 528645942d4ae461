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
    """A named line through points (x, y), drawn in the color of its number."""

    name: str
    points: Sequence[tuple[float, float]]
    color: int = 0


_LEFT, _RIGHT, _TOP, _BOTTOM, _STEP = 62, 150, 14, 40, 15


def lines(series: Sequence[Line], title: str, *, across: str, up: str, logarithmic: bool = False) -> str:
    """Lines over a common axis, each with its name at its right end; the names are moved apart where they meet."""
    drawn = [line for line in series if line.points]
    if not drawn:
        return ""
    xs = sorted({x for line in drawn for x, _ in line.points})
    ys = [y for line in drawn for _, y in line.points]
    height = max(300, _STEP * len(drawn)) + _TOP + _BOTTOM
    scale = math.log10 if logarithmic else float
    ticks = _decades(ys) if logarithmic else _round_steps(min(ys), max(ys))
    low, high = scale(ticks[0]), scale(ticks[-1])
    room = height - _TOP - _BOTTOM

    def across_at(x: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (x - xs[0]) / ((xs[-1] - xs[0]) or 1)

    def up_at(y: float) -> float:
        return height - _BOTTOM - room * (scale(y) - low) / ((high - low) or 1)

    grid = "".join(
        f'<path class="grid" d="M{_LEFT} {up_at(tick):.1f}H{_WIDTH - _RIGHT}"/>'
        f'<text class="n" x="{_LEFT - 8}" y="{up_at(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        for tick in ticks
    )
    marks = "".join(
        f'<text class="n" x="{across_at(x):.1f}" y="{height - _BOTTOM + 18}" text-anchor="middle">{x:g}</text>'
        for x in xs
    )
    names = _apart([up_at(line.points[-1][1]) for line in drawn], _TOP + 4, height - _BOTTOM)
    paths = "".join(
        f'<g class="line c{line.color % COLORS}"><path d="M'
        + "L".join(f"{across_at(x):.1f} {up_at(y):.1f}" for x, y in line.points)
        + f'"/><path class="lead" d="M{across_at(line.points[-1][0]):.1f} {up_at(line.points[-1][1]):.1f}'
        f'L{_WIDTH - _RIGHT + 10} {name:.1f}"/>'
        f'<text x="{_WIDTH - _RIGHT + 13}" y="{name + 4:.1f}">{escape(line.name)}</text></g>'
        for line, name in zip(drawn, names, strict=True)
    )
    axes = (
        f'<text class="n" x="{(_WIDTH - _RIGHT + _LEFT) / 2:.0f}" y="{height - 4}" text-anchor="middle">'
        f'{escape(across)}</text><text class="n" transform="translate(12 {_TOP + room / 2:.0f}) rotate(-90)"'
        f' text-anchor="middle">{escape(up)}</text>'
    )
    chart = (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title, quote=True)}">'
        f"{grid}{marks}{axes}{paths}</svg>"
    )
    return f'<div class="scroll">{chart}</div>'


def _round_steps(least: float, most: float) -> list[float]:
    """A few round numbers with all values between the first and the last of them."""
    raw = (most - least) / 5 or most / 5 or 1.0
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw)
    return [step * i for i in range(math.floor(least / step), math.ceil(most / step) + 1)]


def _decades(values: Sequence[float]) -> list[float]:
    """The powers of ten around the values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [10.0**power for power in range(low, max(high, low + 1) + 1)]


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
