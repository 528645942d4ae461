"""`shoal describe`."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli.terminal import as_json, open_table, print_warnings, show_facts, with_read_options


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
    show_facts(description.to_dict(), text.description, as_json=as_json)
    print_warnings(description.warnings)
