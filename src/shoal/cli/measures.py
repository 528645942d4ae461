"""`shoal measures`."""

from __future__ import annotations

import click

from shoal.cli.terminal import as_json, show, show_json


@click.command(name="measures")
@click.argument("name", required=False)
@as_json
def command(name: str | None, as_json: bool) -> None:
    """List the measures by family, or tell all about one.

    With NAME: its formula, its range, what is good, where it comes from and what else there is to know. Those marked
    "on request" take long and are only run where they are asked for (shoal evaluate --measures all, or by name).
    """
    from shoal.metrics.registry import get_measure, measures
    from shoal.report import text

    chosen = list(measures().values()) if name is None else [get_measure(name)]
    facts = [measure.to_dict() for measure in chosen]
    if as_json:
        show_json(facts)
    elif name is None:
        show(text.measures(facts))
    else:
        show(text.measure_facts(facts[0], notes=chosen[0].notes))
