"""Drawings of a hierarchy: a tree for the terminal, and one as SVG.

Unlike every other report they show values of the data: the names of the nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import sqrt
from typing import Any
from unicodedata import combining, east_asian_width

from shoal.hierarchy import Hierarchy
from shoal.report import html
from shoal.words import counted

Counts = Mapping[str, int]
Place = tuple[float, float]

_MOST_CHILDREN = 200
_SHORTEST = 12
"""Columns of the terminal that a name gets, however deep it stands."""
_LONGEST = 40
"""Characters of a name that are drawn."""
_ROW, _STEP, _RADIUS, _BESIDE, _GAP, _EDGE, _LETTER = 20, 20, 11, 5, 24, 14, 6.9
"""Pixels. Circles never meet: those of siblings are shares of one area, and 11·√2 is below 20."""
_ROOM = 1100
"""Pixels across a page. What needs more is drawn indented, a node a line."""
_JOINERS = "\u200c\u200d"
"""Marks without a width that decide how letters beside them are written, as in Persian and in Hindi."""
_KEY = "Area of a circle: records at or below the node. Filled: records with this value itself."
STYLE = """
svg.hierarchy { max-width: none; min-width: 0; }
.hierarchy .paper { fill: var(--paper); } .hierarchy .branch { fill: none; stroke: var(--soft); opacity: .5; }
.hierarchy text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.hierarchy .n { fill: var(--soft); } .hierarchy .own { fill: var(--sea); }
.hierarchy .all { fill: var(--sea); fill-opacity: .18; stroke: var(--sea); }
.hierarchy .none { fill: var(--paper); stroke: var(--soft); }
"""
"""What a picture looks like, for pages that link to their style."""


def facts(hierarchy: Hierarchy) -> dict[str, Any]:
    """What can be said of a hierarchy without naming a node."""
    return {
        "nodes": len(hierarchy),
        "leaves": len(hierarchy.leaves),
        "levels": hierarchy.levels,
        "fingerprint": hierarchy.fingerprint,
    }


def size(hierarchy: Hierarchy) -> str:
    """``62 nodes on 5 levels, 40 of them leaves``."""
    leaves = len(hierarchy.leaves)
    return (
        f"{counted(len(hierarchy), 'node')} on {counted(hierarchy.levels, 'level')},"
        f" {leaves:,} of them {'a leaf' if leaves == 1 else 'leaves'}"
    )


def listing(hierarchy: Hierarchy, counts: Counts | None = None) -> list[dict[str, Any]]:
    """Every node with its parent and its records, parents first; None where no records are counted."""
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
    """A node that is drawn, or the words for several that are not."""

    text: str
    parent: int
    """The number of its parent's row; the root has none, -1."""
    depth: int
    records: int | None = None
    """Those at or below it."""
    own: int | None = None
    """Those with this value itself."""
    inner: bool = False
    more: str = ""
    """What is below it and not drawn."""
    rest: bool = False
    """Whether these are the words for siblings that are not drawn."""


def tree(hierarchy: Hierarchy, counts: Counts | None = None, *, depth: int | None = None, width: int = 100) -> str:
    """The tree in lines of at most this width, with the records at or below each node and, inside, its own."""
    rows = _rows(hierarchy, counts, depth)
    figures = [[_figure(row.records), _figure(row.own) if row.inner and row.own else ""] for row in rows]
    head = ["" if counts is None else "records", "own" if any(own for _, own in figures) else ""]
    widths = [max(len(head[j]), *(len(row[j]) for row in figures)) for j in (0, 1)]
    room = width - sum(2 + each for each in widths if each)
    stems = _stems(rows)
    lines = [
        stem + _cut(row.text, max(room - len(stem) - len(row.more), _SHORTEST)) + row.more
        for stem, row in zip(stems, rows, strict=True)
    ]
    longest = max(map(_columns, lines))
    table = [["", *head], *([line, *row] for line, row in zip(lines, figures, strict=True))]
    drawn = [
        (line + " " * (longest - _columns(line)) + "".join("  " + cell.rjust(widths[j]) for j, cell in enumerate(row)))
        for line, *row in table[counts is None :]
    ]
    return "\n".join([*(line.rstrip() for line in drawn), "", summary(hierarchy, counts)])


def summary(hierarchy: Hierarchy, counts: Counts | None = None) -> str:
    """The size of a hierarchy and the records that it holds."""
    if counts is None:
        return size(hierarchy)
    inside = {name: number for name, number in counts.items() if name in hierarchy}
    said = f"{size(hierarchy)}; {counted(sum(inside.values()), 'record')} on {counted(len(inside), 'value')}"
    if len(inside) == len(counts):
        return said
    left = sum(counts.values()) - sum(inside.values())
    return f"{said}; {counted(left, 'record')} on {counted(len(counts) - len(inside), 'value')} not in the hierarchy"


def picture(
    hierarchy: Hierarchy, counts: Counts | None = None, *, title: str, depth: int | None = None, styled: bool = True
) -> str:
    """The tree as SVG that stands by itself; if not ``styled``, for a page that has `STYLE` and the palette.

    From left to right where there is room: leaves on rows, parents in the middle of their children. Else indented, as
    in a terminal. The area of a circle is the number of records at or below a node; what is filled are its own.
    """
    rows = _rows(hierarchy, counts, depth)
    labels = [(_cut(row.text, _LONGEST), _said(row)) for row in rows]
    widths = [_LETTER * (_columns(name) + _columns(said) + 1) for name, said in labels]
    total, lefts = rows[0].records, _lefts(rows, widths)
    beside = lefts[-1] <= _ROOM
    places = _beside(rows, lefts) if beside else _indented(rows)
    starts = [x + (0 if row.rest else _edge(row, rows[0]) + _BESIDE) for row, (x, _) in zip(rows, places, strict=True)]
    ends = [start + width for start, width in zip(starts, widths, strict=True)]
    branches = _curves(rows, places, ends) if beside else _elbows(rows, places)
    nodes = []
    for row, (x, y), start, (name, said) in zip(rows, places, starts, labels, strict=True):
        whole = f"<title>{escape(_plain(row.text))}</title>" if name != row.text else ""
        figure = f' <tspan class="n">{said}</tspan>' if said else ""
        text = f'<text x="{start:.1f}" y="{y + 4:.1f}">{escape(name)}{figure}</text>'
        nodes.append(f"<g>{whole}{_circles(row, x, y, total)}{text}</g>")
    key = "" if counts is None else _KEY
    wide = max(*ends, _LETTER * len(key)) + 2 * _EDGE
    high = max(y for _, y in places) + (2 * _ROW if key else _ROW)
    named = escape(_plain(title))
    style = f"<style>{html.PALETTE}{STYLE}</style>" if styled else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hierarchy" viewBox="0 0 {wide:.0f} {high:.0f}"'
        f' width="{wide:.0f}" height="{high:.0f}" role="img" aria-label="{named}: {summary(hierarchy, counts)}">'
        f"<title>{named}</title>{style}"
        f'<rect class="paper" width="{wide:.0f}" height="{high:.0f}"/><path class="branch" d="{branches}"/>'
        f'{"".join(nodes)}<text class="n" x="{_EDGE}" y="{high - 8:.0f}">{key}</text></svg>\n'
    )


def page(hierarchy: Hierarchy, counts: Counts | None = None, *, title: str, depth: int | None = None) -> str:
    """The picture in an HTML page."""
    return html.document(
        title,
        html.paragraph(f"{summary(hierarchy, counts)}. The names are values of the data.", "by"),
        f'<div class="scroll">{picture(hierarchy, counts, title=title, depth=depth)}</div>',
        wide=True,
    )


def _below(hierarchy: Hierarchy, counts: Counts) -> dict[str, int]:
    """The records at or below each node."""
    below = [counts.get(name, 0) for name in hierarchy]
    for number, parent in enumerate(hierarchy.parents[:-1]):
        below[parent] += below[number]
    return dict(zip(hierarchy, below, strict=True))


def _rows(hierarchy: Hierarchy, counts: Counts | None, depth: int | None) -> list[_Row]:
    """What is drawn, from top to bottom."""
    below = _below(hierarchy, counts or {})
    sizes = _below(hierarchy, dict.fromkeys(hierarchy, 1))
    rows: list[_Row] = []
    # what is to come, the next one last: a node, or the words for several, under the row of its parent
    waiting: list[tuple[str | _Row, int]] = [(hierarchy.root, -1)]
    while waiting:
        node, parent = waiting.pop()
        if isinstance(node, _Row):
            rows.append(node)
            continue
        here, level = len(rows), 1 + (rows[parent].depth if parent >= 0 else 0)
        children = hierarchy.children(node)
        records, own = (None, None) if counts is None else (below[node], counts.get(node, 0))
        cut = level == depth and bool(children)
        more = f" … {sizes[node] - 1:,} more below" if cut else ""
        rows.append(_Row(node, parent, level, records, own, bool(children), more))
        if cut:
            continue
        shown, left = children[:_MOST_CHILDREN], children[_MOST_CHILDREN:]
        if left:
            together = None if counts is None else sum(below[name] for name in left)
            waiting.append((_Row(f"… {len(left):,} more", here, level + 1, together, rest=True), here))
        waiting += [(name, here) for name in reversed(shown)]
    return rows


def _stems(rows: Sequence[_Row]) -> list[str]:
    """The lines of the tree before each name."""
    last = {row.parent: number for number, row in enumerate(rows)}
    stems, under = [""], [""]
    for number, row in enumerate(rows[1:], 1):
        ends = last[row.parent] == number
        stems.append(under[row.parent] + ("└─ " if ends else "├─ "))
        under.append(under[row.parent] + ("   " if ends else "│  "))
    return stems


def _lefts(rows: Sequence[_Row], widths: Sequence[float]) -> list[float]:
    """The middle of the nodes of each depth, with room for the longest name; at last where the picture ends."""
    longest = [0.0] * max(row.depth for row in rows)
    for row, width in zip(rows, widths, strict=True):
        longest[row.depth - 1] = max(longest[row.depth - 1], width)
    lefts = [float(_EDGE)]
    for width in longest:
        lefts.append(lefts[-1] + 2 * _RADIUS + _BESIDE + width + _GAP)
    return lefts


def _beside(rows: Sequence[_Row], lefts: Sequence[float]) -> list[Place]:
    """A line for each row without children, one after another; the others between their first and last child."""
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


def _indented(rows: Sequence[_Row]) -> list[Place]:
    """A line for each row."""
    return [(float(_EDGE + _STEP * (row.depth - 1)), float(_ROW * line)) for line, row in enumerate(rows, 1)]


def _curves(rows: Sequence[_Row], places: Sequence[Place], ends: Sequence[float]) -> str:
    """From the end of each name rightwards to the children."""
    last = {row.parent: number for number, row in enumerate(rows)}
    drawn = []
    for number, row in enumerate(rows[1:], 1):
        (x, y), level = places[number], places[row.parent][1]
        end = x - _RADIUS
        begin, middle = end - _GAP, end - _GAP / 2
        trunk = f"M{ends[row.parent]:.0f} {level:.1f}H{begin:.0f}" if last[row.parent] == number else ""
        drawn.append(
            f"{trunk}M{begin:.0f} {level:.1f}C{middle:.0f} {level:.1f} {middle:.0f} {y:.1f} {end:.0f} {y:.1f}"
            f"H{x - _edge(row, rows[0]):.1f}"
        )
    return "".join(drawn)


def _elbows(rows: Sequence[_Row], places: Sequence[Place]) -> str:
    """From each node down, and right to the children."""
    last = {row.parent: number for number, row in enumerate(rows)}
    drawn = []
    for number, row in enumerate(rows[1:], 1):
        (x, y), (left, level) = places[number], places[row.parent]
        begin = level + _edge(rows[row.parent], rows[0])
        trunk = f"M{left:.0f} {begin:.1f}V{y - 5:.0f}" if last[row.parent] == number else f"M{left:.0f} {y - 5:.0f}"
        drawn.append(f"{trunk}q0 5 5 5H{x - _edge(row, rows[0]):.1f}")
    return "".join(drawn)


def _edge(row: _Row, root: _Row) -> float:
    """How far from its middle a circle ends."""
    return 0.0 if row.rest else _radius(row.records, root.records)


def _circles(row: _Row, x: float, y: float, total: int | None) -> str:
    """A ring for the records at or below a node, a disc for its own; a small ring where there is none."""
    if row.rest:
        return ""
    drawn = [("all", row.records), ("own", row.own)] if row.inner else [("own", row.own)]
    found = [(kind, number) for kind, number in drawn if number] or [("none", 0)]
    return "".join(
        f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.1f}" r="{_radius(number, total):.1f}"/>' for kind, number in found
    )


def _radius(number: int | None, total: int | None) -> float:
    return max(_RADIUS * sqrt(number / total), 1.5) if number and total else 2.5


def _said(row: _Row) -> str:
    own = f" ({row.own:,} own)" if row.inner and row.own else ""
    return f"{_figure(row.records)}{own}{row.more}".strip()


def _figure(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _plain(name: str) -> str:
    """A name on one line, without marks that a terminal would obey."""
    return "".join(sign if sign.isprintable() or sign in _JOINERS else "\ufffd" for sign in name)


def _cut(name: str, most: int) -> str:
    name = _plain(name)
    if _columns(name) <= most:
        return name
    name = name[:most]
    while _columns(name) > most - 1:
        name = name[:-1]
    return name + "…"


def _columns(text: str) -> int:
    """The columns of a terminal that a text takes."""
    return sum(
        0 if combining(sign) or sign in _JOINERS else 2 if east_asian_width(sign) in "WF" else 1 for sign in text
    )
