"""`shoal anonymize`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli.protection import DECISIONS, protected, protection
from shoal.cli.terminal import (
    as_json,
    meaning,
    meant,
    names,
    open_table,
    pairs,
    progress,
    reading,
    show,
    show_json,
    warn,
    whole,
)
from shoal.errors import ColumnError, OptionError, PolicyError
from shoal.schema.columns import OTHERS

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.values import Progress

_DECISIONS = (
    *("k", "quasi_identifiers", "identifiers", "sensitive", "method", "own", "recode"),
    *("round_integers", "no_standardize", "weight", "seed", "kind", "distance"),
    *DECISIONS,
)


@click.command(name="anonymize")
@click.argument("file")
@click.option("-k", help="The least number of alike records: your decision, no default.")
@click.option("-q", "--quasi-identifiers", multiple=True, help="Columns that an outsider could know, as a,b,c.")
@click.option("-o", "--output", required=True, help="The release; its ending decides the format.")
@click.option("--identifiers", multiple=True, help="Columns that name a person: dropped.")
@click.option("--sensitive", multiple=True, help="Columns that nobody may learn about a person: kept as they are.")
@click.option("--method", help="See `shoal methods`.  [default: by the kinds of the columns]")
@click.option("--option", "own", multiple=True, metavar="NAME=VALUE", help="An option of the method; repeatable.")
@click.option(
    "--recode",
    multiple=True,
    metavar="[COLUMN=]WAY",
    help="What stands for a group: mean, median or interval for numbers and dates; centroid, mode or lcs for"
    " categories; generalize for interval and lcs; repeatable.  [default: mean, centroid]",
)
@click.option("--round-integers", is_flag=True, default=None, help="Keep columns of whole numbers whole.")
@click.option("--no-standardize", is_flag=True, default=None, help="Measure distances on the columns as they are.")
@click.option("--weight", multiple=True, metavar="COLUMN=W", help="How much a column counts; repeatable.")
@click.option("--seed", help="For methods that draw at random.  [default: 0]")
@click.option("--policy", help="Take every decision from this policy file instead.")
@click.option("--report", help="Also write a report: an HTML file.")
@click.option("--force", is_flag=True, help="Replace outputs that exist.")
@click.option("--quiet", is_flag=True, help="No progress, no summary.")
@protection
@meaning
@reading
@as_json
def command(
    file: str,
    output: str,
    policy: str | None,
    report: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Release FILE so that every record hides among at least k alike.

    \b
    shoal anonymize people.csv -k 5 -q age,income --identifiers name -o released.csv
    shoal anonymize people.csv -k 5 -q job,country --hierarchy job=jobs.csv --hierarchy country=countries.csv \\
        --recode lcs -o released.csv

    The release is verified before it appears. Beside it stands its policy (OUTPUT.policy.toml), which makes
    the same release again:

    \b
    shoal anonymize people.csv --policy released.csv.policy.toml -o again.csv
    """
    from shoal.release import check_outputs, named_path, policy_path
    from shoal.report import html, text
    from shoal.report.summary import summarize

    target = named_path(output)
    reports = [named_path(report)] if report else []
    inputs = [Path(file), Path(policy) if policy else None]
    check_outputs([target, policy_path(target), *reports], sources=inputs, force=force)
    with progress(quiet=quiet) as line:
        made = _replay(file, policy, options, line) if policy else _anonymize(file, options, line)
    saved = made.save(
        target,
        force=force,
        more=lambda policy: {place: html.page(summarize(made, policy=policy)) for place in reports},
    )
    facts = summarize(made, policy=saved)
    warn(made.warnings)
    if as_json:
        show_json(facts)
    elif not quiet:
        show(text.release(facts))
        show(f"\nReleased {target}\nPolicy   {policy_path(target)}" + (f"\nReport   {report}" if report else ""))


def _anonymize(file: str, options: dict[str, Any], line: Progress) -> Release:
    from shoal.anonymize import anonymize

    if options["k"] is None:
        raise OptionError.no_k()
    quasi_identifiers = names(options["quasi_identifiers"])
    if not quasi_identifiers:
        raise ColumnError.no_quasi_identifier()
    return anonymize(
        open_table(file, options),
        k=whole(options["k"], OptionError.k_not_whole()),
        quasi_identifiers=quasi_identifiers,
        identifiers=names(options["identifiers"]),
        sensitive=names(options["sensitive"]),
        **meant(options),
        method=options["method"],
        seed=whole(options["seed"] or "0", OptionError.no_seed()),
        standardize=not options["no_standardize"],
        weights={name: _number(value) for name, value in pairs(options["weight"], "weight").items()},
        recode=_ways(options["recode"]),
        round_integers=bool(options["round_integers"]),
        progress=line,
        **protected(options),
        **_own_options(options),
    )


def _own_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options of the method, each of which the method must have."""
    from shoal.partition.registry import find, methods

    given = {name: _value(text) for name, text in pairs(options["own"], "option").items()}
    if options["method"]:
        find(options["method"]).check_options(given)
    for name in given:
        if not any(name in method.options for method in methods().values()):
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


def _replay(file: str, path: str, options: dict[str, Any], line: Progress) -> Release:
    from shoal.anonymize import replay
    from shoal.schema import Policy

    for name in _DECISIONS:
        if options[name]:
            raise PolicyError.decides(name.replace("_", "-"))
    table = open_table(file, options, Policy.read(path).input.get("settings"))
    hierarchies = pairs(options["hierarchy"], "hierarchy", last=False)
    levels = pairs(options["levels"], "levels", last=False)
    return replay(table, policy=path, hierarchies=hierarchies, levels=levels, progress=line)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError.bad_option("weight", "a column, an equals sign and a number above 0") from None


def _value(text: str) -> Any:
    """An option's value: a number, true or false where it reads as one, else the word itself."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
