"""`shoal hierarchy`: one file per subcommand."""

from __future__ import annotations

import click

from shoal.cli.hierarchy import build, check, convert, show


@click.group(name="hierarchy")
def command() -> None:
    """Build, check, draw and convert hierarchies of values.

    A hierarchy is a tree of the values of a column: each node stands for all that is below it. Its file is one of
    ARX (lines of values, leaf first), of edges (child and parent), of JSON or of SKOS.

    \b
    shoal hierarchy build intervals people.csv age --width 5,10,20 -o age.csv
    shoal hierarchy check age.csv people.csv age
    shoal hierarchy show age.csv people.csv age
    shoal hierarchy convert age.csv age.json
    """


for module in (build, check, show, convert):
    command.add_command(module.command)
