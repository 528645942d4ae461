"""The shell that a reader of the docs has: `shoal` is on its path.

Most commands run inside the test process, since each new one would load all libraries again: `shoal` is then a function
of the shell that repeats what the command printed here.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from shoal.cli.main import main

PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
WIDTH = {"COLUMNS": "100"}
ALONE = re.compile(
    r"shoal(?P<arguments>(?:[^|&;<>$`*~()#!'\n\\]|\\\n|'[^'\n]*')*?)(?P<rest>\s*(?:[0-9]?>|\||;|&&).*)?", re.DOTALL
)
"""One command of ours, and what a shell does with it; no other characters that mean something to a shell, unless they
are quoted."""
TWO = re.compile(r"((?:\s*[0-9]?>\s*[^\s|&;<>]+)*)\s*;\s*(shoal .*)", re.DOTALL)
"""What follows a command of ours where a second one comes next, whatever became of the first."""
REPEAT = 'shoal() { cat "$OUT"; cat "$ERR" >&2; return $CODE; }\nshoal'


class Run(NamedTuple):
    code: int
    out: str
    err: str
    both: str
    """All that was printed, in its order."""


class Channel(io.TextIOWrapper):
    """A channel of text that also writes to a second one."""

    def __init__(self, both: io.BytesIO) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)
        self._both = both

    def write(self, text: str) -> int:
        self._both.write(text.encode())
        return super().write(text)

    def text(self) -> str:
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined]


def run(arguments: list[str], folder: Path) -> Run:
    """Run `shoal` with these arguments in a folder, inside this process."""
    both = io.BytesIO()
    out, err = Channel(both), Channel(both)
    with (
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, WIDTH),
        mock.patch.object(sys, "argv", ["shoal", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
            code = 0
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    return Run(code, out.text(), err.text(), both.getvalue().decode())


def run_script(script: str, folder: Path, *, check: bool = False) -> str:
    """Standard output and error of a script, without the message that kernels are compiled.

    A script that is one `shoal` command, alone or before a pipe or the like, runs inside this process, and so do two
    that are separated by a semicolon.
    """
    found = ALONE.fullmatch(script.strip())
    rest = (found["rest"] or "").strip() if found else ""
    if found and (two := TWO.fullmatch(rest)):
        first = run_script(f"shoal{found['arguments']} {two[1]}", folder, check=check)
        return first + run_script(two[2], folder, check=check)
    if found is None or "shoal " in rest:
        code, text = shell(script, folder)
    else:
        made = run(shlex.split(found["arguments"].replace("\\\n", " ")), folder)
        code, text = (made.code, made.both) if not rest else run_pipeline(made, rest, folder)
    assert not check or code == 0, text
    return re.sub(r"shoal: compiling.*\n", "", text)


def run_pipeline(made: Run, rest: str, folder: Path) -> tuple[int, str]:
    """Exit code and output of a shell that gets the output of a command."""
    kept = {"OUT": made.out, "ERR": re.sub(r"shoal: compiling.*\n", "", made.err)}
    aside = folder.parent / f"{folder.name}.printed"
    aside.mkdir(exist_ok=True)
    for name, text in kept.items():
        (aside / name).write_bytes(text.encode())
    names = {name: str(aside / name) for name in kept}
    return shell(f"{REPEAT} {rest}", folder, CODE=str(made.code), **names)


def shell(script: str, folder: Path, **more: str) -> tuple[int, str]:
    """Exit code and output of a script."""
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, **WIDTH, "PATH": PATH, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout
