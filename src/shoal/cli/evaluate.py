"""`shoal evaluate`."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli.options import counting_arguments, with_counting_options
from shoal.cli.terminal import (
    as_json,
    column_arguments,
    memory_option,
    open_table,
    parse_k,
    parse_model_options,
    parse_names,
    parse_quasi_identifiers,
    parse_read_options,
    parse_weights,
    show_facts,
    with_column_options,
    with_read_options,
)


@click.command(name="evaluate")
@click.argument("original")
@click.argument("released")
@click.option("-q", "--quasi-identifiers", multiple=True, help="The protected columns, as a,b,c.")
@click.option("-k", help="The k that was promised, for the measures that need one.")
@click.option("--measures", default="default", show_default=True, help="default, all, or the names of some, as a,b.")
@click.option("--sensitive", multiple=True, help="Columns of the original that nobody may learn, as a,b,c.")
@click.option(
    "--model", multiple=True, metavar="COLUMN=MODEL", help="A privacy model to count, as in shoal verify; repeatable."
)
@click.option("--population", metavar="FILE", help="A table of all persons, recoded as the release, to look up in.")
@click.option("--weight", multiple=True, metavar="COLUMN=W", help="How much a column counts; repeatable.")
@click.option("--no-standardize", is_flag=True, help="Measure losses on the columns as they are.")
@memory_option
@with_counting_options("missing_values", "alpha", "sampling_weights", "households")
@with_column_options
@with_read_options
@as_json
def command(
    original: str,
    released: str,
    quasi_identifiers: tuple[str, ...],
    k: str | None,
    measures: str,
    sensitive: tuple[str, ...],
    model: tuple[str, ...],
    population: str | None,
    weight: tuple[str, ...],
    no_standardize: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Measure the loss of a release and the risk left.

    Both files hold the same records in the same order, and are read with the same options. Weights, households and
    sensitive columns are those of the original. shoal measures lists the measures.
    """
    from shoal.metrics.evaluate import ALL, DEFAULT
    from shoal.release.evaluate import evaluate
    from shoal.report import text

    names = parse_quasi_identifiers(quasi_identifiers)
    in_pieces = options["memory"] is not None
    facts = evaluate(
        original if in_pieces else open_table(original, options),
        released if in_pieces else open_table(released, options),
        quasi_identifiers=names,
        k=None if k is None else parse_k(k),
        measures=measures if measures in (DEFAULT, ALL) else parse_names([measures]),
        sensitive=parse_names(sensitive),
        models=parse_model_options(model),
        population=None if population is None else open_table(population, options),
        weights=parse_weights(weight),
        standardize=not no_standardize,
        **column_arguments(options),
        **counting_arguments(options),
        **({"memory": options["memory"], "options": parse_read_options(original, options)} if in_pieces else {}),
    ).to_dict()
    show_facts(facts, text.evaluation, as_json=as_json)
