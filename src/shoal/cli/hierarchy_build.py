"""`shoal hierarchy build`: one subcommand per builder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from shoal.cli.terminal import (
    as_json,
    open_table,
    parse_int,
    parse_names,
    parse_pairs,
    show,
    show_json,
    with_options,
    with_read_options,
)
from shoal.errors import HierarchyError, OptionError
from shoal.errors.messages import quote_name
from shoal.hierarchy import Hierarchy


@click.group(name="build")
def build() -> None:
    """Build a hierarchy of the values of a column.

    COLUMN of FILE gives the values. The file that is written holds all of them: whoever reads it learns which values
    occur, and not how often.
    """


with_build_options = with_options(
    click.argument("file"),
    click.argument("column"),
    click.option("-o", "--output", required=True, help="The hierarchy; its ending decides the format."),
    click.option("--to", help="Its format, where the ending does not tell: arx, edges, json or skos."),
    click.option("--force", is_flag=True, help="Replace outputs that exist."),
    with_read_options,
    as_json,
)
"""The options of every builder: the column and the output."""


@build.command(name="intervals")
@click.option("--width", help="Widths of the intervals of each level, as 5,10,20: the finest first.")
@click.option("--cuts", multiple=True, help="Where intervals begin, as 18,30,65; once for each level.")
@click.option("--quantiles", help="Numbers of intervals of each level, with about as many records each, as 8,4,2.")
@with_build_options
def intervals(width: str | None, cuts: tuple[str, ...], quantiles: str | None, **options: Any) -> None:
    """Put numbers into intervals, and those into wider ones.

    Give one of --width, --cuts and --quantiles. Each interval lies within one of the next level: widths are multiples,
    numbers of quantiles are divisors, and cuts are some of the cuts before.

    \b
    shoal hierarchy build intervals people.csv age --width 5,10,20 -o age.csv
    shoal hierarchy build intervals people.csv age --cuts 18,30,45,65 --cuts 30,65 -o age.csv
    """
    widths = None if width is None else _parse_numbers(width, "width")
    groups = None if quantiles is None else _parse_integers(quantiles, "quantiles")
    levels = [_parse_numbers(text, "cuts") for text in cuts]
    points = levels[0] if len(levels) == 1 else levels or None

    def make(counts: dict[str, int]) -> Hierarchy:
        values = Counter(counts).elements() if groups else counts  # quantiles of records, not of distinct values
        return Hierarchy.from_intervals(values, width=widths, quantiles=groups, cuts=points)

    _build(options, make)


@build.command(name="prefixes")
@click.option("--lengths", help="How many characters the levels keep, as 1,3.  [default: every number]")
@click.option("--mask", default="*", show_default=True, help="What stands for a character that is not kept, or ''.")
@click.option("--separators", help="Cut at these characters instead, such as '.' in 1.10.2.")
@with_build_options
def prefixes(lengths: str | None, mask: str, separators: str | None, **options: Any) -> None:
    """Put codes under their beginnings.

    For post codes, and for the codes of classifications such as ICD, ISCO and NACE.

    \b
    shoal hierarchy build prefixes people.csv postcode --lengths 1,3 -o postcode.csv
    """
    chosen = None if lengths is None else _parse_integers(lengths, "lengths")
    _build(options, lambda counts: Hierarchy.from_prefixes(counts, lengths=chosen, mask=mask, separators=separators))


@build.command(name="dates")
@click.option(
    "--levels", default="day,month,quarter,year,decade", show_default=True, help="The levels, the finest first."
)
@with_build_options
def dates(levels: str, **options: Any) -> None:
    """Put dates under months, years and decades.

    Dates are those of ISO 8601, as 2024-05-17, with or without a time.

    \b
    shoal hierarchy build dates people.csv admission_date --levels month,year -o admission.csv
    """
    _build(options, lambda counts: Hierarchy.from_dates(counts, levels=tuple(parse_names([levels]))))


@build.command(name="frequencies")
@click.option("--groups", help="How many nodes may stand right below the root.  [default: 2]")
@with_build_options
def frequencies(groups: str | None, **options: Any) -> None:
    """Put the rarest values together.

    For values of which nothing is known but how often they occur: the two rarest first, and so on up to the root.

    \b
    shoal hierarchy build frequencies people.csv region -o region.csv
    """
    number = None if groups is None else parse_int(groups, OptionError.invalid_value("groups", "one whole number"))
    _build(options, lambda counts: Hierarchy.from_frequencies(counts, groups=number))


@build.command(name="wordnet")
@click.option("--folder", required=True, help="A WordNet database: the folder with index.noun and data.noun.")
@click.option("--senses", help="A table with the columns value and sense, for values that are not the word meant.")
@click.option("--sense", multiple=True, metavar="VALUE=SENSE", help="The same for one value; repeatable.")
@click.option("--under", help="Of several senses take the first under this synset, such as person.n.01.")
@click.option("--parent", multiple=True, metavar="SYNSET=PARENT", help="The parent of a synset; repeatable.")
@click.option(
    "--rule", default="alphabetical", show_default=True, help="Of several parents: alphabetical, shortest or first."
)
@click.option("--top", help="The synset that becomes the root.  [default: that of WordNet]")
@click.option(
    "--leaf",
    default="value",
    show_default=True,
    help="Values stand below their synset, or in its place: value, synset.",
)
@click.option("--values", is_flag=True, help="Print every choice of a sense or a parent: it names values.")
@click.option("--report", help="Write these choices to a text file.")
@with_build_options
def wordnet(
    folder: str,
    senses: str | None,
    sense: tuple[str, ...],
    parent: tuple[str, ...],
    values: bool,
    report: str | None,
    under: str | None,
    rule: str,
    top: str | None,
    leaf: str,
    **options: Any,
) -> None:
    """Put words under the synsets of WordNet.

    \b
    shoal hierarchy build wordnet people.csv occupation --folder wordnet -o occupation.csv

    A word has several senses, and a synset several parents. What is not given is chosen by a rule, and counted by rule;
    --values and --report tell each choice, for somebody to read.
    """
    from shoal.hierarchy import wordnet
    from shoal.release.save import check_path
    from shoal.system.transaction import atomic_write

    place = check_path(report) if report else None
    parents = parse_pairs(parent, "parent", secret=True)
    words = _senses(senses, parse_pairs(sense, "sense", secret=True))
    counts, records = _counts(options, more=[place] if place else [])
    if values and not options["as_json"]:
        for word in wordnet.unknown_words(counts, folder, senses=words):
            show(f"no noun in WordNet: {quote_name(word)}")
    built = wordnet.build(counts, folder, senses=words, under=under, parents=parents, rule=rule, top=top, leaf=leaf)
    rules = {
        f"{kind}s": dict(sorted(Counter(choice.rule for choice in built.choices if choice.kind == kind).items()))
        for kind in ("sense", "parent")
    }
    more = {"rules": rules, "unused": built.unused}
    if values:
        more["choices"] = built.to_dict()["choices"]
    chosen = [
        f"Chosen {kind}: {', '.join(f'{number:,} {by}' for by, number in times.items())}"
        for kind, times in rules.items()
        if times
    ]
    notes = [*([built.unused_text] if built.unused_text else []), "\n".join(chosen) + "; --values lists them"]
    with ExitStack() as stack:
        if place:
            part = stack.enter_context(atomic_write(place, force=options["force"]))
            part.write_text(built.report() + "\n", encoding="utf-8", newline="\n")
        _write(built.hierarchy, counts, records, options, notes=[built.report()] if values else notes, **more)


def _build(options: dict[str, Any], make: Callable[[dict[str, int]], Hierarchy]) -> None:
    counts, records = _counts(options)
    _write(make(counts), counts, records, options)


def _counts(options: dict[str, Any], *, more: Sequence[Path] = ()) -> tuple[dict[str, int], int]:
    """Check the outputs, then return the value counts of the column and the number of records."""
    from shoal import data
    from shoal.release.save import check_output_paths, check_path

    places = [check_path(options["output"]), *more]
    check_output_paths(places, sources=[Path(options["file"])], force=options["force"])
    table = open_table(options["file"], options)
    return data.value_counts(table, options["column"]), table.height


def _write(
    hierarchy: Hierarchy,
    counts: dict[str, int],
    records: int,
    options: dict[str, Any],
    *,
    notes: Sequence[str] = (),
    **more: Any,
) -> None:
    """Write the hierarchy and print its size and coverage."""
    from shoal.hierarchy import formats
    from shoal.hierarchy.coverage import coverage
    from shoal.report import hierarchy_drawing as report

    formats.save(hierarchy, options["output"], format=options["to"], force=options["force"])
    covered = coverage(hierarchy, counts, records=records)
    if options["as_json"]:
        facts = {"hierarchy": report.facts(hierarchy), "column": options["column"], "coverage": covered.to_dict()}
        show_json({**facts, **more, "written": options["output"]})
    else:
        show("\n".join([f"Written {options['output']}: {report.size_text(hierarchy)}", covered.text(), *notes]))


def _senses(path: str | None, given: dict[str, str]) -> dict[str, str]:
    """Merge the senses of a table with those given as options: one per value."""
    from shoal import data

    if path is None:
        return given
    table = data.read_table(path)
    rows = zip(data.text_list(table, "value"), data.text_list(table, "sense"), strict=True)
    complete = [(value, sense) for value, sense in rows if value is not None and sense is not None]
    times = Counter([*given, *(value for value, _ in complete)])
    repeated = sum(1 for number in times.values() if number > 1)
    if repeated:
        raise HierarchyError.two_senses(repeated)
    return {**dict(complete), **given}


def _parse_numbers(text: str, option: str) -> list[float]:
    try:
        numbers: list[float] = [
            int(word) if word.lstrip("+-").isdecimal() else float(word) for word in parse_names([text])
        ]
    except ValueError:
        numbers = []
    if not numbers:
        raise OptionError.invalid_value(option, "numbers separated by commas")
    return numbers


def _parse_integers(text: str, option: str) -> list[int]:
    integers = [number for number in _parse_numbers(text, option) if isinstance(number, int)]
    if len(integers) < len(parse_names([text])):
        raise OptionError.invalid_value(option, "whole numbers separated by commas")
    return integers
