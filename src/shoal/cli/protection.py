"""Options of commands: what is asked of a release beyond k, and what is known about gaps and surveys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from shoal.cli.terminal import models, names, pairs, whole
from shoal.errors import OptionError

DECISIONS = (
    *("model", "diversity", "closeness", "missing_values", "alpha", "suppress", "keep_totals", "bounds"),
    *("sampling_weights", "strata", "households", "largest_household"),
)

_COUNTING: dict[str, Callable[..., Any]] = {
    "missing_values": click.option(
        "--missing-values", help="What a missing value is: category or wildcard.  [default: category]"
    ),
    "alpha": click.option("--alpha", help="How much records with wildcards count.  [default: 1]"),
    "sampling_weights": click.option(
        "--sampling-weights", metavar="COLUMN", help="How many persons each record stands for."
    ),
    "strata": click.option("--strata", multiple=True, help="Columns within which records are counted, as a,b."),
    "households": click.option("--households", metavar="COLUMN", help="The household of each record."),
}


def counting(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """These options about what is counted in a table that was released before."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            command = _COUNTING[name](command)
        return command

    return decorate


def counted(options: Mapping[str, Any]) -> dict[str, Any]:
    """What these options say, as the functions take it; what is not said is left out."""
    given: dict[str, Any] = {
        "missing_values": options["missing_values"],
        "alpha": _number(options["alpha"], "alpha", "a number from 0 to 1"),
        "sampling_weights": options.get("sampling_weights"),
        "strata": names(options.get("strata", ())),
        "households": options.get("households"),
    }
    return {name: value for name, value in given.items() if value not in (None, [])}


def protection(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options beyond k."""
    options = [
        click.option("-l", "diversity", help="At least so many different values of each sensitive column in a group."),
        click.option("-t", "closeness", help="Groups at most so far from the table in each sensitive column, 0 to 1."),
        click.option(
            "--model",
            multiple=True,
            metavar="COLUMN=MODEL",
            help="distinct-l(L), entropy-l(L), recursive-l(C,L), t-equal(T), t-ordered(T) or t-hierarchical(T) for a"
            " sensitive column; repeatable.",
        ),
        click.option(
            "--missing-values",
            help="What a missing quasi-identifier is: category, wildcard, impute, suppress or refuse."
            "  [default: category]",
        ),
        click.option("--alpha", help="How much records with wildcards count.  [default: 1]"),
        click.option("--suppress", metavar="SHARE", help="Suppress outlying records, up to this share of all."),
        click.option("--sampling-weights", metavar="COLUMN", help="How many persons each record stands for."),
        click.option("--strata", multiple=True, help="Columns that groups never cross, as a,b."),
        click.option(
            "--households", metavar="COLUMN", help="Members of a household stay in one group; k counts households."
        ),
        click.option("--largest-household", help="Refuse larger households.  [default: 20]"),
        click.option(
            "--keep-totals", is_flag=True, default=None, help="Round means so that the totals of columns stay."
        ),
        click.option("--bounds", multiple=True, metavar="COLUMN=LOW:HIGH", help="What a number may be; repeatable."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def protected(options: Mapping[str, Any]) -> dict[str, Any]:
    """What the options ask for, as `shoal.anonymize` takes it; what is not said is left out."""
    given: dict[str, Any] = {
        "models": models(options["model"]),
        "l": _number(options["diversity"], "l", "a number above 1"),
        "t": _number(options["closeness"], "t", "a number from 0 to 1"),
        **counted(options),
        "suppression": _number(options["suppress"], "suppress", "a share from 0 to 1"),
        "keep_totals": options["keep_totals"],
        "bounds": {name: _bounds(text) for name, text in pairs(options["bounds"], "bounds").items()},
    }
    if options["largest_household"] is not None:
        expected = OptionError.bad_option("largest_household", "a whole number")
        given["largest_household"] = whole(options["largest_household"], expected)
    return {name: value for name, value in given.items() if value not in (None, [], {})}


def _number(text: str | None, name: str, expected: str) -> float | None:
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise OptionError.bad_option(name, expected) from None


def _bounds(text: str) -> tuple[float, float]:
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise OptionError.bad_option("bounds", "COLUMN=LOW:HIGH, such as age=0:120") from None
