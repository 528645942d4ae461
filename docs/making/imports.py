"""The graph of imports: which room of the house imports which, by the layers of `pyproject.toml`."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from making.markdown import table

CELL, LEFT, TOP, CHAR = 18, 118, 104, 6.6
INK, FAINT, BAND, DOT = "#24313f", "#c9d3dc", "#eef3f7", "#1f6f8b"
WORDS = """\
# Who imports whom

`make docs` generates this page from the sources and from the layers in `pyproject.toml`. What each of these packages
does: [architecture.md](architecture.md).

Each row is a room, the highest layer at the top; a dot says that it imports the room of that column. All dots lie to
the right of the diagonal: data goes one way, and a room knows only what is below it. Rooms of one band share a layer
and do not know each other. Imports that only type checkers see are left out.

![Which room imports which](figures/imports.svg)

"""


def layers(project: Path) -> list[list[str]]:
    """The rooms by layer, the highest first, as the contract says."""
    contracts = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    found = next(each for each in contracts if each["type"] == "layers")
    return [[room.strip() for room in layer.split("|")] for layer in found["layers"]]


@cache
def imported(source: Path, package: tuple[str, ...]) -> tuple[str, ...]:
    """The modules that a file imports when it runs, also inside of functions; kept, since it takes a second for all."""
    return tuple(_imported(ast.parse(source.read_text(encoding="utf-8")), package))


def _imported(tree: ast.Module, package: Sequence[str]) -> Iterator[str]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.expr):  # has no statements inside
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1]] if node.level else []
            home = ".".join([*base, *([node.module] if node.module else [])])
            yield home
            yield from (f"{home}.{alias.name}" for alias in node.names)
        waiting += ast.iter_child_nodes(node)


def graph(source: Path, rooms: Sequence[str]) -> dict[str, set[str]]:
    """Each room with those that it imports."""
    found: dict[str, set[str]] = {room: set() for room in rooms}
    for path in sorted(source.rglob("*.py")):
        inside = path.relative_to(source)
        room = inside.parts[0].removesuffix(".py")
        if room not in found:
            continue
        for module in imported(path, (source.name, *inside.parts[:-1])):
            head, _, rest = module.partition(".")
            if head == source.name and (other := rest.partition(".")[0]) in found and other != room:
                found[room].add(other)
    return found


def drawing(known: Sequence[Sequence[str]], found: Mapping[str, set[str]]) -> str:
    """A table of dots as a picture, one row and one column a room."""
    rooms = [room for layer in known for room in layer]
    place = {room: number for number, room in enumerate(rooms)}
    width, height = LEFT + CELL * len(rooms) + 14, TOP + CELL * len(rooms) + 14
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11.5" role="img">',
        "<title>Which room imports which</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    row = 0
    for number, layer in enumerate(known):
        if number % 2 == 0:
            y, tall = TOP + CELL * row, CELL * len(layer)
            parts.append(f'<rect x="8" y="{y}" width="{width - 20}" height="{tall}" fill="{BAND}"/>')
        row += len(layer)
    for room, number in place.items():
        x, y = LEFT + CELL * number + CELL / 2, TOP + CELL * number + CELL / 2
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:g}" text-anchor="end" fill="{INK}">{room}</text>')
        parts.append(f'<text transform="translate({x + 4:g} {TOP - 8}) rotate(-60)" fill="{INK}">{room}</text>')
        parts.append(f'<rect x="{x - 3:g}" y="{y - 3:g}" width="6" height="6" fill="{FAINT}"/>')
    for room, others in found.items():
        y = TOP + CELL * place[room] + CELL / 2
        for other in sorted(others, key=place.__getitem__):
            x = LEFT + CELL * place[other] + CELL / 2
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="4.2" fill="{DOT}"><title>{room} → {other}</title></circle>')
    return "\n".join([*parts, "</svg>", ""])


def listing(known: Sequence[Sequence[str]], found: Mapping[str, set[str]]) -> str:
    """The same as a table."""
    order = [room for layer in known for room in layer]
    users = defaultdict(set)
    for room, others in found.items():
        for other in others:
            users[other].add(room)

    def named(rooms: set[str]) -> str:
        return ", ".join(room for room in order if room in rooms) or "nothing"

    rows = [
        (number, f"`{room}`", named(found[room]), named(users[room]).replace("nothing", "nobody"))
        for number, layer in enumerate(known, start=1)
        for room in layer
    ]
    return table(["layer", "room", "imports", "imported by"], rows)


def pages(docs: Path, source: Path, project: Path) -> dict[Path, str]:
    """The picture, and the page that shows it with the same facts as a table."""
    known = layers(project)
    found = graph(source, [room for layer in known for room in layer])
    return {
        docs / "imports.md": f"{WORDS}{listing(known, found)}",
        docs / "figures" / "imports.svg": drawing(known, found),
    }
