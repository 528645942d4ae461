"""Fixtures of the page tests: a fake worker, a client, and a project with all options."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_worker import FakeWorker
from page_client import PageClient
from project_setup import project_with_choices

from shoal.web.projects.model import Project


@pytest.fixture
def fake_worker(monkeypatch: pytest.MonkeyPatch) -> FakeWorker:
    return FakeWorker(monkeypatch)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[PageClient]:
    with PageClient(tmp_path / "place") as result:
        yield result


@pytest.fixture
def project(client: PageClient, tmp_path: Path) -> Project:
    """A project with an inspected file and all options."""
    return project_with_choices(client, tmp_path)
