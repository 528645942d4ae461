"""`shoal init`."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import click

from shoal.cli.grouped_help import GroupedCommand, option
from shoal.cli.options import release_option
from shoal.cli.terminal import open_table, print_warnings, show, stem, with_read_options
from shoal.errors.messages import join_names, pluralize

_output = partial(option, group="Outputs")


@click.command(name="init", cls=GroupedCommand)
@click.argument("file")
@release_option("k", help="Minimum number of records that share their quasi-identifiers.  [default: left open]")
@_output("-o", "--output", metavar="POLICY", help="The policy file.  [default: NAME.policy.toml, beside FILE]")
@_output("--force", is_flag=True, help="Replace a policy file that exists.")
@with_read_options
def command(file: str, k: int | None, output: str | None, force: bool, **options: Any) -> None:
    """Write a policy file for FILE, to be edited: a proposed role for every column, and all usual options.

    \b
    shoal init people.csv
    shoal anonymize people.csv --policy people.policy.toml -o released.csv

    Nothing is decided yet: check each role, and decide k. Options of a release are in the file as comments, with their
    defaults. Reading options that you give are kept in it. The file has names, counts and reasons, and no cell of FILE.

    shoal compare, shoal verify, shoal evaluate and shoal explain take the same file with --policy.
    """
    from shoal.release.plan import plan
    from shoal.release.plan_text import release_command

    place = Path(output) if output is not None else Path(file).with_name(f"{stem(file)}.policy.toml")
    reading = any(value not in (None, ()) for value in options.values())
    draft = plan(open_table(file, options) if reading else file)
    if k is not None:
        draft.options["k"] = k
    draft.save(place, force=force)
    print_warnings(draft.warnings)
    counts = Counter(draft.roles.values())
    roles = join_names([pluralize(number, f"{role} column") for role, number in counts.items()])
    to_decide = "the roles" if k is not None else "the roles, and decide k (release.k)"
    show(f"{place} proposes {roles}.\nCheck {to_decide}. Then run:")
    show(f"  {release_command(file, str(place))}")
