"""Fixtures of the leak tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from leak_search import Command, Run

from shoal.cli.main import main

# the page that runs in a process of its own is that of the tests of the page
sys.path.append(str(Path(__file__).parents[2] / "web"))


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process."""

    def run(*arguments: object) -> Run:
        monkeypatch.setattr(sys, "argv", ["shoal", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        return Run(int(stopped.value.code or 0), printed.out, printed.err)

    return run
