"""Options of commands: the decisions behind a release, but for k and the method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from shoal.cli import protection
from shoal.cli.terminal import meant, names, pairs, warn, weights, whole
from shoal.errors import ColumnError, OptionError
from shoal.schema.columns import OTHERS

DECISIONS = (
    *("quasi_identifiers", "identifiers", "sensitive", "keep", "drop_others", "own", "recode"),
    *("exact_means", "round_integers", "no_standardize", "weight", "seed", "kind", "distance"),
    *("refine", "effort", "seconds", "shuffle", "formulas"),
    *protection.DECISIONS,
)


def decisions(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of decisions that no other file of options has."""
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


def decided(options: Mapping[str, Any]) -> dict[str, Any]:
    """What the options decide, as `shoal.anonymize` takes it; without those of a method."""
    quasi_identifiers = names(options["quasi_identifiers"])
    if options["round_integers"]:
        warn(["--round-integers is deprecated and changes nothing: numbers keep the decimals of their column."])
    if not quasi_identifiers:
        raise ColumnError.no_quasi_identifier()
    return {
        "quasi_identifiers": quasi_identifiers,
        "identifiers": names(options["identifiers"]),
        "sensitive": names(options["sensitive"]),
        "keep": names(options["keep"]),
        "drop_others": bool(options["drop_others"]),
        **meant(options),
        "refine": options["refine"],
        "effort": options["effort"],
        "seed": whole(options["seed"] or "0", OptionError.no_seed()),
        "standardize": not options["no_standardize"],
        "weights": weights(options["weight"]),
        "recode": _ways(options["recode"]),
        "exact_means": bool(options["exact_means"]),
        "shuffle": bool(options["shuffle"]),
        "formulas": options["formulas"] or "keep",
        **protection.protected(options),
    }


def own_options(options: Mapping[str, Any], methods: Sequence[str] = ()) -> dict[str, Any]:
    """The options of methods: each of these methods must have all of them, or some method each."""
    from shoal.partition import registry

    given = {name: _value(text) for name, text in pairs(options["own"], "option").items()}
    for method in methods:
        registry.find(method).check_options(given)
    for name in given:
        if not any(name in method.options for method in registry.methods().values()):
            raise OptionError.option_of_none(name)
    return given


def _ways(given: Sequence[str]) -> str | dict[str, str] | None:
    """One way for all columns that it fits, or one for each column that is named; both where both are given."""
    named = [text for text in given if "=" in text]
    plain = [text for text in given if "=" not in text]
    if len(plain) > 1:
        raise OptionError.bad_option("recode", "one way for all columns, and COLUMN=WAY for those that differ")
    if not named:
        return plain[0] if plain else None
    return {**pairs(named, "recode"), **({OTHERS: plain[0]} if plain else {})}


def _value(text: str) -> Any:
    """An option's value: a number, true or false where it reads as one, else the word itself."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
