"""Options of a release: parsing into the keyword arguments of `shoal.anonymize`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from shoal.cli.protection import PROTECTION_OPTIONS, protection_arguments
from shoal.cli.terminal import column_arguments, parse_int, parse_names, parse_pairs, parse_weights, print_warnings
from shoal.errors import ColumnError, OptionError
from shoal.schema.columns import ALL_OTHER_COLUMNS

RELEASE_OPTIONS = (
    *("quasi_identifiers", "identifiers", "sensitive", "keep", "drop_others", "own", "recode"),
    *("exact_means", "round_integers", "no_standardize", "weight", "seed", "kind", "distance"),
    *("refine", "effort", "seconds", "shuffle", "formulas"),
    *PROTECTION_OPTIONS,
)


def with_release_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a release, without k, the method and the protection options."""
    options = [
        click.option("-q", "--quasi-identifiers", multiple=True, help="Columns that an outsider could know, as a,b,c."),
        click.option("--identifiers", multiple=True, help="Columns that name a person: dropped."),
        click.option(
            "--sensitive", multiple=True, help="Columns that nobody may learn about a person: kept as they are."
        ),
        click.option(
            "--keep",
            multiple=True,
            metavar="COLUMN",
            help="Columns without another role to release unchanged on purpose.",
        ),
        click.option("--drop-others", is_flag=True, default=None, help="Drop every column that has no role."),
        click.option(
            "--option", "own", multiple=True, metavar="NAME=VALUE", help="An option of the method; repeatable."
        ),
        click.option(
            "--recode",
            multiple=True,
            metavar="[COLUMN=]WAY",
            help="What stands for a group: mean, median or interval for numbers and dates; centroid, mode or lcs for"
            " categories; generalize for interval and lcs; repeatable.  [default: mean, centroid]",
        ),
        click.option(
            "--exact-means",
            is_flag=True,
            default=None,
            help="Release means with all digits, not with the decimals of their column.",
        ),
        click.option("--round-integers", is_flag=True, default=None, hidden=True),
        click.option(
            "--no-standardize", is_flag=True, default=None, help="Measure distances on the columns as they are."
        ),
        click.option("--weight", multiple=True, metavar="COLUMN=W", help="How much a column counts; repeatable."),
        click.option(
            "--refine/--no-refine",
            default=None,
            help="Improve the groups of the method by local search, or leave them. Not said: those of auto are"
            " improved, and those of any method if an effort is given.",
        ),
        click.option(
            "--effort",
            help="How far that search goes: fast (down only), balanced (seconds) or best (up to minutes)."
            "  [default: balanced]",
        ),
        click.option("--seed", help="For searches and methods that draw at random.  [default: 0]"),
        click.option(
            "--shuffle",
            is_flag=True,
            default=None,
            help="Put the rows in an order by what they show, so that their old one tells nothing.",
        ),
        click.option(
            "--formulas",
            help="What is done about cells of a csv file that a spreadsheet would run: keep, or neutralize by an"
            " apostrophe.  [default: keep]",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def release_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as keyword arguments of `shoal.anonymize`, without those of the method."""
    quasi_identifiers = parse_names(options["quasi_identifiers"])
    if options["round_integers"]:
        print_warnings(
            ["--round-integers is deprecated and changes nothing: numbers keep the decimals of their column."]
        )
    if not quasi_identifiers:
        raise ColumnError.no_quasi_identifier()
    return {
        "quasi_identifiers": quasi_identifiers,
        "identifiers": parse_names(options["identifiers"]),
        "sensitive": parse_names(options["sensitive"]),
        "keep": parse_names(options["keep"]),
        "drop_others": bool(options["drop_others"]),
        **column_arguments(options),
        "refine": options["refine"],
        "effort": options["effort"],
        "seed": parse_int(options["seed"] or "0", OptionError.seed_not_integer()),
        "standardize": not options["no_standardize"],
        "weights": parse_weights(options["weight"]),
        "recode": _parse_recode(options["recode"]),
        "exact_means": bool(options["exact_means"]),
        "shuffle": bool(options["shuffle"]),
        "formulas": options["formulas"] or "keep",
        **protection_arguments(options),
    }


def method_options(options: Mapping[str, Any], methods: Sequence[str] = ()) -> dict[str, Any]:
    """Parse the options of methods. ``methods`` must each have all of them; without it, some method each one."""
    from shoal.partition import registry

    given = {name: _parse_value(text) for name, text in parse_pairs(options["own"], "option").items()}
    for method in methods:
        registry.get_method(method).check_options(given)
    for name in given:
        if not any(name in method.options for method in registry.methods().values()):
            raise OptionError.option_of_no_method(name)
    return given


def _parse_recode(given: Sequence[str]) -> str | dict[str, str] | None:
    """Parse recodings: one for all columns it applies to, one per named column, or both."""
    by_column = [text for text in given if "=" in text]
    default = [text for text in given if "=" not in text]
    if len(default) > 1:
        raise OptionError.invalid_value("recode", "one way for all columns, and COLUMN=WAY for those that differ")
    if not by_column:
        return default[0] if default else None
    return {**parse_pairs(by_column, "recode"), **({ALL_OTHER_COLUMNS: default[0]} if default else {})}


def _parse_value(text: str) -> Any:
    """Parse a value: an integer, a float, true or false, else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
