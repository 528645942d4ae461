"""`shoal evaluate`."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli.grouped_help import GroupedCommand, option
from shoal.cli.options import ALL_COLUMNS, COUNTED_MISSING, COUNTING, given_arguments, release_option, required
from shoal.cli.terminal import (
    as_json,
    memory_option,
    open_table,
    parse_names,
    parse_read_options,
    show_facts,
    with_read_options,
)


@click.command(name="evaluate", cls=GroupedCommand)
@click.argument("original")
@click.argument("released")
@release_option("quasi_identifiers", help="Columns that are protected, as a,b,c.")
@release_option("sensitive", help="Columns of the original that must not be linked to a person, as a,b,c.")
@release_option("kinds")
@release_option("hierarchies")
@release_option("levels")
@release_option("weights")
@release_option("k", help="The k of the release, for measures that need it.")
@release_option("models", help="Privacy model to count, as in shoal verify; repeatable.")
@release_option("missing_values", choices=COUNTED_MISSING)
@release_option("alpha")
@option(
    "--measures",
    group="Measures",
    metavar="NAMES",
    default="default",
    show_default=True,
    help="default, all, or names of measures, as a,b.",
)
@option(
    "--population", group="Measures", metavar="FILE", help="Table of all persons, recoded as the release, for lookups."
)
@release_option("standardize")
@release_option("distance")
@release_option("sampling_weights")
@release_option("households", help="Column with the household of each record.")
@memory_option
@with_read_options
@as_json
def command(original: str, released: str, measures: str, population: str | None, as_json: bool, **options: Any) -> None:
    """Measure the loss of a release and the risk left.

    Both files hold the same records in the same order, and are read with the same options. Weights, households and
    sensitive columns are those of the original. shoal measures lists the measures.
    """
    from shoal.metrics.evaluate import ALL, DEFAULT
    from shoal.release.evaluate import evaluate
    from shoal.report import text

    required(options, "quasi_identifiers")
    names = ("quasi_identifiers", "k", "sensitive", "models", "weights", "standardize", *ALL_COLUMNS, *COUNTING)
    in_pieces = options["memory"] is not None
    facts = evaluate(
        original if in_pieces else open_table(original, options),
        released if in_pieces else open_table(released, options),
        measures=measures if measures in (DEFAULT, ALL) else parse_names([measures]),
        population=None if population is None else open_table(population, options),
        **given_arguments(options, names),
        **({"memory": options["memory"], "options": parse_read_options(original, options)} if in_pieces else {}),
    ).to_dict()
    show_facts(facts, text.evaluation, as_json=as_json)
