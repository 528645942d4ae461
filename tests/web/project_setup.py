"""A project with all options, and releases in the process of the test."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fake_worker import source, write_table
from page_client import PageClient

from shoal.errors import ShoalWarning
from shoal.web.projects.model import Project
from shoal.web.workers.tasks.release_tasks import release
from shoal.web.workers.worker import WorkerContext


def project_with_choices(client: PageClient, folder: Path) -> Project:
    """Create a project with an inspected file and all options."""
    write_table(folder / "people.csv")
    known = replace(source(), sha256=sha256(folder / "people.csv"))
    new = client.project(known, name="people.csv", file=folder / "people.csv")
    return set_choices(client, new, k=4, method="mdav", effort="")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def set_choices(client: PageClient, project: Project, **changes: Any) -> Project:
    return client.context.store.update(project.id, lambda now: replace(now, choices=replace(now.choices, **changes)))


def form(project: Project, **fields: object) -> dict[str, object]:
    return {"revision": project.revision, **fields}


def make_release(params: Mapping[str, Any]) -> dict[str, Any]:
    """Run the release task in this process."""
    with open(os.devnull, "wb") as nowhere, warnings.catch_warnings():  # noqa: PTH123
        warnings.simplefilter("ignore", ShoalWarning)
        return release(params, WorkerContext(nowhere))


def run_release(client: PageClient, project: Project) -> dict[str, Any]:
    """Start a release through the page; return the state of its job."""
    now = client.context.store.read(project.id)
    assert client.post(f"/p/{project.id}/release", form(now)).status == 303
    result: dict[str, Any] = client.get(f"/p/{project.id}/job").json
    return result
