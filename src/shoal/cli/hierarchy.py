"""`shoal hierarchy`, with its subcommands but `build`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from shoal.cli.hierarchy_build import build
from shoal.cli.terminal import as_json, open_table, parse_pairs, show, show_facts, show_json, with_read_options


@click.group(name="hierarchy")
def command() -> None:
    """Build, check, draw and convert hierarchies of values.

    A hierarchy is a tree of the values of a column: each node stands for all that is below it. Its file is one of
    ARX (lines of values, leaf first), of edges (child and parent), of JSON or of SKOS.

    \b
    shoal hierarchy build intervals people.csv age --width 5,10,20 -o age.csv
    shoal hierarchy check age.csv people.csv age
    shoal hierarchy show age.csv people.csv age
    shoal hierarchy convert age.csv age.json
    """


command.add_command(build)


@command.command(name="check")
@click.argument("hierarchy")
@click.argument("file")
@click.argument("column")
@click.option("--values", is_flag=True, help="Name the values that the hierarchy lacks, with nodes that they may mean.")
@click.option("--fix", help="Write the hierarchy with those values below the node that differs only in spelling.")
@click.option(
    "--map", "mapped", multiple=True, metavar="VALUE=NODE", help="With --fix put VALUE below NODE; repeatable."
)
@click.option("--from", "from_", help="The format of HIERARCHY, where its ending does not tell.")
@click.option("--to", help="The format of what --fix writes, where its ending does not tell.")
@click.option("--force", is_flag=True, help="Replace an output that exists.")
@with_read_options
@as_json
def check(
    hierarchy: str,
    file: str,
    column: str,
    values: bool,
    fix: str | None,
    mapped: tuple[str, ...],
    from_: str | None,
    to: str | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Is every value of COLUMN of FILE a node of HIERARCHY?

    Exit code 0 if so, else 3. With --fix the answer is that of the hierarchy that was written.
    """
    from shoal import data
    from shoal.hierarchy import formats
    from shoal.hierarchy.coverage import coverage
    from shoal.release.save import check_output_paths, check_path
    from shoal.report import hierarchy_drawing as report

    if mapped and fix is None:
        raise click.UsageError("--map needs --fix", click.get_current_context())
    nodes = parse_pairs(mapped, "map", secret=True)
    if fix is not None:
        check_output_paths([check_path(fix)], sources=[Path(hierarchy), Path(file)], force=force)
    tree = formats.read(hierarchy, format=from_)
    table = open_table(file, options)
    counts = data.value_counts(table, column)
    before = after = coverage(tree, counts, close=values, records=table.height)
    if fix is not None:
        tree = tree.with_values({**before.mappings, **nodes})
        formats.save(tree, fix, format=to, force=force)
        after = coverage(tree, counts, records=table.height)
    if as_json:
        facts = {"hierarchy": report.facts(tree), "column": column, "coverage": before.to_dict(values=values)}
        show_json({"ok": after.ok, **facts, "written": fix})
    else:
        show(before.text(values=values))
        if fix is not None:
            show(f"Written {fix}: {report.size_text(tree)}\n{after.text()}")
    click.get_current_context().exit(0 if after.ok else 3)


@command.command(name="show")
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
def draw(
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
    from shoal.release.save import check_output_paths, check_path
    from shoal.report import hierarchy_drawing as report
    from shoal.system.transaction import FileTransaction

    if file is not None and column is None:
        raise click.UsageError("Missing argument 'COLUMN'.", click.get_current_context())
    places = {render: check_path(path) for render, path in ((report.draw_svg, svg), (report.page, html)) if path}
    check_output_paths(list(places.values()), sources=[Path(hierarchy), Path(file) if file else None], force=force)
    tree = formats.read(hierarchy, format=from_)
    counts = data.value_counts(open_table(file, options), column) if file and column else None
    title = f"Hierarchy {Path(hierarchy).name}"
    with FileTransaction(force=force) as files:
        for render, place in places.items():
            files.add(place).write_text(render(tree, counts, title=title, depth=depth))
        files.commit()
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


@command.command(name="convert")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--from", "from_", help="The format of IN, where its ending does not tell: arx, edges, json or skos.")
@click.option("--delimiter", help="What separates the fields of IN; found out where not given.")
@click.option("--to", help="The format of OUT, where its ending does not tell.")
@click.option("--force", is_flag=True, help="Replace an output that exists.")
@as_json
def convert(
    source: str, target: str, from_: str | None, delimiter: str | None, to: str | None, force: bool, as_json: bool
) -> None:
    """Write the hierarchy IN as OUT, in another format."""
    from shoal.hierarchy import formats
    from shoal.release.save import check_output_paths, check_path
    from shoal.report import hierarchy_drawing as report

    check_output_paths([check_path(target)], sources=[Path(source)], force=force)
    tree = formats.read(source, format=from_, delimiter=delimiter)
    formats.save(tree, target, format=to, force=force)
    facts = {"hierarchy": report.facts(tree), "written": target}
    show_facts(facts, lambda _: f"Written {target}: {report.size_text(tree)}", as_json=as_json)
