"""Running the command line inside the test process, and in processes of its own where signals and terminals matter."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from fork_server import ForkServer
from shoal.cli.main import main


class Run(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def shoal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    def run(*arguments: object) -> Run:
        monkeypatch.setattr(sys, "argv", ["shoal", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        # kernels are compiled by whichever test comes first on a machine
        return Run(int(stopped.value.code or 0), printed.out, re.sub(r"shoal: compiling.*\n", "", printed.err))

    return run


@pytest.fixture(scope="session")
def fork_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    server = ForkServer(tmp_path_factory.mktemp("fork_server"))
    yield server
    server.close()


@pytest.fixture
def pipe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A pipe with a name, for what a process prints."""
    path = str(tmp_path_factory.mktemp("pipe") / "pipe")
    os.mkfifo(path)
    return path
