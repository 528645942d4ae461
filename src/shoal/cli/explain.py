"""`shoal explain`."""

from __future__ import annotations

from typing import Any

import click

from shoal.cli.options import find_policy, with_policy_option
from shoal.cli.terminal import as_json, open_table, parse_int, parse_names, show, show_facts, with_read_options
from shoal.errors import ColumnError, OptionError
from shoal.errors.messages import quote_name


@click.command(name="explain")
@click.argument("file")
@click.option("--row", required=True, help="The number of the record, from 1 (the header does not count).")
@click.option("-q", "--quasi-identifiers", multiple=True, help="The columns that an outsider could know, as a,b,c.")
@with_policy_option(
    "Take the columns and k from this policy file, and the release beside it.  [default: the one beside the file of"
    " --released, without -q]"
)
@click.option("--released", help="The released file, to tell what became of the record.")
@click.option("-k", help="The least number of alike records.")
@click.option("--sensitive", multiple=True, help="Columns that nobody may learn, as a,b,c.")
@click.option("--no-values", is_flag=True, help="Show no cell of the data: only names, counts and record numbers.")
@with_read_options
@as_json
def command(
    file: str,
    row: str,
    quasi_identifiers: tuple[str, ...],
    policy: str | None,
    released: str | None,
    k: str | None,
    sensitive: tuple[str, ...],
    no_values: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Tell what makes one record of FILE stand out, and what became of it.

    Internal use only: the output names values of one record, unless --no-values is given.

    \b
    shoal explain people.csv --row 17 -q age,sex,zip -k 5
    shoal explain people.csv --row 17 --policy released.csv.policy.toml
    """
    from shoal.release.explain import explain
    from shoal.report import explanation

    names = parse_names(quasi_identifiers)
    known = find_policy(policy, released=released, needed=not names)
    if not names and known is None:
        raise ColumnError.no_quasi_identifier()
    facts = explain(
        open_table(file, options, known),
        row=parse_int(row, OptionError.row_not_integer()),
        quasi_identifiers=names or None,
        policy=known,
        released=None if released is None else open_table(released, options, known, is_release=True),
        k=None if k is None else parse_int(k, OptionError.k_not_integer()),
        sensitive=parse_names(sensitive) or None,
        values=not no_values,
    ).to_dict()
    if known is not None:
        facts["policy"] = str(known.path)
    show_facts(facts, explanation.explanation_text, as_json=as_json)
    if known is not None and not as_json:
        show(f"  by the policy {quote_name(known.path)}")
