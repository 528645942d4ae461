"""Application context: what request handlers share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.requests import Request

from shoal.web.errors import PageError
from shoal.web.projects.hierarchy_drafts import HierarchyDrafts
from shoal.web.projects.incoming_files import is_available, restore_file
from shoal.web.projects.model import Project
from shoal.web.projects.store import ProjectStore
from shoal.web.workers.pool import WorkerPool


@dataclass
class AppContext:
    """Store, workers and files of one server process."""

    store: ProjectStore
    workers: WorkerPool
    scratch: Path
    """Private folder, removed at exit. Uploaded files are in ``scratch/ID/``."""
    max_upload: int
    """Bytes."""
    files: dict[str, Path] = field(default_factory=dict)
    """Path of the file of each project, where it is available."""
    drafts: HierarchyDrafts = field(default_factory=HierarchyDrafts)

    def file(self, project: Project) -> dict[str, Any]:
        """Return the file of a project as task parameters; refuse if it is not available."""
        if not self.has_file(project):
            raise PageError.file_not_available()
        name = project.name if project.source is None else project.source.name
        return {"path": str(self.files[project.id]), "reading": dict(project.reading), "name": name}

    def inspected_file(self, project: Project) -> dict[str, Any]:
        """Return the file as task parameters; refuse if it was not inspected with the current import settings."""
        if not project.looked_at:
            raise PageError.file_not_read()
        return self.file(project)

    def has_file(self, project: Project) -> bool:
        path = self.files.get(project.id)
        return path is not None and is_available(project, path)


def app_context(request: Request) -> AppContext:
    context: AppContext = request.app.state.context
    return context


def project_context(request: Request) -> tuple[AppContext, Project]:
    """Return the context and the project of a request, with its file restored if possible."""
    context = app_context(request)
    project = context.store.read(request.path_params["id"])
    restore_file(context, project)
    return context, project
