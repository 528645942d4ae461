"""Page of the imports between packages: which package imports which, by the layers of `pyproject.toml`."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from making.markdown import table

CELL, LEFT, TOP = 18, 118, 104
INK, FAINT, BAND, DOT = "#24313f", "#c9d3dc", "#eef3f7", "#1f6f8b"
INTRODUCTION = """\
# Imports between packages

`make docs` generates this page from the sources and from the layers in `pyproject.toml`. What each package contains:
[architecture.md](architecture.md).

Each row is a package, the highest layer at the top; a dot means that it imports the package of that column. All dots
are to the right of the diagonal: a package imports only from lower layers. Packages in one band share a layer and do
not import each other. Imports for type checkers only are left out.

![Which package imports which](figures/imports.svg)

"""


def layers(project: Path) -> list[list[str]]:
    """Packages by layer, the highest first, from the contract of import-linter."""
    contracts = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    contract = next(contract for contract in contracts if contract["type"] == "layers")
    return [[package.strip() for package in layer.split("|")] for layer in contract["layers"]]


@cache
def imported(source: Path, package: tuple[str, ...]) -> tuple[str, ...]:
    """Modules that a file imports at run time, inside of functions too; cached, since all files take a second."""
    return tuple(_imported(ast.parse(source.read_text(encoding="utf-8")), package))


def _imported(tree: ast.Module, package: Sequence[str]) -> Iterator[str]:
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.expr):  # contains no statements
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1]] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        pending += ast.iter_child_nodes(node)


def graph(source: Path, packages: Sequence[str]) -> dict[str, set[str]]:
    """The packages that each package imports."""
    edges: dict[str, set[str]] = {package: set() for package in packages}
    for path in sorted(source.rglob("*.py")):
        relative = path.relative_to(source)
        package = relative.parts[0].removesuffix(".py")
        if package not in edges:
            continue
        for module in imported(path, (source.name, *relative.parts[:-1])):
            root, _, rest = module.partition(".")
            if root == source.name and (other := rest.partition(".")[0]) in edges and other != package:
                edges[package].add(other)
    return edges


def drawing(by_layer: Sequence[Sequence[str]], edges: Mapping[str, set[str]]) -> str:
    """The matrix of imports as an SVG image."""
    packages = [package for layer in by_layer for package in layer]
    position = {package: number for number, package in enumerate(packages)}
    width, height = LEFT + CELL * len(packages) + 14, TOP + CELL * len(packages) + 14
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11.5" role="img">',
        "<title>Which package imports which</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    row = 0
    for number, layer in enumerate(by_layer):
        if number % 2 == 0:
            y, tall = TOP + CELL * row, CELL * len(layer)
            parts.append(f'<rect x="8" y="{y}" width="{width - 20}" height="{tall}" fill="{BAND}"/>')
        row += len(layer)
    for package, number in position.items():
        x, y = LEFT + CELL * number + CELL / 2, TOP + CELL * number + CELL / 2
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:g}" text-anchor="end" fill="{INK}">{package}</text>')
        parts.append(f'<text transform="translate({x + 4:g} {TOP - 8}) rotate(-60)" fill="{INK}">{package}</text>')
        parts.append(f'<rect x="{x - 3:g}" y="{y - 3:g}" width="6" height="6" fill="{FAINT}"/>')
    for package, others in edges.items():
        y = TOP + CELL * position[package] + CELL / 2
        for other in sorted(others, key=position.__getitem__):
            x = LEFT + CELL * position[other] + CELL / 2
            title = f"<title>{package} → {other}</title>"
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="4.2" fill="{DOT}">{title}</circle>')
    return "\n".join([*parts, "</svg>", ""])


def listing(by_layer: Sequence[Sequence[str]], edges: Mapping[str, set[str]]) -> str:
    """The same as a table."""
    order = [package for layer in by_layer for package in layer]
    users = defaultdict(set)
    for package, others in edges.items():
        for other in others:
            users[other].add(package)

    def names(packages: set[str]) -> str:
        return ", ".join(package for package in order if package in packages) or "none"

    rows = [
        (number, f"`{package}`", names(edges[package]), names(users[package]))
        for number, layer in enumerate(by_layer, start=1)
        for package in layer
    ]
    return table(["layer", "package", "imports", "imported by"], rows)


def pages(docs: Path, source: Path, project: Path) -> dict[Path, str]:
    """The image, and the page with the image and the table."""
    by_layer = layers(project)
    edges = graph(source, [package for layer in by_layer for package in layer])
    return {
        docs / "imports.md": f"{INTRODUCTION}{listing(by_layer, edges)}",
        docs / "figures" / "imports.svg": drawing(by_layer, edges),
    }
