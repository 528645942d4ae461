"""`shoal verify`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import click

from shoal.cli.options import counting_arguments, with_counting_options
from shoal.cli.terminal import (
    as_json,
    hierarchy_arguments,
    is_bundle,
    memory_option,
    open_table,
    parse_k,
    parse_model_options,
    parse_names,
    parse_quasi_identifiers,
    parse_read_options,
    show,
    show_facts,
    with_hierarchy_options,
    with_read_options,
)
from shoal.errors import BundleError


@click.command(name="verify")
@click.argument("file")
@click.option("-k", help="The least number of alike records.")
@click.option("-q", "--quasi-identifiers", multiple=True, help="The columns that must be alike, as a,b,c.")
@click.option(
    "--model",
    multiple=True,
    metavar="COLUMN=MODEL",
    help="What must hold for a sensitive column in every class, such as distinct-l(3), entropy-l(2), recursive-l(2,3),"
    " t-equal(0.2), t-ordered(0.2) or t-hierarchical(0.2); repeatable.",
)
@click.option("--against", metavar="OTHER", help="Another release of the same persons: both together must keep k.")
@click.option(
    "--against-quasi-identifiers",
    multiple=True,
    help="Those of OTHER, as a,b,c.  [default: those of its policy, or of the same names]",
)
@click.option(
    "--order", help="Whether the records of FILE and OTHER stand in the same order: kept or unknown; looked at."
)
@click.option("--sensitive", multiple=True, help="Columns whose values both together may not tell, as a,b.")
@memory_option
@with_counting_options("missing_values", "alpha", "strata", "households")
@with_hierarchy_options
@with_read_options
@as_json
def command(
    file: str, k: str | None, quasi_identifiers: tuple[str, ...], model: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Count the classes of FILE on the values that it shows.

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
        _verify_bundle(file, {"k": k, "quasi_identifiers": quasi_identifiers, "model": model, **options}, as_json)
    smallest, names = parse_k(k), parse_quasi_identifiers(quasi_identifiers)
    in_pieces = options["memory"] is not None
    facts = verify(
        file if in_pieces else open_table(file, options),
        k=smallest,
        quasi_identifiers=names,
        models=parse_model_options(model),
        **hierarchy_arguments(options),
        **counting_arguments(options),
        **_against(options),
        **({"memory": options["memory"], "options": parse_read_options(file, options)} if in_pieces else {}),
    ).to_dict()
    show_facts(facts, text.verification, as_json=as_json)
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
        "sensitive": parse_names(options["sensitive"]),
    }


def _verify_bundle(file: str, options: Mapping[str, Any], as_json: bool) -> NoReturn:
    from shoal.release.bundle.verify_bundle import verify_bundle
    from shoal.report import text

    for name, value in options.items():
        if value not in (None, ()):
            raise BundleError.option_in_bundle(name.replace("_", "-"))
    facts = verify_bundle(file).to_dict()
    show_facts(facts, text.bundle, as_json=as_json)
    click.get_current_context().exit(0 if facts["ok"] else 3)
