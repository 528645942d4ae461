"""`shoal compare`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from shoal.cli.options import (
    method_options,
    release_arguments,
    with_protection_options,
    with_release_options,
    with_renamed_options,
)
from shoal.cli.terminal import (
    as_json,
    hierarchy_paths,
    open_table,
    parse_float,
    parse_int,
    parse_names,
    progress,
    show,
    show_json,
    with_column_options,
    with_read_options,
)
from shoal.errors import OptionError, OutputError, PromiseError


@click.command(name="compare")
@click.argument("file")
@click.option("-k", multiple=True, help="The levels to compare, as 3,5,10.")
@click.option(
    "--methods",
    multiple=True,
    help="The methods to compare, as a,b,c, or all.  [default: the usual one and a few that are worth a try]",
)
@with_release_options
@click.option(
    "--time-limit", metavar="S", help="A budget for all runs: none starts after it, and those under way are stopped."
)
@click.option("--workers", help="Runs at the same time.  [default: as many as there are cores]")
@click.option("--cache", metavar="FILE", help="Where finished runs are kept.  [default: NAME.compare.jsonl, here]")
@click.option("--no-cache", is_flag=True, help="Keep no finished runs, and take none from before.")
@click.option("--report", help="Also write a report: an HTML file.")
@click.option("--force", is_flag=True, help="Replace a report that exists.")
@click.option("--quiet", is_flag=True, help="No progress line.")
@with_protection_options
@with_column_options
@with_read_options
@as_json
@with_renamed_options
def command(
    file: str,
    methods: tuple[str, ...],
    time_limit: str | None,
    workers: str | None,
    cache: str | None,
    no_cache: bool,
    report: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare methods and levels of k on FILE: what each costs, and what risk it leaves.

    \b
    shoal compare people.csv -k 3,5,10 -q age,income
    shoal compare people.csv -k 5 -q age,income --methods all --time-limit 300 --report compared.html

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
    cache_path = None if no_cache else check_path(f"{_stem(file)}.compare.jsonl" if cache is None else cache)
    if place and cache_path and place.absolute() == cache_path.absolute():
        raise OutputError.duplicate_path(place)
    if place:
        check_output_paths([place], sources=[Path(file), cache_path, *hierarchy_paths(options)], force=force)
    arguments = release_arguments(options)
    with progress(quiet=quiet, description="comparing", unit="runs") as line:
        result = compare(
            open_table(file, options),
            k=[parse_int(level, OptionError.k_not_integer()) for level in parse_names(options["k"])],
            methods=_methods(methods),
            time_limit=parse_float(time_limit, "time_limit", "a number above 0"),
            workers=None
            if workers is None
            else parse_int(workers, OptionError.invalid_value("workers", "a whole number")),
            cache=cache_path,
            progress=line,
            **arguments,
            **method_options(options),
        )
    facts = result.to_dict()
    if not any(point.verified for point in result.points):
        raise PromiseError.no_release_compared(runs=len(result.points), why=result.points[0].error or "")
    if place:
        write_file(place, comparison_page.page(facts), force=force)
    if as_json:
        show_json(facts)
    else:
        show(comparison_page.text(facts, width=max(60, min(shutil.get_terminal_size((100, 40)).columns, 100))))
        files = {"Kept": cache_path, "Report": place}
        written = "".join(f"\n{label:8s} {path}" for label, path in files.items() if path)
        if written:
            show(written)


def _stem(file: str) -> str:
    """Return the file name without its extensions."""
    return Path(file).name.partition(".")[0] or Path(file).name


def _methods(given: tuple[str, ...]) -> str | list[str] | None:
    chosen = parse_names(given)
    if given and not chosen:
        raise OptionError.invalid_value("methods", "the names of methods, or all")
    return "all" if chosen == ["all"] else chosen or None
