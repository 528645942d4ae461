"""Drawings of a hierarchy: a tree for the terminal, and one as SVG.

Unlike other reports they contain values of the data: the names of the nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import sqrt
from typing import Any

from shoal.errors.messages import pluralize
from shoal.hierarchy import Hierarchy
from shoal.report import html
from shoal.report.text_layout import JOINERS, align_columns, display_width, truncate

Counts = Mapping[str, int]
Position = tuple[float, float]

_MAX_CHILDREN = 200
_MIN_NAME = 12
"""Minimum width of a name in the terminal, at any depth."""
_MAX_NAME = 40
_ROW, _STEP, _RADIUS, _BESIDE, _GAP, _EDGE, _LETTER = 20, 20, 11, 5, 24, 14, 6.9
"""Pixels. Circles never overlap: siblings share the area of one circle, and 11·√2 is below 20."""
_PAGE_WIDTH = 1100
"""Page width in pixels. A wider tree is drawn indented, one node per line."""
_KEY = "Area of a circle: records at or below the node. Filled: records with this value itself."
STYLE = """
svg.hierarchy { max-width: none; min-width: 0; }
.hierarchy .paper { fill: var(--paper); } .hierarchy .branch { fill: none; stroke: var(--soft); opacity: .5; }
.hierarchy text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.hierarchy .n { fill: var(--soft); } .hierarchy .own { fill: var(--sea); }
.hierarchy .all { fill: var(--sea); fill-opacity: .18; stroke: var(--sea); }
.hierarchy .none { fill: var(--paper); stroke: var(--soft); }
"""
"""Style of the SVG, for pages that link to it."""


def facts(hierarchy: Hierarchy) -> dict[str, Any]:
    """Facts about a hierarchy without names of nodes."""
    return {
        "nodes": len(hierarchy),
        "leaves": len(hierarchy.leaves),
        "levels": hierarchy.levels,
        "fingerprint": hierarchy.fingerprint,
    }


def size_text(hierarchy: Hierarchy) -> str:
    """``62 nodes on 5 levels, 40 of them leaves``."""
    leaves = len(hierarchy.leaves)
    return (
        f"{pluralize(len(hierarchy), 'node')} on {pluralize(hierarchy.levels, 'level')},"
        f" {leaves:,} of them {'a leaf' if leaves == 1 else 'leaves'}"
    )


def node_list(hierarchy: Hierarchy, counts: Counts | None = None) -> list[dict[str, Any]]:
    """Every node with its parent and its records, parents first; records are None without counts."""
    below = _below(hierarchy, counts or {})
    return [
        {
            "name": name,
            "parent": hierarchy.parent(name),
            "depth": hierarchy.depth(name),
            "records": None if counts is None else below[name],
            "own": None if counts is None else counts.get(name, 0),
        }
        for name in [hierarchy.root, *(child for child, _ in hierarchy.edges())]
    ]


@dataclass(frozen=True)
class _Row:
    """A drawn node, or the label for several omitted ones."""

    text: str
    parent: int
    """Index of its parent's row; -1 for the root."""
    depth: int
    records: int | None = None
    own: int | None = None
    """Number of records with this value itself."""
    inner: bool = False
    more: str = ""
    """Note on descendants that are not drawn."""
    rest: bool = False
    """Whether this is the label for omitted siblings."""


def draw_tree(hierarchy: Hierarchy, counts: Counts | None = None, *, depth: int | None = None, width: int = 100) -> str:
    """The tree as lines of at most this width, with the records at or below each node and, for inner nodes, its own."""
    rows = _rows(hierarchy, counts, depth)
    figures = [[_figure(row.records), _figure(row.own) if row.inner and row.own else ""] for row in rows]
    header = ["" if counts is None else "records", "own" if any(own for _, own in figures) else ""]
    widths = [max(len(header[j]), *(len(row[j]) for row in figures)) for j in (0, 1)]
    name_width = width - sum(2 + each for each in widths if each)
    prefixes = _tree_prefixes(rows)
    lines = [
        prefix + truncate(_one_line(row.text), max(name_width - len(prefix) - len(row.more), _MIN_NAME)) + row.more
        for prefix, row in zip(prefixes, rows, strict=True)
    ]
    table = [["", *header], *([line, *row] for line, row in zip(lines, figures, strict=True))]
    aligned = align_columns(table[counts is None :], right=frozenset({1, 2}), indent="")
    return "\n".join([*aligned, "", summary(hierarchy, counts)])


def summary(hierarchy: Hierarchy, counts: Counts | None = None) -> str:
    """Size of a hierarchy and the number of records in it."""
    if counts is None:
        return size_text(hierarchy)
    covered = {name: number for name, number in counts.items() if name in hierarchy}
    text = f"{size_text(hierarchy)}; {pluralize(sum(covered.values()), 'record')} on {pluralize(len(covered), 'value')}"
    if len(covered) == len(counts):
        return text
    uncovered = sum(counts.values()) - sum(covered.values())
    values = pluralize(len(counts) - len(covered), "value")
    return f"{text}; {pluralize(uncovered, 'record')} on {values} not in the hierarchy"


def draw_svg(
    hierarchy: Hierarchy, counts: Counts | None = None, *, title: str, depth: int | None = None, styled: bool = True
) -> str:
    """The tree as SVG; not ``styled`` for a page that contains `STYLE` and the palette.

    It is drawn from left to right if it fits: leaves on lines, parents centered on their children. Otherwise it is
    indented as in a terminal. The area of a circle is the number of records at or below a node; the filled part is its
    own.
    """
    rows = _rows(hierarchy, counts, depth)
    labels = [(truncate(_one_line(row.text), _MAX_NAME), _count_text(row)) for row in rows]
    widths = [_LETTER * (display_width(name) + display_width(count_text) + 1) for name, count_text in labels]
    total, depth_x = rows[0].records, _depth_positions(rows, widths)
    horizontal = depth_x[-1] <= _PAGE_WIDTH
    if horizontal:
        places = _place_horizontally(rows, depth_x)
    else:
        places = [(float(_EDGE + _STEP * (row.depth - 1)), float(_ROW * line)) for line, row in enumerate(rows, 1)]
    starts = [
        x + (0 if row.rest else _circle_radius(row, rows[0]) + _BESIDE)
        for row, (x, _) in zip(rows, places, strict=True)
    ]
    ends = [start + width for start, width in zip(starts, widths, strict=True)]
    branches = _curves(rows, places, ends) if horizontal else _elbows(rows, places)
    nodes = []
    for row, (x, y), start, (name, count_text) in zip(rows, places, starts, labels, strict=True):
        tooltip = f"<title>{escape(_one_line(row.text))}</title>" if name != row.text else ""
        figure = f' <tspan class="n">{count_text}</tspan>' if count_text else ""
        text = f'<text x="{start:.1f}" y="{y + 4:.1f}">{escape(name)}{figure}</text>'
        nodes.append(f"<g>{tooltip}{_circles(row, x, y, total)}{text}</g>")
    key = "" if counts is None else _KEY
    svg_width = max(*ends, _LETTER * len(key)) + 2 * _EDGE
    svg_height = max(y for _, y in places) + (2 * _ROW if key else _ROW)
    name_text = escape(_one_line(title))
    style = f"<style>{html.PALETTE}{STYLE}</style>" if styled else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hierarchy" viewBox="0 0 {svg_width:.0f} {svg_height:.0f}"'
        f' width="{svg_width:.0f}" height="{svg_height:.0f}" role="img"'
        f' aria-label="{name_text}: {summary(hierarchy, counts)}">'
        f"<title>{name_text}</title>{style}"
        f'<rect class="paper" width="{svg_width:.0f}" height="{svg_height:.0f}"/><path class="branch" d="{branches}"/>'
        f'{"".join(nodes)}<text class="n" x="{_EDGE}" y="{svg_height - 8:.0f}">{key}</text></svg>\n'
    )


def page(hierarchy: Hierarchy, counts: Counts | None = None, *, title: str, depth: int | None = None) -> str:
    """The picture in an HTML page."""
    return html.document(
        title,
        html.paragraph(f"{summary(hierarchy, counts)}. The names are values of the data.", "by"),
        f'<div class="scroll">{draw_svg(hierarchy, counts, title=title, depth=depth)}</div>',
        wide=True,
    )


def _below(hierarchy: Hierarchy, counts: Counts) -> dict[str, int]:
    below = [counts.get(name, 0) for name in hierarchy]
    for number, parent in enumerate(hierarchy.parents[:-1]):
        below[parent] += below[number]
    return dict(zip(hierarchy, below, strict=True))


def _rows(hierarchy: Hierarchy, counts: Counts | None, depth: int | None) -> list[_Row]:
    below = _below(hierarchy, counts or {})
    sizes = _below(hierarchy, dict.fromkeys(hierarchy, 1))
    rows: list[_Row] = []
    # stack of nodes, or labels for omitted ones, with the row of their parent
    stack: list[tuple[str | _Row, int]] = [(hierarchy.root, -1)]
    while stack:
        node, parent = stack.pop()
        if isinstance(node, _Row):
            rows.append(node)
            continue
        index, level = len(rows), 1 + (rows[parent].depth if parent >= 0 else 0)
        children = hierarchy.children(node)
        records, own = (None, None) if counts is None else (below[node], counts.get(node, 0))
        truncated = level == depth and bool(children)
        note = f" … {sizes[node] - 1:,} more below" if truncated else ""
        rows.append(_Row(node, parent, level, records, own, bool(children), note))
        if truncated:
            continue
        visible, omitted = children[:_MAX_CHILDREN], children[_MAX_CHILDREN:]
        if omitted:
            omitted_records = None if counts is None else sum(below[name] for name in omitted)
            stack.append((_Row(f"… {len(omitted):,} more", index, level + 1, omitted_records, rest=True), index))
        stack += [(name, index) for name in reversed(visible)]
    return rows


def _tree_prefixes(rows: Sequence[_Row]) -> list[str]:
    last = {row.parent: number for number, row in enumerate(rows)}
    stems, under = [""], [""]
    for number, row in enumerate(rows[1:], 1):
        ends = last[row.parent] == number
        stems.append(under[row.parent] + ("└─ " if ends else "├─ "))
        under.append(under[row.parent] + ("   " if ends else "│  "))
    return stems


def _depth_positions(rows: Sequence[_Row], widths: Sequence[float]) -> list[float]:
    """Horizontal position of each depth, with space for the longest name; the last one is the width of the picture."""
    longest = [0.0] * max(row.depth for row in rows)
    for row, width in zip(rows, widths, strict=True):
        longest[row.depth - 1] = max(longest[row.depth - 1], width)
    lefts = [float(_EDGE)]
    for width in longest:
        lefts.append(lefts[-1] + 2 * _RADIUS + _BESIDE + width + _GAP)
    return lefts


def _place_horizontally(rows: Sequence[_Row], lefts: Sequence[float]) -> list[Position]:
    """Positions with one line per row without children; parents are centered between their first and last child."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for number, row in enumerate(rows):
        first.setdefault(row.parent, number)
        last[row.parent] = number
    heights, line = [0.0] * len(rows), 0
    for number in range(len(rows)):
        if number not in first:
            line += 1
            heights[number] = float(_ROW * line)
    for number in reversed(range(len(rows))):
        if number in first:
            heights[number] = (heights[first[number]] + heights[last[number]]) / 2
    return [(lefts[row.depth - 1], height) for row, height in zip(rows, heights, strict=True)]


def _curves(rows: Sequence[_Row], places: Sequence[Position], ends: Sequence[float]) -> str:
    """Branches from the end of each name to the children on the right."""
    last = {row.parent: number for number, row in enumerate(rows)}
    paths = []
    for number, row in enumerate(rows[1:], 1):
        (x, y), level = places[number], places[row.parent][1]
        end = x - _RADIUS
        branch_x, middle = end - _GAP, end - _GAP / 2
        trunk = f"M{ends[row.parent]:.0f} {level:.1f}H{branch_x:.0f}" if last[row.parent] == number else ""
        paths.append(
            f"{trunk}M{branch_x:.0f} {level:.1f}C{middle:.0f} {level:.1f} {middle:.0f} {y:.1f} {end:.0f} {y:.1f}"
            f"H{x - _circle_radius(row, rows[0]):.1f}"
        )
    return "".join(paths)


def _elbows(rows: Sequence[_Row], places: Sequence[Position]) -> str:
    last = {row.parent: number for number, row in enumerate(rows)}
    paths = []
    for number, row in enumerate(rows[1:], 1):
        (x, y), (left, level) = places[number], places[row.parent]
        top = level + _circle_radius(rows[row.parent], rows[0])
        trunk = f"M{left:.0f} {top:.1f}V{y - 5:.0f}" if last[row.parent] == number else f"M{left:.0f} {y - 5:.0f}"
        paths.append(f"{trunk}q0 5 5 5H{x - _circle_radius(row, rows[0]):.1f}")
    return "".join(paths)


def _circle_radius(row: _Row, root: _Row) -> float:
    return 0.0 if row.rest else _radius(row.records, root.records)


def _circles(row: _Row, x: float, y: float, total: int | None) -> str:
    """A ring for the records at or below a node, a disc for its own; a small ring if there are none."""
    if row.rest:
        return ""
    drawn = [("all", row.records), ("own", row.own)] if row.inner else [("own", row.own)]
    visible = [(kind, number) for kind, number in drawn if number] or [("none", 0)]
    return "".join(
        f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.1f}" r="{_radius(number, total):.1f}"/>'
        for kind, number in visible
    )


def _radius(number: int | None, total: int | None) -> float:
    return max(_RADIUS * sqrt(number / total), 1.5) if number and total else 2.5


def _count_text(row: _Row) -> str:
    own = f" ({row.own:,} own)" if row.inner and row.own else ""
    return f"{_figure(row.records)}{own}{row.more}".strip()


def _figure(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _one_line(name: str) -> str:
    """A name on one line, without control characters."""
    return "".join(sign if sign.isprintable() or sign in JOINERS else "\ufffd" for sign in name)
