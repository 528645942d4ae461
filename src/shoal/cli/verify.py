"""`shoal verify`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click

from shoal.cli.grouped_help import GroupedCommand, option
from shoal.cli.options import (
    COUNTED_MISSING,
    COUNTING,
    find_policy,
    flag_of,
    given_arguments,
    release_option,
    release_options,
    show_with_policy,
    with_policy_option,
)
from shoal.cli.terminal import (
    as_json,
    is_bundle,
    memory_option,
    open_table,
    parse_names,
    parse_read_options,
    show,
    show_facts,
    with_read_options,
)
from shoal.errors import BundleError

_linked = partial(option, group="Linked releases")


@click.command(name="verify", cls=GroupedCommand)
@click.argument("file")
@release_option("quasi_identifiers", help="Columns that records of a class share, as a,b,c.")
@release_options("hierarchies", "levels")
@release_option("k", help="Minimum number of records in a class.")
@with_policy_option("Take what is not given from this policy file.  [default: the one beside FILE, without -k or -q]")
@release_option("models")
@release_option("missing_values", choices=COUNTED_MISSING)
@release_option("alpha")
@release_option("strata", help="Columns within which records are counted, as a,b.")
@release_option("households", help="Column with the household of each record. Households are counted then.")
@_linked("--against", metavar="OTHER", help="Another release of the same persons: both together must keep k.")
@_linked(
    "--against-quasi-identifiers",
    multiple=True,
    metavar="COLUMNS",
    help="Quasi-identifiers of OTHER, as a,b,c.  [default: those of its policy, or of the same names]",
)
@_linked(
    "--order",
    metavar="[kept|unknown]",
    help="Whether the records of FILE and OTHER are in the same order.  [default: detected]",
)
@_linked(
    "--sensitive",
    multiple=True,
    metavar="COLUMNS",
    help="Columns whose values must not follow from both releases together, as a,b.",
)
@memory_option
@with_read_options
@as_json
def command(file: str, policy: str | None, as_json: bool, **options: Any) -> None:
    """Count the classes of FILE on its released values.

    \b
    shoal verify released.csv
    shoal verify released.csv -k 10
    shoal verify other.csv -k 5 -q age,sex,zip

    Without -k or -q, the policy beside FILE (FILE.policy.toml) gives them, the models, the treatment of missing values,
    and strata and households if FILE has their columns. Options that you give replace those of the policy.

    FILE may be a release of Shoal or any other table. Of a bundle (a zip file of `shoal anonymize --bundle`) all is
    checked from its own files: hashes, policy, and k and the models counted again; nothing else is given then.

    Records are counted within strata, and where households are named, those are counted.

    With --against somebody has both releases and links their records, by their order or by the columns that both show;
    what is given on how to read FILE counts for OTHER too.

    Exit code 0 if every record is alike at least k - 1 others and every model holds, also together with OTHER, or no
    check of a bundle failed, else 3.
    """
    from shoal.release.inspect import verify
    from shoal.report import text

    if is_bundle(file):
        _verify_bundle(file, {**options, "policy": policy}, as_json)
    known = find_policy(policy, released=file, needed=not (options["k"] and options["quasi_identifiers"]))
    arguments = given_arguments(options, ("k", "quasi_identifiers", "models", "hierarchies", "levels", *COUNTING))
    table: Any = file
    if options["memory"] is None:
        table = open_table(file, options, known, is_release=True)
    else:
        arguments["options"] = parse_read_options(file, options, known, is_release=True)
    facts = verify(table, policy=known, memory=options["memory"], **arguments, **_against(options)).to_dict()
    show_with_policy(facts, text.verification, known, as_json=as_json, released=table)
    if "together" in facts and not as_json:
        show(text.linked_releases(facts["together"]))
    click.get_current_context().exit(0 if facts["ok"] else 3)


def _against(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options about another release as keyword arguments."""
    from shoal import data

    path = options["against"]
    override = {"format": None} if path and data.format_of(Path(path)) else {}
    return {
        "against": path and open_table(path, {**options, **override}),
        "against_quasi_identifiers": parse_names(options["against_quasi_identifiers"]),
        "order": options["order"],
        **({"sensitive": parse_names(options["sensitive"])} if options["sensitive"] else {}),
    }


def _verify_bundle(file: str, options: Mapping[str, Any], as_json: bool) -> NoReturn:
    from shoal.release.bundle.verify_bundle import verify_bundle
    from shoal.report import text

    for name, value in options.items():
        if value not in (None, ()):
            raise BundleError.option_in_bundle(flag_of(name))
    facts = verify_bundle(file).to_dict()
    show_facts(facts, text.bundle, as_json=as_json)
    click.get_current_context().exit(0 if facts["ok"] else 3)
