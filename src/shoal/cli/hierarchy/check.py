"""`shoal hierarchy check`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli.terminal import as_json, open_table, parse_pairs, show, show_json, with_read_options


@click.command(name="check")
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
def command(
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
    from shoal.release.result import check_output_paths, check_path
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
