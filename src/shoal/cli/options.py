"""Options for privacy models, missing values, suppression and surveys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import click

from shoal.cli.terminal import (
    column_arguments,
    parse_float,
    parse_int,
    parse_model_options,
    parse_names,
    parse_pairs,
    parse_quasi_identifiers,
    parse_weights,
    print_warnings,
    with_options,
)
from shoal.errors import OptionError

PROTECTION_OPTIONS = (
    *("model", "diversity", "closeness", "missing_values", "alpha", "max_suppression", "keep_totals", "bounds"),
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
    return with_options(*(_COUNTING_OPTIONS[name] for name in names))


def counting_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given counting options as keyword arguments."""
    given: dict[str, Any] = {
        "missing_values": options["missing_values"],
        "alpha": parse_float(options["alpha"], "alpha", "a number from 0 to 1"),
        "sampling_weights": options.get("sampling_weights"),
        "strata": parse_names(options.get("strata", ())),
        "households": options.get("households"),
    }
    return {name: value for name, value in given.items() if value not in (None, [])}


with_protection_options = with_options(
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
        help="What a missing quasi-identifier is: category, wildcard, impute, suppress or refuse.  [default: category]",
    ),
    _COUNTING_OPTIONS["alpha"],
    click.option("--max-suppression", metavar="SHARE", help="Suppress outlying records, up to this share of all."),
    _COUNTING_OPTIONS["sampling_weights"],
    click.option("--strata", multiple=True, help="Columns that groups never cross, as a,b."),
    click.option(
        "--households", metavar="COLUMN", help="Members of a household stay in one group; k counts households."
    ),
    click.option("--largest-household", help="Refuse larger households.  [default: 20]"),
    click.option("--keep-totals", is_flag=True, default=None, help="Round means so that the totals of columns stay."),
    click.option("--bounds", multiple=True, metavar="COLUMN=LOW:HIGH", help="What a number may be; repeatable."),
)


def protection_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given protection options as keyword arguments of `shoal.anonymize`."""
    given: dict[str, Any] = {
        "models": parse_model_options(options["model"]),
        "l": parse_float(options["diversity"], "l", "a number above 1"),
        "t": parse_float(options["closeness"], "t", "a number from 0 to 1"),
        **counting_arguments(options),
        "max_suppression": parse_float(options["max_suppression"], "max_suppression", "a share from 0 to 1"),
        "keep_totals": options["keep_totals"],
        "bounds": {name: _parse_bounds(text) for name, text in parse_pairs(options["bounds"], "bounds").items()},
    }
    if options["largest_household"] is not None:
        error = OptionError.invalid_value("largest_household", "a whole number")
        given["largest_household"] = parse_int(options["largest_household"], error)
    return {name: value for name, value in given.items() if value not in (None, [], {})}


RENAMED_OPTIONS = {"seconds": "time_limit", "suppress": "max_suppression"}
"""New names of options by their deprecated names."""


def with_renamed_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Accept the deprecated names of options, with a warning. They are not in the help."""

    @wraps(command)
    def call(**options: Any) -> Any:
        for old, new in RENAMED_OPTIONS.items():
            value = options.pop(old)
            if value is not None:
                flag, new_flag = f"--{old}", f"--{new.replace('_', '-')}"
                if options[new] is not None:
                    raise OptionError.two_names(flag, new_flag)
                print_warnings([f"{flag} is deprecated; use {new_flag}."])
                options[new] = value
        return command(**options)

    for old in RENAMED_OPTIONS:
        call = click.option(f"--{old}", hidden=True)(call)
    return call


def _parse_bounds(text: str) -> tuple[float, float]:
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise OptionError.invalid_value("bounds", "COLUMN=LOW:HIGH, such as age=0:120") from None


RELEASE_OPTIONS = (
    *("quasi_identifiers", "identifiers", "sensitive", "keep", "drop_others", "own", "recode"),
    *("exact_means", "round_integers", "no_standardize", "weight", "seed", "kind", "distance"),
    *("refine", "effort", "time_limit", "shuffle", "formulas"),
    *PROTECTION_OPTIONS,
)


with_release_options = with_options(
    click.option("-q", "--quasi-identifiers", multiple=True, help="Columns that an outsider could know, as a,b,c."),
    click.option("--identifiers", multiple=True, help="Columns that name a person: dropped."),
    click.option("--sensitive", multiple=True, help="Columns that nobody may learn about a person: kept as they are."),
    click.option(
        "--keep", multiple=True, metavar="COLUMN", help="Columns without another role to release unchanged on purpose."
    ),
    click.option("--drop-others", is_flag=True, default=None, help="Drop every column that has no role."),
    click.option("--option", "own", multiple=True, metavar="NAME=VALUE", help="An option of the method; repeatable."),
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
    click.option("--no-standardize", is_flag=True, default=None, help="Measure distances on the columns as they are."),
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
)


def release_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as keyword arguments of `shoal.anonymize`, without those of the method."""
    if options["round_integers"]:
        print_warnings(
            ["--round-integers is deprecated and changes nothing: numbers keep the decimals of their column."]
        )
    return {
        "quasi_identifiers": parse_quasi_identifiers(options["quasi_identifiers"]),
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
    from shoal.microaggregation import registry

    given = {name: _parse_value(text) for name, text in parse_pairs(options["own"], "option").items()}
    for method in methods:
        registry.get_method(method).check_options(given)
    for name in given:
        if not any(name in method.options for method in registry.methods().values()):
            raise OptionError.option_of_no_method(name)
    return given


def _parse_recode(given: Sequence[str]) -> str | dict[str, str] | None:
    """Parse recodings: one for all columns it applies to, one per named column, or both."""
    from shoal.domain.columns import ALL_OTHER_COLUMNS

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
