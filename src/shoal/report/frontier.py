"""The frontier of a comparison as a chart: risk across, loss up, a line a method through its levels of k."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from shoal.report import html
from shoal.report.charts import COLORS, DASHES, STEP, apart

Facts = Mapping[str, Any]
Link = Callable[[Facts], str]
"""Where a click on a point leads to."""
_HIT, _RING = 17, 13
"""The radius of the room that a point which can be clicked takes, and of what marks the chosen one: on a phone the
chart is drawn at seven tenths, where a finger still needs 24 px."""
_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM, _LEAD = 760, 62, 210, 22, 46, 40
_FAR, _FARTHEST = 20, 1e6
"""An axis whose values differ by more than the first factor is logarithmic; beyond the last one, the least are nil."""
_HEAD = ["", "k", "Method", "Loss", "Risk (%)", "Highest risk", "Gap (%)"]
_HEAD += ["Classes", "Smallest", "Suppressed", "Seconds"]
_LEGEND = (
    "◆ no other point has less of loss or risk and no more of the other. ★ recommended. Down and to the left is better:"
    " less loss, less risk. Every point is a whole release that was verified."
)


def section(facts: Facts, *, title: str = "Methods compared: risk and loss") -> str:
    """The chart, the recommendation and the table of a comparison, from its plain data."""
    chosen = facts["recommendation"]
    verdict = f'<p class="verdict"><strong>Recommended:</strong> {escape(chosen["reason"])}</p>' if chosen else ""
    rows = [row(point) for point in ordered(facts)]
    return html.section(
        title,
        verdict,
        chart(facts),
        html.paragraph(_LEGEND) if chosen else "",
        html.table(head(facts), rows, numbers=frozenset({1, *range(3, 10)})) if rows else "",
        *(html.paragraph(sentence, "by") for sentence in remarks(facts)),
        *(html.paragraph(sentence, "warning") for sentence in failures(facts)),
    )


def measured(facts: Facts) -> list[Facts]:
    """The points that have a place on the chart."""
    return [point for point in facts["points"] if point["loss"] is not None and point["risk"] is not None]


def ordered(facts: Facts) -> list[Facts]:
    """The points that are releases, by k, those with the least loss first."""
    made = [point for point in facts["points"] if point["error"] is None]
    return sorted(made, key=lambda p: (p["k"], math.inf if p["loss"] is None else p["loss"], p["method"]))


def head(facts: Facts) -> list[str]:
    """The head of the table, with the unit of the loss."""
    return [f"Loss ({facts['loss']['unit']})" if name == "Loss" and facts["loss"]["unit"] else name for name in _HEAD]


def row(point: Facts) -> list[str]:
    """A release as a row of the table."""
    return [
        mark(point),
        str(point["k"]),
        point["method"],
        digits(point["loss"]),
        digits(point["risk"]),
        digits(point["highest_risk"]),
        digits(point.get("gap")),
        f"{point['classes']:,}",
        f"{point['min_class']:,g}",
        f"{point['suppressed']:,}",
        f"{point['seconds']:.2f}{'*' if point['compiled'] else ''}",
    ]


def mark(point: Facts) -> str:
    """★ where a point is recommended, ◆ where it is on the frontier."""
    return "★" if point["recommended"] else "◆" if point["frontier"] else ""


def digits(figure: float | None) -> str:
    """A figure with four digits."""
    return "–" if figure is None else f"{figure:.4g}" if figure < 1e4 else f"{figure:.3e}"


def remarks(facts: Facts) -> list[str]:
    """What else a reader of the table must know."""
    compiled = any(point["compiled"] for point in facts["points"])
    return ["* Kernels were compiled meanwhile, as in the first run of a method ever."] * compiled


def failures(facts: Facts) -> list[str]:
    """Why some points are no releases; one sentence for all points that have it."""
    found: dict[str, dict[str, list[str]]] = {}
    for point in facts["points"]:
        if point["error"] is not None:
            found.setdefault(point["error"], {}).setdefault(point["method"], []).append(str(point["k"]))
    return [
        "; ".join(f"{method} at k = {', '.join(levels)}" for method, levels in methods.items()) + f": {why}"
        for why, methods in found.items()
    ]


@dataclass(frozen=True)
class Axis:
    """Where values lie between two ends of a chart."""

    ticks: Sequence[float]
    start: float
    end: float
    logarithmic: bool

    @classmethod
    def of(cls, values: Sequence[float], start: float, end: float) -> Axis:
        low, high = min(values), max(values)
        if high / _FARTHEST < low < high / _FAR:
            factors = (1, 2, 5) if low > high / 100 else (1,)
            powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            steps = [factor * 10.0**power for power in powers for factor in factors]
            first = max(i for i, step in enumerate(steps) if step <= low)
            last = min(i for i, step in enumerate(steps) if step >= high)
            return cls(steps[first : last + 1], start, end, True)
        step = _step(high - low if high - low > 1e-9 * high else high or 1)
        first = math.floor(low / step - 0.2)
        # a curve of losses is read from nothing where that is near
        first = 0 if low >= 0 and (first <= 0 or low < (high - low)) else first
        last = max(math.ceil(high / step + 0.1), first + 1)
        return cls([i * step for i in range(first, last + 1)], start, end, False)

    def at(self, value: float) -> float:
        low, high = self.ticks[0], self.ticks[-1]
        if self.logarithmic:
            value, low, high = math.log10(value), math.log10(low), math.log10(high)
        return self.start + (self.end - self.start) * (value - low) / (high - low)


def _step(span: float) -> float:
    """1, 2 or 5 times a power of ten, four to ten of which make the span."""
    rough = span / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)


def chart(facts: Facts, *, link: Link | None = None, chosen: tuple[str, int] | None = None) -> str:
    """The chart alone; empty where nothing was measured.

    With a link, every point can be clicked and reached by keyboard. A ring marks the chosen one (its method and k).
    """
    points = measured(facts)
    if not points:
        return ""
    methods = list(dict.fromkeys(point["method"] for point in points))
    height = max(340, STEP * len(methods)) + _TOP + _BOTTOM
    right, bottom = _WIDTH - _RIGHT, height - _BOTTOM
    across = Axis.of([point["risk"] for point in points], _LEFT, right)
    up = Axis.of([point["loss"] for point in points], bottom, _TOP)

    def place(point: Facts) -> tuple[float, float]:
        return across.at(point["risk"]), up.at(point["loss"])

    series = {name: sorted((p for p in points if p["method"] == name), key=lambda p: -p["k"]) for name in methods}
    labels = apart([place(found[-1])[1] for found in series.values()], _TOP + 4, bottom)
    parts = [_grid(across, up, right, bottom, height, facts), _band([place(p) for p in points if p["frontier"]])]
    for number, ((name, found), label) in enumerate(zip(series.items(), labels, strict=True)):
        plain = [] if link else [point for point in found if not mark(point)]
        markers = "".join(_marker(point, *place(point)) for point in plain)
        parts.append(_line(name, [place(point) for point in found], markers, number, right, label))
    # what stands out lies above all lines, and so does all that can be clicked
    above = sorted((point for point in points if link or mark(point)), key=_prominence)
    for point in above:
        drawn = _marker(point, *place(point))
        drawn = _linked(drawn, point, place(point), link(point)) if link else drawn
        ring = _ring(*place(point)) if (point["method"], point["k"]) == chosen else ""
        parts.append(f'<g class="c{methods.index(point["method"]) % COLORS}">{ring}{drawn}</g>')
    parts += _levels([(point["k"], place(point), point["recommended"]) for point in _lowest(points)])
    spoken = escape(_spoken(facts), quote=True)
    # an image hides what is in it from those who hear it; a group does not
    role = "group" if link else "img"
    return (
        f'<div class="scroll"><svg viewBox="0 0 {_WIDTH} {height}" role="{role}" aria-label="{spoken}">'
        f"{''.join(parts)}</svg></div>"
    )


def _grid(across: Axis, up: Axis, right: float, bottom: float, height: float, facts: Facts) -> str:
    unit = facts["loss"]["unit"]
    loss = f"{facts['loss']['label']} ({unit})" if unit else facts["loss"]["label"]
    parts = [
        f'<path class="grid" d="M{_LEFT} {up.at(tick):.1f}H{right}"/>'
        f'<text class="n" x="{_LEFT - 8}" y="{up.at(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        for tick in up.ticks
    ]
    parts += [
        f'<path class="grid" d="M{across.at(tick):.1f} {_TOP}V{bottom}"/>'
        f'<text class="n" x="{across.at(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>'
        for tick in across.ticks
    ]
    parts.append(
        f'<text class="n" x="{(right + _LEFT) / 2:.0f}" y="{height - 6}" text-anchor="middle">global risk (%)</text>'
        f'<text class="n" transform="translate(12 {(_TOP + bottom) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(loss)}</text>"
    )
    return "".join(parts)


def _band(places: Sequence[tuple[float, float]]) -> str:
    """The frontier as a broad, pale line."""
    drawn = "L".join(f"{x:.1f} {y:.1f}" for x, y in sorted(places))
    return f'<path class="band" d="M{drawn}h0"/>'


def _line(
    name: str, places: Sequence[tuple[float, float]], markers: str, number: int, right: float, label: float
) -> str:
    """A method: a line through its points, and its name at the right, where k is least."""
    drawn = [f"{x:.1f} {y:.1f}" for x, y in places]
    dash = DASHES[number // COLORS % len(DASHES)]
    return (
        f'<g class="line c{number % COLORS}"><path stroke-dasharray="{dash}" d="M{"L".join(drawn)}"/>'
        f'<path class="lead" d="M{drawn[-1]}L{right + _LEAD} {label:.1f}"/>{markers}'
        f'<text x="{right + _LEAD + 3}" y="{label + 4:.1f}">{escape(name)}</text></g>'
    )


def _prominence(point: Facts) -> tuple[bool, bool]:
    """What is drawn later lies above."""
    return point["recommended"], point["frontier"]


def _words(point: Facts) -> str:
    return f"{point['method']}, k = {point['k']}: loss {digits(point['loss'])}, risk {digits(point['risk'])} %"


def _marker(point: Facts, x: float, y: float) -> str:
    """A dot, a diamond on the frontier, a star where recommended; its figures appear under the pointer."""
    title = f"<title>{escape(_words(point))}</title>"
    if point["recommended"]:
        turns = [(11 - 6.4 * (i % 2), i * math.pi / 5) for i in range(10)]
        tips = " ".join(f"{x + r * math.sin(turn):.1f},{y - r * math.cos(turn):.1f}" for r, turn in turns)
        return f'<polygon class="point" points="{tips}">{title}</polygon>'
    if point["frontier"]:
        return f'<path class="point" d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z">{title}</path>'
    return f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3">{title}</circle>'


def _linked(marker: str, point: Facts, place: tuple[float, float], href: str) -> str:
    """A marker that can be clicked, with room for a finger around it."""
    x, y = place
    return (
        f'<a href="{escape(href, quote=True)}" aria-label="{escape(_words(point), quote=True)}">'
        f'<circle class="hit" cx="{x:.1f}" cy="{y:.1f}" r="{_HIT}"/>{marker}</a>'
    )


def _ring(x: float, y: float) -> str:
    """What marks the chosen point."""
    return f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{_RING}"/>'


def _lowest(points: Sequence[Facts]) -> list[Facts]:
    """The point with the least loss for each k; where one is recommended, that."""
    found: dict[int, Facts] = {}
    for point in sorted(points, key=lambda p: (not p["recommended"], p["loss"])):
        found.setdefault(point["k"], point)
    return list(found.values())


def _levels(levels: Sequence[tuple[int, tuple[float, float], bool]]) -> list[str]:
    """Each k below and left of its best point, where the chart is empty; one that would cover another is left out."""
    parts: list[str] = []
    drawn: list[tuple[float, float]] = []
    for k, (x, y), chosen in sorted(levels, key=lambda level: (not level[2], level[0])):
        if all(abs(x - other) > 44 or abs(y - beside) > 16 for other, beside in drawn):
            strong = ' class="strong"' if chosen else ""
            parts.append(f'<text{strong} x="{x - 9:.1f}" y="{y + 19:.1f}" text-anchor="end">k = {k}</text>')
            drawn.append((x, y))
    return parts


def _spoken(facts: Facts) -> str:
    """The chart for those who hear it."""
    best = [point for point in ordered(facts) if point["frontier"]]
    said = [f"{p['method']} at k = {p['k']}, loss {digits(p['loss'])}, risk {digits(p['risk'])} percent" for p in best]
    return "Loss against risk of the compared methods. On the frontier: " + "; ".join(said) + "."
