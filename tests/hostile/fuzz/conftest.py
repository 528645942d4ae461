"""The targets of this folder, and the room below it that has the ledger."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A panic of a library that Shoal catches is no reason for pages of its stack."""
    monkeypatch.setenv("RUST_BACKTRACE", "0")
