"""Charts as inline SVG: drawn here, so that a report needs no script and no outside host."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from shoal.words import counted

_WIDTH = 760
_ROW, _PAIR, _BAR = 34, 42, 8
_HEAD, _HIGH, _AXIS = 18, 96, 22
_MOST = 30
_TICKS = 5
COLORS = 8
"""Colors of lines; the style sheet of the page has them as c0 .. c7."""
KEY = '<p class="key"><span class="was"></span> before <span class="now"></span> after</p>'
"""What the two colors of a chart mean."""


def bars(rows: Sequence[tuple[str, float, str]], title: str, *, whole: float = 0) -> str:
    """A bar under each (label, value, words); the longest, or the whole if that is more, fills the room."""
    shown = rows[:_MOST]
    longest = max((value for _, value, _ in shown), default=0)
    longest = max(longest, whole) or 1
    parts = []
    for i, (label, value, words) in enumerate(shown):
        y = i * _ROW
        parts += [_words(y, label, words), _bar(y + 20, value / longest, "now")]
    spoken = "; ".join(f"{label} {words}" for label, _, words in shown)
    return _fluid(parts, len(shown) * _ROW, f"{title}: {spoken}") + _left(rows)


def pairs(rows: Sequence[tuple[str, int, int]], title: str) -> str:
    """Two bars under each (label, before, after); the longest of all fills the room."""
    shown = rows[:_MOST]
    longest = max((max(before, after) for _, before, after in shown), default=0) or 1
    parts = []
    for i, (label, before, after) in enumerate(shown):
        y = i * _PAIR
        parts += [
            _words(y, label, f"{before:,} → {after:,}"),
            _bar(y + 20, before / longest, "was"),
            _bar(y + 20 + _BAR, after / longest, "now"),
        ]
    return _fluid(parts, len(shown) * _PAIR, f"{title}: {_spoken(shown)}") + _left(rows)


def histogram(ticks: Sequence[str], rows: Sequence[tuple[str, int, int]], title: str) -> str:
    """Two columns side by side for each bin (label, before, after); ticks stand between bins, and at their ends.

    There is a tick more than bins, or one less where the first and the last bin are open.
    """
    longest = max((max(before, after) for _, before, after in rows), default=0) or 1
    wide, first, floor = 100 / len(rows), 0 if len(ticks) > len(rows) else 1, _HEAD + _HIGH
    parts = [f'<text class="n" x="0" y="{_HEAD - 6}">{counted(longest, "record")}</text>']
    parts += [f'<rect class="axis" x="0" y="{y}" width="100%" height="1"/>' for y in (_HEAD, floor)]
    for i, (_, before, after) in enumerate(rows):
        for name, count, start in (("was", before, 0.1), ("now", after, 0.5)):
            high = _HIGH * count / longest
            parts.append(
                f'<rect class="{name}" x="{(i + start) * wide:.2f}%" y="{floor - high:.1f}" width="{0.4 * wide:.2f}%"'
                f' height="{high:.1f}"/>'
            )
    most = _TICKS if max(map(len, ticks), default=0) <= 7 else 3
    for i in range(0, len(ticks), -(-len(ticks) // most)):
        place = (i + first) * wide
        anchor = "start" if place < 1 else "end" if place > 99 else "middle"
        parts.append(
            f'<text class="n" x="{place:.2f}%" y="{floor + 16}" text-anchor="{anchor}">{escape(ticks[i])}</text>'
        )
    return _fluid(parts, floor + _AXIS, f"{title}: {_spoken(rows)}")


def _spoken(rows: Sequence[tuple[str, int, int]]) -> str:
    return "; ".join(f"{label}: {before:,} before, {after:,} after" for label, before, after in rows)


def _words(y: int, label: str, figure: str) -> str:
    """A label at the left and a figure at the right; the figure stands above what is too long."""
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
    """A drawing as wide as its place: what is across is in percent, so that letters never shrink."""
    label = escape(spoken, quote=True)
    return f'<svg class="fluid" width="100%" height="{height}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _left(rows: Sequence[object]) -> str:
    return f"<p>{len(rows) - _MOST} more are not drawn.</p>" if len(rows) > _MOST else ""


@dataclass(frozen=True)
class Line:
    """A named line through points (x, y), drawn in the color and dashes of its number."""

    name: str
    points: Sequence[tuple[float, float]]
    style: int = 0


_LEFT, _RIGHT, _TOP, _BOTTOM, STEP, _LEAD = 62, 220, 14, 40, 15, 46
DASHES = ("", "7 3", "2 3")


def lines(series: Sequence[Line], title: str, *, across: str, up: str) -> str:
    """Lines over a common axis, each with its name at its right end; the names are moved apart where they meet.

    The upward axis is logarithmic, so that lines keep apart where values differ by factors.
    """
    drawn = [line for line in series if line.points]
    if not drawn:
        return ""
    xs = sorted({x for line in drawn for x, _ in line.points})
    ticks = _ticks([y for line in drawn for _, y in line.points])
    height = max(300, STEP * len(drawn)) + _TOP + _BOTTOM
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
    places = apart([up_at(line.points[-1][1]) for line in drawn], _TOP + 4, bottom)
    for line, place in zip(drawn, places, strict=True):
        points = [f"{across_at(x):.1f} {up_at(y):.1f}" for x, y in line.points]
        dash = DASHES[line.style // COLORS % len(DASHES)]
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


def apart(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Places near the wanted ones, a line of text apart, between top and bottom."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = [0.0] * len(wanted)
    last = top - STEP
    for i in order:
        last = places[i] = max(wanted[i], last + STEP)
    last = bottom + STEP
    for i in reversed(order):
        last = places[i] = min(places[i], last - STEP)
    return places
