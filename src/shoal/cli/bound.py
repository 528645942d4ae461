"""`shoal bound`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from shoal.cli.grouped_help import GroupedCommand, option
from shoal.cli.options import ALL_COLUMNS, given_arguments, release_option, release_options, required
from shoal.cli.terminal import as_json, open_table, progress, show, show_json, with_read_options


@click.command(name="bound", cls=GroupedCommand)
@click.argument("file")
@release_options("quasi_identifiers", "kinds", "hierarchies", "levels", "weights", "k")
@release_option("effort", help="Effort of the proof: a moment, seconds or minutes.")
@release_options("standardize", "distance")
@option("--quiet", is_flag=True, group="Outputs", help="Show no progress.")
@with_read_options
@as_json
def command(file: str, quiet: bool, as_json: bool, **options: Any) -> None:
    """Prove a lower bound of the information loss of FILE for groups of at least k records.

    The bound is proven: neither another method nor a longer search can go below it. shoal anonymize tells how far a
    release may be from the best, its optimality gap.
    """
    from shoal.release.partition import bound

    k = required(options, "k")
    required(options, "quasi_identifiers")
    table = open_table(file, options)
    with progress(quiet=quiet, description="bounding") as line:
        result = bound(
            table,
            missing_values="category",
            progress=line,
            **given_arguments(options, ("quasi_identifiers", "k", "effort", "weights", "standardize", *ALL_COLUMNS)),
        )
    if as_json:
        show_json(asdict(result))
        return
    what = "is the least loss there is" if result.kind == "exact" else "is a lower bound of the loss"
    show(f"{result.loss:.6g} % {what}, for groups of at least {k} of {table.height:,} records")
    show(f"  {result.note}; squared error {result.value:.6g}, of which {result.margin:.1g} were taken off for rounding")
