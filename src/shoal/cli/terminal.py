"""What every command shares: options for reading files, lists of names, and the progress line."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shoal.errors import OptionError, OutputError, ShoalWarning, on_command_line
from shoal.words import counted, listed

if TYPE_CHECKING:
    from shoal.tables import ReadOptions, Table

C = TypeVar("C", bound=Callable[..., Any])
_READING = (
    *("delimiter", "quote", "encoding", "decimal", "thousands", "missing", "header", "skip", "skip_footer"),
    *("row_numbers", "sheet", "value_labels", "format"),
)
_TREES = {"hierarchy": "hierarchies", "levels": "levels"}
_QUOTED = re.compile(r'"((?:[^"]|"")*)"=(.*)', re.DOTALL)
"""A name in quotation marks, doubled within it, and what it is given."""
_READER_LEFT = 141
"""The exit code of a program in a pipe that nobody reads from any more."""
_COLORS: dict[str, dict[str, Any]] = {
    "good": {"fg": "green", "bold": True},
    "bad": {"fg": "red", "bold": True},
    "soft": {"dim": True},
    "sea": {"fg": "cyan"},
}
_PATIENCE = 0.7
"""Seconds before a progress line appears: short work stays quiet."""


def reading(command: C) -> C:
    """The options for reading a file."""
    options = [
        click.option("--delimiter", help="What separates fields.  [default: detected]"),
        click.option("--quote", help="The quotation mark of fields, or 'none'.  [default: the double one]"),
        click.option("--encoding", help="The encoding of the text, such as cp1252.  [default: detected]"),
        click.option("--decimal", help="The decimal mark of numbers.  [default: detected]"),
        click.option("--thousands", help="What parts thousands, or 'none'.  [default: detected]"),
        click.option(
            "--column-format",
            multiple=True,
            metavar="COLUMN=FORMAT",
            help="How one column is written, such as 1.234,5 or DD.MM.YYYY or text; repeatable.",
        ),
        click.option("--missing", help="Words that mean missing in all columns, separated by commas."),
        click.option(
            "--missing-in",
            multiple=True,
            metavar="COLUMN=WORDS",
            help="More words that mean missing in one column; repeatable.",
        ),
        click.option(
            "--header/--no-header",
            default=None,
            help="Whether there is a header. If not given, there is, and one that looks like data is refused.",
        ),
        click.option("--skip", type=click.IntRange(min=0), help="The lines above the header.  [default: detected]"),
        click.option(
            "--skip-footer", type=click.IntRange(min=0), help="The lines below the last record, such as totals."
        ),
        click.option(
            "--row-numbers/--no-row-numbers",
            default=None,
            help="Whether to leave out a first column without a name. If not given, one that numbers the rows is.",
        ),
        click.option("--sheet", help="The sheet of a workbook."),
        click.option(
            "--value-labels/--no-value-labels",
            default=None,
            help="Whether columns of SPSS and Stata hold labels of values, and not codes.  [default: where every value"
            " has a label]",
        ),
        click.option("--format", help="The format, where the file's ending does not tell it."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def trees(command: C) -> C:
    """The options for the files that say how the values of columns belong together."""
    hierarchy = click.option(
        "--hierarchy", multiple=True, metavar="COLUMN=FILE", help="The hierarchy of a column's values; repeatable."
    )
    levels = click.option(
        "--levels", multiple=True, metavar="COLUMN=FILE", help="An ordinal column's values, the lowest first."
    )
    return hierarchy(levels(command))


def meaning(command: C) -> C:
    """The options that say what columns mean."""
    options = [
        click.option(
            "--kind", multiple=True, metavar="COLUMN=KIND", help="nominal, ordinal, numeric or date; repeatable."
        ),
        click.option(
            "--distance",
            help="Between nodes of a hierarchy: wu-palmer, path, leacock-chodorow or information."
            "  [default: wu-palmer]",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return trees(command)


def given_trees(options: Mapping[str, Any]) -> dict[str, Any]:
    """The files of hierarchies and levels, as the functions take them."""
    return {name: pairs(options[option], option, last=False) for option, name in _TREES.items()}


def tree_files(options: Mapping[str, Any]) -> list[Path]:
    """The same files by their paths: inputs that no output may replace."""
    return [Path(path) for files in given_trees(options).values() for path in files.values()]


def models(given: Sequence[str]) -> dict[str, list[str]]:
    """``COLUMN=MODEL`` of a repeatable option, also of several models; a comma in parentheses parts none."""
    found: dict[str, list[str]] = {}
    for text in given:
        for column, written in pairs([text], "model").items():
            found.setdefault(column, []).extend(re.split(r",(?![^(]*\))", written))
    return found


def meant(options: Mapping[str, Any]) -> dict[str, Any]:
    """What the options say about columns, as the functions take it."""
    return {
        **given_trees(options),
        "kinds": pairs(options["kind"], "kind"),
        "distance": "wu-palmer" if options["distance"] is None else options["distance"],
    }


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON with stable keys.")


def open_table(path: str, options: dict[str, Any], settings: Mapping[str, Any] | None = None) -> Table:
    """Read the file that a command was given, by its reading options; ``settings`` speak where those are silent."""
    from shoal import tables

    return tables.read(path, options=reading_options(path, options, settings))


def reading_options(path: str, options: dict[str, Any], settings: Mapping[str, Any] | None = None) -> ReadOptions:
    """How the file that a command was given is to be read."""
    from shoal import tables

    given = {name: options[name] for name in _READING if options[name] is not None}
    if "missing" in given:
        given["missing"] = names([given["missing"]])
    if given.get("thousands") == "none":
        given["thousands"] = ""
    if given.get("header"):
        given["header_known"] = True
    known = tables.ReadOptions.from_settings({} if settings is None else settings)
    if tables.format_of(Path(path)):
        known = replace(known, format=None)  # the next delivery may come in another format
    formats = pairs(options["column_format"], "column_format", last=False)
    words = pairs(options["missing_in"], "missing_in", last=False)
    return replace(
        known,
        **given,
        column_formats={**known.column_formats, **formats},
        missing_in={**known.missing_in, **{column: names([given]) for column, given in words.items()}},
    )


def is_bundle(path: str) -> bool:
    """Whether this is a bundle and no table or policy: its ending tells."""
    return Path(path).suffix.lower() == ".zip"


def names(given: Sequence[str]) -> list[str]:
    """Names separated by commas, in one option or several; in quotation marks a name may hold anything."""
    try:
        rows = list(csv.reader(io.StringIO(",".join(given), newline=""), skipinitialspace=True))
    except csv.Error:
        raise OptionError.bad_option("names", "names separated by commas") from None
    return [name for row in rows for name in row if name]


def whole(text: str, error: OptionError) -> int:
    """A whole number, or this error."""
    try:
        return int(text)
    except ValueError:
        raise error from None


def pairs(given: Sequence[str], option: str, *, last: bool = True, secret: bool = False) -> dict[str, str]:
    """``NAME=VALUE`` of a repeatable option; the name may hold an equals sign and the value none, or the other way.

    In the latter case a name may hold anything if it stands in quotation marks. Names that are ``secret`` are values of
    the data, and no message shows them.
    """
    split = [text.rpartition("=") if last else _parted(text) for text in given]
    if not all(name and mark and value.strip() for name, mark, value in split):
        raise OptionError.bad_option(option, "a name, an equals sign and a value")
    found = {name: value for name, _, value in split}
    twice = [name for name, times in Counter(name for name, _, _ in split).items() if times > 1]
    if twice:
        raise OptionError.named_twice(option, counted(len(twice), "value") if secret else listed(twice))
    return found


def _parted(text: str) -> tuple[str, str, str]:
    """A name, the equals sign after it, and the rest."""
    quoted = _QUOTED.fullmatch(text)
    return (quoted[1].replace('""', '"'), "=", quoted[2]) if quoted else text.partition("=")


def weights(given: Sequence[str]) -> dict[str, float]:
    """``COLUMN=W`` of a repeatable option."""
    try:
        return {name: float(value) for name, value in pairs(given, "weight").items()}
    except ValueError:
        raise OptionError.bad_option("weight", "a column, an equals sign and a number above 0") from None


def show(text: str) -> None:
    """Print a result; what the terminal's alphabet lacks is replaced."""
    try:
        click.echo(text)
    except BrokenPipeError:
        # the reader of our output left: nothing to say, and Python must not complain at its end either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_READER_LEFT)
    except OSError as error:
        raise OutputError.unwritable("standard output", (error.strerror or "it is closed").lower()) from None


def on_terminal() -> bool:
    """Whether results go to a terminal, and not into a file or to another program."""
    return bool(sys.stdout) and sys.stdout.isatty()


def paint(text: str, meaning: str) -> str:
    """A text in the color of a meaning, on a terminal of somebody who wants colors."""
    wanted = on_terminal() and not os.environ.get("NO_COLOR")
    return click.style(text, **_COLORS[meaning]) if wanted else text


def show_json(facts: Any) -> None:
    plain = (getattr(sys.stdout, "encoding", None) or "").lower() not in ("utf-8", "utf8")
    show(json.dumps(facts, indent=2, ensure_ascii=plain, allow_nan=False))


def warn(sentences: Iterable[str]) -> None:
    with suppress(OSError):  # whoever listened there is gone, and the release is there
        for sentence in sentences:
            click.echo(f"shoal: warning: {on_command_line(sentence)}", err=True)


@contextmanager
def progress(
    *, quiet: bool, doing: str = "grouping", noun: str = "records", kernels_expected: int | None = None
) -> Iterator[Callable[[float, int], None]]:
    """A progress line with the time left, on a terminal only; and a word when kernels are compiled.

    Python's warnings stay silent inside: a command prints those of a release itself.
    """
    from shoal import kernels
    from shoal.values import silent

    line = _Line(doing, noun) if not quiet and sys.stderr and sys.stderr.isatty() else None
    notice = _CompileNotice(line, kernels_expected or 0, quiet=quiet)
    with warnings.catch_warnings(), kernels.jit.compiling(notice):
        warnings.simplefilter("ignore", ShoalWarning)
        try:
            yield line.move if line else silent
        finally:
            if line:
                line.close()


class _CompileNotice:
    """Says which kernel is compiled, and how many were and will be: on a terminal in one line, else once."""

    def __init__(self, line: _Line | None, expected: int, *, quiet: bool) -> None:
        self.line, self.expected, self.quiet = line, expected, quiet
        self.count, self.start = 0, time.monotonic()

    def __call__(self, name: str) -> None:
        self.count += 1
        with suppress(OSError):
            if self.line:
                of = f" of about {self.expected}" if self.count <= self.expected else ""
                seconds = f"{time.monotonic() - self.start:.0f} s"
                self.line.describe(f"compiling {name} (kernel {self.count}{of}, {seconds})")
            elif self.count == 1 and not self.quiet:
                click.echo("shoal: compiling kernels (first run only, some 15 seconds)", err=True)


class _Line:
    """A line of rich that appears when work takes longer than a moment."""

    def __init__(self, doing: str, noun: str) -> None:
        self.doing, self.noun = doing, noun
        self.start = time.monotonic()
        self.described = False
        self.bar: Any = None
        self.task: Any = None

    def move(self, done: float, total: int) -> None:
        if self.bar is None:
            if time.monotonic() - self.start < _PATIENCE or done >= total:
                return
            self._open(total)
        self.bar.update(self.task, completed=done, description=self.doing)

    def describe(self, words: str) -> None:
        """Say for now what else is being done."""
        if self.bar is not None:
            self.bar.update(self.task, description=words)
        else:
            self.described = True
            click.echo(f"\r\x1b[Kshoal: {words}", err=True, nl=False)

    def _clear(self) -> None:
        if self.described:
            self.described = False
            click.echo("\r\x1b[K", err=True, nl=False)

    def _open(self, total: int) -> None:
        self._clear()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(f"{self.noun},"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=Console(stderr=True),
            transient=True,
        )
        self.task = self.bar.add_task(self.doing, total=total)
        self.bar.start()

    def close(self) -> None:
        with suppress(OSError):
            self._clear()
        if self.bar is not None:
            self.bar.stop()
