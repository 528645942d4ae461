"""`shoal compare`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from shoal.cli.decisions import decided, decisions, own_options
from shoal.cli.protection import protection
from shoal.cli.terminal import (
    as_json,
    meaning,
    names,
    open_table,
    progress,
    reading,
    show,
    show_json,
    tree_files,
    whole,
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
@decisions
@click.option("--seconds", help="A budget for all runs: none starts after it, and those under way are stopped.")
@click.option("--workers", help="Runs at the same time.  [default: as many as there are cores]")
@click.option("--cache", metavar="FILE", help="Where finished runs are kept.  [default: NAME.compare.jsonl, here]")
@click.option("--no-cache", is_flag=True, help="Keep no finished runs, and take none from before.")
@click.option("--report", help="Also write a report: an HTML file.")
@click.option("--force", is_flag=True, help="Replace a report that exists.")
@click.option("--quiet", is_flag=True, help="No progress line.")
@protection
@meaning
@reading
@as_json
def command(
    file: str,
    methods: tuple[str, ...],
    seconds: str | None,
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
    shoal compare people.csv -k 5 -q age,income --methods all --seconds 300 --report compared.html

    Every run is a whole, verified release, of which only the figures are kept. --refine and --effort hold for all
    methods; where neither is given, only auto is refined. A comparison that was stopped
    goes on where it was: finished runs are taken from the file of kept results.
    """
    from shoal import tables
    from shoal.compare.comparison import compare
    from shoal.release import check_places, named_path
    from shoal.report import comparison

    place = None if report is None else named_path(report)
    if no_cache and cache is not None:
        raise OptionError.bad_option("cache", "a file, or --no-cache, but not both")
    kept = None if no_cache else named_path(f"{_stem(file)}.compare.jsonl" if cache is None else cache)
    if place and kept and place.absolute() == kept.absolute():
        raise OutputError.named_twice(place)
    if place:
        check_places([place], sources=[Path(file), kept, *tree_files(options)], force=force)
    asked = decided(options)
    with progress(quiet=quiet, doing="comparing", noun="runs") as line:
        made = compare(
            open_table(file, options),
            k=[whole(level, OptionError.k_not_whole()) for level in names(options["k"])],
            methods=_methods(methods),
            seconds=None if seconds is None else _seconds(seconds),
            workers=None if workers is None else whole(workers, OptionError.bad_option("workers", "a whole number")),
            cache=kept,
            progress=line,
            **asked,
            **own_options(options),
        )
    facts = made.to_dict()
    if not any(point.verified for point in made.points):
        raise PromiseError.nothing_compared(runs=len(made.points), why=made.points[0].error or "")
    if place:
        with tables.aside(place, force=force) as part:
            part.write_text(comparison.page(facts), encoding="utf-8", newline="\n")
    if as_json:
        show_json(facts)
    else:
        show(comparison.text(facts, width=max(60, min(shutil.get_terminal_size((100, 40)).columns, 100))))
        files = {"Kept": kept, "Report": place}
        written = "".join(f"\n{what:8s} {path}" for what, path in files.items() if path)
        if written:
            show(written)


def _stem(file: str) -> str:
    """The name of the file without its endings."""
    return Path(file).name.partition(".")[0] or Path(file).name


def _methods(given: tuple[str, ...]) -> str | list[str] | None:
    words = names(given)
    if given and not words:
        raise OptionError.bad_option("methods", "the names of methods, or all")
    return "all" if words == ["all"] else words or None


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError.bad_option("seconds", "a number above 0") from None
