"""Where requests find what they need: the projects, their files, the desk and the jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.requests import Request

from shoal.errors import PageError
from shoal.web.arrivals import found_again, is_there
from shoal.web.desk import Desk
from shoal.web.drafts import Drafts
from shoal.web.interface import Project
from shoal.web.jobs import Jobs, Then
from shoal.web.store import Store
from shoal.web.warming import Warming


@dataclass
class Workplace:
    store: Store
    desk: Desk
    jobs: Jobs
    scratch: Path
    """A private folder that is removed at the end: uploaded files lie in ``scratch/ID/``."""
    max_upload: int
    """Bytes."""
    files: dict[str, Path] = field(default_factory=dict)
    """The file of each project that is at hand."""
    drafts: Drafts = field(default_factory=Drafts)
    """Hierarchies that are being made."""
    warming: Warming | None = None

    def project(self, request: Request) -> Project:
        """The project that a request is about."""
        project = self.store.read(request.path_params["id"])
        found_again(self, project)
        return project

    def file(self, project: Project) -> dict[str, Any]:
        """The file of a project, as workers take it; or the error that it is not at hand."""
        path = self.files.get(project.id)
        if path is None or not is_there(project, path):
            raise PageError.no_file()
        name = project.name if project.source is None else project.source.name
        return {"path": str(path), "reading": dict(project.reading), "name": name}

    def looked(self, project: Project) -> dict[str, Any]:
        """The same, if the file is what was looked at: all that is decided is about that."""
        if not project.looked_at:
            raise PageError.not_read()
        return self.file(project)

    def at_hand(self, project: Project) -> bool:
        """Whether the file of a project is there to be asked about."""
        try:
            self.file(project)
        except PageError:
            return False
        return True

    def warm(self) -> None:
        """Somebody is here and will want a release: what that needs is compiled meanwhile."""
        if self.warming is not None:
            self.warming.begin()

    def start(self, project: Project, task: str, asked: Mapping[str, Any], *, then: Then) -> None:
        """Start what takes all cores: nothing else is warmed up meanwhile."""
        self.jobs.start(project.id, task, asked, then=then)
        if self.warming is not None:
            self.warming.stop()


def workplace(request: Request) -> Workplace:
    found: Workplace = request.app.state.workplace
    return found
