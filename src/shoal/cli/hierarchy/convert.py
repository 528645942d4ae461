"""`shoal hierarchy convert`."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.cli.terminal import as_json, show, show_json


@click.command(name="convert")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--from", "from_", help="The format of IN, where its ending does not tell: arx, edges, json or skos.")
@click.option("--delimiter", help="What separates the fields of IN; found out where not given.")
@click.option("--to", help="The format of OUT, where its ending does not tell.")
@click.option("--force", is_flag=True, help="Replace an output that exists.")
@as_json
def command(
    source: str, target: str, from_: str | None, delimiter: str | None, to: str | None, force: bool, as_json: bool
) -> None:
    """Write the hierarchy IN as OUT, in another format."""
    from shoal.hierarchy import formats
    from shoal.release.result import check_output_paths, check_path
    from shoal.report import hierarchy_drawing as report

    check_output_paths([check_path(target)], sources=[Path(source)], force=force)
    tree = formats.read(source, format=from_, delimiter=delimiter)
    formats.save(tree, target, format=to, force=force)
    if as_json:
        show_json({"hierarchy": report.facts(tree), "written": target})
    else:
        show(f"Written {target}: {report.size_text(tree)}")
