"""Decimals of released numbers on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

ARGUMENTS = ("-k", 2, "-q", "age,height", "--method", "mdav", "--quiet")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "in.csv"
    path.write_text("age,height\n20,171.7\n21,168.2\n60,182.4\n61,182.4\n")
    return path


def released(shoal, *more: str) -> tuple[list[str], str]:
    run = shoal("anonymize", "in.csv", *ARGUMENTS, *more, "-o", "out.csv", "--force")
    assert run.code == 0, run.err
    return Path("out.csv").read_text().splitlines()[1::2], run.err


def test_numbers_keep_their_decimals_unless_exact_means_are_asked_for(shoal, file: Path) -> None:
    assert released(shoal)[0] == ["20,170.0", "60,182.4"]
    assert released(shoal, "--exact-means")[0] == ["20.5,169.95", "60.5,182.4"]


def test_the_older_option_changes_nothing_and_says_so(shoal, file: Path) -> None:
    rows, errors = released(shoal, "--round-integers")
    assert rows == released(shoal)[0]
    assert "--round-integers is deprecated" in errors
    assert "--round-integers" not in shoal("anonymize", "--help").out


def test_kept_totals_need_rounding(shoal, file: Path) -> None:
    assert released(shoal, "--keep-totals")[0] == ["21,169.9", "60,182.4"]
    run = shoal("anonymize", "in.csv", *ARGUMENTS, "--keep-totals", "--exact-means", "-o", "new.csv")
    assert run.code == 2
    assert "leave out --keep-totals or --exact-means" in run.err
