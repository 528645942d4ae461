"""`shoal methods`."""

from __future__ import annotations

import click

from shoal.cli.terminal import as_json, show, show_json


@click.command(name="methods")
@click.argument("name", required=False)
@as_json
def command(name: str | None, as_json: bool) -> None:
    """List the methods by family, or tell all about one.

    Each with what it takes, its largest group, its cost, how its time was measured to grow, its options and its paper.
    With NAME: its steps, its departures from the paper and its cost too.
    """
    from shoal.microaggregation.registry import get_method, methods
    from shoal.report import text

    chosen = [get_method(name)] if name else sorted(methods().values(), key=lambda m: (m.family, m.name))
    facts = [method.to_dict() for method in chosen]
    if as_json:
        show_json(facts)
    elif name:
        show(f"{text.method_facts(facts[0])}\n\n{text.strip_markup(chosen[0].docstring.partition(chr(10))[2].strip())}")
    else:
        show(text.methods(facts))
