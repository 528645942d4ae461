"""`shoal bound`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from shoal.cli.terminal import (
    as_json,
    column_arguments,
    open_table,
    parse_k,
    parse_quasi_identifiers,
    parse_weights,
    progress,
    show,
    show_json,
    with_column_options,
    with_read_options,
)


@click.command(name="bound")
@click.argument("file")
@click.option("-k", help="The least number of alike records: your decision, no default.")
@click.option("-q", "--quasi-identifiers", multiple=True, help="Columns that an outsider could know, as a,b,c.")
@click.option(
    "--effort", default="balanced", show_default=True, help="fast, balanced or best: a moment, seconds or minutes."
)
@click.option("--weight", multiple=True, metavar="COLUMN=W", help="How much a column counts; repeatable.")
@click.option("--no-standardize", is_flag=True, help="Measure distances on the columns as they are.")
@click.option("--quiet", is_flag=True, help="No progress.")
@with_column_options
@with_read_options
@as_json
def command(
    file: str,
    k: str | None,
    quasi_identifiers: tuple[str, ...],
    effort: str,
    weight: tuple[str, ...],
    no_standardize: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Tell what no groups of at least k records of FILE can lose less than.

    The bound is proven: neither another method nor a longer search can go below it. shoal anonymize tells how far a
    release may be from the best, its optimality gap.
    """
    from shoal.release.partition import bound

    smallest, names = parse_k(k), parse_quasi_identifiers(quasi_identifiers)
    table = open_table(file, options)
    with progress(quiet=quiet, description="bounding") as line:
        result = bound(
            table,
            quasi_identifiers=names,
            k=smallest,
            effort=effort,
            weights=parse_weights(weight),
            standardize=not no_standardize,
            missing_values="category",
            progress=line,
            **column_arguments(options),
        )
    if as_json:
        show_json(asdict(result))
        return
    what = "is the least loss there is" if result.kind == "exact" else "is a lower bound of the loss"
    show(f"{result.loss:.6g} % {what}, for groups of at least {k} of {table.height:,} records")
    show(f"  {result.note}; squared error {result.value:.6g}, of which {result.margin:.1g} were taken off for rounding")
