"""The command `shoal`. One command a file; each is loaded when it is asked for."""

from __future__ import annotations

import atexit
import errno
import io
import os
import re
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from shoal.errors import ShoalError, on_command_line

COMMANDS = (
    *("describe", "anonymize", "compare", "bound", "verify", "evaluate", "explain", "replay"),
    *("methods", "measures", "hierarchy", "reproduce", "demo", "web"),
)


_NO_MEMORY = "There is not enough memory for this table; close other programs, or protect it in parts."
_NO_THREAD = "The system starts no further thread; close other programs, or allow more processes (ulimit -u)."

_signals: list[int] = []
"""Those that asked the program to stop."""
_NAMED = re.compile(r"\bOption '(\w+)'")
_NO_START = re.compile(rf"start new thread$|os error {errno.EAGAIN}\b|code: {errno.EAGAIN}, kind: WouldBlock")
"""What Python, and libraries in Rust, say where no thread can be started."""


class _Commands(click.Group):
    def list_commands(self, _: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"shoal.cli.{name}").command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="shoal", prog_name="shoal")
def shoal() -> None:
    """Hide every record of a table among at least k alike.

    \b
    Exit codes: 0 done; 2 bad input; 3 the promise cannot be kept or a
    verification failed; 1 a bug in Shoal; 130 interrupted.
    """


def main() -> NoReturn:
    """Run the command line; every way out has its exit code and at most one sentence."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no hang-up
        if number and signal.getsignal(number) is not signal.SIG_IGN:  # nohup asks to go on
            signal.signal(number, _stopped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = shoal.main(standalone_mode=False, prog_name="shoal")
    except ShoalError as error:
        code = _say(_with_options(on_command_line(error.sentence), sys.argv), error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        code = 2
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "shoal"
        code = _say(f"{error.format_message().rstrip('.')}; see {command} --help.", 2)
    except click.ClickException as error:
        code = _say(error.format_message(), 2)
    except (KeyboardInterrupt, click.Abort):
        code = _say("Interrupted; no partial file is left.", 130)
    except SystemExit:
        raise
    except MemoryError:
        code = _say(_NO_MEMORY, 2)
    except BaseException as error:  # noqa: BLE001 - a panic of a library is no Exception, and may quote cells too
        if _signals:  # a library that a signal came into may fail in another way
            sys.exit(128 + _signals[0])
        code = _say(_NO_THREAD, 2) if _NO_START.search(str(error)) else _bug(error)
    _leave()
    sys.exit(code if isinstance(code, int) else 0)


def _with_options(sentence: str, given: Sequence[str]) -> str:
    """A sentence with the name of an option as it was given, such as ``--missing-values``."""
    flags = [word.partition("=")[0] for word in given if word.startswith("-")]

    def named(found: re.Match[str]) -> str:
        fitting = [flag for flag in flags if _is_for(flag.lstrip("-").replace("-", "_"), found[1])]
        return f"Option {fitting[0] if fitting else repr(found[1])}"

    return _NAMED.sub(named, sentence)


def _is_for(flag: str, name: str) -> bool:
    """Whether the flag ``hierarchy`` or ``suppress`` gives the argument ``hierarchies`` or ``suppression``."""
    return flag == name or (len(flag) > len("map") and name.startswith(flag.removesuffix("y")))


def _leave() -> None:
    """Nothing reaches the terminal after the end: where colorama is installed, Numba has it send a code there.

    Output that cannot be written was reported already. It is dropped here, since Python would try to write it once more
    and end with a message and an exit code of its own.
    """
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except ValueError:  # closed already: nothing is left to write
            continue
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
    atexit.register(_be_quiet)
    loaded = sys.modules.get("colorama.initialise")
    if loaded is not None:
        atexit.unregister(loaded.reset_all)


def _be_quiet() -> None:
    """All is done: a signal ends the process without a word."""
    for number in (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")):
        if number and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _say(sentence: str, code: int) -> int:
    with suppress(OSError):  # whoever listened there is gone
        click.echo(f"shoal: {sentence}", err=True)
    return code


def _bug(error: BaseException) -> int:
    """Name the place of a bug, not the exception's text: that may quote the data."""
    if os.environ.get("SHOAL_DEBUG"):
        traceback.print_exc()
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"
    return _say(
        f"This is a bug in Shoal ({where}); no partial file is left; please report it"
        " (SHOAL_DEBUG=1 shows the traceback, which may quote the data).",
        1,
    )


def _stopped(number: int, _: FrameType | None) -> NoReturn:
    _signals.append(number)
    sys.unraisablehook = lambda _: None  # of a destructor that the signal came into Python would print a traceback
    sys.exit(128 + number)
