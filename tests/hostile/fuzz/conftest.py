"""Panics of a library that Shoal catches are no reason for pages of their stacks."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _short_panics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUST_BACKTRACE", "0")
