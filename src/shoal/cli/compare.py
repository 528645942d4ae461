"""`shoal compare`."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import click

from shoal.cli.grouped_help import GroupedCommand, option
from shoal.cli.options import (
    find_policy,
    given_arguments,
    hierarchy_paths,
    method_options,
    refuse_options,
    release_arguments,
    release_option,
    with_policy_option,
    with_release_options,
    with_renamed_options,
)
from shoal.cli.terminal import (
    as_json,
    open_table,
    parse_int,
    parse_names,
    progress,
    show,
    show_json,
    stem,
    with_read_options,
)
from shoal.errors import OptionError, OutputError, PromiseError

_output = partial(option, group="Outputs")


@click.command(name="compare", cls=GroupedCommand)
@click.argument("file")
@option("-k", multiple=True, group="Protection", metavar="INTEGERS", help="Levels of k to compare, as 3,5,10.")
@option(
    "--methods",
    multiple=True,
    group="Method and search",
    metavar="NAMES",
    help="Methods to compare, as a,b,c, or all.  [default: the usual one and some promising ones]",
)
@with_policy_option(
    "Take every other decision from this policy file, and k if it is not given. Of the options of a release, only -k,"
    " --methods, --refine, --effort, --hierarchy and --levels can be given beside it."
)
@with_release_options(without=("k", "method", "blocks", "time_limit"))
@release_option(
    "time_limit", help="Time limit of all runs in seconds. No run starts after it, and running ones are stopped."
)
@option(
    "--workers",
    group="Method and search",
    metavar="INTEGER",
    help="Number of concurrent runs.  [default: one per core]",
)
@_output("--cache", metavar="FILE", help="File of finished runs.  [default: NAME.compare.jsonl in this folder]")
@_output("--no-cache", is_flag=True, help="Store no finished runs, and use none of earlier comparisons.")
@_output("--report", metavar="FILE", help="Also write a report, as HTML.")
@_output("--force", is_flag=True, help="Replace a report that exists.")
@_output("--quiet", is_flag=True, help="Show no progress.")
@with_read_options
@as_json
@with_renamed_options
def command(
    file: str,
    k: tuple[str, ...],
    methods: tuple[str, ...],
    policy: str | None,
    time_limit: float | None,
    workers: str | None,
    cache: str | None,
    no_cache: bool,
    report: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare methods and levels of k on FILE by information loss and risk.

    \b
    shoal compare people.csv -k 3,5,10 -q age,income
    shoal compare people.csv -k 5 -q age,income --methods all --time-limit 300 --report compared.html
    shoal compare people.csv --policy people.policy.toml -k 3,5,10

    Every run is a whole, verified release, of which only the figures are kept. --refine and --effort hold for all
    methods; where neither is given, only auto is refined. A comparison that was stopped
    goes on where it was: finished runs are taken from the file of kept results.
    """
    from shoal.release.compare.comparison import compare
    from shoal.release.save import check_output_paths, check_path
    from shoal.report import comparison_page
    from shoal.system.transaction import write_file

    place = None if report is None else check_path(report)
    if no_cache and cache is not None:
        raise OptionError.invalid_value("cache", "a file, or --no-cache, but not both")
    cache_path = None if no_cache else check_path(f"{stem(file)}.compare.jsonl" if cache is None else cache)
    if place and cache_path and place.absolute() == cache_path.absolute():
        raise OutputError.duplicate_path(place)
    if place:
        check_output_paths([place], sources=[Path(file), cache_path, *hierarchy_paths(options)], force=force)
    known = find_policy(policy)
    levels = [parse_int(level, OptionError.k_not_integer()) for level in parse_names(k)]
    if known is None:
        arguments = {"k": levels, **release_arguments(options), **method_options(options)}
    else:
        refuse_options(options, beside=("refine", "effort"))
        arguments = {"k": levels} if levels else {}
        arguments |= given_arguments(options, ("refine", "effort", "hierarchies", "levels"))
    with progress(quiet=quiet, description="comparing", unit="runs") as line:
        result = compare(
            open_table(file, options, known),
            methods=_methods(methods),
            time_limit=time_limit,
            workers=None
            if workers is None
            else parse_int(workers, OptionError.invalid_value("workers", "a whole number")),
            cache=cache_path,
            progress=line,
            policy=known,
            **arguments,
        )
    facts = result.to_dict() | ({"policy": str(known.path)} if known else {})
    if not any(point.verified for point in result.points):
        raise PromiseError.no_release_compared(runs=len(result.points), why=result.points[0].error or "")
    if place:
        write_file(place, comparison_page.page(facts), force=force)
    if as_json:
        show_json(facts)
    else:
        show(comparison_page.text(facts, width=max(60, min(shutil.get_terminal_size((100, 40)).columns, 100))))
        files = {"Policy": known and known.path, "Kept": cache_path, "Report": place}
        written = "".join(f"\n{label:8s} {path}" for label, path in files.items() if path)
        if written:
            show(written)


def _methods(given: tuple[str, ...]) -> str | list[str] | None:
    chosen = parse_names(given)
    if given and not chosen:
        raise OptionError.invalid_value("methods", "the names of methods, or all")
    return "all" if chosen == ["all"] else chosen or None
