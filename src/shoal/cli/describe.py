"""`shoal describe`."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli.terminal import as_json, open_table, print_warnings, show, show_json, with_read_options


@click.command(name="describe")
@click.argument("file")
@with_read_options
@as_json
def command(file: str, as_json: bool, **options: Any) -> None:
    """Propose a role for every column of FILE, with reasons.

    Nothing is decided: the roles of a release are those that you name.
    """
    from shoal.release.inspect import describe
    from shoal.report import text

    description = describe(open_table(file, options))
    facts = description.to_dict()
    if as_json:
        show_json(facts)
    else:
        show(text.description(facts))
    print_warnings(description.warnings)
