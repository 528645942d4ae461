"""Comparison of methods as text, as an HTML page and as a notebook fragment."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from html import escape
from typing import Any

from shoal.errors.messages import pluralize, shorten
from shoal.report import frontier_chart, html
from shoal.report.text_layout import align_columns

Facts = Mapping[str, Any]
_TERMINAL_COLUMNS = (0, 1, 2, 3, 4, 6, 7, 10)
_WIDE, _HIGH = 60, 12


def text(facts: Facts, *, width: int = 100) -> str:
    """Table, chart and recommendation as text."""
    names = ", ".join(shorten(name) for name in facts["quasi_identifiers"])
    parts = textwrap.wrap(f"{pluralize(facts['records'], 'record')}; quasi-identifiers: {names}", width)
    rows = [[name.lower() for name in frontier_chart.table_head(facts)]]
    rows += map(frontier_chart.table_row, frontier_chart.sorted_releases(facts))
    if len(rows) > 1:
        cells = [[row[j] for j in _TERMINAL_COLUMNS] for row in rows]
        table = align_columns(cells, right=frozenset({1, 3, 4, 5, 6, 7}))
        parts += ["", *table, "  ◆ no other has less of loss or risk and no more of the other   ★ recommended"]
        parts += [f"  {sentence}" for sentence in frontier_chart.table_notes(facts)]
    for sentence in frontier_chart.failures(facts):
        parts += textwrap.wrap(f"no release: {sentence}", width, initial_indent="  ", subsequent_indent="    ")
    if facts["recommendation"]:
        parts += ["", *_chart(facts), ""]
        parts += textwrap.wrap(f"Recommended: {facts['recommendation']['reason']}", width)
    if facts["kept"]:
        parts += ["", f"{facts['kept']} of {pluralize(len(facts['points']), 'run')} kept from before"]
    return "\n".join(parts)


def page(facts: Facts) -> str:
    """Render an HTML page."""
    return html.document(
        "Methods compared",
        f'<p class="by">Made by Shoal {escape(facts["shoal"])} of {pluralize(facts["records"], "record")} with the'
        f" quasi-identifiers {escape(', '.join(facts['quasi_identifiers']))}. No cell of the data stands in this"
        " report.</p>",
        frontier_chart.section(facts, title="Risk and loss"),
        "<footer>Loss is measured on the quasi-identifiers; the global risk is the share of the records that somebody"
        " who knows all quasi-identifiers finds on average. Seconds are those of a whole release, with others at the"
        " same time.</footer>",
        wide=True,
    )


def fragment(facts: Facts) -> str:
    """Render a notebook fragment."""
    return html.fragment(frontier_chart.section(facts))


def _chart(facts: Facts) -> list[str]:
    """Scatter plot in characters: loss upwards, risk to the right. The more prominent mark wins."""
    points = frontier_chart.plotted_points(facts)
    across = frontier_chart.ChartAxis.of([point["risk"] for point in points], 0, _WIDE - 1)
    up = frontier_chart.ChartAxis.of([point["loss"] for point in points], _HIGH - 1, 0)
    cells = [[" "] * _WIDE for _ in range(_HIGH)]
    for point in sorted(points, key=lambda p: (p["recommended"], p["frontier"])):
        cells[round(up.at(point["loss"]))][round(across.at(point["risk"]))] = frontier_chart.symbol(point) or "·"
    foot, top, left, right = (f"{axis.ticks[end]:g}" for axis in (up, across) for end in (0, -1))
    side = max(len(top), len(foot))
    margins = [top, *[""] * (_HIGH - 2), foot]
    ends = left + right.rjust(_WIDE - len(left))
    unit = f" ({facts['loss']['unit']})" if facts["loss"]["unit"] else ""
    return [
        f"  {facts['loss']['label']}{unit}, up",
        *(f"  {margin:>{side}} │{''.join(line)}".rstrip() for margin, line in zip(margins, cells, strict=True)),
        f"  {'':{side}} └{'─' * _WIDE}",
        f"  {'':{side}}  {ends}",
        f"  {'':{side}}  {'global risk (%)':>{_WIDE}}",
    ]
