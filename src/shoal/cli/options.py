"""Options of commands, made from the table of the options of a release, and policies as their source."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli.grouped_help import Decorator, option
from shoal.cli.terminal import parse_names, parse_pairs, print_warnings, show, show_facts, with_options
from shoal.errors import ColumnError, OptionError, PolicyError
from shoal.errors.messages import quote_name
from shoal.options.table import BY_NAME, MISSING_POLICIES, RELEASE_OPTIONS, Option

if TYPE_CHECKING:
    from shoal.data import Table
    from shoal.domain import Policy, PolicyDraft

RELEASE_NAMES = (*BY_NAME, "own", "round_integers")
"""Every parameter of a command that a policy decides."""
COUNTING = ("missing_values", "alpha", "sampling_weights", "strata", "households")
"""Options for counting the classes of a table."""
COUNTED_MISSING = MISSING_POLICIES[:2]
"""Treatments of missing values in counting."""
ALL_COLUMNS = ("hierarchies", "levels", "kinds", "distance")
"""Options about the values of columns."""
_METAVARS = {int: "INTEGER", float: "FLOAT", str: "TEXT"}


class _OptionType(click.ParamType):  # type: ignore[type-arg]
    """Type of an option with one value, which is checked as the value of the keyword argument."""

    def __init__(self, declared: Option) -> None:
        self.name = declared.type.__name__
        self.declared = declared

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        try:
            converted = self.declared.type(value)
        except ValueError:
            converted = value  # the check has the message
        self.declared.check(converted)
        return converted


def release_option(name: str, *, help: str = "", choices: tuple[str, ...] = ()) -> Decorator:
    """Return the decorator for an option of the table, perhaps with the help and the choices of one command."""
    declared = BY_NAME[name]
    declared = replace(declared, help=help or declared.help, choices=choices or declared.choices)
    attributes: dict[str, Any] = {"group": declared.group, "help": _help_text(declared), "default": None}
    if declared.type is bool:
        attributes["is_flag"] = True
    elif name in _PARSERS or declared.type is list:
        parse = _PARSERS.get(name, parse_names)
        attributes |= {
            "multiple": True,
            "metavar": declared.metavar,
            "callback": lambda _context, _parameter, given: parse(given) if given else None,
        }
    else:
        metavar = f"[{'|'.join(declared.choices)}]" if declared.choices else _METAVARS[declared.type]
        attributes |= {"type": _OptionType(declared), "metavar": declared.metavar or metavar}
    return option(*declared.flags, name, **attributes)


def release_options(*names: str) -> Decorator:
    """Return the decorator for options of the table as they are."""
    return with_options(*map(release_option, names))


def _help_text(declared: Option) -> str:
    value, shown = declared.default, declared.default_text
    if not shown and value not in (None, ()) and not isinstance(value, bool):
        shown = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{declared.help}  [default: {shown}]" if shown else declared.help


def with_release_options(*, without: Sequence[str] = ()) -> Decorator:
    """Add the options of a release to a command."""
    names = [declared.name for declared in RELEASE_OPTIONS if declared.name not in without]
    place = names.index("refine")
    return with_options(
        release_options(*names[:place]),
        option(
            "--option",
            "own",
            multiple=True,
            metavar="NAME=VALUE",
            group="Method and search",
            help="Option of the method; repeatable. shoal methods lists them.",
        ),
        release_options(*names[place:]),
        option("--round-integers", is_flag=True, default=None, hidden=True, group="Released values"),
    )


def given_arguments(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the options that were given as keyword arguments."""
    return {name: options[name] for name in names if options.get(name) is not None}


def release_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as keyword arguments of `shoal.anonymize`, without those of the method."""
    if options["round_integers"]:
        print_warnings(
            ["--round-integers is deprecated and changes nothing: numbers keep the decimals of their column."]
        )
    return {**given_arguments(options, list(BY_NAME)), "quasi_identifiers": required(options, "quasi_identifiers")}


def flag_of(name: str) -> str:
    """Return the long name of an option on the command line, without dashes."""
    flags = BY_NAME[name].flags if name in BY_NAME else [{"own": "option"}.get(name, name).replace("_", "-")]
    return flags[-1].partition("/")[0].lstrip("-")


def required(options: Mapping[str, Any], name: str) -> Any:
    """Return k or the quasi-identifiers, which have no default."""
    if not options[name]:
        raise OptionError.no_k() if name == "k" else ColumnError.no_quasi_identifier()
    return options[name]


def hierarchy_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the files of hierarchies and levels as keyword arguments."""
    return given_arguments(options, ("hierarchies", "levels"))


def hierarchy_paths(options: Mapping[str, Any]) -> list[Path]:
    """Return the paths of these files: inputs that no output may replace."""
    return [Path(path) for files in hierarchy_arguments(options).values() for path in files.values()]


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


def with_policy_option(text: str) -> Decorator:
    """Add the option ``--policy`` with this help."""
    return option("--policy", metavar="FILE", group="Protection", help=text)


def find_policy(named: str | None, *, released: str | None = None, needed: bool = False) -> Policy | PolicyDraft | None:
    """Read the policy that is named, or the one beside a release if it is ``needed`` and exists."""
    from shoal.release.column_options import open_policy
    from shoal.release.policy_arguments import policy_beside

    if named is not None:
        return open_policy(named)
    return policy_beside(released) if needed else None


def refuse_options(options: Mapping[str, Any], *, beside: Collection[str] = ()) -> None:
    """Refuse options of a release beside a policy, except for these and the files of hierarchies and levels."""
    for name in RELEASE_NAMES:
        if name not in (*beside, "hierarchies", "levels") and options.get(name) not in (None, ()):
            raise PolicyError.option_in_policy(flag_of(name))


def show_with_policy(
    facts: dict[str, Any],
    to_text: Callable[[Any], str],
    policy: Policy | PolicyDraft | None,
    *,
    as_json: bool,
    **tables: Table | str,
) -> None:
    """Print facts as JSON or as text, with the policy that was used, and note which tables it does not describe."""
    if policy is not None:
        facts["policy"] = {"file": str(policy.path), "same_file": _same_files(policy, tables)}
    show_facts(facts, to_text, as_json=as_json)
    if policy is None or as_json:
        return
    show(f"  by the policy {quote_name(policy.path)}")
    for name, is_same in facts["policy"]["same_file"].items():
        if is_same is False:
            show(
                f"  note: the {name} file is not the one that the policy describes (another SHA-256): it was changed"
                f"{' after the release' if name == 'released' else ''}, or it is another file; its values were counted"
                " as they are now"
            )


def _same_files(policy: Policy | PolicyDraft, tables: Mapping[str, Table | str]) -> dict[str, bool | None]:
    """Whether each table is the file that the policy describes; None if that is unknown."""
    from shoal.data import file_sha256

    described = {"original": policy.input.get("sha256"), "released": getattr(policy, "output", {}).get("sha256")}
    same: dict[str, bool | None] = {}
    for name, table in tables.items():
        found = file_sha256(Path(table)) if isinstance(table, str) else table.sha256
        same[name] = None if None in (found, described[name]) else found == described[name]
    return same


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

    for old, new in RENAMED_OPTIONS.items():
        call = click.option(f"--{old}", hidden=True, type=_OptionType(BY_NAME[new]))(call)
    return call


def _parse_weights(given: Sequence[str]) -> dict[str, float]:
    try:
        return {name: float(value) for name, value in parse_pairs(given, "weight").items()}
    except ValueError:
        raise OptionError.invalid_value("weight", "a column, an equals sign and a number above 0") from None


def _parse_bounds(given: Sequence[str]) -> dict[str, tuple[float, float]]:
    bounds = {}
    for name, text in parse_pairs(given, "bounds").items():
        low, _, high = text.partition(":")
        try:
            bounds[name] = float(low), float(high)
        except ValueError:
            raise OptionError.invalid_value("bounds", "COLUMN=LOW:HIGH, such as age=0:120") from None
    return bounds


def _parse_models(given: Sequence[str]) -> dict[str, list[str]]:
    """Parse ``COLUMN=MODEL``; commas outside parentheses separate models."""
    parsed: dict[str, list[str]] = {}
    for text in given:
        for column, value in parse_pairs([text], "model").items():
            parsed.setdefault(column, []).extend(re.split(r",(?![^(]*\))", value))
    return parsed


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


_PARSERS: dict[str, Callable[[Sequence[str]], Any]] = {
    "kinds": lambda given: parse_pairs(given, "kind"),
    "hierarchies": lambda given: parse_pairs(given, "hierarchy", split_at_last=False),
    "levels": lambda given: parse_pairs(given, "levels", split_at_last=False),
    "weights": _parse_weights,
    "bounds": _parse_bounds,
    "models": _parse_models,
    "recode": _parse_recode,
}
"""Parsers of repeatable options with one value per column."""


def _parse_value(text: str) -> Any:
    """Parse a value: an integer, a float, true or false, else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
