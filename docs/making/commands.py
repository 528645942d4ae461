"""Pages of the commands: an index, and one page a command with its subcommands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

from making.markdown import table
from shoal.cli.main import COMMANDS, shoal

INDEX = """# The command line

Made by `python docs/make.py` from the commands themselves; `shoal COMMAND --help` prints the same. Each has a page with
all of its options.
"""
CODES = """## Exit codes

| code | what happened | what stands on the disk |
|---|---|---|
| 0 | done | what was asked for, whole and verified |
| 1 | a bug in Shoal; the message names its place, never a cell of the data | what stood before |
| 2 | bad input: a file, a column, an option; the message says what to mend | what stood before |
| 3 | the promise cannot be kept, or a verification failed | what stood before |
| 130 | interrupted with Ctrl-C (143: ended by SIGTERM, 129: by SIGHUP) | what stood before |

Messages go to standard error, results to standard output. `--json` prints stable keys, and
[formats/json.md](formats/json.md) lists them. Each message is of an [error](errors.md) that has a page.
"""


def parts(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """The words of a command, then those of its subcommands."""
    yield path, command
    for name, part in getattr(command, "commands", {}).items():
        yield from parts(part, (*path, name))


def known() -> dict[str, list[tuple[tuple[str, ...], click.Command]]]:
    """Every command with all that is below it."""
    context = click.Context(shoal)
    return {name: list(parts(shoal.get_command(context, name), (name,))) for name in COMMANDS}


def help_of(path: tuple[str, ...]) -> str:
    """What `--help` prints on a terminal of 100 columns."""
    done = CliRunner().invoke(shoal, [*path, "--help"], prog_name="shoal", terminal_width=100)
    return done.output.strip()


def page(name: str, found: list[tuple[tuple[str, ...], click.Command]]) -> str:
    """One command: its help, then that of its subcommands."""
    texts = []
    for path, command in found:
        head = f"{'#' * len(path)} shoal {' '.join(path)}\n\n{command.get_short_help_str(200)}\n"
        texts.append(f"{head}\n```text\n{help_of(path)}\n```\n")
    back = "The others, and the exit codes: [the command line](../command-line.md)."
    if any(option.name == "as_json" or "--json" in option.opts for _, command in found for option in command.params):
        back += f" What `--json` prints: [its keys](../formats/json.md#shoal-{name})."
    return "\n".join([*texts, f"{back}\n"])


def index() -> str:
    rows = [
        (f"[`shoal {' '.join(path)}`](commands/{name}.md{_anchor(path)})", command.get_short_help_str(200))
        for name, found in known().items()
        for path, command in found
    ]
    return "\n".join([INDEX, table(["command", "what it does"], rows), CODES])


def _anchor(path: tuple[str, ...]) -> str:
    return f"#shoal-{'-'.join(path)}" if len(path) > 1 else ""


def pages(docs: Path) -> dict[Path, str]:
    return {
        docs / "command-line.md": index(),
        **{docs / "commands" / f"{name}.md": page(name, found) for name, found in known().items()},
    }
