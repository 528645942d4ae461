"""Chart of a comparison: risk to the right, loss upwards, one line per method through its levels of k."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from shoal.report import html
from shoal.report.svg_charts import COLORS, DASHES, LABEL_HEIGHT, spread_labels

Facts = Mapping[str, Any]
Link = Callable[[Facts], str]
_CLICK_RADIUS, _RING_RADIUS = 17, 13
"""Radius of the area around a point that can be clicked, and of the ring around the selected one: on a phone the chart
is drawn at seven tenths, where a finger still needs 24 px."""
_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM, _LEAD = 760, 62, 210, 22, 46, 40
_LOG_RATIO, _MAX_RATIO = 20, 1e6
"""An axis with a larger ratio of values is logarithmic; beyond the second ratio, the smallest values count as zero."""
_HEAD = ["", "k", "Method", "Loss", "Risk (%)", "Highest risk", "Gap (%)"]
_HEAD += ["Classes", "Smallest", "Suppressed", "Seconds"]
_LEGEND = (
    "◆ no other point has less of loss or risk and no more of the other. ★ recommended. Down and to the left is better:"
    " less loss, less risk. Every point is a whole release that was verified."
)


def section(facts: Facts, *, title: str = "Methods compared: risk and loss") -> str:
    """Chart, recommendation and table of a comparison, from its plain data."""
    chosen = facts["recommendation"]
    verdict = f'<p class="verdict"><strong>Recommended:</strong> {escape(chosen["reason"])}</p>' if chosen else ""
    rows = [table_row(point) for point in sorted_releases(facts)]
    return html.section(
        title,
        verdict,
        chart(facts),
        html.paragraph(_LEGEND) if chosen else "",
        html.table(table_head(facts), rows, numbers=frozenset({1, *range(3, 10)})),
        *(html.paragraph(sentence, "by") for sentence in table_notes(facts)),
        *(html.paragraph(sentence, "warning") for sentence in failures(facts)),
    )


def plotted_points(facts: Facts) -> list[Facts]:
    """Points with a position in the chart."""
    return [point for point in facts["points"] if point["loss"] is not None and point["risk"] is not None]


def sorted_releases(facts: Facts) -> list[Facts]:
    """Points that are releases, by k and loss."""
    releases = [point for point in facts["points"] if point["error"] is None]
    return sorted(releases, key=lambda p: (p["k"], math.inf if p["loss"] is None else p["loss"], p["method"]))


def table_head(facts: Facts) -> list[str]:
    """Head of the table, with the unit of the loss."""
    return [f"Loss ({facts['loss']['unit']})" if name == "Loss" and facts["loss"]["unit"] else name for name in _HEAD]


def table_row(point: Facts) -> list[str]:
    """Table row of a release."""
    return [
        symbol(point),
        str(point["k"]),
        point["method"],
        format_digits(point["loss"]),
        format_digits(point["risk"]),
        format_digits(point["highest_risk"]),
        format_digits(point.get("gap")),
        f"{point['classes']:,}",
        f"{point['min_class']:,g}",
        f"{point['suppressed']:,}",
        f"{point['seconds']:.2f}{'*' if point['compiled'] else ''}",
    ]


def symbol(point: Facts) -> str:
    """★ for the recommended point, ◆ for points on the frontier."""
    return "★" if point["recommended"] else "◆" if point["frontier"] else ""


def format_digits(figure: float | None) -> str:
    """Format with four digits."""
    return "–" if figure is None else f"{figure:.4g}" if figure < 1e4 else f"{figure:.3e}"


def table_notes(facts: Facts) -> list[str]:
    """Notes below the table."""
    compiled = any(point["compiled"] for point in facts["points"])
    return ["* Kernels were compiled meanwhile, as in the first run of a method ever."] * compiled


def failures(facts: Facts) -> list[str]:
    """Reasons why points are not releases, with the points that have each reason."""
    by_reason: dict[str, dict[str, list[str]]] = {}
    for point in facts["points"]:
        if point["error"] is not None:
            by_reason.setdefault(point["error"], {}).setdefault(point["method"], []).append(str(point["k"]))
    return [
        "; ".join(f"{method} at k = {', '.join(levels)}" for method, levels in methods.items()) + f": {why}"
        for why, methods in by_reason.items()
    ]


@dataclass(frozen=True)
class ChartAxis:
    """Scale from values to positions in a chart."""

    ticks: Sequence[float]
    start: float
    end: float
    logarithmic: bool

    @classmethod
    def of(cls, values: Sequence[float], start: float, end: float) -> ChartAxis:
        low, high = min(values), max(values)
        if high / _MAX_RATIO < low < high / _LOG_RATIO:
            factors = (1, 2, 5) if low > high / 100 else (1,)
            powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            steps = [factor * 10.0**power for power in powers for factor in factors]
            first = max(i for i, step in enumerate(steps) if step <= low)
            last = min(i for i, step in enumerate(steps) if step >= high)
            return cls(steps[first : last + 1], start, end, True)
        step = _step(high - low if high - low > 1e-9 * high else high or 1)
        first = math.floor(low / step - 0.2)
        # start at zero if that is near
        first = 0 if low >= 0 and (first <= 0 or low < (high - low)) else first
        last = max(math.ceil(high / step + 0.1), first + 1)
        return cls([i * step for i in range(first, last + 1)], start, end, False)

    def at(self, value: float) -> float:
        low, high = self.ticks[0], self.ticks[-1]
        if self.logarithmic:
            value, low, high = math.log10(value), math.log10(low), math.log10(high)
        return self.start + (self.end - self.start) * (value - low) / (high - low)


def _step(span: float) -> float:
    """1, 2 or 5 times a power of ten, of which four to ten make up the span."""
    rough = span / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)


def chart(facts: Facts, *, link: Link | None = None, chosen: tuple[str, int] | None = None) -> str:
    """The chart alone; empty if nothing was measured.

    With ``link``, every point is a link. A ring marks the ``chosen`` point (method and k).
    """
    points = plotted_points(facts)
    if not points:
        return ""
    methods = list(dict.fromkeys(point["method"] for point in points))
    height = max(340, LABEL_HEIGHT * len(methods)) + _TOP + _BOTTOM
    right, bottom = _WIDTH - _RIGHT, height - _BOTTOM
    x_axis = ChartAxis.of([point["risk"] for point in points], _LEFT, right)
    y_axis = ChartAxis.of([point["loss"] for point in points], bottom, _TOP)

    def place(point: Facts) -> tuple[float, float]:
        return x_axis.at(point["risk"]), y_axis.at(point["loss"])

    series = {name: sorted((p for p in points if p["method"] == name), key=lambda p: -p["k"]) for name in methods}
    labels = spread_labels([place(members[-1])[1] for members in series.values()], _TOP + 4, bottom)
    parts = [_grid(x_axis, y_axis, right, bottom, height, facts), _band([place(p) for p in points if p["frontier"]])]
    for number, ((name, members), label) in enumerate(zip(series.items(), labels, strict=True)):
        unmarked = [] if link else [point for point in members if not symbol(point)]
        markers = "".join(_marker(point, *place(point)) for point in unmarked)
        parts.append(_line(name, [place(point) for point in members], markers, number, right, label))
    # marked points, and links, are drawn above all lines
    on_top = sorted(
        (point for point in points if link or symbol(point)), key=lambda p: (p["recommended"], p["frontier"])
    )
    for point in on_top:
        marker = _marker(point, *place(point))
        marker = _as_link(marker, point, place(point), link(point)) if link else marker
        x, y = place(point)
        circle = f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{_RING_RADIUS}"/>'
        ring = circle if (point["method"], point["k"]) == chosen else ""
        parts.append(f'<g class="c{methods.index(point["method"]) % COLORS}">{ring}{marker}</g>')
    parts += _k_labels([(point["k"], place(point), point["recommended"]) for point in _lowest(points)])
    label_text = escape(_aria_text(facts), quote=True)
    # screen readers skip the content of an image, but not of a group
    role = "group" if link else "img"
    return (
        f'<div class="scroll"><svg viewBox="0 0 {_WIDTH} {height}" role="{role}" aria-label="{label_text}">'
        f"{''.join(parts)}</svg></div>"
    )


def _grid(across: ChartAxis, up: ChartAxis, right: float, bottom: float, height: float, facts: Facts) -> str:
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
    drawn = "L".join(f"{x:.1f} {y:.1f}" for x, y in sorted(places))
    return f'<path class="band" d="M{drawn}h0"/>'


def _line(
    name: str, places: Sequence[tuple[float, float]], markers: str, number: int, right: float, label: float
) -> str:
    """A method: a line through its points, with its name at the right end, where k is smallest."""
    drawn = [f"{x:.1f} {y:.1f}" for x, y in places]
    dash = DASHES[number // COLORS % len(DASHES)]
    return (
        f'<g class="line c{number % COLORS}"><path stroke-dasharray="{dash}" d="M{"L".join(drawn)}"/>'
        f'<path class="lead" d="M{drawn[-1]}L{right + _LEAD} {label:.1f}"/>{markers}'
        f'<text x="{right + _LEAD + 3}" y="{label + 4:.1f}">{escape(name)}</text></g>'
    )


def _tooltip(point: Facts) -> str:
    loss, risk = format_digits(point["loss"]), format_digits(point["risk"])
    return f"{point['method']}, k = {point['k']}: loss {loss}, risk {risk} %"


def _marker(point: Facts, x: float, y: float) -> str:
    """A dot, a diamond on the frontier, a star if recommended; its tooltip has the figures."""
    title = f"<title>{escape(_tooltip(point))}</title>"
    if point["recommended"]:
        corners = [(11 - 6.4 * (i % 2), i * math.pi / 5) for i in range(10)]
        tips = " ".join(f"{x + r * math.sin(angle):.1f},{y - r * math.cos(angle):.1f}" for r, angle in corners)
        return f'<polygon class="point" points="{tips}">{title}</polygon>'
    if point["frontier"]:
        return f'<path class="point" d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z">{title}</path>'
    return f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3">{title}</circle>'


def _as_link(marker: str, point: Facts, place: tuple[float, float], href: str) -> str:
    """A marker as a link, with a larger area to click."""
    x, y = place
    return (
        f'<a href="{escape(href, quote=True)}" aria-label="{escape(_tooltip(point), quote=True)}">'
        f'<circle class="hit" cx="{x:.1f}" cy="{y:.1f}" r="{_CLICK_RADIUS}"/>{marker}</a>'
    )


def _lowest(points: Sequence[Facts]) -> list[Facts]:
    """For each k the recommended point, or else the one with the smallest loss."""
    best: dict[int, Facts] = {}
    for point in sorted(points, key=lambda p: (not p["recommended"], p["loss"])):
        best.setdefault(point["k"], point)
    return list(best.values())


def _k_labels(levels: Sequence[tuple[int, tuple[float, float], bool]]) -> list[str]:
    """Labels of k below and left of the best points; a label that would overlap another is left out."""
    parts: list[str] = []
    drawn: list[tuple[float, float]] = []
    for k, (x, y), chosen in sorted(levels, key=lambda level: (not level[2], level[0])):
        if all(abs(x - other) > 44 or abs(y - beside) > 16 for other, beside in drawn):
            strong = ' class="strong"' if chosen else ""
            parts.append(f'<text{strong} x="{x - 9:.1f}" y="{y + 19:.1f}" text-anchor="end">k = {k}</text>')
            drawn.append((x, y))
    return parts


def _aria_text(facts: Facts) -> str:
    best = [point for point in sorted_releases(facts) if point["frontier"]]
    descriptions = [
        f"{p['method']} at k = {p['k']}, loss {format_digits(p['loss'])}, risk {format_digits(p['risk'])} percent"
        for p in best
    ]
    return "Loss against risk of the compared methods. On the frontier: " + "; ".join(descriptions) + "."
