"""A project with all decisions made, and its release made in the process of the test."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from clerk import source, write_table
from driver import Driver

from shoal.errors import ShoalWarning
from shoal.web.projects.model import Project
from shoal.web.workers.tasks import release
from shoal.web.workers.worker import WorkerContext


def decided(driver: Driver, folder: Path) -> Project:
    """A project with a file that was looked at, and all decisions."""
    write_table(folder / "people.csv")
    known = replace(source(), sha256=sha256(folder / "people.csv"))
    new = driver.project(known, name="people.csv", file=folder / "people.csv")
    return decide(driver, new, k=4, method="mdav", effort="")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def decide(driver: Driver, project: Project, **changes: Any) -> Project:
    return driver.place.store.update(project.id, lambda now: replace(now, choices=replace(now.choices, **changes)))


def form(project: Project, **fields: object) -> dict[str, object]:
    return {"revision": project.revision, **fields}


def made(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The release itself, in this process."""
    with open(os.devnull, "wb") as nowhere, warnings.catch_warnings():  # noqa: PTH123
        warnings.simplefilter("ignore", ShoalWarning)
        return release.run(asked, WorkerContext(nowhere))


def run(driver: Driver, project: Project) -> dict[str, Any]:
    """Make the release; how the job ended."""
    now = driver.place.store.read(project.id)
    assert driver.post(f"/p/{project.id}/release", form(now)).status == 303
    found: dict[str, Any] = driver.get(f"/p/{project.id}/job").json
    return found
