"""`shoal hierarchy show`."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from shoal.cli.terminal import as_json, open_table, show, show_json, with_read_options


@click.command(name="show")
@click.argument("hierarchy")
@click.argument("file", required=False)
@click.argument("column", required=False)
@click.option("--depth", type=click.IntRange(min=1), help="Draw so many levels only.")
@click.option("--svg", help="Write a picture instead: an SVG file.")
@click.option("--html", help="Write a page with the picture instead: an HTML file.")
@click.option("--from", "from_", help="The format of HIERARCHY, where its ending does not tell.")
@click.option("--force", is_flag=True, help="Replace outputs that exist.")
@with_read_options
@as_json
def command(
    hierarchy: str,
    file: str | None,
    column: str | None,
    depth: int | None,
    svg: str | None,
    html: str | None,
    from_: str | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Draw HIERARCHY, with the records of COLUMN of FILE if given.

    The drawing names the values, and with FILE tells how many records have each: it is not for publication.
    """
    from shoal import data
    from shoal.hierarchy import formats
    from shoal.release.result import check_output_paths, check_path
    from shoal.report import hierarchy_drawing as report

    if file is not None and column is None:
        raise click.UsageError("Missing argument 'COLUMN'.", click.get_current_context())
    places = {render: check_path(path) for render, path in ((report.draw_svg, svg), (report.page, html)) if path}
    check_output_paths(list(places.values()), sources=[Path(hierarchy), Path(file) if file else None], force=force)
    tree = formats.read(hierarchy, format=from_)
    counts = data.value_counts(open_table(file, options), column) if file and column else None
    title = f"Hierarchy {Path(hierarchy).name}"
    with ExitStack() as stack:
        for render, place in places.items():
            part = stack.enter_context(data.atomic_write(place, force=force))
            part.write_text(render(tree, counts, title=title, depth=depth), encoding="utf-8", newline="\n")
    written = [str(place) for place in places.values()]
    if as_json:
        show_json(
            {
                "hierarchy": report.facts(tree),
                "column": column,
                "nodes": report.node_list(tree, counts),
                "written": written,
            }
        )
    elif written:
        show(f"{report.summary(tree, counts)}\nWritten {', '.join(written)}")
    else:
        width = max(40, shutil.get_terminal_size((100, 40)).columns)
        show(report.draw_tree(tree, counts, depth=depth, width=width))
