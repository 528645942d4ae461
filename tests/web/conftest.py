"""What several tests of the page share; those that need another page or project say so themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from clerk import Clerk
from decided import decided
from driver import Driver

from shoal.web.projects.model import Project


@pytest.fixture
def clerk(monkeypatch: pytest.MonkeyPatch) -> Clerk:
    return Clerk(monkeypatch)


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with Driver(tmp_path / "place") as found:
        yield found


@pytest.fixture
def project(driver: Driver, tmp_path: Path) -> Project:
    """One whose file was looked at, with all decisions."""
    return decided(driver, tmp_path)
