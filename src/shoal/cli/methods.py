"""`shoal methods`."""

from __future__ import annotations

import click

from shoal.cli.terminal import as_json, show, show_json


@click.command(name="methods")
@as_json
def command(as_json: bool) -> None:
    """List the methods by family.

    Each with its year, what it takes, its largest group, its cost, its options and its paper.
    """
    from shoal.partition.registry import methods
    from shoal.report import text

    facts = [method.to_dict() for method in sorted(methods().values(), key=lambda m: (m.family, m.name))]
    if as_json:
        show_json(facts)
    else:
        show(text.methods(facts))
