"""The search that is guided by coverage: its command, and with full tries some seconds of it for each target."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path

import guided
import pytest
from ledger import FULL, Ledger
from targets import TARGETS

_OUTCOME = "It is read, or refused in one sentence that shows no cell; nothing crashes, hangs or is half read."
_SECONDS = 3


def test_targets_that_are_not_there_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(guided, "find_spec", lambda name: object())
    assert guided.main(["nowhere"]) == 2
    assert "There is no target nowhere" in capsys.readouterr().err


def test_rooms_that_are_looked_at_are_there() -> None:
    assert all(find_spec(module) for one in TARGETS.values() for module in one.modules)


def test_without_atheris_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(guided, "find_spec", lambda name: None)
    assert guided.main([]) == 2
    assert "pip install atheris" in capsys.readouterr().err


@pytest.mark.parametrize(("code", "finding", "found"), [(0, "", 0), (77, "crash-1", 1), (77, "", 1)])
def test_a_finding_is_kept_and_told(
    code: int,
    finding: str,
    found: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        folder = Path(command[command.index("--findings") + 1])
        if finding:
            (folder / finding).write_bytes(b"bytes")
        stderr = b"#2 INITED cov: 17 ft: 3\n#90 NEW cov: 42 ft: 9\nstat::number_of_executed_units: 1234\n"
        return subprocess.CompletedProcess(command, code, b"", stderr)

    monkeypatch.setattr(guided, "find_spec", lambda name: object())
    monkeypatch.setattr(guided.subprocess, "run", run)
    assert guided.main(["model", "--findings", str(tmp_path / "kept")]) == found
    printed = capsys.readouterr().out
    assert "1,234" in printed
    assert "42" in printed
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ([f"model-{finding}"] if finding else [])


def test_guided_search_finds_nothing(ledger: Ledger, tmp_path: Path) -> None:
    """Only with full tries, and where atheris is installed: the ordinary suite has the corpus that it grew."""
    searched = list(TARGETS) if FULL and find_spec("atheris") else []
    for name in searched:
        account = ledger.account("abuse", "seconds of a search for bytes that reach new lines of a reader", _OUTCOME)
        with account.trial():
            assert guided.main([name, "--seconds", str(_SECONDS), "--findings", str(tmp_path / "findings")]) == 0
            account.whole += 1
