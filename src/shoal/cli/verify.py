"""`shoal verify`."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli.terminal import as_json, names, open_table, reading, show, show_json, whole
from shoal.errors import ColumnError, OptionError


@click.command(name="verify")
@click.argument("file")
@click.option("-k", help="The least number of alike records.")
@click.option("-q", "--quasi-identifiers", multiple=True, help="The columns that must be alike, as a,b,c.")
@reading
@as_json
def command(file: str, k: str | None, quasi_identifiers: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Count the classes of FILE on the values that it shows.

    FILE may be a release of Shoal or any other table.

    Exit code 0 if every record is alike at least k - 1 others, else 3.
    """
    from shoal.assess import verify
    from shoal.report import text

    if k is None:
        raise OptionError.no_k()
    if not names(quasi_identifiers):
        raise ColumnError.no_quasi_identifier()
    number = whole(k, OptionError.k_not_whole())
    facts = verify(open_table(file, options), k=number, quasi_identifiers=names(quasi_identifiers)).to_dict()
    if as_json:
        show_json(facts)
    else:
        show(text.verification(facts))
    click.get_current_context().exit(0 if facts["ok"] else 3)
