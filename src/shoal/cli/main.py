"""Entry point of the command line. One file per command, imported on demand."""

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
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from shoal.errors import ShoalError, on_command_line

COMMANDS = (
    *("describe", "init", "anonymize", "compare", "bound", "verify", "evaluate", "explain", "replay"),
    *("methods", "measures", "hierarchy", "reproduce", "demo", "web"),
)
_OTHER_PACKAGES = {"reproduce": "shoal_reproduction.command"}
"""Commands of packages that exist only in a checkout."""

_NO_MEMORY = "There is not enough memory for this table; close other programs, or protect it in parts."
_NO_THREAD = "The system starts no further thread; close other programs, or allow more processes (ulimit -u)."

_signals: list[int] = []
"""Signals received that end the program."""
_OPTION_NAME = re.compile(r"\bOption '(\w+)'")
_NO_START = re.compile(rf"start new thread$|os error {errno.EAGAIN}\b|code: {errno.EAGAIN}, kind: WouldBlock")
"""Messages of Python and of Rust libraries when no thread can be started."""


class _Commands(click.Group):
    def list_commands(self, _: click.Context) -> list[str]:
        return [
            name
            for name in COMMANDS
            if name not in _OTHER_PACKAGES or find_spec(_OTHER_PACKAGES[name].partition(".")[0])
        ]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            return None
        command: click.Command = import_module(_OTHER_PACKAGES.get(name, f"shoal.cli.{name}")).command
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
    """Run the command line. Every failure has an exit code and prints at most one sentence."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no hang-up
        if number and signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores it on purpose
            signal.signal(number, _exit_on_signal)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = shoal.main(standalone_mode=False, prog_name="shoal")
    except ShoalError as error:
        code = _print_error(_with_flags(on_command_line(error.sentence), sys.argv), error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        code = 2
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "shoal"
        code = _print_error(f"{error.format_message().rstrip('.')}; see {command} --help.", 2)
    except click.ClickException as error:
        code = _print_error(error.format_message(), 2)
    except (KeyboardInterrupt, click.Abort):
        code = _print_error("Interrupted; no partial file is left.", 130)
    except SystemExit:
        raise
    except MemoryError:
        code = _print_error(_NO_MEMORY, 2)
    except BaseException as error:  # noqa: BLE001 - a Rust panic is no Exception, and its text may quote cells
        if _signals:  # a signal may make a library raise any error
            sys.exit(128 + _signals[0])
        code = _print_error(_NO_THREAD, 2) if _NO_START.search(str(error)) else _report_bug(error)
    _silence_exit()
    sys.exit(code if isinstance(code, int) else 0)


def _with_flags(sentence: str, given: Sequence[str]) -> str:
    """Replace option names in a sentence by the flags given, such as ``--missing-values``."""
    flags = [word.partition("=")[0] for word in given if word.startswith("-")]

    def to_flag(match: re.Match[str]) -> str:
        matching = [flag for flag in flags if _is_flag_of(flag.lstrip("-").replace("-", "_"), match[1])]
        return f"Option {matching[0] if matching else repr(match[1])}"

    return _OPTION_NAME.sub(to_flag, sentence)


def _is_flag_of(flag: str, name: str) -> bool:
    """Whether a flag sets an argument, as ``hierarchy`` sets ``hierarchies``."""
    return flag == name or (len(flag) > len("map") and name.startswith(flag.removesuffix("y")))


def _silence_exit() -> None:
    """Prevent any output at exit, such as the reset code of colorama, which Numba loads.

    Output that could not be written was reported already. Drop it: Python would try again and end with its own message
    and exit code.
    """
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except ValueError:  # already closed
            continue
        except OSError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
    atexit.register(_reset_signals)
    colorama = sys.modules.get("colorama.initialise")
    if colorama is not None:
        atexit.unregister(colorama.reset_all)


def _reset_signals() -> None:
    """Let signals end the process silently from now on."""
    for number in (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")):
        if number and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _print_error(sentence: str, code: int) -> int:
    with suppress(OSError):  # standard error may be closed
        click.echo(f"shoal: {sentence}", err=True)
    return code


def _report_bug(error: BaseException) -> int:
    """Report the location of a bug, not the exception's text: that may quote the data."""
    if os.environ.get("SHOAL_DEBUG"):
        traceback.print_exc()
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}"
    return _print_error(
        f"This is a bug in Shoal ({where}); no partial file is left; please report it"
        " (SHOAL_DEBUG=1 shows the traceback, which may quote the data).",
        1,
    )


def _exit_on_signal(number: int, _: FrameType | None) -> NoReturn:
    _signals.append(number)
    sys.unraisablehook = lambda _: None  # no traceback if the signal interrupts a destructor
    sys.exit(128 + number)
