"""Running the command line inside the test process: what it printed, and its exit code."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

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
