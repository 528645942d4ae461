"""Shared by all commands: options for files and columns, parsing of option values, output and the progress bar."""

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli.grouped_help import Decorator, option
from shoal.errors import OptionError, OutputError, ShoalWarning, on_command_line
from shoal.errors.messages import pluralize, quote_names

if TYPE_CHECKING:
    from shoal.data import ReadOptions, Table
    from shoal.domain import Policy, PolicyDraft

_QUOTED = re.compile(r'"((?:[^"]|"")*)"=(.*)', re.DOTALL)
"""A name in quotation marks (doubled inside it), an equals sign and a value."""
_BROKEN_PIPE = 141
"""Exit code after SIGPIPE: the reader of the output is closed."""
_COLORS: dict[str, dict[str, Any]] = {
    "good": {"fg": "green", "bold": True},
    "bad": {"fg": "red", "bold": True},
    "soft": {"dim": True},
    "sea": {"fg": "cyan"},
}
_DELAY = 0.7
"""Seconds before the progress bar appears."""


def with_options(*options: Decorator) -> Decorator:
    """Return a decorator that adds options to a command, in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for add in reversed(options):
            command = add(command)
        return command

    return decorate


def _read_option(flag: str, metavar: str | None, help: str, **attributes: Any) -> Decorator:
    return option(flag, group="Reading the file", metavar=metavar, help=help, **attributes)


_LINES = click.IntRange(min=0)
with_read_options = with_options(
    _read_option("--delimiter", "CHARACTER", "Column separator.  [default: detected]"),
    _read_option("--quote", "CHARACTER", "Quotation mark of fields, or none.  [default: double quotation mark]"),
    _read_option("--encoding", "NAME", "Text encoding, such as cp1252.  [default: detected]"),
    _read_option("--decimal", "CHARACTER", "Decimal mark of numbers.  [default: detected]"),
    _read_option("--thousands", "CHARACTER", "Thousands separator, or none.  [default: detected]"),
    _read_option(
        "--column-format",
        "COLUMN=FORMAT",
        "Format of one column, such as 1.234,5 or DD.MM.YYYY or text; repeatable.",
        multiple=True,
    ),
    _read_option("--missing", "WORDS", "Words that mean missing in all columns, separated by commas."),
    _read_option(
        "--missing-in", "COLUMN=WORDS", "More words that mean missing in one column; repeatable.", multiple=True
    ),
    _read_option(
        "--header/--no-header",
        None,
        "Whether the first line is a header. By default it is, and one that looks like data is refused.",
        default=None,
    ),
    _read_option("--skip", "LINES", "Number of lines above the header.  [default: detected]", type=_LINES),
    _read_option("--skip-footer", "LINES", "Number of lines below the last record, such as totals.", type=_LINES),
    _read_option(
        "--row-numbers/--no-row-numbers",
        None,
        "Whether to drop a first column without a name. By default, it is dropped if it numbers the rows.",
        default=None,
    ),
    _read_option("--sheet", "NAME", "Sheet of a workbook."),
    _read_option(
        "--value-labels/--no-value-labels",
        None,
        "Whether to read columns of SPSS and Stata as value labels instead of codes.  [default: labels where"
        " every value has one]",
        default=None,
    ),
    _read_option("--format", "NAME", "File format, where the extension does not tell it."),
)
"""The options for reading a file."""

memory_option = option(
    "--memory",
    group="Large files",
    metavar="SIZE",
    help="Memory limit, such as 2GB: a csv, tsv or Parquet file of any size is then read in pieces.",
)
as_json = option("--json", "as_json", is_flag=True, group="Outputs", help="Print JSON with stable keys.")


def open_table(
    path: str, options: dict[str, Any], policy: Policy | PolicyDraft | None = None, *, is_release: bool = False
) -> Table:
    """Read the file of a command with its reading options; the others are those of a policy."""
    from shoal import data

    return data.read_table(path, options=parse_read_options(path, options, policy, is_release=is_release))


def parse_read_options(
    path: str, options: dict[str, Any], policy: Policy | PolicyDraft | None = None, *, is_release: bool = False
) -> ReadOptions:
    """Return the read options of a command; those that are not given are those of a policy."""
    from shoal import data
    from shoal.release.policy_arguments import read_options

    names = (field.name for field in fields(data.ReadOptions))
    given = {name: options[name] for name in names if options.get(name) is not None}
    if "missing" in given:
        given["missing"] = parse_names([given["missing"]])
    if given.get("thousands") == "none":
        given["thousands"] = ""
    if given.get("header"):
        given["header_known"] = True
    defaults = data.ReadOptions() if policy is None else read_options(Path(path), policy, is_release=is_release)
    formats = parse_pairs(options["column_format"], "column_format", split_at_last=False)
    words = parse_pairs(options["missing_in"], "missing_in", split_at_last=False)
    given["column_formats"] = {**defaults.column_formats, **formats}
    given["missing_in"] = {**defaults.missing_in, **{column: parse_names([text]) for column, text in words.items()}}
    return replace(defaults, **given)


def stem(path: str) -> str:
    """Return the file name without its extensions."""
    return Path(path).name.partition(".")[0] or Path(path).name


def is_bundle(path: str) -> bool:
    """Whether the extension is that of a bundle."""
    return Path(path).suffix.lower() == ".zip"


def parse_names(given: Sequence[str]) -> list[str]:
    """Parse names separated by commas, in one option or several. A quoted name may contain commas."""
    try:
        rows = list(csv.reader(io.StringIO(",".join(given), newline=""), skipinitialspace=True))
    except csv.Error:
        raise OptionError.invalid_value("names", "names separated by commas") from None
    return [name for row in rows for name in row if name]


def parse_int(text: str, error: OptionError) -> int:
    """Parse an integer, or raise this error."""
    try:
        return int(text)
    except ValueError:
        raise error from None


def parse_pairs(
    given: Sequence[str], option: str, *, split_at_last: bool = True, secret: bool = False
) -> dict[str, str]:
    """Parse ``NAME=VALUE`` of a repeatable option, split at the last equals sign, or at the first.

    In the latter case a quoted name may contain equals signs. No message shows ``secret`` names: values of the data.
    """
    split = [text.rpartition("=") if split_at_last else _split_first(text) for text in given]
    if not all(name and mark and value.strip() for name, mark, value in split):
        raise OptionError.invalid_value(option, "a name, an equals sign and a value")
    parsed = {name: value for name, _, value in split}
    repeated = [name for name, times in Counter(name for name, _, _ in split).items() if times > 1]
    if repeated:
        raise OptionError.duplicate_names(
            option, pluralize(len(repeated), "value") if secret else quote_names(repeated)
        )
    return parsed


def _split_first(text: str) -> tuple[str, str, str]:
    """Split at the first equals sign after the name, which may be quoted."""
    quoted = _QUOTED.fullmatch(text)
    return (quoted[1].replace('""', '"'), "=", quoted[2]) if quoted else text.partition("=")


def show(text: str) -> None:
    """Print a result."""
    try:
        click.echo(text)
    except BrokenPipeError:
        # the reader of the output is closed; Python must not report it again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_BROKEN_PIPE)
    except OSError as error:
        raise OutputError.unwritable("standard output", (error.strerror or "it is closed").lower()) from None


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return bool(sys.stdout) and sys.stdout.isatty()


def colorize(text: str, meaning: str) -> str:
    """Color a text, if standard output is a terminal and NO_COLOR is not set."""
    use_colors = is_terminal() and not os.environ.get("NO_COLOR")
    return click.style(text, **_COLORS[meaning]) if use_colors else text


def show_json(facts: Any) -> None:
    ascii_only = (getattr(sys.stdout, "encoding", None) or "").lower() not in ("utf-8", "utf8")
    show(json.dumps(facts, indent=2, ensure_ascii=ascii_only, allow_nan=False))


def show_facts(facts: Any, to_text: Callable[[Any], str], *, as_json: bool) -> None:
    """Print facts as JSON or as text."""
    if as_json:
        show_json(facts)
    else:
        show(to_text(facts))


def print_warnings(sentences: Iterable[str]) -> None:
    with suppress(OSError):  # standard error may be closed; the release is complete
        for sentence in sentences:
            click.echo(f"shoal: warning: {on_command_line(sentence)}", err=True)


@contextmanager
def progress(
    *, quiet: bool, description: str = "grouping", unit: str = "records", kernels_expected: int | None = None
) -> Iterator[Callable[[float, int], None]]:
    """Show a progress bar on a terminal, and a notice when kernels are compiled.

    Suppresses `ShoalWarning`: a command prints the warnings of a release itself.
    """
    from shoal import kernels
    from shoal.domain import no_progress

    line = _ProgressLine(description, unit) if not quiet and sys.stderr and sys.stderr.isatty() else None
    notice = _CompileNotice(line, kernels_expected or 0, quiet=quiet)
    with warnings.catch_warnings(), kernels.jit.compiling(notice):
        warnings.simplefilter("ignore", ShoalWarning)
        try:
            yield line.update if line else no_progress
        finally:
            if line:
                line.close()


class _CompileNotice:
    """Reports compiled kernels: each one in the progress line of a terminal, else once."""

    def __init__(self, line: _ProgressLine | None, expected: int, *, quiet: bool) -> None:
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


class _ProgressLine:
    """Progress bar that appears after a short delay."""

    def __init__(self, doing: str, noun: str) -> None:
        self.doing, self.noun = doing, noun
        self.start = time.monotonic()
        self.described = False
        self.bar: Any = None
        self.task: Any = None

    def update(self, done: float, total: int) -> None:
        if self.bar is None:
            if time.monotonic() - self.start < _DELAY or done >= total:
                return
            self._open(total)
        self.bar.update(self.task, completed=done, description=self.doing)

    def describe(self, text: str) -> None:
        """Replace the description until the next update."""
        if self.bar is not None:
            self.bar.update(self.task, description=text)
        else:
            self.described = True
            click.echo(f"\r\x1b[Kshoal: {text}", err=True, nl=False)

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
