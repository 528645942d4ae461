"""`shoal evaluate`."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli.options import counting_arguments, with_counting_options
from shoal.cli.policies import find_policy, given, policy_facts, show_policy, with_policy_option
from shoal.cli.terminal import (
    as_json,
    hierarchy_arguments,
    open_table,
    parse_k,
    parse_model_options,
    parse_names,
    parse_pairs,
    parse_quasi_identifiers,
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
@with_policy_option("Take what is not given from this policy file.  [default: the one beside RELEASED, without -q]")
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

    known = find_policy(policy, released=released, needed=not quasi_identifiers)
    before, after = open_table(original, options, known), open_table(released, options, known, is_release=True)
    facts = evaluate(
        before,
        after,
        measures=measures if measures in (DEFAULT, ALL) else parse_names([measures]),
        policy=known,
        **given(
            {
                "quasi_identifiers": parse_quasi_identifiers(quasi_identifiers) if quasi_identifiers else None,
                "k": None if k is None else parse_k(k),
                "sensitive": parse_names(sensitive),
                "models": parse_model_options(model),
                "population": None if population is None else open_table(population, options, known),
                "weights": parse_weights(weight),
                "standardize": False if no_standardize else None,
                **hierarchy_arguments(options),
                "kinds": parse_pairs(options["kind"], "kind"),
                "distance": options["distance"],
                **counting_arguments(options),
            }
        ),
    ).to_dict()
    if known is not None:
        facts["policy"] = policy_facts(known, original=before, released=after)
    show_facts(facts, text.evaluation, as_json=as_json)
    if known is not None and not as_json:
        show_policy(facts["policy"])
