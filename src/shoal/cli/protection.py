"""Options for privacy models, missing values, suppression and surveys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from shoal.cli.terminal import parse_int, parse_model_options, parse_names, parse_pairs
from shoal.errors import OptionError

PROTECTION_OPTIONS = (
    *("model", "diversity", "closeness", "missing_values", "alpha", "suppress", "keep_totals", "bounds"),
    *("sampling_weights", "strata", "households", "largest_household"),
)

_COUNTING_OPTIONS: dict[str, Callable[..., Any]] = {
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


def with_counting_options(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add these options for counting the classes of a released table."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            command = _COUNTING_OPTIONS[name](command)
        return command

    return decorate


def counting_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given counting options as keyword arguments."""
    given: dict[str, Any] = {
        "missing_values": options["missing_values"],
        "alpha": _parse_float(options["alpha"], "alpha", "a number from 0 to 1"),
        "sampling_weights": options.get("sampling_weights"),
        "strata": parse_names(options.get("strata", ())),
        "households": options.get("households"),
    }
    return {name: value for name, value in given.items() if value not in (None, [])}


def with_protection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for protection beyond k."""
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


def protection_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given protection options as keyword arguments of `shoal.anonymize`."""
    given: dict[str, Any] = {
        "models": parse_model_options(options["model"]),
        "l": _parse_float(options["diversity"], "l", "a number above 1"),
        "t": _parse_float(options["closeness"], "t", "a number from 0 to 1"),
        **counting_arguments(options),
        "suppression": _parse_float(options["suppress"], "suppress", "a share from 0 to 1"),
        "keep_totals": options["keep_totals"],
        "bounds": {name: _parse_bounds(text) for name, text in parse_pairs(options["bounds"], "bounds").items()},
    }
    if options["largest_household"] is not None:
        error = OptionError.invalid_value("largest_household", "a whole number")
        given["largest_household"] = parse_int(options["largest_household"], error)
    return {name: value for name, value in given.items() if value not in (None, [], {})}


def _parse_float(text: str | None, name: str, expected: str) -> float | None:
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise OptionError.invalid_value(name, expected) from None


def _parse_bounds(text: str) -> tuple[float, float]:
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise OptionError.invalid_value("bounds", "COLUMN=LOW:HIGH, such as age=0:120") from None
