"""`shoal evaluate`."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli.grouped_help import GroupedCommand, option
from shoal.cli.options import (
    ALL_COLUMNS,
    COUNTED_MISSING,
    COUNTING,
    find_policy,
    given_arguments,
    release_option,
    release_options,
    show_with_policy,
    with_policy_option,
)
from shoal.cli.terminal import as_json, memory_option, open_table, parse_names, parse_read_options, with_read_options


@click.command(name="evaluate", cls=GroupedCommand)
@click.argument("original")
@click.argument("released")
@release_option("quasi_identifiers", help="Columns that are protected, as a,b,c.")
@release_option("sensitive", help="Columns of the original that must not be linked to a person, as a,b,c.")
@release_options("kinds", "hierarchies", "levels", "weights")
@release_option("k", help="The k of the release, for measures that need it.")
@with_policy_option("Take what is not given from this policy file.  [default: the one beside RELEASED, without -q]")
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
@release_options("standardize", "distance", "sampling_weights")
@release_option("households", help="Column with the household of each record.")
@memory_option
@with_read_options
@as_json
def command(
    original: str,
    released: str,
    measures: str,
    population: str | None,
    policy: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Measure the loss of a release and the risk left.

    \b
    shoal evaluate people.csv released.csv
    shoal evaluate people.csv other.csv -q age,sex,zip -k 5

    Without -q, the policy beside RELEASED (RELEASED.policy.toml) gives the columns, k and all that the measures depend
    on. Options that you give replace those of the policy.

    Both files hold the same records in the same order, and are read with the same options. Weights, households and
    sensitive columns are those of the original. shoal measures lists the measures.
    """
    from shoal.metrics.evaluate import ALL, DEFAULT
    from shoal.release.evaluate import evaluate
    from shoal.report import text

    known = find_policy(policy, released=released, needed=not options["quasi_identifiers"])
    names = ("quasi_identifiers", "k", "sensitive", "models", "weights", "standardize", *ALL_COLUMNS, *COUNTING)
    arguments = given_arguments(options, names)
    before: Any = original
    after: Any = released
    if options["memory"] is None:
        before, after = open_table(original, options, known), open_table(released, options, known, is_release=True)
    else:
        arguments["options"] = parse_read_options(original, options, known)
        arguments["released_options"] = parse_read_options(released, options, known, is_release=True)
    facts = evaluate(
        before,
        after,
        measures=measures if measures in (DEFAULT, ALL) else parse_names([measures]),
        population=None if population is None else open_table(population, options, known),
        policy=known,
        memory=options["memory"],
        **arguments,
    ).to_dict()
    show_with_policy(facts, text.evaluation, known, as_json=as_json, original=before, released=after)
