"""Plots as SVG files: drawn here, small, readable on light and dark paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from shoal.report.svg_charts import COLORS, DASHES, spread_labels

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM, _LEAD = 760, 420, 70, 200, 16, 48, 30
_LIGHT = ("#17697f", "#b4491f", "#3a7d34", "#8a3f9c", "#8a6d00", "#c02a5c", "#3c5fc4", "#5a6b76")
_DARK = ("#58b7cf", "#f0936b", "#7ccf75", "#cf93df", "#dcbd4b", "#f27ba2", "#93abf5", "#9fb0ba")


@dataclass(frozen=True)
class ChartLine:
    """Named line through points (x, y), with the color and dashes of its style number."""

    name: str
    points: Sequence[tuple[float, float]]
    style: int = 0


def _colors(ink: str, line: str, colors: Sequence[str]) -> str:
    each = " ".join(f".c{i} {{ --c: {color}; }}" for i, color in enumerate(colors))
    return f"svg {{ --ink: {ink}; --line: {line}; }} {each}"


_STYLE = (
    f"<style>{_colors('#3f505a', '#d7dfe3', _LIGHT)} "
    f"@media (prefers-color-scheme: dark) {{ {_colors('#b5c3cb', '#2f3e47', _DARK)} }} "
    "text { font: 13px system-ui, sans-serif; fill: var(--ink); } .named { fill: var(--c); } "
    "path { fill: none; } .grid { stroke: var(--line); } .line { stroke: var(--c); stroke-width: 1.8; } "
    ".lead { stroke: var(--c); stroke-width: .6; opacity: .5; } circle { fill: var(--c); }</style>"
)


def ticks(values: Sequence[float]) -> list[float]:
    """Powers of ten from just below the values to just above them; 2 and 5 times them too where there are few."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    factors = (1, 2, 5) if high - low <= 2 else (1,)
    steps = [factor * 10.0**power for power in range(low, high + 2) for factor in factors]
    first = max(i for i, step in enumerate(steps) if step <= min(values))
    last = min(i for i, step in enumerate(steps) if step >= max(values) and i > first)
    return steps[first : last + 1]


def _axis(marks: Sequence[float], start: float, end: float) -> Callable[[float], float]:
    """Where a value lies on a logarithmic axis between its first and its last mark."""
    low, high = math.log10(marks[0]), math.log10(marks[-1])
    return lambda value: start + (end - start) * (math.log10(value) - low) / (high - low)


def plot(series: Sequence[ChartLine], title: str, *, across: str, up: str) -> str:
    """Lines over two logarithmic axes, each with its name at the right; one without a name is bare dots."""
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    points = [point for line in series for point in line.points]
    marks = ticks([x for x, _ in points]), ticks([y for _, y in points])
    at_x, at_y = _axis(marks[0], _LEFT, right), _axis(marks[1], bottom, _TOP)
    parts = [
        f'<path class="grid" d="M{_LEFT} {at_y(mark):.1f}H{right}"/>'
        f'<text x="{_LEFT - 8}" y="{at_y(mark) + 4:.1f}" text-anchor="end">{_written(mark)}</text>'
        for mark in marks[1]
    ]
    parts += [
        f'<path class="grid" d="M{at_x(mark):.1f} {_TOP}V{bottom}"/>'
        f'<text x="{at_x(mark):.1f}" y="{bottom + 18}" text-anchor="middle">{_written(mark)}</text>'
        for mark in marks[0]
    ]
    parts.append(
        f'<text x="{(right + _LEFT) / 2:.0f}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(across)}</text>'
        f'<text transform="translate(14 {(_TOP + bottom) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(up)}</text>"
    )
    named = [line for line in series if line.name]
    bare = [point for line in series if not line.name for point in line.points]
    parts += [f'<g class="c{COLORS - 1}">{_dots([(at_x(x), at_y(y)) for x, y in bare])}</g>'] if bare else []
    places = spread_labels([at_y(line.points[-1][1]) for line in named], _TOP + 4, bottom)
    for line, place in zip(named, places, strict=True):
        parts.append(_drawn(line, [(at_x(x), at_y(y)) for x, y in line.points], right + _LEAD, place))
    spoken = escape(title, quote=True)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{spoken}">'
    return f"{head}\n{_STYLE}\n" + "\n".join(parts) + "\n</svg>\n"


def _drawn(line: ChartLine, places: Sequence[tuple[float, float]], right: float, label: float) -> str:
    """A line through its points, and a thin one from the last of them to its name."""
    drawn = [f"{x:.1f} {y:.1f}" for x, y in places]
    dash = f' stroke-dasharray="{DASHES[line.style // COLORS % len(DASHES)]}"' if line.style >= COLORS else ""
    named = (
        f'<path class="lead" d="M{drawn[-1]}L{right} {label:.1f}"/>'
        f'<text class="named" x="{right + 4}" y="{label + 4:.1f}">{escape(line.name)}</text>'
    )
    return (
        f'<g class="c{line.style % COLORS}"><path class="line"{dash} d="M{"L".join(drawn)}"/>{_dots(places)}{named}</g>'
    )


def _dots(places: Sequence[tuple[float, float]]) -> str:
    return "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places)


def _written(mark: float) -> str:
    return f"{mark:,.0f}" if mark >= 1 else f"{mark:g}"
